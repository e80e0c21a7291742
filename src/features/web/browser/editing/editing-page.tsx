import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { isSameContent } from '../api/record-updates.js'
import type { RecordName } from '../api/records.js'
import { useDraft } from '../drafts/use-draft.js'
import { useEditLock } from '../drafts/use-edit-lock.js'
import { MayNotWrite } from '../login/may-not-write.js'
import { useMay } from '../login/use-may.js'
import { DraftOffer } from '../parts/draft-notes.js'
import { titleOfPage } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { words } from '../words.js'
import { type EditedDocument, readEdited } from './store-content.js'
import type { OpenedDocument } from './use-editing.js'

type EditorOfPage = ComponentType<OpenedDocument>

/** A record and its document in an editor: checked while one types, kept in the browser until it is stored, never stored over another. */
export function EditingPage({ Editor, ...record }: RecordName & { readonly Editor: EditorOfPage }) {
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
  /** The title that was stored since the record was read. */
  const [title, setTitle] = useState<string>()
  const isReadOnly = !isEditor || !isWriter
  const isReady = (isWriter || may !== undefined) && edited.data !== undefined && isEditor !== undefined
  return (
    <PageFrame
      title={titleOfPage(edited.error, words.edit.title(title ?? edited.data?.title ?? record.id))}
      record={record}
    >
      {edited.error && <FailureMessage error={edited.error} retry={() => void edited.refetch()} />}
      {isEditor === false && (
        <p class="notice" role="alert">
          {words.edit.otherTab}
        </p>
      )}
      {may && !isWriter && edited.data && <MayNotWrite {...record} />}
      {isReady && (
        <EditorAfterDraft
          // A state that was read anew opens in an editor of its own.
          key={`${isReadOnly} ${edited.dataUpdatedAt}`}
          {...{ record, edited: edited.data, isReadOnly, Editor, onTitle: setTitle }}
        />
      )}
      {!isReady && !edited.error && <p role="status">{words.loading}</p>}
    </PageFrame>
  )
}

interface Props extends Pick<OpenedDocument, 'record' | 'isReadOnly' | 'onTitle'> {
  readonly edited: EditedDocument
  readonly Editor: EditorOfPage
}

/** The editor. A draft that was kept is offered before. */
function EditorAfterDraft({ record, edited, isReadOnly, onTitle, Editor }: Props) {
  const { text, fields } = edited
  const draft = useDraft(record, kept => isSameContent({ fields, ...kept }, edited))
  const [opened, setOpened] = useState({ base: edited, text, fields, message: '', caret: 0 })
  const [failure, setFailure] = useState<Error>()
  const { offered } = draft
  if (!offered || isReadOnly) return <Editor {...{ record, draft, isReadOnly, onTitle }} {...opened} />
  const { etag, version } = offered
  const isOutdated = etag !== edited.etag
  async function take() {
    if (!offered) return
    // The state that the draft was made from: a merge with what was stored since needs it.
    const base = isOutdated
      ? { ...(await readEdited(record, undefined, version)), etag, schema: edited.schema }
      : edited
    const { text, caret, fields = base.fields, message = '' } = offered
    setOpened({ base, text, fields, message, caret })
    draft.takeOffered()
  }
  return (
    <>
      {failure !== undefined && <FailureMessage error={failure} />}
      <DraftOffer
        draft={offered}
        isOutdated={isOutdated}
        take={() => void take().catch(setFailure)}
        throwAway={draft.throwAway}
      />
    </>
  )
}
