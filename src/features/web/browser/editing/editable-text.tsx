import { useEffect, useRef, useState } from 'preact/hooks'
import { openCompletion } from '../editor/schema-completion.js'
import type { EditorOptions, TextEditor } from '../editor/text-editor.js'
import { useStoreKeys } from '../editor/use-store-keys.js'
import { explanationOf } from '../parts/explain-failure.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'

type Props = Omit<EditorOptions, 'onChange' | 'onStore' | 'onCheck' | 'completion' | 'description'> & {
  /** Names and values are completed from this version of a schema. */
  readonly schema?: { readonly id: string; readonly version: number } | undefined
  readonly on: Pick<EditorOptions, 'onChange' | 'onStore' | 'onCheck'>
  /** Gets the editor when it is open. */
  onOpen(editor: TextEditor): void
}

/** A text that can be edited. Its first text counts; later ones come by the editor. */
export function EditableText({ on, onOpen, schema, ...options }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const actions = useRef(on)
  actions.current = on
  useStoreKeys(on, options.isReadOnly)
  const [failure, setFailure] = useState<Error>()
  const [attempt, setAttempt] = useState(1)
  const [isOpen, setIsOpen] = useState(false)
  const [completionFailure, setCompletionFailure] = useState<string>()
  // The editor opens once, and owns the text from then on
  useEffect(() => {
    let editor: TextEditor | undefined
    let isOver = false
    async function open() {
      const { openTextEditor } = await import('../editor/text-editor.js')
      if (isOver || !host.current) return
      editor = openTextEditor(host.current, {
        ...options,
        description: words.edit.leave,
        completion: schema && {
          open: () => openCompletion(options.language, schema),
          onFailure: error => setCompletionFailure(explanationOf(error)),
        },
        onChange: () => actions.current.onChange(),
        onStore: () => actions.current.onStore(),
        onCheck: () => actions.current.onCheck(),
      })
      setIsOpen(true)
      onOpen(editor)
    }
    open().catch(setFailure)
    return () => {
      isOver = true
      editor?.close()
    }
  }, [options.isReadOnly, attempt])
  function retry(): void {
    setFailure(undefined)
    setAttempt(attempt + 1)
  }
  if (failure !== undefined) return <FailureMessage error={failure} retry={retry} />
  return (
    <>
      {!options.isReadOnly && <p class="dim">{words.edit.leave}</p>}
      {!isOpen && <p role="status">{words.loading}</p>}
      <div ref={host} class="editor" />
      {schema && !options.isReadOnly && <p class="dim">{words.edit.completionKey}</p>}
      {completionFailure !== undefined && (
        <p class="dim" role="status">
          {words.edit.noCompletion(completionFailure)}
        </p>
      )}
    </>
  )
}
