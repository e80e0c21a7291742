import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter'
import type { VersionEntry } from '../api/interface-types.js'
import { point } from '../api/point.js'
import { type RecordName, readVersions, restoredIn, versionsPerPage } from '../api/records.js'
import { Author } from '../parts/author.js'
import { titleOfPage } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { RecordNews } from '../parts/record-news.js'
import { Time } from '../parts/time.js'
import { useRecordTitle } from '../parts/use-record.js'
import { MoreButton } from '../reading/more-button.js'
import { RecordLink } from '../reading/record-link.js'
import { isAutomatic, words } from '../words.js'
import { historyWords } from '../words-of-history.js'

/** All versions of a record: who changed what, when and why. Two can be compared, and one restored. */
export function VersionsPage(record: RecordName) {
  const { data, error, hasNextPage, fetchNextPage, isFetching, refetch } = useInfiniteQuery({
    queryKey: ['versions', record.collection, record.id],
    queryFn: ({ pageParam, signal }) => readVersions(record, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) =>
      pages.length * versionsPerPage < total ? pages.length : undefined,
  })
  const entries = data?.pages.flatMap(page => page.entries) ?? []
  const title = historyWords.versions.title(useRecordTitle(record))
  const restored = new URLSearchParams(useSearch())
  return (
    <PageFrame title={titleOfPage(error, title)} record={record}>
      {point === undefined && <RecordNews {...record} />}
      <p role="status">
        {restored.has('restored') &&
          `${historyWords.versions.restored(Number(restored.get('restored')), Number(restored.get('as')))} `}
        {restored.has('unsaid') && `${words.edit.unsaid} `}
        {data ? historyWords.versions.count(data.pages[0]?.total ?? 0) : !error && words.loading}
      </p>
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {entries.length > 0 && <VersionsForm key={entries[0]?.version} record={record} entries={entries} />}
      <MoreButton
        label={historyWords.versions.older}
        hasMore={hasNextPage}
        isLoading={isFetching}
        entries="tbody tr"
        load={fetchNextPage}
      />
    </PageFrame>
  )
}

interface Listed {
  readonly record: RecordName
  readonly entries: readonly VersionEntry[]
}

function VersionsForm({ record, entries }: Listed) {
  const [, navigate] = useLocation()
  const newest = entries[0]?.version ?? 1
  const [from, setFrom] = useState(entries[1]?.version ?? newest)
  const [to, setTo] = useState(newest)
  function compare(event: Event) {
    event.preventDefault()
    navigate(recordAddress(record, 'compare', `?from=${from}&to=${to}`))
  }
  return (
    <form class="plain" onSubmit={compare}>
      <table aria-label={historyWords.versions.table}>
        <thead>
          <tr>
            <th scope="col">{historyWords.versions.from}</th>
            <th scope="col">{historyWords.versions.to}</th>
            <th scope="col">{historyWords.versions.version}</th>
            <th scope="col">{historyWords.versions.change}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(entry => (
            <tr key={entry.version}>
              <Choice
                name="from"
                label={historyWords.versions.fromVersion(entry.version)}
                isChosen={from === entry.version}
                choose={() => setFrom(entry.version)}
              />
              <Choice
                name="to"
                label={historyWords.versions.toVersion(entry.version)}
                isChosen={to === entry.version}
                choose={() => setTo(entry.version)}
              />
              <td>
                <RecordLink
                  record={record}
                  version={entry.version}
                  label={historyWords.versions.versionNumber(entry.version)}
                >
                  {entry.version}
                </RecordLink>
              </td>
              <td>
                <Change {...entry} record={record} />{' '}
                {entry.version === newest ? (
                  <span class="tag">{historyWords.versions.newest}</span>
                ) : point !== undefined ? null : (
                  <Link
                    href={recordAddress(record, 'restore', `?version=${entry.version}`)}
                    aria-label={historyWords.versions.restoreVersion(entry.version)}
                  >
                    {historyWords.versions.restore}
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length > 1 ? (
        <button type="submit" class="button main">
          {historyWords.versions.compare}
        </button>
      ) : (
        <p>{historyWords.versions.single}</p>
      )}
    </form>
  )
}

function Choice({
  name,
  label,
  isChosen,
  choose,
}: {
  readonly name: string
  readonly label: string
  readonly isChosen: boolean
  choose(): void
}) {
  return (
    <td>
      <input type="radio" name={name} aria-label={label} checked={isChosen} onChange={choose} />
    </td>
  )
}

/** Who made the change, when, and what was said; and the commits after it that are not served. */
function Change({
  record,
  message,
  author,
  time,
  unserved = [],
}: VersionEntry & { readonly record: RecordName }) {
  const restored = restoredIn(message, record)
  return (
    <>
      {unserved.map(({ version, findings }) => (
        <p key={version} class="notice">
          {historyWords.versions.unserved(version, findings[0]?.message ?? '')}
        </p>
      ))}
      <Author name={author} beginsSentence />, <Time instant={time} />
      {!isAutomatic(message) && (
        <>
          <br />
          <span dir="auto">
            {restored === undefined ? message : historyWords.versions.isRestored(restored)}
          </span>
        </>
      )}
    </>
  )
}
