import type { Node } from 'jsonc-parser'
import { diff3Merge, diffIndices } from 'node-diff3'
import { JsonDocument, nameOf, type Path } from '../form/json-document.js'
import type { Choice } from './merge-texts.js'

/** A place that both have changed in different ways, with the JSON text of each and of before; undefined: there is none. */
export interface MemberConflict {
  readonly path: Path
  readonly base: string | undefined
  readonly mine: string | undefined
  readonly theirs: string | undefined
}

export interface JsonMerge {
  /** Places that only the others have changed. */
  readonly theirChanges: readonly Path[]
  readonly conflicts: readonly MemberConflict[]
  /**
   * Their text with my changes in it. Everything beside my changes stays as they have written it.
   * @param choices one for each conflict, in order
   */
  merged(choices: readonly Choice[]): string
}

/** A value with what is in it, made to be compared. */
interface Value {
  /** As written. */
  readonly literal: string
  /** The same for equal values: members in one order, no spaces, numbers as written. */
  readonly key: string
  readonly members?: ReadonlyMap<string, Value>
  readonly items?: readonly Value[]
}

type Edit = (document: JsonDocument) => void

/**
 * Merges two JSON documents that were made from one, by their values: members by name, items of a list by index
 * if none was moved or removed, else by what is equal in the lists. A list for which neither is safe is one value.
 * @returns undefined if one of the texts is no JSON that can be edited at places
 */
export function mergeJson(mine: string, base: string, theirs: string): JsonMerge | undefined {
  const opened = [base, mine, theirs].map(text => JsonDocument.open(text))
  const [first, own, other] = opened.map(one => (one instanceof JsonDocument ? readValue(one) : undefined))
  if (!first || !own || !other) return undefined
  const merge = new Merge()
  merge.visit([], first, own, other)
  return {
    theirChanges: merge.theirChanges,
    conflicts: merge.conflicts.map(({ takeMine: _, ...conflict }) => conflict),
    merged(choices) {
      if (choices.length < merge.conflicts.length) throw new RangeError('A conflict has no choice.')
      const document = JsonDocument.open(theirs)
      if (!(document instanceof JsonDocument)) throw new Error(document.message)
      for (const edit of merge.edits) edit(document)
      for (const [at, { takeMine }] of merge.conflicts.entries())
        if (choices[at] === 'mine') takeMine(document)
      return document.text
    },
  }
}

class Merge {
  readonly theirChanges: Path[] = []
  readonly conflicts: (MemberConflict & { readonly takeMine: Edit })[] = []
  /** My changes, as edits of their document. */
  readonly edits: Edit[] = []

  visit(
    path: Path,
    base: Value | undefined,
    mine: Value | undefined,
    theirs: Value | undefined,
    order: readonly string[] = [],
  ): void {
    if (mine?.key === theirs?.key) return
    if (base?.members && mine?.members && theirs?.members) {
      const names = new Set([...base.members.keys(), ...mine.members.keys(), ...theirs.members.keys()])
      const own = [...mine.members.keys()]
      for (const name of names) {
        const [before, my, their] = [base, mine, theirs].map(({ members }) => members?.get(name))
        this.visit([...path, name], before, my, their, own)
      }
      return
    }
    const takeMine: Edit = document => document.setOrRemove(path, mine?.literal ?? '', order)
    if (mine?.key === base?.key) this.theirChanges.push(path)
    else if (theirs?.key === base?.key) this.edits.push(takeMine)
    else if (!this.#mergeItems(path, base?.items, mine?.items, theirs?.items))
      this.#addConflict(path, [base, mine, theirs], takeMine)
  }

  /** @returns false if the lists can only be merged as one value */
  #mergeItems(
    path: Path,
    base: readonly Value[] | undefined,
    mine: readonly Value[] | undefined,
    theirs: readonly Value[] | undefined,
  ): boolean {
    if (!base || !mine || !theirs) return false
    const added = mine.slice(base.length)
    const isOneLonger = added.length === 0 || theirs.length === base.length
    if (isOneLonger && isChangedInPlace(base, mine) && isChangedInPlace(base, theirs)) {
      for (const [at, before] of base.entries()) this.#visitItem([...path, at], before, mine[at], theirs[at])
      if (theirs.length > base.length) this.theirChanges.push(path)
      this.edits.push(document => {
        for (const { literal } of added) document.insertItem(path, literal)
      })
      return true
    }
    const keys = [mine, base, theirs].map(list => list.map(({ key }) => key)) as [
      string[],
      string[],
      string[],
    ]
    const parts = diff3Merge(...keys, { excludeFalseConflicts: true })
    if (parts.some(({ conflict }) => conflict)) return false
    const merged = parts.flatMap(({ ok }) => ok ?? [])
    const literals = new Map([...mine, ...theirs].map(({ key, literal }) => [key, literal]))
    this.theirChanges.push(path)
    this.edits.push(document => {
      // From the end: the indexes before an edit stay.
      for (const {
        buffer1: [from, removed],
        buffer2: [start, added],
      } of diffIndices(keys[2], merged).reverse()) {
        for (let at = from + removed - 1; at >= from; at--) document.remove([...path, at])
        for (const [at, key] of merged.slice(start, start + added).entries())
          document.insertItem(path, literals.get(key) ?? key, from + at)
      }
    })
    return true
  }

  /** An item that both have changed is merged by members only if it is the same item: something in it has stayed. */
  #visitItem(path: Path, base: Value, mine: Value | undefined, theirs: Value | undefined): void {
    const isSame = [...(base.members ?? [])].some(([name, { key }]) =>
      [mine, theirs].every(item => item?.members?.get(name)?.key === key),
    )
    if (isSame || [mine, theirs].some(item => item?.key === base.key)) this.visit(path, base, mine, theirs)
    else if (mine?.key !== theirs?.key) {
      const takeMine: Edit = document => document.setOrRemove(path, mine?.literal ?? '')
      this.#addConflict(path, [base, mine, theirs], takeMine)
    }
  }

  #addConflict(path: Path, values: readonly (Value | undefined)[], takeMine: Edit): void {
    const [base, mine, theirs] = values.map(value => value?.literal)
    this.conflicts.push({ path, base, mine, theirs, takeMine })
  }
}

/** Whether the items of a list stayed where they were: some have changed, or came at the end, and none was moved. */
function isChangedInPlace(base: readonly Value[], changed: readonly Value[]): boolean {
  const before = new Set(base.map(({ key }) => key))
  return (
    base.length <= changed.length && changed.every(({ key }, at) => key === base[at]?.key || !before.has(key))
  )
}

function readValue(document: JsonDocument, node = document.nodeAt([])): Value | undefined {
  if (!node) return undefined
  const literal = document.text.slice(node.offset, node.offset + node.length)
  const children = node.children ?? []
  if (node.type === 'array') {
    const items = children.flatMap(child => readValue(document, child) ?? [])
    return { literal, key: `[${items.map(({ key }) => key).join()}]`, items }
  }
  if (node.type !== 'object') {
    return { literal, key: node.type === 'string' ? JSON.stringify(node.value) : literal }
  }
  const members = new Map(children.flatMap(child => memberOf(document, child)))
  const keys = [...members].map(([name, { key }]) => `${JSON.stringify(name)}:${key}`).sort(byCodeUnits)
  return { literal, key: `{${keys.join()}}`, members }
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : 1
}

function memberOf(document: JsonDocument, member: Node): readonly (readonly [string, Value])[] {
  const value = readValue(document, member.children?.[1])
  return value ? [[nameOf(member), value]] : []
}

/** Whether two texts are JSON documents with the same values. */
export function isSameJson(one: string, other: string): boolean {
  const [a, b] = [one, other].map(text => JsonDocument.open(text))
  return a instanceof JsonDocument && b instanceof JsonDocument && readValue(a)?.key === readValue(b)?.key
}
