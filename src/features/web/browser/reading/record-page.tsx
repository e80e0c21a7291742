import { useState } from 'preact/hooks'
import { Link, useSearch } from 'wouter'
import { point } from '../api/point.js'
import { type CurrentRecord, type RecordName, titleOf } from '../api/records.js'
import { titleOfPage } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { RecordNews } from '../parts/record-news.js'
import { useRecord } from '../parts/use-record.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { RecordDocument } from './record-document.js'
import { readingPage, useIsJustStored } from './record-link.js'
import { RecordSide } from './record-side.js'
import { useDescription } from './use-description.js'

/**
 * A record for reading: what it describes, its document, and what is known of the record. The server's page of a record
 * has more, but knows no login: here people read what not everybody may read.
 */
export function RecordPage(name: RecordName) {
  const version = versionIn(useSearch())
  const { data, error, refetch } = useRecord(name, version)
  const { about, failed } = useDescription(name, data?.record)
  const isJustStored = useIsJustStored()
  const [isDrawn, setIsDrawn] = useState(false)
  const title = data ? titleOf(data.record, about?.title) : name.id
  return (
    <PageFrame
      key={version}
      title={titleOfPage(error, version === undefined ? title : words.reading.titleOf(title, version))}
      record={name}
    >
      {error && <FailureMessage error={error} retry={() => void refetch()} />}
      {failed && <FailureMessage error={failed} />}
      <p role="status">
        {!data && !error && words.loading}
        {data && isJustStored && words.edit.stored(Number(data.record.version))}
      </p>
      {version === undefined && point === undefined && <RecordNews {...name} />}
      {data?.record.state === 'REVOKED' && <Withdrawn {...name} />}
      {data && version !== undefined && <OlderVersion name={name} current={data} />}
      {data && (
        <div class="record">
          <div>
            <p class="lead" dir="auto">
              {about?.people.join('; ')}
            </p>
            {about?.texts
              .filter(text => text !== title)
              .map(text => (
                <p key={text} class="prose" dir="auto">
                  {text}
                </p>
              ))}
            <RecordDocument {...{ name, record: data.record, title, onDrawn: () => setIsDrawn(true) }} />
          </div>
          <aside class="side" aria-label={words.reading.side}>
            <RecordSide {...{ name, record: data.record, about, isDrawn }} />
          </aside>
        </div>
      )}
    </PageFrame>
  )
}

/** Says who sees a withdrawn record at all, and leads to what can be done. The facts of the record tell since when. */
function Withdrawn(name: RecordName) {
  return (
    <p class="notice">
      {words.reading.withdrawn}{' '}
      {point === undefined && <Link href={recordAddress(name, 'access')}>{words.reading.bringBack}</Link>}
    </p>
  )
}

/** Says which version is shown, and leads to its neighbours and to the newest one. */
function OlderVersion({ name, current }: { readonly name: RecordName; readonly current: CurrentRecord }) {
  const version = Number(current.record.version)
  return (
    <p class="notice">
      {words.reading.pinned(version)}{' '}
      {version > 1 && (
        <>
          <Link href={readingPage(name, version - 1)}>
            {historyWords.versions.versionNumber(version - 1)}
          </Link>{' '}
        </>
      )}
      <Link href={readingPage(name)}>{words.reading.newest}</Link>
    </p>
  )
}

/** The version in the address; undefined: the newest. */
function versionIn(search: string): number | undefined {
  const number = Number(new URLSearchParams(search).get('version') ?? Number.NaN)
  return Number.isInteger(number) && number > 0 ? number : undefined
}
