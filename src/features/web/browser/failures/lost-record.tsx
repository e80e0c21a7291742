import { useQuery } from '@tanstack/react-query'
import { readChangesOf } from '../api/change-pages.js'
import { point } from '../api/point.js'
import type { RecordName } from '../api/records.js'
import { DownloadButton } from '../drafts/download-button.js'
import { readDraft } from '../drafts/drafts.js'
import { Author } from '../parts/author.js'
import { Time } from '../parts/time.js'
import { useRecord } from '../parts/use-record.js'
import { words } from '../words.js'
import { peopleWords } from '../words-of-people.js'

/**
 * What is known of a record that cannot be read: when it was added, changed and deleted, as far as the change feed tells
 * that, and the text that this browser has kept of it.
 */
export function LostRecord(record: RecordName) {
  // The tabs of the page need the answer: they stay if only a version is missing.
  useRecord(record, undefined, { retryOnMount: false })
  const { data: changes } = useQuery({
    queryKey: ['lost', record.collection, record.id],
    queryFn: ({ signal }) => readChangesOf(record, signal),
    enabled: point === undefined,
  })
  const draft = readDraft(record)
  const deleted = changes?.find(({ change }) => change === 'deleted')
  const deletedBy = deleted && 'author' in deleted ? deleted.author : undefined
  const added = changes?.find(({ change }) => change === 'created')
  return (
    <>
      {deleted && (
        <section aria-labelledby="lost">
          <h2 id="lost">{words.lost.title}</h2>
          <dl>
            {draft && (
              <>
                <dt>{words.search.columns.title}</dt>
                <dd dir="auto">{draft.title}</dd>
              </>
            )}
            <dt>{peopleWords.access.stateTitle}</dt>
            <dd>{peopleWords.access.state.GONE}</dd>
            <dt>{words.lost.deleted}</dt>
            <dd>
              <Time instant={deleted.time} />
              {deletedBy && (
                <>
                  , <Author name={deletedBy} />
                </>
              )}
            </dd>
            {added && (
              <>
                <dt>{words.lost.added}</dt>
                <dd>
                  <Time instant={added.time} />
                </dd>
              </>
            )}
          </dl>
          <p>{words.lost.versions}</p>
        </section>
      )}
      {draft && (
        <section aria-label={words.draft.title}>
          <p>
            {words.draft.found} <Time instant={draft.time} />
          </p>
          <p>
            <DownloadButton textOf={() => draft.text} />
          </p>
        </section>
      )}
    </>
  )
}
