import { useId, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { type SchemaContent, tryDocument } from '../api/schemas.js'
import { FailureMessage, Findings } from '../parts/failure-message.js'
import { words } from '../words.js'
import { schemaWords } from '../words-of-schemas.js'

type Outcome =
  | { readonly kind: 'none' | 'trying' }
  | { readonly kind: 'tried'; readonly findings: readonly Finding[] }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Checks an example document by the schema as it is in the editor. Nothing is stored. */
export function ExampleTrial({ contentOf }: { contentOf(): Promise<SchemaContent> }) {
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const field = useId()
  const file = useId()
  async function run(): Promise<void> {
    setOutcome({ kind: 'trying' })
    try {
      setOutcome({ kind: 'tried', findings: await tryDocument(await contentOf(), new Blob([text])) })
    } catch (error) {
      setOutcome({ kind: 'failed', error })
    }
  }
  return (
    <details>
      <summary>{schemaWords.schema.example}</summary>
      <p>
        <label for={file}>{schemaWords.schema.exampleFile}</label>{' '}
        <input
          id={file}
          type="file"
          onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(setText)}
        />
      </p>
      <p class="field">
        <label for={field}>{schemaWords.schema.exampleText}</label>
        <textarea
          id={field}
          rows={8}
          spellcheck={false}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      </p>
      <p>
        <button type="button" disabled={outcome.kind === 'trying' || text === ''} onClick={() => void run()}>
          {schemaWords.schema.tryExample}
        </button>
      </p>
      {outcome.kind === 'failed' && <FailureMessage error={outcome.error} />}
      <p role="status">
        {outcome.kind === 'trying' && words.restore.checking}
        {outcome.kind === 'tried' &&
          (outcome.findings.length === 0
            ? schemaWords.schema.exampleValid
            : schemaWords.schema.exampleInvalid)}
      </p>
      {outcome.kind === 'tried' && outcome.findings.length > 0 && <Findings findings={outcome.findings} />}
    </details>
  )
}
