import { appendJsonPointer } from '../../../core/json/strict-json.js'
import { truncate } from '../../../core/value-types.js'
import type { Condition, CrosswalkFault, TextRule } from './crosswalk-rules.js'
import { plainText, type TextShape } from './datacite-properties.js'
import { type DocumentPath, readPath } from './document-path.js'
import { isJsonObject, type JsonObject } from './json-object.js'

/*
 * Reads the rules of a crosswalk that give texts.
 */

/** Limit of the rules of a crosswalk, and of its conditions. */
const maxRules = 1000
/** Limit of the rows of a table. */
const maxTableRows = 1000
/** Limit of the characters between the values of a join. */
const maxBetween = 300

/** What was read of a crosswalk. */
export interface Reading {
  readonly faults: CrosswalkFault[]
  rules: number
  conditions: number
  /** Whether a limit was told. */
  isFull?: boolean
}

/** Counts a rule or a condition. @returns false for one that is beyond the limit */
export function isWithinLimit(reading: Reading, what: 'rules' | 'conditions', pointer: string): boolean {
  if (++reading[what] <= maxRules) return true
  if (!reading.isFull)
    fault(reading, pointer, `A crosswalk has at most ${maxRules} ${what}. This is one more.`)
  reading.isFull = true
  return false
}

/** The words of which a text rule has one, with those that may stand beside it. */
const textRules: Readonly<Record<string, readonly string[]>> = {
  path: ['values', 'only', 'split', 'where'],
  constant: [],
  first: [],
  join: ['with'],
}

/** @param shape the text that the rule gives */
export function readTextRule(
  reading: Reading,
  json: unknown,
  shape: TextShape,
  pointer: string,
): TextRule | undefined {
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
  if (word === 'constant') return readConstant(reading, json.constant, shape, `${pointer}/constant`)
  if (word === 'first') {
    const first = readTextRules(reading, json.first, shape, `${pointer}/first`)
    return first && { first }
  }
  if (word === 'join') return readJoin(reading, json, pointer)
  return readPathRule(reading, json, shape, pointer)
}

function readConstant(
  reading: Reading,
  json: unknown,
  { clean, form }: TextShape,
  pointer: string,
): TextRule | undefined {
  const constant = typeof json === 'string' ? clean(json) : undefined
  if (constant !== undefined) return { constant }
  const isText = typeof json === 'string' && json.trim() !== ''
  const message = isText
    ? `"${truncate(json)}" is not possible here. The value is ${form}.`
    : 'A constant is a text that is not blank.'
  fault(reading, pointer, message)
  return undefined
}

function readTextRules(
  reading: Reading,
  json: unknown,
  shape: TextShape,
  pointer: string,
): readonly TextRule[] | undefined {
  if (!Array.isArray(json) || json.length === 0) {
    fault(reading, pointer, 'Here stands a list of one rule or more.')
    return undefined
  }
  const rules = json.flatMap((rule, index) => {
    const at = `${pointer}/${index}`
    return (isWithinLimit(reading, 'rules', at) && readTextRule(reading, rule, shape, at)) || []
  })
  return rules.length > 0 ? rules : undefined
}

function readJoin(reading: Reading, json: JsonObject, pointer: string): TextRule | undefined {
  const { with: between = ' ' } = json
  const join = readTextRules(reading, json.join, plainText, `${pointer}/join`)
  if (typeof between !== 'string' || between.length > maxBetween) {
    const form = `"with" is the text between the values, such as ", ", and has at most ${maxBetween} characters.`
    fault(reading, `${pointer}/with`, form)
    return undefined
  }
  // Without a rule that has a fault the text would lack a part.
  if (!join || !Array.isArray(json.join) || join.length < json.join.length) return undefined
  if (join.some(takesFromDocument)) return { join, with: between }
  fault(reading, `${pointer}/join`, 'One of the rules has a path. Write constants alone as one constant.')
  return undefined
}

function takesFromDocument(rule: TextRule): boolean {
  if ('constant' in rule) return false
  return 'first' in rule ? rule.first.some(takesFromDocument) : true
}

function readPathRule(
  reading: Reading,
  json: JsonObject,
  { clean, form }: TextShape,
  pointer: string,
): TextRule | undefined {
  const { split, only = false } = json
  const path = readPathAt(reading, json.path, `${pointer}/path`)
  const values = json.values === undefined ? undefined : readTable(reading, json.values, `${pointer}/values`)
  if (split !== undefined && (typeof split !== 'string' || split === '')) {
    fault(reading, `${pointer}/split`, '"split" is the text between two values, such as ";".')
    return undefined
  }
  if (typeof only !== 'boolean') {
    fault(reading, `${pointer}/only`, '"only" is true or false.')
    return undefined
  }
  const where = readConditions(reading, json.where, `${pointer}/where`)
  if (!path || !where || (json.values !== undefined && !values)) return undefined
  if (only && !values) {
    fault(
      reading,
      `${pointer}/only`,
      '"only" stands beside "values", the table of the values that are taken.',
    )
    return undefined
  }
  if (only && [...(values?.values() ?? [])].every(value => clean(value) === undefined)) {
    fault(reading, `${pointer}/values`, `No text of the table is possible here. The value is ${form}.`)
    return undefined
  }
  return {
    path,
    ...(values && { values }),
    only,
    ...(split !== undefined && { split }),
    where,
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

/** @returns undefined if one of the conditions has a fault: without it, the rule would give too much */
export function readConditions(
  reading: Reading,
  json: unknown,
  pointer: string,
): readonly Condition[] | undefined {
  if (json === undefined) return []
  if (!isJsonObject(json)) {
    fault(reading, pointer, `"where" is an object of paths. ${conditionForm}`)
    return undefined
  }
  const conditions = Object.entries(json).flatMap(([written, value]): readonly Condition[] => {
    const at = appendJsonPointer(pointer, written)
    const path = isWithinLimit(reading, 'conditions', at) ? readPathAt(reading, written, at) : undefined
    if (!path) return []
    if (typeof value === 'boolean') return [{ path, holds: value === true }]
    const isOpposite = isJsonObject(value) && Object.keys(value).join() === 'not'
    const texts = [isOpposite ? value.not : value].flat()
    if ((texts.length > 0 || isOpposite) && texts.every(text => typeof text === 'string')) {
      const folded = new Set(texts.map(text => text.trim().toLowerCase()))
      return [{ path, texts: folded, holds: !isOpposite }]
    }
    fault(reading, at, conditionForm)
    return []
  })
  return conditions.length === Object.keys(json).length ? conditions : undefined
}

export function readPathAt(reading: Reading, json: unknown, pointer: string): DocumentPath | undefined {
  const path = typeof json === 'string' ? readPath(json) : undefined
  if (!path)
    fault(
      reading,
      pointer,
      'A path has names of members or elements, joined by dots, such as "sample.name", and at most 300 characters. "@" stands before an attribute, ' +
        'and "[0]" behind a name means the first one.',
    )
  return path
}

export function unknownName(name: string, what: string, known: readonly string[]): string {
  return `There is no ${what} "${truncate(name)}". Possible are ${known.join(', ')}.`
}

export function fault({ faults }: Reading, pointer: string, message: string): void {
  faults.push({ pointer, message })
}
