import { availableParallelism } from 'node:os'
import type { UnservedPointReader } from '../../catalog/other-branches/point-reader.js'
import type { Principal } from '../../core/access-control.js'
import type { HistoryPoint, PointExpression, UnservedPoint } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { BeginWork } from '../../core/scheduling/client-work.js'
import { type Id, isId, truncate, type Version } from '../../core/value-types.js'
import { openClientProcesses, requesterOf } from '../comparisons/client-processes.js'
import { findByName, findReadable } from '../rules/find-record.js'
import { isReadable } from '../rules/visibility.js'
import { restrictToVisibleByName } from '../rules/visible-lists.js'
import { listAtUnservedPoint } from './list-on-other-branch.js'
import type { PointResolver } from './resolve-point.js'

/**
 * What was, by the points of history that requests name. Points outside of the served history are searched within
 * bounds: `unavailable` where too many requests do, or it takes too long.
 */
export interface RecordsAtPoint {
  /**
   * The list as it was then, or is on another branch, of what is there and to be seen today; the filters look at that
   * state. `schemaIds` may be any names of schemas.
   * @param cut without a point of its own
   * @returns the point itself if it is one of the served history: {@link Pages} read those lists from the catalog
   * @throws ProblemError `not-found`, `malformed-request`
   */
  list(
    caller: Principal,
    kind: Collection,
    query: ListQuery,
    cut: PageRequest,
    at: PointExpression,
  ): Promise<ListPage | HistoryPoint>
  /**
   * The point of the served history that a list of versions is asked for.
   * @throws ProblemError `not-found`; `malformed-request` for one that is none of the served history
   */
  find(caller: Principal, name: PointExpression): Promise<HistoryPoint>
  /**
   * The state of a record then, or on another branch; with a version, of that version by then. Its name and who may
   * read it are those of today: what is GONE today, or REVOKED and not the caller's to see, was never there.
   * @throws ProblemError `not-found`, `forbidden`, `malformed-request`
   */
  read(
    caller: Principal,
    kind: Collection,
    name: string,
    at: PointExpression,
    version?: Version,
  ): Promise<Revision>
}

/** Requests that search what is not served at once: what one has found is kept for the others. */
export const mostSearches = Math.max(4, 2 * availableParallelism())

/** Milliseconds that one may take. */
const longest = 30_000

export interface PastOptions {
  readonly committed: CatalogQueries
  readonly points: PointResolver
  readonly unserved: UnservedPointReader
}

/** What the services ask of the past, beside what everybody does. */
export interface RecordsAtPointForServices extends RecordsAtPoint {
  /** A schema as of a point, and the state that says what it refers to. */
  schema(
    caller: Principal,
    name: string,
    at: PointExpression,
    version?: Version,
  ): Promise<{ readonly schema: Revision; readonly state: CatalogQueries }>
}

/** Records as they were at other points of history. Who may read them is decided by what they are today. */
export function openRecordsAtPoint({ committed, points, unserved }: PastOptions): RecordsAtPointForServices {
  const places = openClientProcesses({
    most: mostSearches,
    longest,
    work: 'requests for points outside of the served history',
    retryAfter: 2,
    late: tooSlow,
  })
  /** Does what may have to search what is not served. */
  const bounded = <T>(caller: Principal, work: (begin: BeginWork) => Promise<T>) =>
    places.serve(requesterOf(caller), work)

  /** The id that a name means, for a caller who may read there; undefined for a record that is none of the point's. */
  async function idAside(
    caller: Principal,
    kind: Collection,
    name: string,
    point: UnservedPoint,
    begin: BeginWork,
  ): Promise<Id | undefined> {
    if (findByName(committed, kind, name)) return findReadable(committed, caller, kind, name).id
    if (committed.owner(name)?.gone) return undefined
    // What was never served is read by its id, by whomever it lets read.
    const fresh = isId(name) ? await unserved.read(point, kind, name, undefined, begin) : undefined
    return fresh && isReadable(caller, fresh.record) ? fresh.id : undefined
  }

  async function readAt(
    caller: Principal,
    kind: Collection,
    name: string,
    point: HistoryPoint | UnservedPoint,
    version: Version | undefined,
    begin: BeginWork,
  ): Promise<Revision> {
    if ('commit' in point) {
      const { id } = findReadable(committed, caller, kind, name)
      const found = committed.asOf(kind, id, point, version)
      if (found) return found
      throw notThere(kind, name, point.commit, version)
    }
    const id = await idAside(caller, kind, name, point, begin)
    const found = id && (await unserved.read(point, kind, id, version, begin))
    if (found) return found
    throw notThere(kind, name, point.unserved, version)
  }

  return {
    async read(caller, kind, name, at, version) {
      return await bounded(caller, async begin =>
        readAt(caller, kind, name, await points.find(at, begin), version, begin),
      )
    },

    async list(caller, kind, query, cut, at) {
      return await bounded(caller, async begin => {
        const point = await points.find(at, begin)
        if ('commit' in point) return point
        const seen = restrictToVisibleByName(committed, caller, query)
        return await listAtUnservedPoint({ committed, unserved }, caller, kind, seen, cut, point, begin)
      })
    },

    async find(caller, at) {
      const point = await bounded(caller, begin => points.find(at, begin))
      if ('commit' in point) return point
      throw new ProblemError(
        'malformed-request',
        `"${truncate(at.text)}" is the commit ${point.unserved}, which is none of the history that is served: there are no lists of versions there. Read them one by one with the parameter version, or list those the branch began with by at=${point.base}.`,
      )
    },

    async schema(caller, name, at, version) {
      return await bounded(caller, async begin => {
        const point = await points.find(at, begin)
        const schema = await readAt(caller, 'schema', name, point, version, begin)
        return { schema, state: 'commit' in point ? committed : await unserved.view(point, begin) }
      })
    },
  }
}

function tooSlow(): ProblemError {
  return new ProblemError(
    'unavailable',
    `To read this point, which is none of the served history, takes more than ${longest / 1000} seconds. Try again later, or clone the repository to look at it.`,
    { retryAfter: 30 },
  )
}

function notThere(
  kind: Collection,
  name: string,
  commit: string,
  version: Version | undefined,
): ProblemError {
  const what = `${kind === 'schema' ? 'schema' : 'metadata record'} "${truncate(name, 200)}"`
  const whole = version === undefined ? what : `version ${version} of the ${what}`
  return new ProblemError('not-found', `At the commit ${commit} there is no ${whole}.`)
}
