import { canonicalNumber } from '../../core/json/decimal.js'
import { endOfString } from '../../core/json/source-locations.js'
import { appendJsonPointer } from '../../core/json/strict-json.js'
import { tryParseJson } from '../../core/json/try-parse.js'

/** Limit of the levels of arrays and objects that are merged. */
const maxDepth = 512

/** The merged text, or the conflicts. */
type MergedJson =
  | { readonly text: string }
  /** JSON Pointers of values that both sides changed in different ways. */
  | { readonly conflicts: readonly string[] }

interface Value {
  /** The source text: numbers keep their digits, strings their escapes. */
  readonly raw: string
  /** A text that is equal for equal values. */
  readonly canonical: string
  /** Members of an object by name. */
  readonly members?: ReadonlyMap<string, Value>
}

/**
 * Three-way merge of JSON texts by members. A member that one side changed comes from that side. An array is one value.
 * @returns undefined if a text is no JSON, repeats a name in an object, or has too many levels
 */
export function mergeJson(base: string, ours: string, theirs: string): MergedJson | undefined {
  const [old, mine, other] = [base, ours, theirs].map(parse)
  if (!old || !mine || !other) return undefined
  const conflicts: string[] = []
  const merged = merge(old, mine, other, '', conflicts)
  if (conflicts.length > 0 || !merged) return { conflicts }
  const style = ours.includes('\n') ? (/\n([ \t]+)"/.exec(ours)?.[1] ?? '  ') : undefined
  return { text: write(merged, style, 0) + ours.slice(ours.trimEnd().length) }
}

/** Says whether two texts have the same value. */
export function isSameJson(one: string, other: string): boolean {
  const [first, second] = [parse(one), parse(other)]
  return first !== undefined && first.canonical === second?.canonical
}

/** A value of one side, or an object merged from both. */
type Merged = Value | ReadonlyMap<string, Merged>

function merge(
  base: Value | undefined,
  ours: Value | undefined,
  theirs: Value | undefined,
  path: string,
  conflicts: string[],
): Merged | undefined {
  if (ours?.canonical === theirs?.canonical) return ours
  if (ours?.canonical === base?.canonical) return theirs
  if (theirs?.canonical === base?.canonical) return ours
  if (!ours?.members || !theirs?.members) {
    conflicts.push(path)
    return undefined
  }
  const merged = new Map<string, Merged>()
  for (const name of new Set([...ours.members.keys(), ...theirs.members.keys()])) {
    const parts = [base, ours, theirs].map(value => value?.members?.get(name))
    const member = merge(parts[0], parts[1], parts[2], appendJsonPointer(path, name), conflicts)
    if (member) merged.set(name, member)
  }
  return merged
}

/** Writes a merged value as JSON. @param indent indentation of one level; undefined for a single line */
function write(value: Merged, indent: string | undefined, depth: number): string {
  if (!('size' in value)) return value.raw
  if (value.size === 0) return '{}'
  const members = Array.from(
    value,
    ([name, member]) => `${JSON.stringify(name)}: ${write(member, indent, depth + 1)}`,
  )
  if (indent === undefined) return `{ ${members.join(', ')} }`
  const [inner, outer] = [indent.repeat(depth + 1), indent.repeat(depth)]
  return `{\n${members.map(member => inner + member).join(',\n')}\n${outer}}`
}

function parse(text: string): Value | undefined {
  if (tryParseJson(text) === undefined) return undefined
  let offset = 0

  const skip = () => {
    while (' \t\r\n'.includes(text.charAt(offset)) && offset < text.length) offset++
  }

  function value(depth: number): Value | undefined {
    if (depth > maxDepth) return undefined
    skip()
    const start = offset
    const char = text.charAt(offset)
    if (char === '{') return object(start, depth)
    if (char === '[') return array(start, depth)
    if (char === '"') offset = endOfString(text, offset) + 1
    else while (offset < text.length && !',]} \t\r\n'.includes(text.charAt(offset))) offset++
    const raw = text.slice(start, offset)
    if (char === '"') return { raw, canonical: JSON.stringify(JSON.parse(raw)) }
    return { raw, canonical: /[-\d]/.test(char) ? canonicalNumber(raw) : raw }
  }

  function object(start: number, depth: number): Value | undefined {
    const members = new Map<string, Value>()
    offset++
    for (skip(); text.charAt(offset) !== '}'; skip()) {
      if (text.charAt(offset) === ',') {
        offset++
        skip()
      }
      const end = endOfString(text, offset) + 1
      const name = JSON.parse(text.slice(offset, end)) as string
      offset = end
      skip()
      offset++
      const member = value(depth + 1)
      if (!member || members.has(name)) return undefined
      members.set(name, member)
    }
    offset++
    const sorted = [...members].sort(([one], [other]) => (one < other ? -1 : 1))
    const written = sorted.map(([name, { canonical }]) => `${JSON.stringify(name)}:${canonical}`)
    return { raw: text.slice(start, offset), canonical: `{${written.join(',')}}`, members }
  }

  function array(start: number, depth: number): Value | undefined {
    const items: string[] = []
    offset++
    for (skip(); text.charAt(offset) !== ']'; skip()) {
      if (text.charAt(offset) === ',') offset++
      const item = value(depth + 1)
      if (!item) return undefined
      items.push(item.canonical)
    }
    offset++
    return { raw: text.slice(start, offset), canonical: `[${items.join(',')}]` }
  }

  return value(0)
}
