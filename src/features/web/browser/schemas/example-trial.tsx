import { useId, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { readFiles } from '../api/records.js'
import { type SchemaContent, tryDocument } from '../api/schemas.js'
import { FailureMessage, Findings } from '../parts/failure-message.js'
import { historyWords } from '../words-of-history.js'
import { schemaWords } from '../words-of-schemas.js'
import type { GivenState } from './given-schema-files.js'
import type { GivenFiles } from './use-given-files.js'

/** What a trial is about: another example or another schema needs another trial. */
interface Tried {
  readonly text: string
  readonly schema: string
  readonly given: GivenState
}

type Outcome =
  | { readonly kind: 'none' | 'trying' }
  | { readonly kind: 'tried'; readonly findings: readonly Finding[] }
  | { readonly kind: 'failed'; readonly error: unknown }

interface Trial {
  readonly tried: Tried
  readonly outcome: Outcome
}

interface Props {
  /** The schema as it is in the editor. */
  textOf(): string
  readonly files: GivenFiles
  /** The version that is stored: the next one keeps the files of it that it uses. */
  readonly before?: { readonly id: string; readonly version: number }
}

/** Checks an example document by the schema as it is in the editor. Nothing is stored. */
export function ExampleTrial({ textOf, files, before }: Props) {
  const [text, setText] = useState('')
  const [last, setLast] = useState<Trial | undefined>(undefined)
  const field = useId()
  const file = useId()
  const isAbout = (tried: Tried) =>
    tried.text === text && tried.given === files.now() && tried.schema === textOf()
  const outcome: Outcome = last && isAbout(last.tried) ? last.outcome : { kind: 'none' }
  async function run(): Promise<void> {
    const tried = { text, schema: textOf(), given: files.now() }
    setLast({ tried, outcome: { kind: 'trying' } })
    const found = await outcomeOf(files.contentWith(tried.schema), text, before)
    setLast(now => (now?.tried === tried ? { tried, outcome: found } : now))
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
        {outcome.kind === 'trying' && historyWords.restore.checking}
        {outcome.kind === 'tried' &&
          (outcome.findings.length === 0
            ? schemaWords.schema.exampleValid
            : schemaWords.schema.exampleInvalid)}
      </p>
      {outcome.kind === 'tried' && outcome.findings.length > 0 && <Findings findings={outcome.findings} />}
    </details>
  )
}

async function outcomeOf(content: SchemaContent, text: string, before: Props['before']): Promise<Outcome> {
  try {
    const stored = before ? await readFiles(before.id, before.version) : []
    const files = new Map([...stored, ...content.files])
    return { kind: 'tried', findings: await tryDocument({ ...content, files }, new Blob([text])) }
  } catch (error) {
    return { kind: 'failed', error }
  }
}
