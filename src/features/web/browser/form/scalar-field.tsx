import { writingWords } from '../words-of-writing.js'
import { type JsonType, labelOf, type PlaceDescription } from './describe-place.js'
import { FieldFrame, labelOfPlace, usePlace } from './field-frame.js'
import { type Place, useForm, useTyped } from './form-state.js'
import type { JsonDocument, Path } from './json-document.js'

/** Length from which a text has several lines. */
const longText = 80
/** @see https://www.rfc-editor.org/rfc/rfc8259#section-6 */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A field for a text, a number, yes or no, or one of several values. */
export function ScalarField({
  path,
  isRequired,
  order,
  description,
  type = 'string',
}: Place & { readonly description: PlaceDescription; readonly type?: JsonType }) {
  const about = [description.description, hintOf(description)].filter(Boolean).join(' ') || undefined
  const { id, findings, attributes } = usePlace(path, about)
  const label = labelOfPlace(description.title, path)
  const control = description.values ? (
    <ValueSelect path={path} order={order} attributes={attributes} values={description.values} />
  ) : type === 'boolean' ? (
    <ValueSelect path={path} order={order} attributes={attributes} values={yesOrNo} />
  ) : (
    <TextInput path={path} order={order} attributes={attributes} type={type} description={description} />
  )
  const isWide = type === 'string' && !description.values && /title$/i.test(String(path.at(-1)))
  return (
    <FieldFrame {...{ id, label, description: about, isRequired, isWide, findings }}>{control}</FieldFrame>
  )
}

const yesOrNo = [
  { value: true, label: writingWords.form.yes },
  { value: false, label: writingWords.form.no },
]

type Attributes = ReturnType<typeof usePlace>['attributes']

/** One of several values. A value of the document that is not among them stays until another one is chosen. */
function ValueSelect({
  path,
  order,
  attributes,
  values,
}: {
  readonly path: Path
  readonly order: Place['order']
  readonly attributes: Attributes
  readonly values: NonNullable<PlaceDescription['values']>
}) {
  const { document } = useForm()
  const current = document.valueAt(path)
  const literals = values.map(({ value }) => JSON.stringify(value))
  const literal = current === undefined ? '' : JSON.stringify(current)
  const isOther = literal !== '' && !literals.includes(literal)
  return (
    <select
      {...attributes}
      value={literal}
      onChange={event => document.setOrRemove(path, event.currentTarget.value, order)}
    >
      <option value="">{writingWords.form.nothing}</option>
      {values.map(({ label, description }, at) => (
        <option key={literals[at]} value={literals[at]} title={description}>
          {label}
        </option>
      ))}
      {isOther && <option value={literal}>{writingWords.form.otherValue(labelOf(current))}</option>}
    </select>
  )
}

/** A text or a number. What a person types stays in the field even if it is no number: the document has it as text. */
function TextInput({
  path,
  order,
  attributes,
  type,
  description,
}: {
  readonly path: Path
  readonly order: Place['order']
  readonly attributes: Attributes
  readonly type: JsonType
  readonly description: PlaceDescription
}) {
  const { document } = useForm()
  const { text, given, keep } = useTyped(() => textAt(document, path))
  const isNumber = type === 'number' || type === 'integer'

  function change(typed: string) {
    const literal = isNumber && jsonNumber.test(typed.trim()) ? typed.trim() : JSON.stringify(typed)
    document.setOrRemove(path, typed === '' ? '' : literal, order)
    keep(typed)
  }

  // What is typed does not decide: another element would lose the focus.
  const isLong =
    !isNumber &&
    ((given.length > longText && given.includes(' ')) ||
      given.includes('\n') ||
      isLongText(path, description))
  const common = { ...attributes, value: text, placeholder: exampleOf(description), dir: 'auto' as const }
  return isLong ? (
    <textarea {...common} rows={4} onInput={event => change(event.currentTarget.value)} />
  ) : (
    <input
      {...common}
      type="text"
      inputMode={isNumber ? 'decimal' : 'text'}
      onInput={event => change(event.currentTarget.value)}
    />
  )
}

/** The text of a scalar: numbers as they are written. */
function textAt(document: JsonDocument, path: Path): string {
  const node = document.nodeAt(path)
  if (!node || node.type === 'null') return ''
  return node.type === 'string' ? String(node.value) : (document.literalAt(path) ?? '')
}

/** Names of members with several sentences. */
const longName = /description|abstract|summary|comment|note|remark/i

function isLongText(path: Path, { schemas }: PlaceDescription): boolean {
  const limits = schemas.flatMap(({ maxLength }) => (typeof maxLength === 'number' ? [maxLength] : []))
  if (limits.length > 0) return Math.min(...limits) > 2 * longText
  const name = path.findLast(step => typeof step === 'string')
  return name !== undefined && longName.test(name) && !/type|language|id$/i.test(name)
}

function exampleOf({ schemas }: PlaceDescription): string | undefined {
  const examples = schemas.flatMap(({ examples, default: usual }) => [usual, ...listOf(examples)])
  const example = examples.find(one => one !== undefined && one !== null && typeof one !== 'object')
  return example === undefined ? undefined : writingWords.form.example(labelOf(example))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The limits of a number or text in words. */
function hintOf({ schemas }: PlaceDescription): string | undefined {
  const limits = Object.entries(writingWords.form.limits).flatMap(([keyword, say]) => {
    const limit = schemas.map(schema => schema[keyword]).find(value => typeof value === 'number')
    return typeof limit === 'number' ? say(limit) : []
  })
  return limits.length > 0 ? `${limits.join(', ')}.` : undefined
}
