import { tryParseJson } from '../../../core/json/try-parse.js'
import { parseWrittenJson, WrittenNumber } from '../../../core/json/written-number.js'
import type { JsonDeclaration } from '../declarations/declaration.js'
import {
  countDrawn,
  type DrawnAmount,
  type DrawnDocument,
  type DrawnMember,
  type DrawnValue,
  drawnMember,
} from './drawn-value.js'

/**
 * Reads a JSON document for drawing.
 * @param schema undefined: the schema is unknown, or cannot be read
 * @returns undefined if the document is not JSON
 */
export function drawnJson(text: string, schema: JsonDeclaration | undefined): DrawnDocument | undefined {
  const amount = countDrawn()
  const document = tryParseJson(text, parseWrittenJson)
  if (document === undefined) return undefined
  const value = drawn(document, schema, amount, 0)
  return { value: value ?? amount.text(''), isPart: amount.isPart }
}

function drawn(
  value: unknown,
  declaration: JsonDeclaration | undefined,
  amount: DrawnAmount,
  level: number,
): DrawnValue | undefined {
  if (!amount.take(level)) return undefined
  if (value === null) return amount.text('', 'nothing')
  if (typeof value === 'string') return amount.text(value)
  if (typeof value === 'boolean') return amount.text(String(value), 'boolean')
  if (typeof value === 'number' || value instanceof WrittenNumber) return amount.text(String(value), 'number')
  const chosen = declaration?.chosenFor(value)
  if (Array.isArray(value)) {
    const entry = chosen?.entry()
    const entries: DrawnValue[] = []
    for (const each of value) {
      const next = drawn(each, entry, amount, level + 1)
      if (!next) break
      entries.push(next)
    }
    return { kind: 'list', entries }
  }
  const members: DrawnMember[] = []
  for (const [name, inner] of Object.entries(value as object)) {
    const declared = chosen?.member(name)
    const own = (declared ?? chosen?.further(name))?.chosenFor(inner)
    const next = drawn(inner, own, amount, level + 1)
    if (!next) break
    members.push(drawnMember(name, declared ? own : undefined, next))
  }
  return { kind: 'group', members }
}
