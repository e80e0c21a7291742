import { useState } from 'preact/hooks'
import { words } from '../words.js'
import { membersOf, type PlaceDescription } from './describe-place.js'
import { About, labelOfPlace, usePlace } from './field-frame.js'
import { isSchema } from './form-schema.js'
import { type Place, useForm } from './form-state.js'

const maxGist = 60

/** Length of the paths up to which required objects that the document lacks are open: schemas may nest without end. */
const maxOpenDepth = 3

/** The fields of an object. An optional object that the document does not have is closed until it is opened. */
export function ObjectFields({
  path,
  isRequired,
  description,
}: Place & { readonly description: PlaceDescription }) {
  const { document, Field } = useForm()
  const value = document.valueAt(path)
  const { id, findings } = usePlace(path, description.description)
  const members = membersOf(description, value)
  const order = members.map(({ name }) => name)
  const [isOpen, setIsOpen] = useState(
    value !== undefined || path.length === 0 || (isRequired && path.length <= maxOpenDepth),
  )
  const label = labelOfPlace(description.title, path)
  // The list around an item removes it.
  const isItem = typeof path.at(-1) === 'number'
  const fields = (
    <>
      <About id={id} description={description.description} findings={findings} />
      <div class="fields">
        {members.map(member => (
          <Field key={member.name} path={[...path, member.name]} order={order} {...member} />
        ))}
        <NewMember path={path} isOpen={isOpenObject(description)} taken={order} />
      </div>
    </>
  )
  if (path.length === 0)
    return (
      <div id={id} tabIndex={-1}>
        {fields}
      </div>
    )
  return (
    <details
      class="group"
      id={id}
      tabIndex={-1}
      open={isOpen}
      onToggle={event => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        {label}
        {isRequired && <span class="dim"> ({words.form.required})</span>}
        {value === undefined && <span class="dim"> {words.form.empty}</span>}
        {isItem && <span class="dim"> {gistOf(value)}</span>}
      </summary>
      {isOpen && fields}
      {isOpen && value !== undefined && !isItem && (
        <p>
          <button type="button" onClick={() => document.remove(path)}>
            {words.form.remove(label)}
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
      <label for={`${id}-new`}>{words.form.newMember}</label>{' '}
      <input
        id={`${id}-new`}
        type="text"
        value={name}
        onInput={event => setName(event.currentTarget.value)}
        aria-describedby={isTaken ? `${id}-taken` : undefined}
      />{' '}
      <button type="button" onClick={add}>
        {words.form.addMember}
      </button>
      {isTaken && (
        <span id={`${id}-taken`} role="status">
          {' '}
          {words.form.taken(name)}
        </span>
      )}
    </p>
  )
}

/** The first text in an object, by which a person knows it again. */
function gistOf(value: unknown): string {
  const texts = isSchema(value) ? Object.values(value).filter(one => typeof one === 'string') : []
  const [first = ''] = texts
  return first.length > maxGist ? `${first.slice(0, maxGist)}…` : first
}

/** Whether the schema describes members whose names it does not fix. */
function isOpenObject({ schemas }: PlaceDescription): boolean {
  return schemas.some(schema => typeof schema.additionalProperties === 'object' || 'patternMembers' in schema)
}
