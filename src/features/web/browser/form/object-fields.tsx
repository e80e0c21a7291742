import { useRef, useState } from 'preact/hooks'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { describePlace, type Member, membersOf, type PlaceDescription } from './describe-place.js'
import { About, labelOfPlace, usePlace } from './field-frame.js'
import { type FormSchema, isSchema } from './form-schema.js'
import { maxOpenDepth, type Place, useForm } from './form-state.js'

const maxGist = 60

/** The fields of an object. An optional object that the document does not have is closed until it is opened. */
export function ObjectFields({
  path,
  isRequired,
  isOffered,
  description,
}: Place & { readonly description: PlaceDescription }) {
  const { document, schema, Field, say } = useForm()
  const value = document.valueAt(path)
  const summary = useRef<HTMLElement>(null)
  const { id, findings, attributes } = usePlace(path, description.description)
  const members = membersOf(description, value)
  const order = members.map(({ name }) => name)
  const [isOpen, setIsOpen] = useState(
    value !== undefined || path.length === 0 || ((isRequired || isOffered) && path.length <= maxOpenDepth),
  )
  const label = labelOfPlace(description.title, path)
  // The list around an item removes it.
  const isItem = typeof path.at(-1) === 'number'
  const about = <About id={id} description={description.description} findings={findings} />
  const fields = (
    <div class="fields">
      {members.map(member => (
        <Field key={member.name} path={[...path, member.name]} order={order} {...member} />
      ))}
      <NewMember path={path} isOpen={isOpenObject(description)} taken={order} />
    </div>
  )

  function remove() {
    document.remove(path)
    summary.current?.focus()
    say(writingWords.form.removed(label))
  }

  if (path.length === 0)
    return (
      <div id={id} tabIndex={-1}>
        {about}
        {fields}
      </div>
    )
  return (
    // The summary is what gets the focus: a `tabindex` here would take the fields out of the order of Tab.
    <details class="group" open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary ref={summary} {...attributes}>
        {label}
        {isRequired && <span class="dim"> ({words.required})</span>}
        {value === undefined && <span class="dim"> {writingWords.form.empty}</span>}
        {isItem && <span class="dim gist"> {gistOf(schema, members, value)}</span>}
      </summary>
      {about}
      {isOpen && fields}
      {isOpen && value !== undefined && !isItem && !isRequired && (
        <p>
          <button type="button" onClick={remove}>
            {writingWords.form.remove(label)}
          </button>
        </p>
      )}
    </details>
  )
}

/** Adds a member whose name the schema leaves open. */
function NewMember({
  path,
  isOpen,
  taken,
}: {
  readonly path: Place['path']
  readonly isOpen: boolean
  readonly taken: readonly string[]
}) {
  const { document } = useForm()
  const [name, setName] = useState('')
  const { id } = usePlace(path, undefined)
  if (!isOpen) return null
  const isTaken = taken.includes(name)

  function add() {
    if (name === '' || isTaken) return
    document.set([...path, name], '""')
    setName('')
  }

  return (
    <p class="new-member">
      <label for={`${id}-new`}>{writingWords.form.newMember}</label>{' '}
      <input
        id={`${id}-new`}
        type="text"
        value={name}
        onInput={event => setName(event.currentTarget.value)}
        aria-describedby={isTaken ? `${id}-taken` : undefined}
      />{' '}
      <button type="button" onClick={add}>
        {writingWords.form.addMember}
      </button>
      {isTaken && (
        <span id={`${id}-taken`} role="status">
          {' '}
          {writingWords.form.taken(name)}
        </span>
      )}
    </p>
  )
}

/** The first free text in an object, by which a person knows it again: not one of the values that the schema lists. */
function gistOf(form: FormSchema, members: readonly Member[], value: unknown): string {
  if (!isSchema(value)) return ''
  const named = members.find(({ name, schemas }) => {
    const own = value[name]
    return typeof own === 'string' && own.trim() !== '' && !describePlace(form, schemas, own).values
  })
  const first = named ? String(value[named.name]) : ''
  return first.length > maxGist ? `${first.slice(0, maxGist)}…` : first
}

/** Whether the schema describes members whose names it does not fix. */
function isOpenObject({ schemas }: PlaceDescription): boolean {
  return schemas.some(schema => typeof schema.additionalProperties === 'object' || 'patternMembers' in schema)
}
