import { appendJsonPointer } from '../../../core/json/strict-json.js'
import { truncate } from '../../../core/value-types.js'
import {
  dataCiteProperties,
  type EntryShape,
  type ListShape,
  type PropertyName,
  type Shape,
  type TextShape,
} from './datacite-properties.js'
import { isJsonObject, type JsonObject } from './described-tree.js'
import { type DocumentPath, readPath, thisNode } from './document-path.js'

/*
 * A crosswalk as a schema's record writes it, and in the form in which it is applied.
 * @see docs/use/crosswalks.md
 */

/** Gives a text. */
export type TextRule =
  | {
      readonly path: DocumentPath
      /** Values of the document in lower case, with the values that stand for them. */
      readonly values?: ReadonlyMap<string, string>
      /** True: other values than those of the table are left out. */
      readonly only: boolean
      /** Stands between the values in one text. */
      readonly split?: string
      /** Conditions on the nodes at the path. */
      readonly where: readonly Condition[]
    }
  | { readonly constant: string }
  | { readonly first: readonly TextRule[] }
  | { readonly join: readonly TextRule[]; readonly with: string }

/** A condition on a node. */
export interface Condition {
  readonly path: DocumentPath
  /** Whether one of the texts at the path is one of `texts` in lower case, or, without `texts`, whether the path exists. */
  readonly texts?: ReadonlySet<string>
  /** False: the opposite. */
  readonly holds: boolean
}

/** Gives an entry, or one for each node at the path `each`. */
export interface EntryRule {
  readonly each?: DocumentPath
  readonly where: readonly Condition[]
  readonly members: readonly MemberRule[]
}

export interface MemberRule {
  readonly name: string
  readonly shape: Shape
  readonly rule: TextRule | EntryRule | ListRule
}

/** Gives the values of all rules, or of the first rule that gives one. */
export interface ListRule {
  readonly choice: 'all' | 'first'
  readonly rules: readonly (TextRule | EntryRule | ListRule)[]
}

/** A crosswalk: a rule for each property that it names. */
export type Crosswalk = ReadonlyMap<PropertyName, TextRule | EntryRule | ListRule>

/** What is wrong in a crosswalk. */
export interface CrosswalkFault {
  /** The place in the crosswalk, as JSON Pointer. @see RFC 6901 */
  readonly pointer: string
  readonly message: string
}

/** Limits of a crosswalk. */
const maxRules = 1000
const maxTableRows = 1000
const maxFaults = 20

interface Reading {
  readonly faults: CrosswalkFault[]
  rules: number
  /** Whether the limit of rules was told. */
  isFull?: boolean
}

/** Reads a crosswalk. It is complete if there are no faults; otherwise it has the rules without a fault. */
export function readCrosswalk(json: unknown): {
  readonly crosswalk: Crosswalk
  readonly faults: readonly CrosswalkFault[]
} {
  const reading: Reading = { faults: [], rules: 0 }
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
  if (++reading.rules > maxRules) {
    if (!reading.isFull)
      fault(reading, pointer, `A crosswalk has at most ${maxRules} rules. This rule is one more.`)
    reading.isFull = true
    return undefined
  }
  if (shape.type === 'text') return readTextRule(reading, json, pointer)
  if (isJsonObject(json) && 'first' in json) return readChoice(reading, json, shape, pointer)
  if (shape.type === 'entry') return readEntryRule(reading, json, shape, pointer)
  const rules = readRules(reading, json, shape.of, pointer)
  return rules && { choice: 'all', rules }
}

/** `first`: the first rule that gives a value. Each may be a list where the shape is one. */
function readChoice(
  reading: Reading,
  json: JsonObject,
  shape: EntryShape | ListShape,
  pointer: string,
): ListRule | undefined {
  if (Object.keys(json).length > 1 || !Array.isArray(json.first)) {
    fault(reading, pointer, '"first" is a list of rules, and no other member stands beside it.')
    return undefined
  }
  const rules = readRules(reading, json.first, shape, `${pointer}/first`)
  return rules && { choice: 'first', rules }
}

function readRules(
  reading: Reading,
  json: unknown,
  shape: Shape,
  pointer: string,
): ListRule['rules'] | undefined {
  if (Array.isArray(json))
    return json.flatMap((rule, index) => readRule(reading, rule, shape, `${pointer}/${index}`) ?? [])
  const rule = readRule(reading, json, shape, pointer)
  return rule && [rule]
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
  const each = json.each === undefined ? undefined : readPathAt(reading, json.each, `${pointer}/each`)
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
  if (json.each !== undefined && !each) return undefined
  return { ...(each && { each }), where: readConditions(reading, json.where, `${pointer}/where`), members }
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
  const rule = readTextRule(reading, json, pointer)
  if (!rule) return undefined
  if (!('path' in rule))
    return { where: [], members: [{ name: shape.main, shape: main, rule: ruleFor(main, rule) }] }
  const inNode: TextRule = { ...rule, path: thisNode }
  return {
    each: rule.path,
    where: [],
    members: [{ name: shape.main, shape: main, rule: ruleFor(main, inNode) }],
  }
}

/** The rule for a member that is a text, or an entry or list whose main member is one. */
function ruleFor(shape: Shape, rule: TextRule): TextRule | EntryRule | ListRule {
  if (shape.type === 'text') return rule
  if (shape.type === 'list') return { choice: 'all', rules: [ruleFor(shape.of, rule)] }
  const main = shape.members[shape.main] as Shape
  return { where: [], members: [{ name: shape.main, shape: main, rule: ruleFor(main, rule) }] }
}

/** The words of which a text rule has one, with those that may stand beside it. */
const textRules: Readonly<Record<string, readonly string[]>> = {
  path: ['values', 'only', 'split', 'where'],
  constant: [],
  first: [],
  join: ['with'],
}

function readTextRule(reading: Reading, json: unknown, pointer: string): TextRule | undefined {
  if (typeof json === 'string') {
    const path = readPathAt(reading, json, pointer)
    return path && { path, only: false, where: [] }
  }
  const [word, ...others] = isJsonObject(json) ? Object.keys(textRules).filter(each => each in json) : []
  if (!isJsonObject(json) || word === undefined || others.length > 0) {
    const words = Object.keys(textRules).join('", "')
    fault(reading, pointer, `Here stands a path, or an object with one of "${words}".`)
    return undefined
  }
  const possible = [word, ...(textRules[word] ?? [])]
  const other = Object.keys(json).find(name => !possible.includes(name))
  if (other !== undefined) {
    fault(reading, appendJsonPointer(pointer, other), unknownName(other, 'member', possible))
    return undefined
  }
  if (word === 'constant') {
    if (typeof json.constant === 'string' && json.constant.trim() !== '') return { constant: json.constant }
    fault(reading, `${pointer}/constant`, 'A constant is a text that is not blank.')
    return undefined
  }
  if (word === 'first') {
    const first = readTextRules(reading, json.first, `${pointer}/first`)
    return first && { first }
  }
  if (word === 'join') {
    const join = readTextRules(reading, json.join, `${pointer}/join`)
    return join && { join, with: typeof json.with === 'string' ? json.with : ' ' }
  }
  return readPathRule(reading, json, pointer)
}

function readTextRules(reading: Reading, json: unknown, pointer: string): readonly TextRule[] | undefined {
  if (!Array.isArray(json)) {
    fault(reading, pointer, 'Here stands a list of rules.')
    return undefined
  }
  return json.flatMap((rule, index) => {
    reading.rules++
    return readTextRule(reading, rule, `${pointer}/${index}`) ?? []
  })
}

function readPathRule(reading: Reading, json: JsonObject, pointer: string): TextRule | undefined {
  const { split, only } = json
  const path = readPathAt(reading, json.path, `${pointer}/path`)
  const values = json.values === undefined ? undefined : readTable(reading, json.values, `${pointer}/values`)
  if (split !== undefined && (typeof split !== 'string' || split === '')) {
    fault(reading, `${pointer}/split`, '"split" is the text between two values, such as ";".')
    return undefined
  }
  if (!path || (json.values !== undefined && !values)) return undefined
  return {
    path,
    ...(values && { values }),
    only: only === true,
    ...(split !== undefined && { split }),
    where: readConditions(reading, json.where, `${pointer}/where`),
  }
}

function readTable(
  reading: Reading,
  json: unknown,
  pointer: string,
): ReadonlyMap<string, string> | undefined {
  const rows = isJsonObject(json) ? Object.entries(json) : []
  if (
    !isJsonObject(json) ||
    rows.length > maxTableRows ||
    rows.some(([, value]) => typeof value !== 'string')
  ) {
    fault(reading, pointer, `"values" is an object with a text for each value, ${maxTableRows} at most.`)
    return undefined
  }
  return new Map(rows.map(([value, text]) => [value.trim().toLowerCase(), String(text)]))
}

const conditionForm =
  'A condition is a text or a list of texts, true if the path exists, false if it does not, or {"not": texts}.'

function readConditions(reading: Reading, json: unknown, pointer: string): readonly Condition[] {
  if (json === undefined) return []
  if (!isJsonObject(json)) {
    fault(reading, pointer, `"where" is an object of paths. ${conditionForm}`)
    return []
  }
  return Object.entries(json).flatMap(([written, value]): readonly Condition[] => {
    const at = appendJsonPointer(pointer, written)
    const path = readPathAt(reading, written, at)
    if (!path) return []
    if (typeof value === 'boolean') return [{ path, holds: value === true }]
    const isOpposite = isJsonObject(value) && Object.keys(value).join() === 'not'
    const texts = [isOpposite ? value.not : value].flat()
    if (texts.every(text => typeof text === 'string')) {
      const folded = new Set(texts.map(text => text.trim().toLowerCase()))
      return [{ path, texts: folded, holds: !isOpposite }]
    }
    fault(reading, at, conditionForm)
    return []
  })
}

function readPathAt(reading: Reading, json: unknown, pointer: string): DocumentPath | undefined {
  const path = typeof json === 'string' ? readPath(json) : undefined
  if (!path)
    fault(
      reading,
      pointer,
      'A path has names of members or elements, joined by dots, such as "sample.name". "@" stands before an attribute, ' +
        'and "[0]" behind a name means the first one.',
    )
  return path
}

function shapeOf(
  shapes: Readonly<Record<string, Shape>>,
  name: string,
): TextShape | EntryShape | ListShape | undefined {
  return Object.hasOwn(shapes, name) ? shapes[name] : undefined
}

function unknownName(name: string, what: string, known: readonly string[]): string {
  return `There is no ${what} "${truncate(name)}". Possible are ${known.join(', ')}.`
}

function fault({ faults }: Reading, pointer: string, message: string): void {
  faults.push({ pointer, message })
}
