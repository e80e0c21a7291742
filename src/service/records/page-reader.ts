import type { Catalog } from '../../catalog/catalog.js'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { Caller } from '../../core/access-control.js'
import type { PointName } from '../../core/history-point.js'
import { type Cut, shortPage } from '../../core/records/list-page.js'
import type { Listed, ListQuery } from '../../core/records/list-query.js'
import type { Kind } from '../../core/records/record-kind.js'
import type { Past } from '../record-history/read-at-point.js'
import { seenByName } from '../rules/request-rules.js'
import type { Metadata } from './metadata-collection.js'
import type { Schemas } from './schema-collection.js'

/** Parts of lists. One that is long, or takes long to find, is read and rendered beside the event loop. */
export interface Pages {
  /**
   * As `list` of {@link Schemas}, {@link Metadata} and {@link Past} has it.
   * @param shownAs as in {@link Along}
   * @param at default: now
   * @throws ProblemError likewise
   */
  list(
    caller: Caller,
    kind: Kind,
    query: ListQuery,
    cut: Cut,
    shownAs: string,
    at?: PointName,
  ): Promise<Listed | LongList>
  /** As `versions` of {@link Schemas} and {@link Metadata} has it. @throws ProblemError likewise */
  versions(
    caller: Caller,
    kind: Kind,
    name: string,
    cut: Cut,
    shownAs: string,
    at?: PointName,
  ): Promise<Listed | LongList>
}

export interface PagesOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'longLists' | 'isQuick'>
  readonly past: Pick<Past, 'list' | 'find'>
  readonly schemas: Pick<Schemas, 'versions'>
  readonly metadata: Pick<Metadata, 'versions'>
}

/** Bytes of records that are rendered on the event loop. */
const longestHere = 64 * 1024

const isShort = ({ bytes = 0 }: Listed) => bytes <= longestHere

export function openPages({ catalog, past, schemas, metadata }: PagesOptions): Pages {
  const { committed, longLists, isQuick } = catalog

  async function list(
    caller: Caller,
    kind: Kind,
    query: ListQuery,
    cut: Cut,
    shownAs: string,
    at?: PointName,
  ): Promise<Listed | LongList> {
    const then = at && (await past.list(caller, kind, query, cut, at))
    if (then && 'items' in then) return then
    const seen = seenByName(committed, caller, query)
    const wanted = then ? { ...cut, at: then } : cut
    const here = isQuick(kind, seen, wanted) ? committed.list(kind, seen, wanted) : undefined
    if (here && isShort(here)) return here
    const long = await longLists.list(kind, seen, wanted, { shownAs, client: caller.client })
    return long ?? here ?? committed.list(kind, seen, wanted)
  }

  async function versions(
    caller: Caller,
    kind: Kind,
    name: string,
    cut: Cut,
    shownAs: string,
    at?: PointName,
  ): Promise<Listed | LongList> {
    const wanted = at ? { ...cut, at: await past.find(caller, at) } : cut
    const records = kind === 'schema' ? schemas : metadata
    const read = (limit: number) => ({
      ...records.versions(caller, name, { ...wanted, limit }),
      limit: cut.limit,
    })
    const first = read(Math.min(cut.limit, shortPage))
    const [revision] = first.items
    const isAll = (first.items.length < shortPage && !first.next) || cut.limit <= shortPage
    if (!revision || (isAll && isShort(first))) return first
    const long = await longLists.versions(kind, revision.id, wanted, { shownAs, client: caller.client })
    return long ?? (isAll ? first : read(cut.limit))
  }

  return { list, versions }
}
