import { LRUCache } from 'lru-cache'
import type { UnservedPoint } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { BeginWork, ClientWork } from '../../core/scheduling/client-work.js'
import type { Id, Version } from '../../core/value-types.js'
import { idOfDirectory, recordDirectory } from '../../store/records/repository-layout.js'
import { type DirectoryChange, directoryChanges } from '../replay/directory-changes.js'
import { advanceRecord, beginRecord, type PointReaderParts, type RecordAtPoint } from './record-replay.js'

/**
 * Reads records at points outside the served history: on other branches, and on merged side branches. The base of such
 * a point is the last served commit before it.
 */
export interface UnservedPointReader {
  /**
   * The newest valid revision of a record at the point. If no commit since the base changes the record, that is the
   * served revision at the base.
   * @param begin called before the history is read
   * @returns undefined if there is none, or if the record was GONE at the point
   * @throws ProblemError `malformed-request` for a point that is too far from the served history; errors of `begin`
   */
  read(
    point: UnservedPoint,
    kind: Collection,
    id: Id,
    version: Version | undefined,
    begin: BeginWork,
  ): Promise<Revision | undefined>
  /**
   * Every record that was changed since the base, with its newest valid revision at the point.
   * @throws ProblemError `malformed-request` for too many records; errors of `begin`
   */
  changed(
    point: UnservedPoint,
    kind: Collection,
    begin: BeginWork,
  ): Promise<readonly Pick<RecordAtPoint, 'id' | 'newest'>[]>
  /**
   * Queries for the schemas at the point, for validation.
   * @throws errors of `begin`
   */
  view(point: UnservedPoint, begin: BeginWork): Promise<CatalogQueries>
}

/** Limit of the directory changes since the base, each of which is kept in memory. */
const maxDirectoryChanges = 20_000
/** Limit of the changed records in a list: each is read, and its document is validated. */
const maxListedRecords = 1000
/** Limits of the points, and of the records, in the caches. */
const maxCachedPoints = 8
const maxCachedRecords = 4 * maxListedRecords

/** What the commits from the base to a point change. */
interface Branch {
  readonly point: UnservedPoint
  readonly basePosition: number
  readonly touches: ReadonlyMap<string, readonly DirectoryChange[]>
  /** Each changed schema as it was after each commit that changes it, oldest first. */
  readonly schemas: ReadonlyMap<Id, readonly { readonly sequence: number; readonly record: RecordAtPoint }[]>
}

export function openUnservedPointReader(parts: PointReaderParts): UnservedPointReader {
  const { committed } = parts
  // A commit and its ancestors never change, so cached results stay valid.
  const branches = openSharedResults<Branch>(maxCachedPoints)
  const records = openSharedResults<RecordAtPoint>(maxCachedRecords)

  async function recordOf(
    branch: Branch,
    kind: Collection,
    id: Id,
    work: ClientWork | undefined,
  ): Promise<RecordAtPoint> {
    const known = kind === 'schema' ? branch.schemas.get(id)?.at(-1) : undefined
    if (known) return known.record
    let record = await beginRecord(parts, kind, id, branch.point.base)
    for (const touch of branch.touches.get(recordDirectory(kind, id)) ?? [])
      record = await advance(parts, branch, record, touch, work)
    return record
  }

  const branchOf = (point: UnservedPoint, begin: BeginWork) =>
    branches.of(point.unserved, begin, work => readBranch(parts, point, work))
  const readOf = (branch: Branch, kind: Collection, id: Id, begin: BeginWork) =>
    records.of(`${branch.point.unserved} ${recordDirectory(kind, id)}`, begin, work =>
      recordOf(branch, kind, id, work),
    )

  return {
    async read(point, kind, id, version, begin) {
      const branch = await branchOf(point, begin)
      const record = await readOf(branch, kind, id, begin)
      if (!record.newest || version === undefined) return record.newest
      const found = record.revisions.findLast(revision => revision.version === version)
      return found ?? committed.asOf(kind, id, { commit: point.base }, version)
    },
    async changed(point, kind, begin) {
      const branch = await branchOf(point, begin)
      const touched = [...branch.touches].filter(([, [touch]]) => touch?.kind === kind)
      const ids = touched.map(([directory]) => idOfDirectory(kind, directory))
      if (ids.length > maxListedRecords || ids.includes(undefined)) throw notListed(point)
      const changed: RecordAtPoint[] = []
      for (const id of ids) if (id !== undefined) changed.push(await readOf(branch, kind, id, begin))
      return changed
    },

    view: async (point, begin) => viewOf(committed, await branchOf(point, begin), Number.POSITIVE_INFINITY),
  }
}

/** Applies the change of a directory to the record as it was before the change. */
async function advance(
  parts: PointReaderParts,
  branch: Branch,
  record: RecordAtPoint,
  touch: DirectoryChange,
  work: ClientWork | undefined,
): Promise<RecordAtPoint> {
  const { committed, chain } = parts
  const { kind, id } = record
  const sides = touch.commit.parents.slice(1).filter(parent => chain.positionOf(parent) !== undefined)
  const merged = sides.flatMap(commit => committed.asOf(kind, id, { commit }) ?? [])
  const view = viewOf(committed, branch, touch.sequence, record)
  return await advanceRecord(parts, record, touch, branch.point.unserved, view, merged, work)
}

/** Reads the commits from the base to a point, and what the schemas were after each of them. */
async function readBranch(
  parts: PointReaderParts,
  point: UnservedPoint,
  work: ClientWork | undefined,
): Promise<Branch> {
  const { history, chain } = parts
  const { base, unserved } = point
  const basePosition = chain.positionOf(base)
  if (basePosition === undefined)
    throw new ProblemError('unavailable', `The commit ${base} is no longer served.`, { retryAfter: 1 })
  const touches = new Map<string, DirectoryChange[]>()
  const ofSchemas: DirectoryChange[] = []
  let count = 0
  let position = basePosition
  for await (const { commit, changes } of history.walk(base, unserved, work?.signal)) {
    position++
    for (const { kind, directory, sequence } of directoryChanges(commit, position, changes)) {
      if (++count > maxDirectoryChanges) throw tooFar(point)
      const touch = { commit, sequence, kind, directory }
      const others = touches.get(directory)
      if (others) others.push(touch)
      else touches.set(directory, [touch])
      if (kind === 'schema') ofSchemas.push(touch)
    }
  }
  const schemas = new Map<Id, { readonly sequence: number; readonly record: RecordAtPoint }[]>()
  const branch = { point, basePosition, touches, schemas }
  // In the order of history, because schemas may refer to each other.
  for (const touch of ofSchemas) {
    const id = idOfDirectory('schema', touch.directory)
    if (id === undefined) continue
    const states = schemas.get(id) ?? []
    const before = states.at(-1)?.record ?? (await beginRecord(parts, 'schema', id, base))
    states.push({ sequence: touch.sequence, record: await advance(parts, branch, before, touch, work) })
    schemas.set(id, states)
  }
  return branch
}

/**
 * The queries for a check of rules at a commit outside the served history, where rules between records (unique names,
 * one document of a schema for each resource) are not checked.
 * @param upTo position of the commit
 * @param current the checked record, as it was before the commit
 */
function viewOf(
  committed: CatalogQueries,
  { point, basePosition, schemas }: Branch,
  upTo: number,
  current?: RecordAtPoint,
): CatalogQueries {
  const at = { commit: point.base }
  const schemaOf = (id: Id) => {
    if (current?.kind === 'schema' && current.id === id) return current
    return schemas.get(id)?.findLast(state => state.sequence <= upTo)?.record
  }
  return {
    ...committed,
    newest(kind, id) {
      const isCurrent = current?.kind === kind && current.id === id
      const record = isCurrent ? current : kind === 'schema' ? schemaOf(id) : undefined
      return record ? record.newest : committed.asOf(kind, id, at)
    },
    atVersion(kind, id, version) {
      const record = kind === 'schema' ? schemaOf(id) : undefined
      const found = record?.revisions.findLast(revision => revision.version === version)
      return found ?? committed.asOf(kind, id, at, version)
    },
    schemaAsOf(id, version, sequence) {
      const found = schemaOf(id)?.revisions.findLast(
        revision => revision.sequence <= sequence && (version === undefined || revision.version === version),
      )
      return found ?? committed.schemaAsOf(id, version, Math.min(sequence, basePosition))
    },
    owner: () => undefined,
    owners: () => [],
    describers: () => [],
    isFree: () => true,
    dependentOf: () => undefined,
  }
}

function tooFar({ unserved, base }: UnservedPoint): ProblemError {
  return new ProblemError(
    'malformed-request',
    `More than ${maxDirectoryChanges} changes of records lead from ${base}, the last served commit, to ${unserved}. Those are too many to read. Clone the repository to look at this point.`,
  )
}

function notListed({ unserved, base }: UnservedPoint): ProblemError {
  return new ProblemError(
    'malformed-request',
    `The records at ${unserved} cannot be listed: more than ${maxListedRecords} records were changed since ${base}, the last served commit, or the directory of a changed record does not give its id. Read single records, or list the served history with at=${base}.`,
  )
}

/** A cache of promises: the first client that asks for a value computes it, and others wait for the result. */
interface SharedResults<V> {
  /**
   * The value of a key, computed once for all clients that ask at the same time or later.
   * @param find computes the value as work of the client that asked first
   * @throws errors of `begin` and `find`
   */
  of(key: string, begin: BeginWork, find: (work: ClientWork | undefined) => Promise<V>): Promise<V>
}

function openSharedResults<V extends object>(maxResults: number): SharedResults<V> {
  const cache = new LRUCache<string, { readonly result: Promise<V>; readonly signal?: AbortSignal }>({
    max: maxResults,
  })
  return {
    async of(key, begin, find) {
      for (;;) {
        const known = cache.get(key)
        if (!known) {
          const work = begin()
          const result = find(work)
          cache.set(key, { result, ...(work && { signal: work.signal }) })
          result.catch(() => cache.delete(key))
          return await result
        }
        try {
          return await known.result
        } catch (error) {
          // If the client that computed the value has disconnected, compute it again for this one.
          if (!known.signal?.aborted) throw error
        }
      }
    },
  }
}
