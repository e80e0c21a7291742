import { Component, type ComponentChildren } from 'preact'
import { memo } from 'preact/compat'
import { useState } from 'preact/hooks'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { type Choice, describePlace, type JsonType, type PlaceDescription, typeOf } from './describe-place.js'
import { FieldFrame, labelOfPlace } from './field-frame.js'
import { type Place, pointerOf, useForm } from './form-state.js'
import type { Path } from './json-document.js'
import { ListField } from './list-field.js'
import { LiteralField } from './literal-field.js'
import { ObjectFields } from './object-fields.js'
import { ScalarField } from './scalar-field.js'

/** Nesting from which values are edited as text: no page has room for deeper ones. */
const maxDepth = 30

/** The field, list or group for a place, as its schema and its value want it. */
export function PlaceField(place: Place) {
  const { document, findings } = useForm()
  const pointer = pointerOf(place.path)
  const within = findings().filter(({ path }) => `${path}/`.startsWith(`${pointer}/`))
  const said = within.map(({ path, message }) => `${path} ${message}`).join('\n')
  return <UnchangedPlace {...place} literal={document.literalAt(place.path)} said={said} />
}

interface KnownPlace extends Place {
  readonly literal: string | undefined
  /** The findings at the place, and inside of it. */
  readonly said: string
}

/**
 * A place is drawn anew if what it is drawn from has changed: its text, its schemas and its findings. After a key in a large
 * form, these are the field and the groups around it.
 */
const UnchangedPlace = memo(
  ({ literal: _, said: __, ...place }: KnownPlace) => <BoundedPlace {...place} />,
  (before, after) =>
    before.literal === after.literal &&
    before.said === after.said &&
    before.isRequired === after.isRequired &&
    before.isOffered === after.isOffered &&
    isSameList(before.path, after.path) &&
    isSameList(before.schemas, after.schemas) &&
    isSameList(before.order, after.order),
)

function isSameList(before: readonly unknown[] = [], after: readonly unknown[] = []): boolean {
  return before === after || (before.length === after.length && before.every((one, at) => one === after[at]))
}

function BoundedPlace(place: Place) {
  return (
    // A place that cannot be drawn leaves the others as they are.
    <PlaceBoundary
      otherwise={<LiteralField {...place} description={nothing} why={writingWords.form.notDrawn} />}
    >
      <DrawnPlace {...place} />
    </PlaceBoundary>
  )
}

interface Fallback {
  readonly otherwise: ComponentChildren
  readonly children: ComponentChildren
}

class PlaceBoundary extends Component<Fallback, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static override getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render({ otherwise, children }: Fallback, { hasFailed }: { readonly hasFailed: boolean }) {
    return hasFailed ? otherwise : children
  }
}

const nothing: PlaceDescription = { types: [], choices: [], schemas: [] }

function DrawnPlace(place: Place) {
  const { document, schema, chosen, redraw } = useForm()
  const { path, schemas } = place
  const pointer = pointerOf(path)
  const value = document.valueAt(path)
  const described = describePlace(schema, schemas, value, key => chosen.get(`${pointer} ${key}`))
  const description = place.isRequired || place.isOffered ? withoutRequired(described) : described
  const types = description.types.filter(type => type !== 'null')
  const own = value === undefined ? undefined : typeOf(value)
  // Without a type in the schema, the first value tells which field it needs: a field must not change while one types.
  const [first] = useState(own)
  const type = types.length > 0 ? types[chosen.get(`${pointer} type`) ?? indexOfType(types, own)] : first

  function choose(key: string, selected: number) {
    chosen.set(`${pointer} ${key}`, selected)
    redraw()
  }

  const label = labelOfPlace(description.title, path)
  const choices = [
    ...description.choices,
    ...(types.length > 1 && !description.values ? [typeChoice(types, type)] : []),
  ]
  return (
    <>
      {choices.map(choice => (
        <ChoiceField key={choice.key} {...{ path, label, choice }} onChoose={choose} />
      ))}
      <TypedField {...place} description={description} type={type} value={value} />
    </>
  )
}

function TypedField({
  description,
  type,
  value,
  ...place
}: Place & {
  readonly description: PlaceDescription
  readonly type: JsonType | undefined
  readonly value: unknown
}) {
  const props = { ...place, description }
  if (description.unresolved !== undefined)
    return <LiteralField {...props} why={writingWords.form.otherFile(description.unresolved)} />
  if (place.path.length > maxDepth) return <LiteralField {...props} why={writingWords.form.tooDeep} />
  const isOther = value !== undefined && value !== null && type !== undefined && !isOfType(value, type)
  if (description.values && (value === undefined || !isContainer(value))) return <ScalarField {...props} />
  if (isOther) return <LiteralField {...props} why={writingWords.form.otherType(words.jsonTypes[type])} />
  switch (type) {
    case 'object':
      return <ObjectFields {...props} />
    case 'array':
      return <ListField {...props} />
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return <ScalarField {...props} type={type} />
    default:
      return <LiteralField {...props} />
  }
}

/** Chooses a branch of the schema. The document stays as it is until a field of the branch is filled. */
function ChoiceField({
  path,
  label,
  choice,
  onChoose,
}: {
  readonly path: Path
  readonly label: string
  readonly choice: Choice
  readonly onChoose: (key: string, selected: number) => void
}) {
  const id = `choice${pointerOf(path)} ${choice.key}`.replaceAll(' ', '-')
  return (
    <FieldFrame id={id} label={writingWords.form.kindOf(label)}>
      <select
        id={id}
        value={String(choice.selected)}
        onChange={event => onChoose(choice.key, Number(event.currentTarget.value))}
      >
        {choice.options.map((option, at) => (
          <option key={option.label} value={String(at)}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

/** The label of a required field says so: a description that begins with it says it no second time. */
function withoutRequired(place: PlaceDescription): PlaceDescription {
  return { ...place, description: place.description?.replace(/^\s*\(required\)[\s.:,]*/i, '') || undefined }
}

function typeChoice(types: readonly JsonType[], type: JsonType | undefined): Choice {
  const options = types.map(one => ({ label: words.jsonTypes[one], schema: {} }))
  return { key: 'type', options, selected: Math.max(0, types.indexOf(type ?? 'string')) }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The first type that a value has; 0 if it has none of them, or if there is no value. */
function indexOfType(types: readonly JsonType[], own: JsonType | undefined): number {
  return Math.max(
    0,
    types.findIndex(type => type === own || (own === 'number' && type === 'integer')),
  )
}

/** A number or text can stand in the field of the other: a finding says that it is not what is expected. */
function isOfType(value: unknown, type: JsonType): boolean {
  const isScalar = (one: JsonType) => one !== 'object' && one !== 'array'
  return typeOf(value) === type || (isScalar(typeOf(value)) && isScalar(type) && type !== 'boolean')
}
