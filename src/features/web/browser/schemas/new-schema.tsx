import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter'
import { findingsOf, Refusal } from '../api/client.js'
import { checkNewSchema, registerSchema } from '../api/schemas.js'
import { useUnloadWarning } from '../drafts/use-unload-warning.js'
import { CheckResult } from '../editing/check-result.js'
import { EditableText } from '../editing/editable-text.js'
import { useChecks } from '../editing/use-checks.js'
import type { TextEditor } from '../editor/text-editor.js'
import { FailureMessage } from '../parts/failure-message.js'
import { landingPage, recordAddress } from '../parts/page-frame.js'
import { words } from '../words.js'
import { ExampleTrial } from './example-trial.js'
import { FileFields } from './file-fields.js'
import { guessId, guessLanguage, guessTitle } from './given-schema-files.js'
import { IdField, TitleField } from './schema-fields.js'
import { useGivenFiles } from './use-given-files.js'

type Outcome =
  | { readonly kind: 'none' | 'storing' }
  | { readonly kind: 'stored' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** A new schema, from files or typed. */
export function NewSchema() {
  const [names, setNames] = useState({ title: '', id: '' })
  /** What the editor opens with. Another language needs another editor. */
  const [shown, setShown] = useState({ text: '', caret: 0, language: 'JSON' as 'JSON' | 'XML' })
  const [idFault, setIdFault] = useState<string>()
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const editor = useRef<TextEditor | undefined>(undefined)
  const files = useGivenFiles(file => {
    const title = guessTitle(file.text, file.path)
    setNames({ title, id: guessId(title) })
    show(file.text, 0)
  })
  const textNow = () => editor.current?.text() ?? shown.text
  const content = () => files.contentWith(textNow())
  const checks = useChecks(
    { schema: undefined, language: shown.language },
    () => editor.current,
    (_, signal) => checkNewSchema(content(), signal),
  )
  useUnloadWarning(() => outcome.kind !== 'stored' && textNow() !== '')

  function show(text: string, caret: number): void {
    const language = guessLanguage(text)
    if (language === shown.language && editor.current) editor.current.replace(text)
    else setShown({ text, caret, language })
  }
  function change(): void {
    const text = textNow()
    // What begins with another bracket is in another language.
    if (text.trim() !== '' && guessLanguage(text) !== shown.language)
      setShown({ text, caret: editor.current?.caret() ?? 0, language: guessLanguage(text) })
    setOutcome({ kind: 'none' })
    checks.checkSoon()
  }
  async function store(): Promise<void> {
    if (outcome.kind === 'storing' || outcome.kind === 'stored') return
    const { id, title } = names
    setIdFault(id === '' ? words.schema.noId : undefined)
    if (id === '') return
    setOutcome({ kind: 'storing' })
    try {
      await registerSchema({ id, title: title || id }, content())
    } catch (error) {
      const isInvalid = error instanceof Refusal && error.status === 422
      setOutcome(isInvalid ? { kind: 'none' } : { kind: 'failed', error })
      if (isInvalid) checks.show(findingsOf(error))
      return
    }
    setOutcome({ kind: 'stored' })
  }

  // The page is left when it knows that nothing is lost.
  useEffect(() => {
    if (outcome.kind === 'stored') location.assign(landingPage({ collection: 'schemas', id: names.id }))
  }, [outcome.kind])

  return (
    <>
      <FileFields files={files} />
      <TitleField title={names.title} change={title => setNames({ ...names, title })} />
      <IdField
        id={names.id}
        fault={idFault}
        change={id => {
          setIdFault(undefined)
          setNames({ ...names, id })
        }}
      />
      <p role="status">{words.schema.language[shown.language]}</p>
      <EditableText
        key={shown.language}
        {...shown}
        isReadOnly={false}
        label={words.schema.text}
        onOpen={opened => {
          editor.current = opened
          if (shown.text === '') return
          checks.checkSoon()
          if (shown.caret > 0) opened.goTo(shown.caret)
        }}
        on={{ onChange: change, onStore: () => void store(), onCheck: () => checks.checkNow() }}
      />
      <p class="dim">
        {words.edit.keys} {words.edit.textKeys}
      </p>
      <p class="pager">
        <button type="button" disabled={outcome.kind === 'storing'} onClick={() => void store()}>
          {outcome.kind === 'storing' ? words.restore.storing : words.schema.register}
        </button>
        <button type="button" onClick={() => checks.checkNow()}>
          {words.edit.check}
        </button>
      </p>
      <Result outcome={outcome} id={names.id} />
      <CheckResult
        verdict={checks.verdict}
        text={textNow}
        goTo={place => editor.current?.goTo(place)}
        valid={words.schema.valid}
      />
      <ExampleTrial contentOf={async () => content()} />
    </>
  )
}

function Result({ outcome, id }: { readonly outcome: Outcome; readonly id: string }) {
  if (outcome.kind === 'stored') return <p role="status">{words.schema.registered}</p>
  if (outcome.kind !== 'failed') return null
  const { error } = outcome
  if (!(error instanceof Refusal && error.status === 409)) return <FailureMessage error={error} />
  return (
    <div class="notice" role="alert">
      <p>{words.schema.taken(id)}</p>
      <p>
        <Link href={recordAddress({ collection: 'schemas', id }, 'edit')}>{words.schema.reviseThat}</Link>
      </p>
    </div>
  )
}
