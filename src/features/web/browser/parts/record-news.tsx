import { useQueryClient } from '@tanstack/react-query'
import { useRecordChange } from '../api/record-changes.js'
import type { RecordName } from '../api/records.js'
import { words } from '../words.js'
import { authorInWords } from './author.js'
import { useRecord } from './use-record.js'

/** Says that the record that a page shows has changed. */
export function RecordNews(record: RecordName) {
  const { data } = useRecord(record)
  return data ? <Watched record={record} etag={data.etag} /> : null
}

function Watched({ record, etag }: { readonly record: RecordName; readonly etag: string }) {
  const news = useRecordChange(record, etag)
  const queries = useQueryClient()
  return (
    <div role="status">
      {news && (
        <p class="notice">
          {news.change === 'deleted'
            ? words.news.deleted
            : words.news.stored(news.version, authorInWords(news.author))}{' '}
          {news.change !== 'deleted' && (
            <button type="button" onClick={() => void queries.invalidateQueries()}>
              {words.news.show}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
