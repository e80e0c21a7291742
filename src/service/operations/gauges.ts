import type { Catalog } from '../../catalog/catalog.js'
import { shareResult } from '../../core/data-structures/lazy-value.js'
import type { Collection } from '../../core/records/collection.js'
import type { Oid } from '../../core/value-types.js'
import { listPacks } from '../../store/packs/list-packs.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Writer } from '../../store/write/writer-interface.js'
import type { Validator } from '../../validation/validator.js'
import type { DiskSpace, ReadSpace } from './disk-space.js'
import type { FeatureGauge, OperationHooks } from './feature-hooks.js'

/** Numbers about the service, without names of records or callers. A value that cannot be read is undefined. */
export interface Gauges {
  /** Number of updates in the writer's queue, without those of the running flush. */
  readonly waiting: number
  /** Whether the writer accepts updates. It does not after a failure of the disk. */
  readonly takesUpdates: boolean
  /** Number of validations of schemas and documents that are waiting or running. */
  readonly validations: number
  /** Number of validation workers: threads and processes. */
  readonly workers: number
  /**
   * Number of commits of the branch that the catalog does not reflect, 10,000 at most. Undefined: the branch does not
   * contain the catalog's commit.
   */
  readonly behind: number | undefined
  /** Seconds since the catalog was first seen to be behind. */
  readonly behindFor: number
  readonly packs: { readonly count: number; readonly bytes: number } | undefined
  readonly faults: Readonly<Record<Collection, number>>
  readonly records: Readonly<Record<Collection, number>>
  readonly space: DiskSpace | undefined
  readonly ofFeatures: readonly (Omit<FeatureGauge, 'read'> & { readonly value: number | undefined })[]
}

export type ReadGauges = () => Promise<Gauges>

export interface GaugesOptions {
  readonly repository: Repository
  readonly catalog: Catalog
  readonly writer: Writer
  readonly validator: Validator
  readonly space: ReadSpace
  /** The open features. The list may grow after the call. */
  readonly features: readonly OperationHooks[]
}

/** Limit of the commits that are counted. */
const maxCountedCommits = 10_000

/** Time limit in milliseconds to count commits; if it is exceeded, their number is unknown. */
const maxCountMilliseconds = 10_000

/** Reads the gauges for monitoring. If one cannot be read, the others are still reported. */
export function openGauges(options: GaugesOptions): ReadGauges {
  const { repository, catalog, writer, validator, space, features } = options
  /** Time at which the catalog was first seen to be behind. */
  let since: number | undefined

  async function behind(): Promise<Pick<Gauges, 'behind' | 'behindFor'>> {
    const head = await unlessUnreadable(() => repository.head())
    const reflected = catalog.head()
    if (head !== undefined && head === reflected) {
      since = undefined
      return { behind: 0, behindFor: 0 }
    }
    since ??= performance.now()
    const commits =
      head === undefined ? undefined : await unlessUnreadable(() => commitsBetween(reflected, head))
    return { behind: commits, behindFor: (performance.now() - since) / 1000 }
  }

  async function commitsBetween(reflected: Oid | undefined, head: Oid): Promise<number | undefined> {
    const { history } = repository
    const signal = AbortSignal.timeout(maxCountMilliseconds)
    if (reflected !== undefined && (await history.relation(reflected, head, signal)) !== 'ahead')
      return undefined
    let count = 0
    for await (const _ of history.walk(reflected, head, signal)) if (++count === maxCountedCommits) break
    return count
  }

  const behindNow = shareResult(0, behind)

  async function packs(): Promise<Gauges['packs']> {
    const found = listPacks(repository.gitDir)
    return { count: found.length, bytes: found.reduce((sum, pack) => sum + pack.bytes, 0) }
  }

  return async () => {
    const faults = catalog.committed.faults()
    const faulty = (kind: Collection) => faults.filter(fault => fault.kind === kind).length
    const count = (kind: Collection) => catalog.committed.list(kind, {}, { offset: 0, limit: 1 }).total
    const disks = await unlessUnreadable(space)
    return {
      ...writer.status(),
      ...validator.figures(),
      ...(await behindNow()),
      packs: await unlessUnreadable(packs),
      faults: { schema: faulty('schema'), metadata: faulty('metadata') },
      records: { schema: count('schema'), metadata: count('metadata') },
      space: disks?.metadata ?? disks?.schema,
      ofFeatures: features.flatMap(({ gauges: own = [] }) =>
        own.map(({ name, help, read }) => ({ name, help, value: read() })),
      ),
    }
  }
}

/** Reads something. @returns undefined if the read fails: `/health` reports the error */
async function unlessUnreadable<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
