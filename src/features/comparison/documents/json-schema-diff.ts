import { appendJsonPointer } from '../../../core/json/strict-json.js'
import type { WrittenJson } from '../../../core/json/written-number.js'
import { openNodeFactory, type TreeNode } from './document-tree.js'
import { eachItem, eachMember, type JsonChange, jsonChanges, jsonTree } from './json-diff.js'
import {
  admitsAll,
  annotations,
  entryEffect,
  hasSchemaName,
  inverting,
  isEntangled,
  typeEffect,
  undecidedInside,
  valueEffect,
} from './json-schema-effects.js'
import {
  breaking,
  type CompatibilityVerdict,
  compatible,
  looser,
  neutral,
  overallCompatibility,
  undecided,
} from './schema-compatibility.js'
import { type AlignSequences, openSequenceAligner } from './sequence-alignment.js'

type SchemaChange = JsonChange & CompatibilityVerdict

/**
 * The changes from one JSON Schema to the other, each with its effect. If all of them are compatible or neutral, valid
 * documents stay valid. A change counts as breaking unless it is known not to be.
 * @see docs/use/history.md#json-schema; https://json-schema.org/specification-links
 */
export function compareJsonSchemas(before: WrittenJson, after: WrittenJson): readonly SchemaChange[] {
  const createNode = openNodeFactory()
  const [old, now] = [jsonTree(createNode, before), jsonTree(createNode, after)]
  const comparison = {
    align: openSequenceAligner(),
    isEntangled: isEntangled(old) || isEntangled(now),
    found: [],
  }
  compareSchema(comparison, old, now, '')
  return comparison.found
}

interface Comparison {
  readonly align: AlignSequences
  /** Whether {@link isEntangled} is true for either schema. */
  readonly isEntangled: boolean
  readonly found: SchemaChange[]
}

/** A keyword of a schema. */
interface Keyword {
  readonly name: string
  /** The schema that contains the keyword, before and after the change. */
  readonly before: TreeNode
  readonly after: TreeNode
  /** The value of the keyword; undefined if the schema does not have the keyword. */
  readonly old: TreeNode | undefined
  readonly now: TreeNode | undefined
  /** JSON Pointer of the keyword. */
  readonly path: string
}

type Rule = (comparison: Comparison, keyword: Keyword) => void

const rules: ReadonlyMap<string, Rule> = new Map([
  ...[...annotations].map(name => [name, effect(() => neutral)] as const),
  ...inverting.map(name => [name, effect(({ old, now }) => (now ? undecidedInside(old) : looser))] as const),
  ...['propertyNames', 'then', 'else', 'additionalItems', 'additionalProperties'].map(
    name => [name, compareValues] as const,
  ),
  ['type', effect(({ old, now }) => typeEffect(old, now))],
  ['properties', compareProperties],
  ['patternProperties', compareProperties],
  ['items', compareItems],
  ['prefixItems', compareItems],
  ['contains', compareContains],
  ['allOf', compareAlternatives],
  ['anyOf', compareAlternatives],
  ['$defs', compareDefinitions],
  ['definitions', compareDefinitions],
  ['dependentSchemas', compareDependencies],
  ['dependencies', compareDependencies],
  ['dependentRequired', compareDependencies],
  ['required', compareList],
  ['enum', compareList],
])
const otherKeyword = effect(({ name, old, now }) => valueEffect(name, old, now))

/** A rule that gives all changes of the keyword one effect. */
function effect(of: (keyword: Keyword) => CompatibilityVerdict): Rule {
  return (comparison, keyword) => {
    const { old, now, path } = keyword
    report(comparison, old, now, path, of(keyword))
  }
}

/** Adds the changes at a place. */
function report(
  { align, isEntangled, found }: Comparison,
  before: TreeNode | undefined,
  after: TreeNode | undefined,
  path: string,
  verdict: CompatibilityVerdict,
): void {
  const combined = isEntangled && verdict.effect === 'compatible' ? undecided : verdict
  for (const change of jsonChanges(align, before, after, path)) found.push({ ...change, ...combined })
}

/** Compares schemas that every document at this place has to satisfy. */
function compareSchema(
  comparison: Comparison,
  before: TreeNode | undefined,
  after: TreeNode | undefined,
  path: string,
): void {
  if (before?.content === after?.content) return
  const all = (verdict: CompatibilityVerdict) => report(comparison, before, after, path, verdict)
  // For keywords such as `unevaluatedProperties`, a missing schema differs from an empty one: that is not neutral.
  if (admitsAll(after)) all(before && after && admitsAll(before) ? neutral : looser)
  else if (before?.value === false) all(looser)
  else if (before?.kind === 'object' && after?.kind === 'object') {
    eachMember(before, after, (name, old, now) => {
      if (old?.content === now?.content) return
      const keyword = { name, before, after, old, now, path: appendJsonPointer(path, name) }
      const rule = rules.get(name) ?? otherKeyword
      rule(comparison, keyword)
    })
  } else all(admitsAll(before) ? breaking('adds a condition') : undecided)
}

function compareValues(comparison: Comparison, { old, now, path }: Keyword): void {
  compareSchema(comparison, old, now, path)
}

/** Compares the schemas of members by name, for `properties` and `patternProperties`. */
function compareProperties(comparison: Comparison, { name, before, after, old, now, path }: Keyword): void {
  if ((old ?? now)?.kind !== 'object' || (now ?? old)?.kind !== 'object') {
    report(comparison, old, now, path, undecided)
    return
  }
  const others = (schema: TreeNode) => schema.members.get('additionalProperties')
  const wasClosed = others(before)?.value === false
  const hadPatterns = (before.members.get('patternProperties')?.members.size ?? 0) > 0
  const verdictOn = (was: TreeNode | undefined, is: TreeNode | undefined): CompatibilityVerdict => {
    if (!is) return admitsAll(others(after)) ? looser : undecided
    if (admitsAll(is)) return compatible('any value is valid')
    if (name === 'properties' && !was && !hadPatterns) {
      if (wasClosed) return compatible('adds an optional member that no document can have had')
      if (others(before)?.content === is.content) return compatible('says what held for other members')
    }
    return breaking('documents may have such a member with another value')
  }
  inEach(comparison, old, now, path, (was, is, pointer) => {
    if (was && is) compareSchema(comparison, was, is, pointer)
    else report(comparison, was, is, pointer, verdictOn(was, is))
  })
}

function compareItems(comparison: Comparison, { name, before, after, old, now, path }: Keyword): void {
  const lists = [old, now].filter(node => node?.kind === 'array')
  const prefixed = [before, after].map(node => node.members.get('prefixItems')?.items.length ?? 0)
  if (lists.length === 2 && old?.items.length === now?.items.length) {
    for (const [index, item] of now?.items.entries() ?? [])
      compareSchema(comparison, old?.items[index], item, appendJsonPointer(path, index))
  } else if (lists.length === 0 && name === 'items' && prefixed[0] === prefixed[1]) {
    compareSchema(comparison, old, now, path)
  } else report(comparison, old, now, path, undecided)
}

function compareContains(comparison: Comparison, { before, after, old, now, path }: Keyword): void {
  const bounded = [before, after].some(node => node.members.has('maxContains'))
  if (!now) report(comparison, old, now, path, looser)
  else if (!old) report(comparison, old, now, path, breaking('adds a condition'))
  else if (bounded) report(comparison, old, now, path, undecidedInside(old))
  else compareSchema(comparison, old, now, path)
}

/** Compares `allOf` or `anyOf`. */
function compareAlternatives(comparison: Comparison, { name, old, now, path }: Keyword): void {
  if (!now) report(comparison, old, now, path, looser)
  else if (old?.kind !== 'array' || now.kind !== 'array') {
    report(comparison, old, now, path, breaking('adds a condition'))
  } else {
    const [more, less] = [compatible('adds an alternative'), breaking('removes an alternative')]
    eachItem(comparison.align, old.items, now.items, (index, was, is) => {
      const pointer = appendJsonPointer(path, index)
      if (was && is) compareSchema(comparison, was, is, pointer)
      else if (name === 'anyOf') report(comparison, was, is, pointer, is ? more : less)
      else report(comparison, was, is, pointer, is && !admitsAll(is) ? breaking('adds a condition') : looser)
    })
  }
}

/** Compares definitions. A new one has no effect unless it has a name (`$id`…): no reference leads to a missing one. */
function compareDefinitions(comparison: Comparison, { old, now, path }: Keyword): void {
  inEach(comparison, old, now, path, (was, is, pointer) => {
    if (was && is) compareSchema(comparison, was, is, pointer)
    else report(comparison, was, is, pointer, hasSchemaName(was ?? is) ? undecided : neutral)
  })
}

function compareDependencies(comparison: Comparison, { old, now, path }: Keyword): void {
  inEach(comparison, old, now, path, (was, is, pointer) => {
    if (!is) report(comparison, was, is, pointer, looser)
    else if (was?.kind === 'array' && is.kind === 'array') {
      compareList(comparison, { name: 'required', before: was, after: is, old: was, now: is, path: pointer })
    } else if (was && was.kind !== 'array' && is.kind !== 'array') compareSchema(comparison, was, is, pointer)
    else report(comparison, was, is, pointer, breaking('adds a condition'))
  })
}

/** Compares lists of required names or of permitted values, whose order has no meaning. */
function compareList(comparison: Comparison, { name, old, now, path }: Keyword): void {
  const isRequired = name === 'required'
  if (!now) report(comparison, old, now, path, looser)
  else if (old?.kind !== 'array' || now.kind !== 'array') {
    const isEmpty = isRequired && now.kind === 'array' && now.items.length === 0
    const verdict = breaking(isRequired ? 'requires a member' : 'permits some values only')
    report(comparison, old, now, path, isEmpty ? neutral : verdict)
  } else {
    const contents = (node: TreeNode) => new Set(node.items.map(item => item.content))
    const [had, has] = [contents(old), contents(now)]
    eachItem(comparison.align, old.items, now.items, (index, was, is) => {
      if (was?.content === is?.content) return
      const added = is !== undefined && !had.has(is.content)
      const removed = was !== undefined && !has.has(was.content)
      report(comparison, was, is, appendJsonPointer(path, index), entryEffect(isRequired, added, removed))
    })
  }
}

/** Visits the members of a keyword's value. If the keyword is added or removed, their changes are reported as one. */
function inEach(
  comparison: Comparison,
  old: TreeNode | undefined,
  now: TreeNode | undefined,
  path: string,
  visit: (was: TreeNode | undefined, is: TreeNode | undefined, pointer: string) => void,
): void {
  if ([old, now].some(node => node && node.kind !== 'object')) {
    report(comparison, old, now, path, undecided)
    return
  }
  if (old && now) {
    eachMember(old, now, (name, was, is) => {
      if (was?.content !== is?.content) visit(was, is, appendJsonPointer(path, name))
    })
    return
  }
  const { found } = comparison
  const before = found.length
  for (const [name, inner] of (now ?? old)?.members ?? []) {
    visit(old && inner, now && inner, appendJsonPointer(path, name))
  }
  const inside = found.splice(before)
  const { effect, reason } = inside.find(change => change.effect === overallCompatibility(inside)) ?? neutral
  report(comparison, old, now, path, { effect, ...(reason !== undefined && { reason }) })
}
