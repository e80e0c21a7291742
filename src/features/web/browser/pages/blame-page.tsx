import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from 'wouter'
import { type RecordName, readBlame } from '../api/records.js'
import { blameLines, type LineGroup } from '../editor/blame-lines.js'
import { Author } from '../parts/author.js'
import { titleOfPage } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { Time } from '../parts/time.js'
import { useRecord, useRecordTitle, useVersionText } from '../parts/use-record.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'

/** A document with the version, author and time that changed each of its lines last. */
export function BlamePage(record: RecordName) {
  const current = useRecord(record)
  const chosen = Number(new URLSearchParams(useSearch()).get('version') ?? Number.NaN)
  const newest = current.data && Number(current.data.record.version)
  const version = Number.isInteger(chosen) && chosen > 0 ? chosen : newest
  const text = useVersionText(record, version)
  const blame = useQuery({
    queryKey: ['blame', record.collection, record.id, version],
    queryFn: ({ signal }) => readBlame(record, version ?? 1, signal),
    enabled: version !== undefined,
  })
  const name = useRecordTitle(record)
  const failed = [current, text, blame].find(({ error }) => error)
  return (
    <PageFrame
      title={titleOfPage(
        failed?.error,
        version === undefined ? name : historyWords.blame.title(name, version),
      )}
      record={record}
    >
      {failed && <FailureMessage error={failed.error} retry={() => void failed.refetch()} />}
      {!failed && !(text.data && blame.data) && <p role="status">{words.loading}</p>}
      {blame.data?.cut !== undefined && <p class="notice">{historyWords.blame.cut(blame.data.cut)}</p>}
      {text.data && blame.data && (
        <BlameTable
          record={record}
          groups={blameLines(text.data.text, text.data.language, blame.data.members)}
        />
      )}
    </PageFrame>
  )
}

function BlameTable({
  record,
  groups,
}: {
  readonly record: RecordName
  readonly groups: readonly LineGroup[]
}) {
  return (
    <table class="blame stacked" aria-label={historyWords.blame.table}>
      <thead>
        <tr>
          <th scope="col">{historyWords.blame.change}</th>
          <th scope="col">{historyWords.blame.text}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ first, lines, change }) => (
          <tr key={first}>
            <td>
              <ChangeLink record={record} version={change.version} />
              {' · '}
              <Author name={change.author} /> · <Time instant={change.time} isShort />
            </td>
            <td>
              <ol class="lines mono" start={first} dir="ltr">
                {lines.map((line, index) => (
                  <li key={`${first + index}`}>{line || '\u00a0'}</li>
                ))}
              </ol>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A link to what a version changed. The first version has nothing before it. */
function ChangeLink({ record, version }: { readonly record: RecordName; readonly version: number }) {
  if (version === 1) {
    return (
      <RecordLink record={record} version={1}>
        {historyWords.blame.version(1)}
      </RecordLink>
    )
  }
  const address = recordAddress(record, 'compare', `?from=${version - 1}&to=${version}`)
  return (
    <Link href={address} aria-label={historyWords.blame.seeChange(version)}>
      {historyWords.blame.version(version)}
    </Link>
  )
}
