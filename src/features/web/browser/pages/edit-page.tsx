import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { RecordName } from '../api/records.js'
import { useEditLock } from '../drafts/use-edit-lock.js'
import { DocumentEditor, type OpenedDocument } from '../editing/document-editor.js'
import { readEdited } from '../editing/store-text.js'
import { MayNotWrite } from '../login/may-not-write.js'
import { useMay } from '../login/use-may.js'
import { titleOfPage } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { words } from '../words.js'

/** A document as text: checked while one types, kept in the browser until it is stored, never stored over another. */
export function EditPage({
  Editor,
  ...record
}: RecordName & { readonly Editor?: ComponentType<OpenedDocument> }) {
  const isEditor = useEditLock(record)
  const edited = useQuery({
    queryKey: ['edited', record.collection, record.id],
    queryFn: ({ signal }) => readEdited(record, signal),
    // What arrives later must not replace what somebody types.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const may = useMay(record)
  // A login that ends while somebody types must not close the editor.
  const [isWriter, setIsWriter] = useState(false)
  if (may?.includes('WRITE') && !isWriter) setIsWriter(true)
  const isReadOnly = !isEditor || !isWriter
  const isReady = (isWriter || may !== undefined) && edited.data !== undefined && isEditor !== undefined
  return (
    <PageFrame
      title={titleOfPage(edited.error, words.edit.title(edited.data?.title ?? record.id))}
      record={record}
    >
      {edited.error && <FailureMessage error={edited.error} retry={() => void edited.refetch()} />}
      {isEditor === false && (
        <p class="notice" role="alert">
          {words.edit.otherTab}
        </p>
      )}
      {may && !isWriter && <MayNotWrite {...record} />}
      {isReady && (
        <DocumentEditor
          // A state that was read anew opens in an editor of its own.
          key={`${isReadOnly} ${edited.dataUpdatedAt}`}
          record={record}
          edited={edited.data}
          isReadOnly={isReadOnly}
          Editor={Editor}
        />
      )}
      {!isReady && !edited.error && <p role="status">{words.loading}</p>}
    </PageFrame>
  )
}
