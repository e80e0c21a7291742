import { useQuery } from '@tanstack/react-query'
import type { RecordName } from '../api/records.js'
import { useEditLock } from '../drafts/use-edit-lock.js'
import { DocumentEditor } from '../editing/document-editor.js'
import { readEdited } from '../editing/store-text.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { words } from '../words.js'

/** A document as text: checked while one types, kept in the browser until it is stored, never stored over another. */
export function EditPage(record: RecordName) {
  const isEditor = useEditLock(record)
  const edited = useQuery({
    queryKey: ['edited', record.collection, record.id],
    queryFn: ({ signal }) => readEdited(record, signal),
    // What arrives later must not replace what somebody types.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const isReady = edited.data !== undefined && isEditor !== undefined
  return (
    <PageFrame title={words.edit.title(edited.data?.title ?? record.id)} record={record}>
      {edited.error && <FailureMessage error={edited.error} retry={() => void edited.refetch()} />}
      {isEditor === false && (
        <p class="notice" role="alert">
          {words.edit.otherTab}
        </p>
      )}
      {isReady && <DocumentEditor record={record} edited={edited.data} isReadOnly={!isEditor} />}
      {!isReady && !edited.error && <p role="status">{words.loading}</p>}
    </PageFrame>
  )
}
