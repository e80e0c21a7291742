import { useState } from 'preact/hooks'
import { useSearchParams } from 'wouter'
import type { EditorOptions, TextEditor } from '../editor/text-editor.js'
import { useStoreKeys } from '../editor/use-store-keys.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { words } from '../words.js'
import { EditableText } from './editable-text.js'
import type { EditedDocument } from './store-content.js'

/** Fields are scripts of their own, which are asked for together. */
const EditableForm = lazyPart(async () => {
  const [{ EditableForm }] = await Promise.all([
    import('../form/editable-form.js'),
    import('../form/form-schema.js'),
  ])
  return EditableForm
})

interface Props {
  readonly document: Pick<EditedDocument, 'language' | 'schema'>
  /** What the first view opens with. */
  readonly text: string
  readonly caret: number
  readonly label: string
  readonly isReadOnly: boolean
  readonly on: Pick<EditorOptions, 'onChange' | 'onStore' | 'onCheck'>
  /** The text as it is now, which the other view opens with. */
  textNow(): string
  /** Gets the editor of each view when it is open. */
  onOpen(editor: TextEditor): void
}

/** Whether the address names the text, and how to name it or not. */
export function useTextView() {
  const [address, setAddress] = useSearchParams()
  return {
    isText: address.get('view') === 'text',
    choose(view: string) {
      const next = new URLSearchParams(address)
      next.delete('view')
      if (view === 'text') next.set('view', view)
      setAddress(next, { replace: true })
    },
  }
}

/** A document as fields or as text, with the keys that hold in both. What was typed goes along from view to view. */
export function EditorViews({ document, text, caret, textNow, ...options }: Props) {
  const { isText, choose } = useTextView()
  // A JSON document with a schema has a form, and every document a text.
  const hasForm = document.language === 'JSON' && document.schema !== undefined
  const view = hasForm && !isText ? 'form' : 'text'
  useStoreKeys(options.on, options.isReadOnly)
  const [shown, setShown] = useState({ view, text, caret, before: text })
  // The link to this page changes the view, too.
  if (shown.view !== view) {
    // A text that is broken later has the fields of the last one that was not.
    const now = textNow()
    setShown({ view, text: now, caret: 0, before: shown.view === 'form' ? now : shown.before })
  }
  return (
    <>
      {hasForm && <ViewChoice views={['form', 'text']} view={view} choose={choose} />}
      {view === 'form' && document.schema ? (
        <EditableForm {...options} text={shown.text} before={shown.before} schema={document.schema} />
      ) : (
        <EditableText
          {...options}
          text={shown.text}
          caret={shown.caret}
          language={document.language}
          schema={document.schema}
        />
      )}
      {!options.isReadOnly && (
        <p class="dim">
          {words.edit.keys} {view === 'text' && words.edit.textKeys}
        </p>
      )}
    </>
  )
}

/** Chooses how a document is shown. */
export function ViewChoice({
  views,
  view,
  choose,
}: {
  readonly views: readonly (keyof typeof words.edit.view)[]
  readonly view: string
  choose(view: string): void
}) {
  return (
    <fieldset class="whole pager" aria-label={words.edit.views}>
      {views.map(name => (
        <button
          key={name}
          type="button"
          aria-pressed={view === name}
          onClick={() => view !== name && choose(name)}
        >
          {words.edit.view[name]}
        </button>
      ))}
    </fieldset>
  )
}
