import { distinct } from '../../exports/datacite/sourced-values.js'
import { type Clean, line, paragraphs, withoutMarkup } from './clean-values.js'
import type {
  Condition,
  Crosswalk,
  EntryRule,
  JoinRule,
  ListRule,
  PathRule,
  TextRule,
} from './crosswalk-rules.js'
import {
  completedEntry,
  dataCiteProperties,
  type EntryShape,
  type PropertyName,
  type Shape,
  type TextShape,
} from './datacite-properties.js'
import { type Budget, maxSteps, nodesAt, spendOn, textWithin } from './document-path.js'
import type { TreeNode } from './tree-node.js'

/** A value, and where it comes from. */
export interface Found {
  readonly value: unknown
  /** The node of the document; undefined for a constant. */
  readonly node: TreeNode | undefined
}

/** A crosswalk, and the node at which its paths begin. */
export interface PlacedCrosswalk {
  readonly root: TreeNode
  readonly crosswalk: Crosswalk
  /** Whether descriptions stay as they are; otherwise tags of HTML in them are left out. */
  readonly keepsMarkup?: boolean
}

/** What a document says about itself: the entries of lists, and one entry for each other property. */
export type FoundProperties = ReadonlyMap<PropertyName, readonly Found[]>

/**
 * Applies crosswalks to a document.
 * @param crosswalks with the nodes at which their paths begin; the first one that names a property gives its values
 * @returns properties with at least one value, all of them valid in DataCite
 */
export function applyCrosswalks(crosswalks: readonly PlacedCrosswalk[]): FoundProperties {
  const budget: Budget = { steps: maxSteps }
  const found = new Map<PropertyName, readonly Found[]>()
  for (const name of shortFirst) {
    const placed = crosswalks.find(({ crosswalk }) => crosswalk.has(name))
    const rule = placed?.crosswalk.get(name)
    if (!placed || !rule) continue
    const values: Found[] = []
    addValues(rule, dataCiteProperties[name], placed.root, budget, values)
    const read =
      name === 'descriptions' && !placed.keepsMarkup ? values.map(descriptionWithoutMarkup) : values
    const isList = dataCiteProperties[name].type === 'list'
    if (read.length > 0) found.set(name, isList ? distinct(read) : read.slice(0, 1))
  }
  return new Map(
    propertyNames.flatMap(name => {
      const values = withoutItself[name]?.(found) ?? found.get(name)
      return values && values.length > 0 ? [[name, values] as const] : []
    }),
  )
}

/** Lists of identifiers without the identifier of the resource. */
const withoutItself: {
  readonly [Name in PropertyName]?: (found: FoundProperties) => readonly Found[] | undefined
} = {
  // The identifier may be read in a form of its own: its place tells it.
  alternateIdentifiers(found) {
    const own = found.get('identifier')?.[0]?.node
    return found.get('alternateIdentifiers')?.filter(({ node }) => node === undefined || node !== own)
  },
  relatedIdentifiers(found) {
    const own = identifierIn(found.get('identifier')?.[0])
    return found
      .get('relatedIdentifiers')
      ?.filter(related => own === undefined || identifierIn(related) !== own)
  },
}

function identifierIn(found: Found | undefined): string | undefined {
  const { identifier, relatedIdentifier } = (found?.value ?? {}) as {
    readonly identifier?: string
    readonly relatedIdentifier?: string
  }
  return identifier ?? relatedIdentifier
}

const propertyNames = Object.keys(dataCiteProperties) as readonly PropertyName[]
/** Lists that may be so long that no steps remain: experiments of physics have thousands of authors. */
const longLists: readonly PropertyName[] = ['creators', 'contributors', 'relatedIdentifiers', 'relatedItems']
const shortFirst = [...propertyNames.filter(name => !longLists.includes(name)), ...longLists]

function descriptionWithoutMarkup({ value, node }: Found): Found {
  const { description, ...others } = value as { readonly description: string }
  return { value: { description: paragraphs(withoutMarkup(description)) ?? description, ...others }, node }
}

type Rule = TextRule | EntryRule | ListRule

/** Adds the values of a rule: any number for a list, one at most for others. */
function addValues(rule: Rule, shape: Shape, node: TreeNode, budget: Budget, found: Found[]): void {
  if ('choice' in rule) addChosen(rule, shape, node, budget, found)
  else if (shape.type === 'list') {
    if (shape.of.type === 'entry') addEntries(rule as EntryRule, shape.of, node, budget, found)
    else readTexts(rule as TextRule, shape.of.clean, node, budget, found)
  } else if (shape.type === 'entry') addEntries(rule as EntryRule, shape, node, budget, found, 1)
  else {
    const text = readTexts(rule as TextRule, shape.clean, node, budget, undefined)
    if (text) found.push(text)
  }
}

function addChosen(
  { each, choice, rules }: ListRule,
  shape: Shape,
  node: TreeNode,
  budget: Budget,
  found: Found[],
): void {
  for (const inner of each ? nodesAt(node, each, budget) : [node]) {
    if (each && budget.steps <= 0) return
    const before = found.length
    for (const rule of rules) {
      addValues(rule, shape, inner, budget, found)
      if (choice === 'first' && found.length > before) break
    }
  }
}

/** @param most limit of their number */
function addEntries(
  rule: EntryRule,
  shape: EntryShape,
  node: TreeNode,
  budget: Budget,
  found: Found[],
  most = Number.POSITIVE_INFINITY,
): void {
  const { each, where, members } = rule
  const end = found.length + most
  const split = members.find(
    member => member.name === shape.main && 'split' in member.rule && member.rule.split,
  )
  for (const inner of each ? nodesAt(node, each, budget) : [node]) {
    if (each && budget.steps <= 0) return
    if (!allHold(where, inner, budget)) continue
    // A text with several values gives an entry for each of them.
    const parts = split ? textsOf(split.rule as TextRule, split.shape as TextShape, inner, budget) : noParts
    for (const part of parts) {
      const entry = entryOf(rule, shape, inner, budget, part && split && { name: split.name, part })
      if (entry !== undefined && found.push(entry) >= end) return
    }
  }
}

const noParts: readonly undefined[] = [undefined]

/** @param split the member with several values in one text, and one of them */
function entryOf(
  { each, members }: EntryRule,
  shape: EntryShape,
  node: TreeNode,
  budget: Budget,
  split: { readonly name: string; readonly part: Found } | undefined,
): Found | undefined {
  const entry: Record<string, unknown> = {}
  let from: TreeNode | undefined
  let isEmpty = true
  for (const member of members) {
    const { name, shape: of, rule } = member
    let first = split?.name === name ? split.part : undefined
    let value: unknown
    if (of.type === 'text') {
      first ??= readTexts(rule as TextRule, of.clean, node, budget, undefined)
      value = first?.value
    } else {
      const values: Found[] = first ? [first] : []
      if (!first) addValues(rule, of, node, budget, values)
      first = values[0]
      value = of.type === 'list' ? values.map(each => each.value) : first?.value
    }
    if (!first) continue
    entry[name] = value
    from ??= first.node
    isEmpty = false
  }
  if (isEmpty) return undefined
  // An entry of constants alone would say the same of every document that lacks the thing.
  if (!from && each && members.some(({ rule }) => !('constant' in rule))) return undefined
  const value = completedEntry(entry, shape)
  return value && { value, node: each ? node : from }
}

function allHold(conditions: readonly Condition[], node: TreeNode, budget: Budget): boolean {
  for (const condition of conditions) if (!holds(condition, node, budget)) return false
  return true
}

function holds({ path, texts, holds: wanted }: Condition, node: TreeNode, budget: Budget): boolean {
  const nodes = nodesAt(node, path, budget)
  if (!texts) return nodes.length > 0 === wanted
  for (const found of nodes) {
    const text = textWithin(found, budget)
    if (text !== undefined && texts.has(text.trim().toLowerCase())) return wanted
  }
  return !wanted
}

/** The valid texts of a rule. */
function textsOf(rule: TextRule, { clean }: TextShape, node: TreeNode, budget: Budget): readonly Found[] {
  const texts: Found[] = []
  readTexts(rule, clean, node, budget, texts)
  return texts
}

/**
 * Reads the valid texts of a rule.
 * @param all gets them; undefined: only the first one is read
 * @returns the first one, if it is the only one to read
 */
function readTexts(
  rule: TextRule,
  clean: Clean,
  node: TreeNode,
  budget: Budget,
  all: Found[] | undefined,
): Found | undefined {
  if ('path' in rule) return readTextsAt(rule, clean, node, budget, all)
  if ('first' in rule) {
    const before = all?.length
    for (const each of rule.first) {
      const text = readTexts(each, clean, node, budget, all)
      if (text || all?.length !== before) return text
    }
    return undefined
  }
  const text =
    'constant' in rule ? constantText(rule.constant, budget) : joinedText(rule, clean, node, budget)
  if (text && all) all.push(text)
  return all ? undefined : text
}

/** Constants cost steps, because each place of a list repeats them. They are given without steps, too. */
function constantText(value: string, budget: Budget): Found {
  spendOn(value, budget)
  return { value, node: undefined }
}

function joinedText(rule: JoinRule, clean: Clean, node: TreeNode, budget: Budget): Found | undefined {
  const parts = rule.join.map(each => readTexts(each, unlessBlank, node, budget, undefined))
  const from = parts.find(part => part?.node)
  const text = from && joined(parts, rule.with)
  if (text === undefined) return undefined
  spendOn(text, budget)
  const value = clean(text)
  return value === undefined ? undefined : { value, node: from?.node }
}

const unlessBlank: Clean = text => (line(text) === undefined ? undefined : text)

function readTextsAt(
  { path, values, only, split, where }: PathRule,
  clean: Clean,
  node: TreeNode,
  budget: Budget,
  all: Found[] | undefined,
): Found | undefined {
  for (const inner of nodesAt(node, path, budget)) {
    const text = textWithin(inner, budget)
    if (text === undefined || !allHold(where, inner, budget)) continue
    const parts = split === undefined ? [text] : text.split(split, maxParts)
    budget.steps -= parts.length
    for (const part of parts) {
      const named = values?.get(part.trim().toLowerCase())
      if (named !== undefined) spendOn(named, budget)
      const written = named ?? (only ? undefined : part)
      const value = written === undefined ? undefined : clean(written)
      if (value === undefined) continue
      if (!all) return { value, node: inner }
      all.push({ value, node: inner })
    }
  }
  return undefined
}

/** Limit of the values in one text. */
const maxParts = 1000

/** The parts with a text between them. A range of dates keeps its slash if one end is missing. */
function joined(parts: readonly (Found | undefined)[], between: string): string {
  const texts = parts.map(part => String(part?.value ?? '').trim())
  return (between === '/' ? texts : texts.filter(text => text !== '')).join(between)
}
