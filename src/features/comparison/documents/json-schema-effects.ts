import { compareDecimals, type Decimal, decimalOf, isMultipleOf } from '../../../core/json/decimal.js'
import { type WrittenJson, WrittenNumber } from '../../../core/json/written-number.js'
import type { TreeNode } from './document-tree.js'
import {
  breaking,
  type CompatibilityVerdict,
  compatible,
  looser,
  neutral,
  undecided,
} from './schema-compatibility.js'

/** Keywords that do not affect validity. */
export const annotations = new Set([
  ...['$comment', 'title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'],
])

/** Keywords that set an upper bound. Without the keyword, the bound is infinite. */
const upperBounds = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
])
/** Keywords that set a lower bound, with the bound that holds without the keyword. */
const lowerBounds: ReadonlyMap<string, number> = new Map([
  ...(['minimum', 'exclusiveMinimum'] as const).map(name => [name, -Infinity] as const),
  ...(['minLength', 'minItems', 'minProperties'] as const).map(name => [name, 0] as const),
  ['minContains', 1],
])

/** Keywords that may accept fewer documents when the schema in them accepts more. */
export const inverting = ['not', 'if', 'oneOf'] as const
const isInverting: ReadonlySet<string> = new Set(inverting)
/** Keywords whose effect depends on the evaluation of other keywords, or on the referring schema. */
const contextual = new Set(['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'])
const references = new Set(['$ref', ...contextual])
/** Keywords that name a schema for references. */
const schemaNames = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'])

/** Says whether every value is valid for the schema. */
export function admitsAll(schema: TreeNode | undefined): boolean {
  if (!schema || schema.value === true) return true
  return schema.kind === 'object' && [...schema.members.keys()].every(name => annotations.has(name))
}

/**
 * Says whether the whole schema may accept fewer documents after a part of it has been changed to accept more. That may
 * be so if `not` refers to the part. Members whose name only looks like such a keyword count too, to be safe.
 */
export function isEntangled(node: TreeNode): boolean {
  const { members, items } = node
  for (const [name, member] of members) {
    if (contextual.has(name)) return true
    // After a change of the array, the index may lead to another schema.
    if (name === '$ref' && /\/\d+(\/|$)/.test(String(member.value))) return true
    const inverts = isInverting.has(name) || (name === 'contains' && members.has('maxContains'))
    if (inverts && anywhere(member, inner => references.has(inner))) return true
    if (isEntangled(member)) return true
  }
  return items.some(isEntangled)
}

/** Says whether the schema, or a schema in it, has a name for references. */
export function hasSchemaName(schema: TreeNode | undefined): boolean {
  return schema !== undefined && anywhere(schema, name => schemaNames.has(name))
}

function anywhere({ members, items }: TreeNode, is: (name: string) => boolean): boolean {
  return (
    [...members].some(([name, member]) => is(name) || anywhere(member, is)) ||
    items.some(item => anywhere(item, is))
  )
}

export function undecidedInside(old: TreeNode | undefined): CompatibilityVerdict {
  return old ? undecided : breaking('adds a condition')
}

export function entryEffect(isRequired: boolean, added: boolean, removed: boolean): CompatibilityVerdict {
  // The entry has only moved.
  if (!added && !removed) return neutral
  if (isRequired) {
    return added ? breaking('requires a member') : compatible('no longer requires a member')
  }
  return removed ? breaking('no longer permits a value') : compatible('permits another value')
}

export function typeEffect(old: TreeNode | undefined, now: TreeNode | undefined): CompatibilityVerdict {
  const types = (node: TreeNode) =>
    new Set(node.kind === 'array' ? node.items.map(item => item.value) : [node.value])
  if (!now) return looser
  if (!old) return breaking('permits some types only')
  const [had, has] = [types(old), types(now)]
  const kept = [...had].every(type => has.has(type) || (type === 'integer' && has.has('number')))
  if (!kept) return breaking('no longer permits a type')
  const wider = [...has].some(type => !had.has(type))
  return wider ? compatible('permits another type') : neutral
}

/** The effect of changing a keyword whose meaning does not depend on other keywords. */
export function valueEffect(
  name: string,
  old: TreeNode | undefined,
  now: TreeNode | undefined,
): CompatibilityVerdict {
  const [was, is] = [old?.value, now?.value]
  const lowest = lowerBounds.get(name)
  if (upperBounds.has(name) || lowest !== undefined) return boundEffect(was, is, lowest)
  switch (name) {
    case 'uniqueItems':
      return flagEffect(was, is)
    case 'multipleOf': {
      if (!now) return looser
      const divides = isNumber(was) && isNumber(is) && isMultipleOf(exact(was), exact(is))
      return divides ? compatible('widens a bound') : breaking('permits some numbers only')
    }
    case 'pattern':
    case 'format':
    case 'const':
      return now ? breaking('permits some values only') : looser
    default:
      return undecided
  }
}

/**
 * The effect of a changed bound, such as `minimum` or `maxLength`.
 * @param lowest default of a lower bound; undefined for an upper bound
 */
function boundEffect(
  was: WrittenJson | undefined,
  is: WrittenJson | undefined,
  lowest: number | undefined,
): CompatibilityVerdict {
  if (typeof was === 'boolean' || typeof is === 'boolean') return flagEffect(was, is)
  const [from, to] = [was ?? lowest ?? Infinity, is ?? lowest ?? Infinity]
  if (!isNumber(from) || !isNumber(to)) return undecided
  const growth = differenceOf(to, from)
  const narrower = lowest === undefined ? growth < 0 : growth > 0
  if (narrower) return breaking('narrows a bound')
  return growth === 0 ? neutral : compatible('widens a bound')
}

function isNumber(value: WrittenJson | undefined): value is number | WrittenNumber {
  return typeof value === 'number' || value instanceof WrittenNumber
}

function exact(value: number | WrittenNumber): Decimal {
  return decimalOf(String(value))
}

/** Positive if `one` is larger than `other`, negative if it is smaller. Either may be infinite, as an absent bound is. */
function differenceOf(one: number | WrittenNumber, other: number | WrittenNumber): number {
  if (one === other) return 0
  const infinite = [one, other].findIndex(value => typeof value === 'number' && !Number.isFinite(value))
  if (infinite < 0) return compareDecimals(exact(one), exact(other))
  return infinite === 0 ? Number(one) : -Number(other)
}

/** The effect of a condition that `true` switches on. */
function flagEffect(was: WrittenJson | undefined, is: WrittenJson | undefined): CompatibilityVerdict {
  const [from, to] = [was ?? false, is ?? false]
  if (typeof from !== 'boolean' || typeof to !== 'boolean') return undecided
  if (to) return breaking('adds a condition')
  return from ? looser : neutral
}
