import { distinct } from '../../exports/datacite/record-to-datacite.js'
import { type Clean, line, paragraphs, withoutMarkup } from './clean-values.js'
import type { Condition, Crosswalk, EntryRule, ListRule, TextRule } from './crosswalk-rules.js'
import {
  completedEntry,
  dataCiteProperties,
  type EntryShape,
  type PropertyName,
  type Shape,
  type TextShape,
} from './datacite-properties.js'
import type { TreeNode } from './described-tree.js'
import { type Budget, maxSteps, nodesAt, textWithin } from './document-path.js'

/** A value, and where it comes from. */
export interface Found<T = unknown> {
  readonly value: T
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
  for (const name of Object.keys(dataCiteProperties) as PropertyName[]) {
    const placed = crosswalks.find(({ crosswalk }) => crosswalk.has(name))
    const rule = placed?.crosswalk.get(name)
    if (!placed || !rule) continue
    const values = valuesOf(rule, dataCiteProperties[name], placed.root, budget)
    const read =
      name === 'descriptions' && !placed.keepsMarkup ? values.map(descriptionWithoutMarkup) : values
    if (read.length > 0) found.set(name, distinct(read))
  }
  return found
}

function descriptionWithoutMarkup({ value, node }: Found): Found {
  const { description, ...others } = value as { readonly description: string }
  return { value: { description: paragraphs(withoutMarkup(description)) ?? description, ...others }, node }
}

type Rule = TextRule | EntryRule | ListRule

/** The values of a rule: any number for a list, one at most for others. */
function valuesOf(rule: Rule, shape: Shape, node: TreeNode, budget: Budget): readonly Found[] {
  if ('choice' in rule) return chosen(rule, shape, node, budget)
  if (shape.type === 'list')
    return shape.of.type === 'entry'
      ? entriesOf(rule as EntryRule, shape.of, node, budget)
      : textsOf(rule as TextRule, shape.of, node, budget)
  if (shape.type === 'entry') return entriesOf(rule as EntryRule, shape, node, budget).slice(0, 1)
  const found = textOf(rule as TextRule, shape, node, budget)
  return found ? [found] : []
}

function chosen({ choice, rules }: ListRule, shape: Shape, node: TreeNode, budget: Budget): readonly Found[] {
  const all: Found[] = []
  for (const rule of rules) {
    const values = valuesOf(rule, shape, node, budget)
    for (const value of values) all.push(value)
    if (choice === 'first' && values.length > 0) break
  }
  return all
}

function entriesOf(
  { each, where, members }: EntryRule,
  shape: EntryShape,
  node: TreeNode,
  budget: Budget,
): readonly Found[] {
  const nodes = each ? nodesAt(node, each, budget) : [node]
  const split = members.find(({ name, rule }) => name === shape.main && 'split' in rule && rule.split)
  return nodes.flatMap(inner => {
    if (!where.every(condition => holds(condition, inner, budget))) return []
    // A text with several values gives an entry for each of them.
    const parts = split && textsOf(split.rule as TextRule, split.shape as TextShape, inner, budget)
    return (parts ?? [undefined]).flatMap(part => {
      const entry: Record<string, unknown> = {}
      let from: TreeNode | undefined
      for (const member of members) {
        const values = member === split && part ? [part] : valuesOf(member.rule, member.shape, inner, budget)
        const [first] = values
        if (!first) continue
        entry[member.name] = member.shape.type === 'list' ? values.map(({ value }) => value) : first.value
        from ??= first.node
      }
      // An entry of constants alone would say the same of every document that lacks the thing.
      if (!from && each && Object.keys(entry).length > 0 && members.some(({ rule }) => !('constant' in rule)))
        return []
      const value = completedEntry(entry, shape)
      return value ? [{ value, node: each ? inner : from }] : []
    })
  })
}

function holds({ path, texts, holds: wanted }: Condition, node: TreeNode, budget: Budget): boolean {
  const nodes = nodesAt(node, path, budget)
  if (!texts) return nodes.length > 0 === wanted
  return (
    wanted ===
    nodes.some(found => {
      const text = textWithin(found, budget)
      return text !== undefined && texts.has(text.trim().toLowerCase())
    })
  )
}

/** The first valid text of a rule. */
function textOf(rule: TextRule, shape: TextShape, node: TreeNode, budget: Budget): Found<string> | undefined {
  return textsOf(rule, shape, node, budget, 1)[0]
}

/** The valid texts of a rule. @param most limit of their number */
function textsOf(
  rule: TextRule,
  { clean }: TextShape,
  node: TreeNode,
  budget: Budget,
  most = Number.POSITIVE_INFINITY,
): readonly Found<string>[] {
  const texts: Found<string>[] = []
  for (const { value: text, node: from } of rawTexts(rule, clean, node, budget)) {
    if (texts.length === most) break
    const value = clean(text)
    if (value !== undefined) texts.push({ value, node: from })
  }
  return texts
}

/** The texts of a rule before they are made valid. @param clean tells which texts of a choice are valid */
function rawTexts(rule: TextRule, clean: Clean, node: TreeNode, budget: Budget): readonly Found<string>[] {
  if ('constant' in rule) return [{ value: rule.constant, node: undefined }]
  if ('first' in rule) {
    for (const each of rule.first) {
      const texts = rawTexts(each, clean, node, budget).filter(({ value }) => clean(value) !== undefined)
      if (texts.length > 0) return texts
    }
    return []
  }
  if ('join' in rule) {
    const parts = rule.join.map(each => rawTexts(each, line, node, budget)[0])
    const from = parts.find(part => part?.node)
    return from ? [{ value: joined(parts, rule.with), node: from.node }] : []
  }
  const { path, values, only, split, where } = rule
  const texts: Found<string>[] = []
  for (const found of nodesAt(node, path, budget)) {
    const text = textWithin(found, budget)
    if (text === undefined || !where.every(condition => holds(condition, found, budget))) continue
    const parts = split === undefined ? [text] : text.split(split, maxParts)
    budget.steps -= parts.length
    for (const part of parts) {
      const value = values?.get(part.trim().toLowerCase()) ?? (only ? undefined : part)
      if (value !== undefined) texts.push({ value, node: found })
    }
  }
  return texts
}

/** Limit of the values in one text. */
const maxParts = 1000

/** The parts with a text between them. A range of dates keeps its slash if one end is missing. */
function joined(parts: readonly (Found<string> | undefined)[], between: string): string {
  const texts = parts.map(part => part?.value.trim() ?? '')
  return (between === '/' ? texts : texts.filter(text => text !== '')).join(between)
}
