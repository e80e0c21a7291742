import type { Catalog } from '../../catalog/catalog.js'
import type { Collection } from '../../core/records/collection.js'
import type { Oid } from '../../core/value-types.js'
import { listPacks } from '../../store/packs/list-packs.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Writer } from '../../store/write/writer.js'
import type { Validator } from '../../validation/validator.js'
import type { DiskSpace, ReadSpace } from './disk-space.js'
import { onceIn } from './short-lived-cache.js'

/** How things stand, in numbers: what they are about is not said. Undefined: it cannot be read at the moment. */
export interface Gauges {
  /** Updates that wait for the writer, beside those it is at. */
  readonly waiting: number
  /** Whether the writer takes updates: not after the disk has failed it. */
  readonly takesUpdates: boolean
  /** Checks of schemas and documents that were asked for and not answered yet. */
  readonly validations: number
  /** Threads and processes that check. */
  readonly workers: number
  /**
   * Commits of the branch that the catalog does not reflect, counted up to 10,000; undefined where
   * the branch has lost what the catalog reflects.
   */
  readonly behind: number | undefined
  /** Seconds since that was first seen. */
  readonly behindFor: number
  readonly packs: { readonly count: number; readonly bytes: number } | undefined
  readonly faults: Readonly<Record<Collection, number>>
  readonly records: Readonly<Record<Collection, number>>
  readonly space: DiskSpace | undefined
}

export type ReadFigures = () => Promise<Gauges>

export interface FiguresOptions {
  readonly repository: Repository
  readonly catalog: Catalog
  readonly writer: Writer
  readonly validator: Validator
  readonly space: ReadSpace
}

/** Commits that are counted at most: a catalog further behind is far behind. */
const mostCounted = 10_000

/** Milliseconds that counting them may take; then their number is not known. */
const longestCount = 10_000

/** Puts together how things stand, for monitors: it has to be told above all where not all can be read. */
export function openGauges(options: FiguresOptions): ReadFigures {
  const { repository, catalog, writer, validator, space } = options
  /** When the catalog was first seen elsewhere than at the branch, and has been since. */
  let since: number | undefined

  async function behind(): Promise<Pick<Gauges, 'behind' | 'behindFor'>> {
    const head = await unlessUnreadable(() => repository.head())
    const reflected = catalog.head()
    if (head !== undefined && head === reflected) {
      since = undefined
      return { behind: 0, behindFor: 0 }
    }
    since ??= performance.now()
    const commits = head === undefined ? undefined : await unlessUnreadable(() => between(reflected, head))
    return { behind: commits, behindFor: (performance.now() - since) / 1000 }
  }

  async function between(reflected: Oid | undefined, head: Oid): Promise<number | undefined> {
    const { history } = repository
    const signal = AbortSignal.timeout(longestCount)
    if (reflected !== undefined && (await history.relation(reflected, head, signal)) !== 'ahead')
      return undefined
    let count = 0
    for await (const _ of history.walk(reflected, head, signal)) if (++count === mostCounted) break
    return count
  }

  const behindNow = onceIn(0, behind)

  async function packs(): Promise<Gauges['packs']> {
    const found = listPacks(repository.gitDir)
    return { count: found.length, bytes: found.reduce((sum, pack) => sum + pack.bytes, 0) }
  }

  return async () => {
    const faults = catalog.committed.faults()
    const count = (kind: Collection) => catalog.committed.list(kind, {}, { offset: 0, limit: 1 }).total
    const room = await unlessUnreadable(space)
    return {
      ...writer.status(),
      ...validator.figures(),
      ...(await behindNow()),
      packs: await unlessUnreadable(packs),
      faults: {
        schema: faults.filter(({ kind }) => kind === 'schema').length,
        metadata: faults.filter(({ kind }) => kind === 'metadata').length,
      },
      records: { schema: count('schema'), metadata: count('metadata') },
      space: room?.metadata ?? room?.schema,
    }
  }
}

/** What is wrong with a repository that cannot be read is for `/health` to say; a number of it is not known. */
async function unlessUnreadable<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
