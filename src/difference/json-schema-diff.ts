import { type Json, openForest, type TreeNode } from './document-tree.js'
import { eachItem, eachMember, type JsonChange, jsonChanges, jsonTree, pointerTo } from './json-diff.js'
import {
  breaking,
  type CompatibilityVerdict,
  compatible,
  neutral,
  overallCompatibility,
  undecided,
} from './schema-compatibility.js'
import { openSequenceAligner } from './sequence-alignment.js'

export type SchemaChange = JsonChange & CompatibilityVerdict

/**
 * The changes that make the one JSON Schema of the other, each with its effect. Where all of them are compatible or
 * neutral, a document that was valid stays valid. What is not known to be so counts as breaking.
 * @see docs/history.md#json-schema; https://json-schema.org/specification-links
 */
export function compareJsonSchemas(before: Json, after: Json): readonly SchemaChange[] {
  const plant = openForest()
  const [old, now] = [jsonTree(plant, before), jsonTree(plant, after)]
  return openJudge(isEntangled(old) || isEntangled(now))(old, now)
}

/** Keywords that say nothing about validity. */
const annotations = new Set([
  ...['$comment', 'title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'],
])

/** A number that documents must not exceed, or fall below; without the keyword it is `otherwise`. */
const upperBounds = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
])
const lowerBounds: ReadonlyMap<string, number> = new Map([
  ...(['minimum', 'exclusiveMinimum'] as const).map(name => [name, -Infinity] as const),
  ...(['minLength', 'minItems', 'minProperties'] as const).map(name => [name, 0] as const),
  ['minContains', 1],
])

/** One schema that has to hold; without the keyword, none. */
const single = new Set(['propertyNames', 'then', 'else', 'additionalItems', 'additionalProperties'])
/** What does not hold for more documents where the schema in it does. */
const againstTheGrain = new Set(['not', 'if', 'oneOf'])
/** Depends on what other keywords have looked at, or on who refers to the schema. */
const entangling = new Set(['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'])
const references = new Set(['$ref', ...entangling])
/** What others may refer to a schema by. */
const names = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'])

/**
 * Says that wider schemas in it may make it narrower as a whole, at a place that cannot be told: `not` refers to one,
 * say. Members that only have such a name count too, which is the safe side.
 */
function isEntangled(node: TreeNode): boolean {
  const { members, items } = node
  for (const [name, member] of members) {
    if (entangling.has(name)) return true
    // what stands there may be another one afterwards
    if (name === '$ref' && /\/\d+(\/|$)/.test(String(member.value))) return true
    const turns = againstTheGrain.has(name) || (name === 'contains' && members.has('maxContains'))
    if (turns && refers(member)) return true
    if (isEntangled(member)) return true
  }
  return items.some(isEntangled)
}

function refers(node: TreeNode): boolean {
  return anywhere(node, name => references.has(name))
}

function openJudge(entangled: boolean): (before: TreeNode, after: TreeNode) => readonly SchemaChange[] {
  const align = openSequenceAligner()
  const found: SchemaChange[] = []

  /** @param judge says of each change what it means */
  function tell(
    before: TreeNode | undefined,
    after: TreeNode | undefined,
    path: string,
    judge: (change: JsonChange) => CompatibilityVerdict,
  ): void {
    for (const change of changesAt(before, after, path)) {
      const judged = judge(change)
      found.push({ ...change, ...(entangled && judged.effect === 'compatible' ? undecided : judged) })
    }
  }

  function changesAt(
    before: TreeNode | undefined,
    after: TreeNode | undefined,
    path: string,
  ): readonly JsonChange[] {
    if (before && after) return jsonChanges(align, before, after, path)
    if (after) return [{ op: 'add', path, value: after.value }]
    return before ? [{ op: 'remove', path, before: before.value }] : []
  }

  /** A schema that every document at this place has to satisfy. */
  function schema(before: TreeNode | undefined, after: TreeNode | undefined, path: string): void {
    if (before?.content === after?.content) return
    // One that is not there at all is not the same to those that ask what has been looked at.
    const same = before && after && admitsAll(before) ? neutral : looser
    if (admitsAll(after)) tell(before, after, path, () => same)
    else if (before?.value === false) tell(before, after, path, () => looser)
    else if (before?.kind === 'object' && after?.kind === 'object') {
      eachMember(before, after, (name, old, now) => {
        if (old?.content !== now?.content)
          keyword(name, { before, after, old, now, path: pointerTo(path, name) })
      })
    } else if (admitsAll(before)) tell(before, after, path, () => breaking('adds a condition'))
    else tell(before, after, path, () => undecided)
  }

  function keyword(name: string, at: Keyword): void {
    const { old, now, path } = at
    const all = (judged: CompatibilityVerdict) => tell(old, now, path, () => judged)
    if (annotations.has(name)) all(neutral)
    else if (name === 'properties' || name === 'patternProperties') members(name, at)
    else if (single.has(name)) schema(old, now, path)
    else if (name === 'items' || name === 'prefixItems') items(name, at)
    else if (name === 'contains') contains(at)
    else if (name === 'allOf' || name === 'anyOf') alternatives(name, at)
    else if (name === '$defs' || name === 'definitions') definitions(at)
    else if (name === 'dependentSchemas' || name === 'dependencies') dependencies(at)
    else if (againstTheGrain.has(name)) all(now ? undecidedInside(old) : looser)
    else if (name === 'required' || name === 'enum') list(name, at)
    else if (name === 'dependentRequired') dependencies(at)
    else if (name === 'type') all(typeEffect(old, now))
    else all(valueEffect(name, old, now))
  }

  /** `properties` and `patternProperties`: what a member of a name has to be before and after. */
  function members(name: string, { before, after, old, now, path }: Keyword): void {
    if ((old ?? now)?.kind !== 'object' || (now ?? old)?.kind !== 'object') {
      tell(old, now, path, () => undecided)
      return
    }
    const others = (schema: TreeNode) => schema.members.get('additionalProperties')
    const wasClosed = others(before)?.value === false
    const hadPatterns = (before.members.get('patternProperties')?.members.size ?? 0) > 0
    const judge = (was: TreeNode | undefined, is: TreeNode | undefined): CompatibilityVerdict => {
      if (!is) return admitsAll(others(after)) ? looser : undecided
      if (admitsAll(is)) return compatible('any value is valid')
      if (name === 'properties' && !was && !hadPatterns) {
        if (wasClosed) return compatible('adds an optional member that no document can have had')
        if (others(before)?.content === is.content) return compatible('says what held for other members')
      }
      return breaking('documents may have such a member with another value')
    }
    inEach(old, now, path, (was, is, at) => {
      if (was && is) schema(was, is, at)
      else tell(was, is, at, () => judge(was, is))
    })
  }

  function items(name: string, { before, after, old, now, path }: Keyword): void {
    const lists = [old, now].filter(node => node?.kind === 'array')
    const prefixed = [before, after].map(node => node.members.get('prefixItems')?.items.length ?? 0)
    if (lists.length === 2 && old?.items.length === now?.items.length) {
      for (const [at, item] of now?.items.entries() ?? []) schema(old?.items[at], item, pointerTo(path, at))
    } else if (lists.length === 0 && name === 'items' && prefixed[0] === prefixed[1]) schema(old, now, path)
    else tell(old, now, path, () => undecided)
  }

  function contains({ before, after, old, now, path }: Keyword): void {
    const bounded = [before, after].some(node => node.members.has('maxContains'))
    if (!now) tell(old, now, path, () => looser)
    else if (!old) tell(old, now, path, () => breaking('adds a condition'))
    else if (bounded) tell(old, now, path, () => undecidedInside(old))
    else schema(old, now, path)
  }

  function alternatives(name: 'allOf' | 'anyOf', { old, now, path }: Keyword): void {
    if (!now) tell(old, now, path, () => looser)
    else if (old?.kind !== 'array' || now.kind !== 'array') {
      tell(old, now, path, () => breaking('adds a condition'))
    } else {
      const [more, less] = [compatible('adds an alternative'), breaking('removes an alternative')]
      eachItem(align, old.items, now.items, (index, was, is) => {
        const at = pointerTo(path, index)
        if (was && is) schema(was, is, at)
        else if (name === 'anyOf') tell(was, is, at, () => (is ? more : less))
        else tell(was, is, at, () => (is && !admitsAll(is) ? breaking('adds a condition') : looser))
      })
    }
  }

  /** What is defined has an effect only where something refers to it, and that cannot be nothing. */
  function definitions({ old, now, path }: Keyword): void {
    inEach(old, now, path, (was, is, at) => {
      if (was && is) schema(was, is, at)
      else tell(was, is, at, () => (namesItself(was ?? is) ? undecided : neutral))
    })
  }

  function dependencies({ old, now, path }: Keyword): void {
    inEach(old, now, path, (was, is, at) => {
      if (!is) tell(was, is, at, () => looser)
      else if (was?.kind === 'array' && is.kind === 'array') {
        list('required', { before: was, after: is, old: was, now: is, path: at })
      } else if (was && was.kind !== 'array' && is.kind !== 'array') schema(was, is, at)
      else tell(was, is, at, () => breaking('adds a condition'))
    })
  }

  /** A list of names that have to be there, or of values that are permitted: its order says nothing. */
  function list(name: 'required' | 'enum', { old, now, path }: Keyword): void {
    const isRequired = name === 'required'
    if (!now) tell(old, now, path, () => looser)
    else if (old?.kind !== 'array' || now.kind !== 'array') {
      const empty = isRequired && now.kind === 'array' && now.items.length === 0
      tell(old, now, path, () =>
        empty ? neutral : breaking(isRequired ? 'requires a member' : 'permits some values only'),
      )
    } else {
      const contents = (node: TreeNode) => new Set(node.items.map(item => item.content))
      const [had, has] = [contents(old), contents(now)]
      eachItem(align, old.items, now.items, (index, was, is) => {
        if (was?.content === is?.content) return
        const added = is !== undefined && !had.has(is.content)
        const removed = was !== undefined && !has.has(was.content)
        tell(was, is, pointerTo(path, index), () => entryEffect(name, added, removed))
      })
    }
  }

  function inEach(
    old: TreeNode | undefined,
    now: TreeNode | undefined,
    path: string,
    visit: (was: TreeNode | undefined, is: TreeNode | undefined, at: string) => void,
  ): void {
    const kinds = [old, now].map(node => node?.kind ?? 'object')
    if (kinds.some(kind => kind !== 'object')) {
      tell(old, now, path, () => undecided)
      return
    }
    // A keyword that comes or goes is one change, whatever it has in it.
    if (!old || !now) {
      const before = found.length
      for (const [name, inner] of (now ?? old)?.members ?? []) {
        visit(old && inner, now && inner, pointerTo(path, name))
      }
      const inside = found.splice(before)
      const { effect, reason } =
        inside.find(change => change.effect === overallCompatibility(inside)) ?? neutral
      tell(old, now, path, () => ({ effect, ...(reason !== undefined && { reason }) }))
      return
    }
    eachMember(old, now, (name, was, is) => {
      if (was?.content !== is?.content) visit(was, is, pointerTo(path, name))
    })
  }

  return (before, after) => {
    schema(before, after, '')
    return found
  }
}

interface Keyword {
  /** The schema it is in. */
  readonly before: TreeNode
  readonly after: TreeNode
  /** What it says. */
  readonly old: TreeNode | undefined
  readonly now: TreeNode | undefined
  readonly path: string
}

const looser = compatible('removes a condition')

/** Says that a schema is none: any value is valid. */
function admitsAll(schema: TreeNode | undefined): boolean {
  if (!schema || schema.value === true) return true
  return schema.kind === 'object' && [...schema.members.keys()].every(name => annotations.has(name))
}

function namesItself(schema: TreeNode | undefined): boolean {
  return schema !== undefined && anywhere(schema, name => names.has(name))
}

function anywhere({ members, items }: TreeNode, is: (name: string) => boolean): boolean {
  return (
    [...members].some(([name, member]) => is(name) || anywhere(member, is)) ||
    items.some(item => anywhere(item, is))
  )
}

function undecidedInside(old: TreeNode | undefined): CompatibilityVerdict {
  return old ? undecided : breaking('adds a condition')
}

function entryEffect(list: 'required' | 'enum', added: boolean, removed: boolean): CompatibilityVerdict {
  if (!added && !removed) return neutral // another place in the list
  if (list === 'required') {
    return added ? breaking('requires a member') : compatible('no longer requires a member')
  }
  return removed ? breaking('no longer permits a value') : compatible('permits another value')
}

function typeEffect(old: TreeNode | undefined, now: TreeNode | undefined): CompatibilityVerdict {
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

/** Keywords that stand by themselves. */
function valueEffect(
  name: string,
  old: TreeNode | undefined,
  now: TreeNode | undefined,
): CompatibilityVerdict {
  const [was, is] = [old?.value, now?.value]
  const lowest = lowerBounds.get(name)
  if (upperBounds.has(name) || lowest !== undefined) {
    if (typeof was === 'boolean' || typeof is === 'boolean') return flagEffect(was, is)
    const [from, to] = [was ?? lowest ?? Infinity, is ?? lowest ?? Infinity]
    if (typeof from !== 'number' || typeof to !== 'number') return undecided
    const narrower = lowest === undefined ? to < from : to > from
    if (narrower) return breaking('narrows a bound')
    return from === to ? neutral : compatible('widens a bound')
  }
  switch (name) {
    case 'uniqueItems':
      return flagEffect(was, is)
    case 'multipleOf': {
      if (!now) return looser
      const integers = Number.isSafeInteger(was) && Number.isSafeInteger(is)
      const divides = integers && Number(was) % Number(is) === 0
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

/** A condition that is switched on by true. */
function flagEffect(was: Json | undefined, is: Json | undefined): CompatibilityVerdict {
  const [from, to] = [was ?? false, is ?? false]
  if (typeof from !== 'boolean' || typeof to !== 'boolean') return undecided
  if (to) return breaking('adds a condition')
  return from ? looser : neutral
}
