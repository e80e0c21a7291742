import type { Completion, CompletionSource } from '@codemirror/autocomplete'
import { getLocation, type JSONPath, parse } from 'jsonc-parser'
import { describePlace, membersOf, type PlaceDescription, schemasOfItem } from '../form/describe-place.js'
import { type FormSchema, isSchema, type Schema } from '../form/form-schema.js'
import { depthFault } from '../form/json-depth.js'
import { words } from '../words.js'

/*
 * Names of members and values for a JSON text, from its schema. The text need not be complete.
 */

/** Completes the names of members that an object does not have yet, and the values that a schema lists. */
export function jsonCompletion(schema: FormSchema): CompletionSource {
  return ({ state, pos, explicit }) => {
    const text = state.doc.toString()
    if (depthFault(text)) return null
    const { path, isAtPropertyKey, previousNode } = getLocation(text, pos)
    const isInNode = previousNode !== undefined && pos > previousNode.offset && pos <= endOf(previousNode)
    const typed = isInNode ? text.slice(previousNode.offset, pos) : wordBefore(text, pos)
    const isAfterColon = /:\s*$/.test(text.slice(Math.max(0, pos - 20), pos))
    if (!explicit && typed === '' && !isAfterColon) return null
    const after = wordAfter(text, pos)
    const options = isAtPropertyKey
      ? namesAt(schema, text, path, text.slice(pos + after.length))
      : valuesAt(schema, text, path)
    return {
      from: pos - typed.length,
      to: pos + after.length,
      options,
      validFor: /^"?[\w $.-]*"?$/,
    }
  }
}

function namesAt(schema: FormSchema, text: string, path: JSONPath, rest: string): readonly Completion[] {
  const object = path.slice(0, -1)
  const { description, value } = placeAt(schema, text, object)
  const own = path.at(-1)
  const end = /^\s*:/.test(rest) ? '' : ': '
  return membersOf(description, value)
    .filter(({ name, schemas }) => schemas.length > 0 && (name === own || !has(value, name)))
    .map(({ name, schemas, isRequired }) => {
      const place = describePlace(schema, schemas, undefined)
      const types = place.types.map(type => words.jsonTypes[type])
      return {
        label: JSON.stringify(name),
        apply: JSON.stringify(name) + end,
        detail: [...types, ...(isRequired ? [words.required] : [])].join(', '),
        boost: isRequired ? 1 : 0,
        ...infoOf(place.title, place.description),
      }
    })
}

function valuesAt(schema: FormSchema, text: string, path: JSONPath): readonly Completion[] {
  const { description } = placeAt(schema, text, path)
  const { values, types } = description
  if (values) {
    return values.map(({ value, label, description: about }) => {
      const literal = JSON.stringify(value)
      return { label: literal, ...infoOf(label === value ? undefined : label, about) }
    })
  }
  const literals = { boolean: ['true', 'false'], null: ['null'], object: ['{}'], array: ['[]'] } as const
  return types.flatMap(type => {
    const known: readonly string[] = type in literals ? literals[type as keyof typeof literals] : []
    return known.map(label => ({ label, detail: words.jsonTypes[type] }))
  })
}

/** What the schema says of a place, and the value there as far as it can be read. */
function placeAt(
  schema: FormSchema,
  text: string,
  path: JSONPath,
): { readonly description: PlaceDescription; readonly value: unknown } {
  let value: unknown = parse(text)
  let description = describePlace(schema, [schema.root], value)
  for (const step of path) {
    const schemas =
      typeof step === 'number'
        ? schemasOfItem(description, step)
        : (membersOf(description, { ...(isSchema(value) ? value : {}), [step]: null }).find(
            ({ name }) => name === step,
          )?.schemas ?? [])
    value =
      typeof value === 'object' && value !== null && has(value, step) ? (value as Schema)[step] : undefined
    description = describePlace(schema, schemas, value)
  }
  return { description, value }
}

function has(value: unknown, name: string | number): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

/** Texts of the schema about a completion. The editor shows them as text. */
export function infoOf(...texts: readonly (string | undefined)[]): Pick<Completion, 'info'> {
  const info = texts.filter(Boolean).join('\n\n')
  return info === '' ? {} : { info }
}

/** Limit of the characters of a word beside the caret. */
const maxWord = 200

function wordBefore(text: string, pos: number): string {
  let from = pos
  while (from > Math.max(0, pos - maxWord) && /[\w$.-]/.test(text.charAt(from - 1))) from--
  return text.slice(from, pos)
}

/** What a completion replaces after the caret: the rest of a word, and its quote. */
function wordAfter(text: string, pos: number): string {
  return /^[\w$.-]*"?/.exec(text.slice(pos, pos + maxWord))?.[0] ?? ''
}

function endOf({ offset, length }: { readonly offset: number; readonly length: number }): number {
  return offset + length
}
