import type { ComponentChildren } from 'preact'
import { nameInWords } from '../../../../core/text/name-in-words.js'
import { words } from '../words.js'
import { fieldId, pointerOf, useForm } from './form-state.js'
import type { Path } from './json-document.js'

/** A label, a control, and what is said of it. */
export function FieldFrame({
  id,
  label,
  description,
  isRequired = false,
  findings = [],
  children,
}: {
  /** The id of the control. Its description has the id with `-about`. */
  readonly id: string
  readonly label: string
  readonly description?: string | undefined
  readonly isRequired?: boolean | undefined
  readonly findings?: readonly string[]
  readonly children: ComponentChildren
}) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired && <span class="dim"> ({words.form.required})</span>}
      </label>
      {children}
      <About id={id} description={description} findings={findings} />
    </div>
  )
}

/** The description of a place, and what a validator found there. */
export function About({
  id,
  description,
  findings,
}: {
  readonly id: string
  readonly description?: string | undefined
  readonly findings: readonly string[]
}) {
  if (!description && findings.length === 0) return null
  return (
    <div id={`${id}-about`} class="about">
      {findings.map(message => (
        <p key={message} class="finding">
          {message}
        </p>
      ))}
      {description && <p class="dim">{description}</p>}
    </div>
  )
}

/** What controls of a place have in common: its id, its findings, and attributes for assistive software. */
export function usePlace(path: Path, description: string | undefined) {
  const { findings } = useForm()
  const pointer = pointerOf(path)
  const id = fieldId(pointer)
  const own = findings.filter(finding => finding.path === pointer).map(({ message }) => message)
  const hasAbout = description !== undefined || own.length > 0
  return {
    id,
    findings: own,
    attributes: {
      id,
      'aria-invalid': own.length > 0,
      ...(hasAbout && { 'aria-describedby': `${id}-about` }),
    },
  }
}

/** The name of a place that people read: the title of the schema, else the name in words. */
export function labelOfPlace(title: string | undefined, path: Path): string {
  const last = path.at(-1)
  if (typeof last === 'number') return title ? `${title} ${last + 1}` : words.form.item(last + 1)
  return title ?? (last === undefined ? words.form.document : nameInWords(last))
}
