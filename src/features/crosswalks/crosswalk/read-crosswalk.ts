import { appendJsonPointer } from '../../../core/json/strict-json.js'
import type {
  Crosswalk,
  CrosswalkFault,
  EntryRule,
  ListRule,
  MemberRule,
  TextRule,
} from './crosswalk-rules.js'
import {
  completedEntry,
  dataCiteProperties,
  type EntryShape,
  type ListShape,
  type PropertyName,
  type Shape,
  type TextShape,
} from './datacite-properties.js'
import { thisNode } from './document-path.js'
import { isJsonObject, type JsonObject } from './json-object.js'
import {
  fault,
  isWithinLimit,
  type Reading,
  readConditions,
  readPathAt,
  readTextRule,
  unknownName,
} from './read-text-rule.js'

/*
 * Reads a crosswalk as a schema's record writes it.
 * @see docs/use/crosswalks.md
 */

const maxFaults = 20

/** Reads a crosswalk. It is complete if there are no faults; otherwise it has the rules without a fault. */
export function readCrosswalk(json: unknown): {
  readonly crosswalk: Crosswalk
  readonly faults: readonly CrosswalkFault[]
} {
  const reading: Reading = { faults: [], rules: 0, conditions: 0 }
  const crosswalk = new Map<PropertyName, TextRule | EntryRule | ListRule>()
  if (!isJsonObject(json)) {
    fault(reading, '', 'A crosswalk is an object with a rule for each property.')
    return { crosswalk, faults: reading.faults }
  }
  for (const [name, value] of Object.entries(json)) {
    const pointer = appendJsonPointer('', name)
    const shape = shapeOf(dataCiteProperties, name)
    if (!shape) {
      fault(reading, pointer, unknownName(name, 'property', Object.keys(dataCiteProperties)))
      continue
    }
    const rule = readRule(reading, value, shape, pointer)
    if (rule) crosswalk.set(name as PropertyName, rule)
  }
  return { crosswalk, faults: reading.faults.slice(0, maxFaults) }
}

function readRule(
  reading: Reading,
  json: unknown,
  shape: Shape,
  pointer: string,
): TextRule | EntryRule | ListRule | undefined {
  if (!isWithinLimit(reading, 'rules', pointer)) return undefined
  if (shape.type === 'text') return readTextRule(reading, json, shape, pointer)
  if (isJsonObject(json) && 'first' in json) return readChoice(reading, json, shape, pointer)
  if (shape.type === 'entry') return readEntryRule(reading, json, shape, pointer)
  const rules = readRules(reading, json, shape.of, pointer)
  return rules && { choice: 'all', rules }
}

/** `first`: the first rule that gives a value, at each place of `each`. Each may be a list where the shape is one. */
function readChoice(
  reading: Reading,
  json: JsonObject,
  shape: EntryShape | ListShape,
  pointer: string,
): ListRule | undefined {
  const { each: written, first, ...others } = json
  if (Object.keys(others).length > 0 || !Array.isArray(first)) {
    fault(reading, pointer, '"first" is a list of rules, and no other member than "each" stands beside it.')
    return undefined
  }
  const each = written === undefined ? undefined : readPathAt(reading, written, `${pointer}/each`)
  const rules = readRules(reading, first, shape, `${pointer}/first`)
  if (!rules || (written !== undefined && !each)) return undefined
  return { ...(each && { each }), choice: 'first', rules }
}

function readRules(
  reading: Reading,
  json: unknown,
  shape: Shape,
  pointer: string,
): ListRule['rules'] | undefined {
  if (!Array.isArray(json)) {
    const rule = readRule(reading, json, shape, pointer)
    return rule && [rule]
  }
  if (json.length === 0) fault(reading, pointer, 'A list of rules has at least one rule.')
  const rules = json.flatMap((rule, index) => readRule(reading, rule, shape, `${pointer}/${index}`) ?? [])
  return rules.length > 0 ? rules : undefined
}

const entryWords = ['each', 'where']

function readEntryRule(
  reading: Reading,
  json: unknown,
  shape: EntryShape,
  pointer: string,
): EntryRule | undefined {
  // A text rule stands for the main member: a path for one entry at each of its nodes.
  if (typeof json === 'string' || (isJsonObject(json) && isTextRule(json, shape)))
    return mainRule(reading, json, shape, pointer)
  if (!isJsonObject(json)) {
    fault(reading, pointer, `Here stands a path, or an object with members such as "${shape.main}".`)
    return undefined
  }
  const faultsBefore = reading.faults.length
  const each = json.each === undefined ? undefined : readPathAt(reading, json.each, `${pointer}/each`)
  const where = readConditions(reading, json.where, `${pointer}/where`)
  const members = Object.entries(json).flatMap(([name, value]): readonly MemberRule[] => {
    if (entryWords.includes(name)) return []
    const at = appendJsonPointer(pointer, name)
    const member = shapeOf(shape.members, name)
    if (!member) {
      fault(reading, at, unknownName(name, 'member', [...entryWords, ...Object.keys(shape.members)]))
      return []
    }
    const rule = readRule(reading, value, member, at)
    return rule ? [{ name, shape: member, rule }] : []
  })
  if (!where || (json.each !== undefined && !each)) return undefined
  // Members with faults of their own are left out, and the others stay.
  if (reading.faults.length === faultsBefore && !givesEntries(reading, members, shape, pointer))
    return undefined
  return { ...(each && { each }), where, members }
}

/** Whether an entry with these members can be valid; otherwise there is a fault more. */
function givesEntries(
  reading: Reading,
  members: readonly MemberRule[],
  shape: EntryShape,
  pointer: string,
): boolean {
  const isThere = (name: string) => members.some(member => member.name === name)
  const missing = shape.required.filter(name => !isThere(name))
  const { needsOneOf = Object.keys(shape.members) } = shape
  if (missing.length > 0)
    fault(reading, pointer, `An entry without "${missing.join('" and "')}" is not valid. Give a rule for it.`)
  else if (!needsOneOf.some(isThere))
    fault(reading, pointer, `An entry has a rule for one or more of ${needsOneOf.join(', ')}.`)
  else if (!isValidIfConstant(members, shape))
    fault(reading, pointer, 'These constants together are no entry that DataCite permits.')
  else return true
  return false
}

/** False for constants alone that make no valid entry. */
function isValidIfConstant(members: readonly MemberRule[], shape: EntryShape): boolean {
  const entry: Record<string, unknown> = {}
  for (const { name, shape: member, rule } of members) {
    if (!('constant' in rule) || member.type !== 'text') return true
    entry[name] = member.clean(rule.constant)
  }
  return completedEntry(entry, shape) !== undefined
}

/** Members of a text rule that no entry has. */
function isTextRule(json: JsonObject, { members }: EntryShape): boolean {
  return ['path', 'constant', 'join'].some(word => word in json && !(word in members))
}

function mainRule(
  reading: Reading,
  json: unknown,
  shape: EntryShape,
  pointer: string,
): EntryRule | undefined {
  const main = shape.members[shape.main] as Shape
  const rule = readTextRule(reading, json, mainText(main), pointer)
  if (!rule) return undefined
  const inNode: TextRule = 'path' in rule ? { ...rule, path: thisNode } : rule
  const members = [{ name: shape.main, shape: main, rule: ruleFor(main, inNode) }]
  if (!givesEntries(reading, members, shape, pointer)) return undefined
  return { ...('path' in rule && { each: rule.path }), where: [], members }
}

/** The text that a text rule for the shape gives. */
function mainText(shape: Shape): TextShape {
  if (shape.type === 'text') return shape
  return mainText(shape.type === 'list' ? shape.of : (shape.members[shape.main] as Shape))
}

/** The rule for a member that is a text, or an entry or list whose main member is one. */
function ruleFor(shape: Shape, rule: TextRule): TextRule | EntryRule | ListRule {
  if (shape.type === 'text') return rule
  if (shape.type === 'list') return { choice: 'all', rules: [ruleFor(shape.of, rule)] }
  const main = shape.members[shape.main] as Shape
  return { where: [], members: [{ name: shape.main, shape: main, rule: ruleFor(main, rule) }] }
}

function shapeOf(
  shapes: Readonly<Record<string, Shape>>,
  name: string,
): TextShape | EntryShape | ListShape | undefined {
  return Object.hasOwn(shapes, name) ? shapes[name] : undefined
}
