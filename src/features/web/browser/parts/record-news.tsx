import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'wouter'
import { useRecordChange } from '../api/record-changes.js'
import type { RecordName } from '../api/records.js'
import { authorInWords } from '../search/record-words.js'
import { words } from '../words.js'
import { useRecord } from './use-record.js'

/** Says that the record that a page shows has changed. An editor says so itself. */
export function RecordNews(record: RecordName) {
  const [isEditing] = useRoute('/:collection/:id/edit')
  const { data } = useRecord(record)
  const isQuiet = useIsFetching() === 0
  const [isWatching, setIsWatching] = useState(false)
  // What the page shows comes first.
  useEffect(() => {
    if (isQuiet && data) setIsWatching(true)
  }, [isQuiet, data])
  return isWatching && data && !isEditing ? <Watched record={record} etag={data.etag} /> : null
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
