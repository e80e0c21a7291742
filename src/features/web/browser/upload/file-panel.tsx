import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import type { SchemaChoice } from '../api/new-records.js'
import { textOf } from '../api/records.js'
import { EditableText } from '../editing/editable-text.js'
import { FindingList } from '../editing/finding-list.js'
import { type PlacedFinding, placeFindings } from '../editor/placed-findings.js'
import type { TextEditor } from '../editor/text-editor.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { SchemaSelect } from './schema-select.js'
import type { UploadedFile } from './uploaded-file.js'
import type { FileChange } from './use-upload.js'

/** Milliseconds without a key until the server checks the file. */
const pause = 800

interface Props {
  readonly file: UploadedFile
  readonly findings: readonly Finding[]
  readonly schemas: readonly SchemaChoice[]
  change(id: string, change: FileChange): void
}

/**
 * A file that is put right: its schema, what it describes, and its text with the findings at their places. A file that is
 * chosen again needs a new panel.
 */
export function FilePanel({ file, findings, schemas, change }: Props) {
  const { id, path, language, schema, resource } = file
  const field = useId()
  const [text, setText] = useState<string>()
  const [failure, setFailure] = useState<unknown>()
  // The panel opens with the text of now, and owns it from then on
  useEffect(() => {
    file.content
      .arrayBuffer()
      .then(bytes => setText(textOf(bytes)))
      .catch(setFailure)
  }, [])
  return (
    <section aria-label={writingWords.upload.file(path)}>
      <p class="pager">
        <label for={`${field}-schema`}>{writingWords.upload.column.schema}</label>
        <SchemaSelect
          id={`${field}-schema`}
          schemas={schemas.filter(each => each.language === language)}
          value={schema}
          choose={chosen => change(id, { schema: chosen })}
        />
        <label for={field}>{writingWords.upload.column.resource}</label>
        <input
          id={field}
          type="text"
          value={resource}
          onInput={event => change(id, { resource: event.currentTarget.value })}
        />
      </p>
      {failure !== undefined && <FailureMessage error={failure} />}
      {text !== undefined && language && (
        <TextOfFile
          {...{ file, findings, text, language, change }}
          version={schemas.find(each => each.id === schema)}
        />
      )}
    </section>
  )
}

function TextOfFile({
  file: { id, path, check },
  findings,
  text,
  language,
  version,
  change,
}: Omit<Props, 'schemas'> & {
  readonly text: string
  readonly language: 'JSON' | 'XML'
  readonly version: SchemaChoice | undefined
}) {
  const [editor, setEditor] = useState<TextEditor>()
  const [placed, setPlaced] = useState<readonly PlacedFinding[]>([])
  const timer = useRef(0)
  useEffect(() => {
    if (editor === undefined || check.kind === 'typing' || check.kind === 'checking') return
    const found = placeFindings(editor.text(), language, findings)
    editor.mark(found)
    setPlaced(found)
  }, [editor, check])
  function checkNow(): void {
    if (timer.current === 0) return
    clearTimeout(timer.current)
    timer.current = 0
    change(id, { check: { kind: 'waiting' } })
  }
  // What was typed last is checked, too.
  useEffect(() => checkNow, [])

  function checkSoon(content: Blob, wait: number): void {
    clearTimeout(timer.current)
    change(id, { content, check: { kind: 'typing' } })
    timer.current = window.setTimeout(checkNow, wait)
  }
  // What nobody has asked the server is no finding of the server.
  const own = findings.length - (check.kind === 'invalid' ? check.findings.length : 0)
  const content = () => new Blob([editor?.text() ?? text])
  const on = {
    onChange: () => checkSoon(content(), pause),
    onCheck: () => checkSoon(content(), 0),
    onStore: () => checkSoon(content(), 0),
  }
  return (
    <>
      <EditableText
        {...{ text, language, on, schema: version }}
        caret={0}
        label={writingWords.upload.text(path)}
        isReadOnly={false}
        onOpen={setEditor}
      />
      {placed.length > 0 && (
        <FindingList
          findings={placed}
          said={words.edit.invalid(placed.length - own, own)}
          hasFocus={false}
          text={() => editor?.text() ?? text}
          goTo={at => editor?.goTo(at)}
        />
      )}
    </>
  )
}
