import { useId } from 'preact/hooks'
import type { NewRecord } from '../api/new-records.js'
import { words } from '../words.js'

/** What is wrong with the fields of a new record, by field. */
export type RecordFaults = Partial<Readonly<Record<keyof NewRecord, string>>>

/** A record without a title has that of its document. */
const requiredFields = ['resource', 'id'] as const

/** The fields that a new record needs and does not have. */
export function faultsOfRecord(record: NewRecord): RecordFaults {
  const empty = requiredFields.filter(name => record[name].trim() === '')
  return Object.fromEntries(empty.map(name => [name, words.newDocument.missing[name]]))
}

const hints = {
  title: words.newDocument.titleHint,
  resource: words.newDocument.resourceHint,
  id: words.newDocument.idHint,
}
const labels = {
  title: words.newDocument.recordTitle,
  resource: words.newDocument.resource,
  id: words.newDocument.id,
}

/** The faults in the order of the fields, which are in `place`. */
export function listFaults(faults: RecordFaults, place: () => Element | null) {
  return (['title', 'resource', 'id'] as const).flatMap(name => {
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

/** What the record of a new document says: its title, what it describes, and its id. */
export function RecordFields({
  record,
  faults,
  change,
}: {
  readonly record: NewRecord
  readonly faults: RecordFaults
  change(record: NewRecord): void
}) {
  const field = (name: keyof NewRecord) => (
    <RecordField
      name={name}
      value={record[name]}
      fault={faults[name]}
      change={value => change({ ...record, [name]: value })}
    />
  )
  return (
    <fieldset class="whole schema-form" aria-label={words.newDocument.record}>
      {field('title')}
      {field('resource')}
      <details>
        <summary>{words.newDocument.ownId}</summary>
        {field('id')}
      </details>
    </fieldset>
  )
}

function RecordField({
  name,
  value,
  fault,
  change,
}: {
  readonly name: keyof NewRecord
  readonly value: string
  readonly fault: string | undefined
  change(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {labels[name]} {name !== 'title' && <span class="dim">({words.form.required})</span>}
      </label>
      <input
        id={id}
        name={name}
        type="text"
        dir="auto"
        value={value}
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
