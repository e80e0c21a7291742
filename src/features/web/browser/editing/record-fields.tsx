import { useId } from 'preact/hooks'
import { Link } from 'wouter'
import type { NewRecord, Rival } from '../api/new-records.js'
import { type FieldValues, fieldNames } from '../api/record-updates.js'
import { recordAddress } from '../parts/page-frame.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'

/** What is wrong with the fields of a record, by field. */
export type RecordFaults = Partial<Readonly<Record<keyof NewRecord, string>>>

/** A record without a title has that of its document. */
const requiredFields = ['resource', 'id'] as const

/** The fields that a new record needs and does not have. */
export function faultsOfRecord(record: NewRecord): RecordFaults {
  const empty = requiredFields.filter(name => record[name].trim() === '')
  return Object.fromEntries(empty.map(name => [name, writingWords.newDocument.missing[name]]))
}

const { fields: labels, hints } = writingWords.newDocument

/** The faults in the order of the fields, which are in `place`. */
export function listFaults(faults: RecordFaults, place: () => Element | null) {
  return ([...fieldNames, 'id'] as const).flatMap(name => {
    const message = faults[name]
    return message === undefined
      ? []
      : [{ label: labels[name], message, goTo: () => goToField(place()?.querySelector(`[name="${name}"]`)) }]
  })
}

/** Moves the focus to a field, and opens what is around it. */
function goToField(field: HTMLElement | null | undefined): void {
  const around = field?.closest('details')
  if (around) around.open = true
  field?.focus()
}

/** What a record says: its title, what its document describes, and the id of a new one. */
export function RecordFields<T extends FieldValues & { readonly id?: string }>({
  record,
  faults,
  isReadOnly = false,
  change,
}: {
  readonly record: T
  readonly faults: RecordFaults
  readonly isReadOnly?: boolean
  change(record: T): void
}) {
  const field = (name: keyof NewRecord) => (
    <RecordField
      name={name}
      value={record[name] ?? ''}
      fault={faults[name]}
      isReadOnly={isReadOnly}
      change={value => change({ ...record, [name]: value })}
    />
  )
  return (
    <fieldset class="whole schema-form">
      {/* A form of the document may have fields with the same names. */}
      <legend>{writingWords.newDocument.record}</legend>
      {field('title')}
      {field('resource')}
      {record.id !== undefined && (
        <details>
          <summary>{writingWords.newDocument.ownId}</summary>
          {field('id')}
        </details>
      )}
    </fieldset>
  )
}

function RecordField({
  name,
  value,
  fault,
  isReadOnly,
  change,
}: {
  readonly name: keyof NewRecord
  readonly value: string
  readonly fault: string | undefined
  readonly isReadOnly: boolean
  change(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {labels[name]} {name !== 'title' && <span class="dim">({words.required})</span>}
      </label>
      <input
        id={id}
        name={name}
        type="text"
        dir="auto"
        value={value}
        readOnly={isReadOnly}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-about`}
        onInput={event => change(event.currentTarget.value)}
      />
      <div id={`${id}-about`} class="about">
        {fault !== undefined && <p class="finding">{fault}</p>}
        <p class="dim">{hints[name]}</p>
      </div>
    </div>
  )
}

/** Names the record that has the name or the resource, and leads to it. */
export function Taken({ rival }: { readonly rival: Rival | undefined }) {
  if (!rival) {
    return (
      <p class="notice" role="alert">
        {writingWords.newDocument.takenHidden}
      </p>
    )
  }
  return (
    <div class="notice" role="alert">
      <p>
        {writingWords.newDocument.taken} <RecordLink record={rival}>{rival.title}</RecordLink>{' '}
        <span class="mono">({rival.id})</span>
      </p>
      <p>
        <Link href={recordAddress(rival, 'edit')}>{writingWords.newDocument.editThat}</Link>
      </p>
    </div>
  )
}
