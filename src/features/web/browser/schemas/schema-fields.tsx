import { useId } from 'preact/hooks'
import { Link } from 'wouter'
import { words } from '../words.js'
import { schemaWords } from '../words-of-schemas.js'

/** The title of a schema, for people. */
export function TitleField({ title, change }: { readonly title: string; change(title: string): void }) {
  const id = useId()
  return (
    <p class="field">
      <label for={id}>{schemaWords.schema.title}</label>
      <input id={id} value={title} onInput={event => change(event.currentTarget.value)} />
    </p>
  )
}

/** The id of a new schema. @param fault why it cannot be stored with this id */
export function IdField({
  id,
  fault,
  change,
}: {
  readonly id: string
  readonly fault: string | undefined
  change(id: string): void
}) {
  const field = useId()
  return (
    <div class="field">
      <label for={field}>{schemaWords.schema.id}</label>
      <input
        id={field}
        class="mono"
        value={id}
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={`${field}-about`}
        onInput={event => change(event.currentTarget.value)}
      />
      <p id={`${field}-about`} class={fault === undefined ? 'dim' : 'finding'}>
        {fault ?? schemaWords.schema.idHint}
      </p>
    </div>
  )
}

/** The keys of the editor, and the way to the drafts of this browser. */
export function KeysAndDrafts() {
  return (
    <p class="dim">
      <span class="keys">
        {words.edit.keys} {words.edit.textKeys}
      </span>{' '}
      <Link href="/drafts">{words.drafts.link}</Link>
    </p>
  )
}
