import type { LongList } from '../../catalog/read/long-list-reader.js'
import type { Principal } from '../../core/access-control.js'
import type { PointExpression } from '../../core/history-point.js'
import { type Collection, collections } from '../../core/records/collection.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../core/value-types.js'
import type { Pages } from '../../service/records/page-reader.js'

/** The newest revisions of all records that a caller may read: schemas by id, then metadata records by id. */
export interface RecordWalk {
  /** A page of the list, now or at a point of history. @throws ProblemError `not-found` for an unknown point */
  page(caller: Principal, offset: number, limit: number, at?: PointExpression): Promise<WalkedPage>
  /**
   * The records of a part of the list, in portions. Only one portion is in memory. A record that exists during the
   * whole call comes exactly once, even if others write.
   */
  portions(caller: Principal, offset: number, limit: number): AsyncGenerator<readonly Revision[], void>
}

export interface WalkedPage {
  readonly items: readonly Revision[]
  readonly total: number
  /** The last commit that changed a record which the caller sees; undefined if the caller sees no record. */
  readonly commit?: Oid
  /**
   * A text that identifies what the caller sees, now and at the point of the list. It changes when a record of the list
   * changes, enters or leaves the list, and not when other records change.
   */
  readonly state: string
}

const portionSize = 100
const byId: ListQuery = { sort: { by: 'id', direction: 'asc' } }

/**
 * The last commit and the number of records identify a list. A change that hides a record from the caller may leave
 * the last commit as it is, but the number falls. A record that enters the list has a later commit.
 */
function stateOf(commit: Oid | undefined, total: number): string {
  return `${commit ?? 'empty'} ${total}`
}

export function openRecordWalk(pages: Pick<Pages, 'list'>): RecordWalk {
  async function list(
    caller: Principal,
    kind: Collection,
    cut: { readonly offset: number; readonly limit: number; readonly after?: { readonly id: Id } },
    at?: PointExpression,
  ): Promise<ListPage> {
    const page: ListPage | LongList = await pages.list(caller, kind, byId, cut, '', at)
    return 'revisions' in page ? { ...page, items: page.revisions() } : page
  }

  async function page(
    caller: Principal,
    offset: number,
    limit: number,
    at?: PointExpression,
  ): Promise<WalkedPage> {
    const schemas = await list(caller, 'schema', { offset, limit }, at)
    const rest = limit - schemas.items.length
    const after = Math.max(0, offset - schemas.total)
    const metadata = await list(caller, 'metadata', { offset: after, limit: Math.max(rest, 1) }, at)
    const total = schemas.total + metadata.total
    const commit = metadata.commit ?? schemas.commit
    // The access lists of today decide who sees a list at an earlier point, too.
    const today = at && (await page(caller, 0, 1))
    return {
      items: [...schemas.items, ...metadata.items.slice(0, rest)],
      total,
      ...(commit && { commit }),
      state: stateOf(commit, total) + (today ? ` ${today.state}` : ''),
    }
  }

  return {
    page,

    async *portions(caller, offset, limit) {
      const pauses = openEventLoopPauses()
      let skip = offset
      let left = limit
      for (const kind of collections) {
        let after: { readonly id: Id } | undefined
        for (;;) {
          if (left <= 0) return
          const wanted = Math.min(portionSize, left)
          const { items, total } = await list(caller, kind, {
            offset: after ? 0 : skip,
            limit: wanted,
            ...(after && { after }),
          })
          await pauses.ifDue()
          if (items.length > 0) yield items
          left -= items.length
          const last = items.at(-1)
          if (!after) skip = Math.max(0, skip - total)
          if (!last || items.length < wanted) break
          after = { id: last.id }
        }
      }
    },
  }
}
