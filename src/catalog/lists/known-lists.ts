import { LRUCache } from 'lru-cache'
import type { Collection } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Oid } from '../../core/value-types.js'
import type { Connection, SqlRow } from '../database/sqlite-connection.js'
import { countUpTo, openListChanges } from './list-delta.js'
import type { AccessPath, Anchor, KeyOrder } from './list-sql.js'

/** A whole list, of which a page is a part. */
export interface OrderedList {
  readonly kind: Collection
  readonly query: ListQuery
  readonly order: KeyOrder
  /** Number of the last revision up to the requested point of history; undefined for the current list. */
  readonly past: number | undefined
}

/** What is remembered of a list as it is after the revision `upTo`. */
export interface KnownList {
  readonly upTo: number
  total: number | undefined
  /** Each update drops it, because it depends on the number of records. */
  access?: AccessPath | undefined
  /**
   * For callers who do not see all records: the last commit that changed a record they see. Responses name it as the
   * commit of the list. Null if there is no such commit; undefined until it is read.
   */
  commit?: Oid | null
  readonly anchors: Anchor[]
}

/**
 * Totals and anchors of recent lists, of one build of the catalog.
 *
 * Fast path. Benchmark "deep page by `page=`": at 1,000,000 records it takes 1.4 times the time that it takes at 1,000,
 * instead of 73 times. Plain path: {@link noKnownLists}.
 * @see docs/decisions/011-fast-paths.md
 */
export interface KnownLists {
  /**
   * What is known of a list, updated to the newest revision if the changes since are few.
   * @param latest number of the newest revision
   */
  get(identity: string, latest: number, list: OrderedList): KnownList
  /** What is known of a list, without an update. */
  peek(identity: string, list: OrderedList): KnownList | undefined
  set(identity: string, list: OrderedList, known: KnownList): void
}

/** Limit of the remembered lists. */
const maxLists = 64
/** Limit of the anchors of a list: the ends of read pages, and the steps on the way to deep pages. */
const maxAnchors = 2048

export function openKnownLists(connection: Connection): KnownLists {
  const lists = new LRUCache<string, KnownList>({ max: maxLists })
  const changes = openListChanges(connection)
  let build: string | undefined

  /** Revision numbers differ between builds of the catalog. */
  function forgetOtherBuilds(identity: string): void {
    if (identity !== build) lists.clear()
    build = identity
  }

  /** Applies the changes since `known.upTo` to a known list. @returns undefined if the list has to be read again */
  function updated(known: KnownList, latest: number, list: OrderedList): KnownList | undefined {
    if (known.upTo === latest) return known
    const changed = changes.since(known.upTo)
    if (!changed) return undefined
    const { kind, query, order, past } = list
    if (past !== undefined) {
      // A list of the past changes only when a record is removed, or when the caller's access changes.
      const stays = changed.every(
        ({ isNew, before, after }) => isNew || (!query.readableBy && before && after),
      )
      return stays ? { ...known, upTo: latest, access: undefined } : undefined
    }
    const keys = changes.ofToday(changed, known.upTo, kind, query, order)
    if (!keys) return undefined
    const { removed, added } = keys
    const anchors = known.anchors.map(({ offset, key }) => {
      return { key, offset: offset - countUpTo(removed, key, order) + countUpTo(added, key, order) }
    })
    const total = known.total === undefined ? undefined : known.total - removed.length + added.length
    return { upTo: latest, total, anchors }
  }

  return {
    get(identity, latest, list) {
      forgetOtherBuilds(identity)
      const name = nameOf(list)
      const known = lists.get(name)
      const found = (known && updated(known, latest, list)) ?? unknownList(latest)
      if (found !== known) lists.set(name, found)
      return found
    },
    peek: (identity, list) => (identity === build ? lists.peek(nameOf(list)) : undefined),
    set(identity, list, known) {
      forgetOtherBuilds(identity)
      lists.set(nameOf(list), known)
    },
  }
}

/** The plain {@link KnownLists}: remembers nothing. Every page is found by counting from the start of its list. */
export const noKnownLists: KnownLists = {
  get: (_identity, latest) => unknownList(latest),
  peek: () => undefined,
  set: () => undefined,
}

/** A text with everything that determines the entries of a list and their order, which follows from `query.sort`. */
function nameOf({ kind, query, order, past }: OrderedList): string {
  const { sort: _, ...filters } = query
  return JSON.stringify([kind, filters, order.columns, order.backwards, past])
}

export function unknownList(upTo: number): KnownList {
  return { upTo, total: undefined, anchors: [] }
}

export function addAnchor({ anchors }: KnownList, anchor: Anchor): void {
  if (anchors.some(known => known.offset === anchor.offset)) return
  if (anchors.length >= maxAnchors) anchors.shift()
  anchors.push(anchor)
}

/** The last anchor up to the offset; undefined if there is none. */
export function nearestAnchor(anchors: readonly Anchor[], offset: number): Anchor | undefined {
  let found: Anchor | undefined
  for (const anchor of anchors)
    if (anchor.offset <= offset && anchor.offset > (found?.offset ?? 0)) found = anchor
  return found
}

export function anchorWithKey(anchors: readonly Anchor[], key: SqlRow): Anchor | undefined {
  return anchors.find(anchor => anchor.key.every((value, index) => value === key[index]))
}
