import type { Catalog } from '../../catalog/catalog.js'
import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { Principal } from '../../core/access-control.js'
import type { PointExpression } from '../../core/history-point.js'
import type { Collection } from '../../core/records/collection.js'
import { type PageRequest, shortPage } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import { restrictToVisibleByName } from '../access/visible-lists.js'
import type { RecordsAtPoint } from '../points/read-at-point.js'
import type { RecordCollection } from './record-collection.js'

/** Pages of lists. Another thread reads and renders a page that is long or slow to find. */
export interface Pages {
  /**
   * As `list` of {@link RecordCollection} and {@link RecordsAtPoint}.
   * @param renderAs as in {@link RevisionExtras}
   * @param at default: now
   * @throws ProblemError as those
   */
  list(
    caller: Principal,
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    renderAs: string,
    at?: PointExpression,
  ): Promise<ListPage | LongList>
  /** As `versions` of {@link RecordCollection}. @throws ProblemError as that */
  versions(
    caller: Principal,
    kind: Collection,
    name: string,
    window: PageRequest,
    renderAs: string,
    at?: PointExpression,
  ): Promise<ListPage | LongList>
}

export interface PagesOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'longLists' | 'quickPage'>
  readonly past: Pick<RecordsAtPoint, 'list' | 'find'>
  readonly collections: Readonly<Record<Collection, Pick<RecordCollection, 'versions'>>>
}

/** Limit in bytes of records that are rendered on the event loop. */
const maxBytesOnEventLoop = 64 * 1024

const isShort = ({ bytes = 0 }: ListPage) => bytes <= maxBytesOnEventLoop

export function openPages({ catalog, past, collections }: PagesOptions): Pages {
  const { committed, longLists, quickPage } = catalog

  const list: Pages['list'] = async (caller, kind, query, window, renderAs, at) => {
    const then = at && (await past.list(caller, kind, query, window, at))
    if (then && 'items' in then) return then
    const seen = restrictToVisibleByName(committed, caller, query)
    const wanted = then ? { ...window, at: then } : window
    const here = quickPage(kind, seen, wanted)
    if (here && isShort(here)) return here
    const long = await longLists.list(kind, seen, wanted, { renderAs, client: caller.client })
    return long ?? here ?? committed.list(kind, seen, wanted)
  }

  const versions: Pages['versions'] = async (caller, kind, name, window, renderAs, at) => {
    const wanted = at ? { ...window, at: await past.find(caller, at) } : window
    const read = (limit: number) => ({
      ...collections[kind].versions(caller, name, { ...wanted, limit }),
      limit: window.limit,
    })
    const first = read(Math.min(window.limit, shortPage))
    const [revision] = first.items
    const isAll = (first.items.length < shortPage && !first.next) || window.limit <= shortPage
    if (!revision || (isAll && isShort(first))) return first
    const long = await longLists.versions(kind, revision.id, wanted, { renderAs, client: caller.client })
    return long ?? (isAll ? first : read(window.limit))
  }

  return { list, versions }
}
