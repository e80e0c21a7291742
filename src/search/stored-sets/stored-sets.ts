import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '../../catalog/catalog.js'
import { openHeadChangeNotifier } from '../../catalog/follow/head-change-notifier.js'
import type { SetNumber } from '../../catalog/lists/membership-sql.js'
import type { HistoryPoint } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { openWorkerThread } from '../../store/workers/worker-thread.js'
import { readFirstDocuments } from '../index/first-documents.js'
import type { SetsState, StoredSearch, StoredSetJob } from './stored-set-jobs.js'

/** A state of the repository that was compared with all sets. */
export interface ComparedState {
  /** The build of the catalog that the numbers belong to. */
  readonly identity: string
  readonly newest: HistoryPoint
  /** The numbers of the sets by name. */
  readonly numbers: ReadonlyMap<string, SetNumber>
}

/** Sets of metadata that searches define. A thread compares each revision of the history with them, once. */
export interface StoredSets<S extends StoredSearch> {
  /** The searches that define a set, as far as it is known that they do. */
  list(): Promise<readonly S[]>
  /**
   * Compares what is new with the sets. The sets are compared further after the time.
   * @param milliseconds longest wait; `brief`: a moment, and none while there is much to compare
   * @returns undefined if no search defines a set; `behind` after the time
   * @throws ProblemError `unavailable` if the comparison fails
   */
  compared(
    milliseconds: number | 'brief',
    signal: AbortSignal | undefined,
  ): Promise<ComparedState | 'behind' | undefined>
  close(): Promise<void>
}

export interface StoredSetsOptions<S extends StoredSearch> {
  readonly catalog: Catalog
  readonly objects: ObjectReader
  /** The Git directory. */
  readonly gitDir: string
  /** The searches of the newest commit. @throws ProblemError if they cannot be read */
  searches(): Promise<readonly S[]>
  report(line: string): void
}

/** Milliseconds of a brief wait, and most revisions that are compared meanwhile. */
const briefWait = 2000
const maxRevisionsForBriefWait = 2000

/** Opens the sets. The thread starts when a search is to be compared. */
export function openStoredSets<S extends StoredSearch>(options: StoredSetsOptions<S>): StoredSets<S> {
  const { catalog, objects, gitDir, report } = options
  const thread = openWorkerThread<StoredSetJob, SetsState>(new URL('./compare-thread.js', import.meta.url))
  const advanced = openHeadChangeNotifier()
  let asked = 0
  let working: Promise<void> | undefined
  let isClosed = false
  let reached: (SetsState & { readonly searches: readonly S[] }) | undefined
  let failure: ProblemError | undefined
  const reported = new Set<string>()

  function reportOnce(line: string): void {
    if (!reported.has(line)) report(line)
    reported.add(line)
  }

  async function disconnect(): Promise<void> {
    await thread.disconnect({ do: 'disconnect' })
  }
  catalog.addReader({ disconnect })

  /** Compares a part. */
  async function step(searches: readonly S[]): Promise<SetsState> {
    // Fails while the file of the catalog is about to be replaced.
    catalog.identity()
    const plain = searches.map(({ spec, q }) => ({ spec, q }))
    const job = { do: 'compare', catalog: catalog.file, gitDir, searches: plain } as const
    const state = await thread.run({ ...job, documents: new Map() })
    if (state.missing.length === 0) return state
    return await thread.run({ ...job, documents: await readFirstDocuments(state.missing, objects) })
  }

  async function work(): Promise<void> {
    for (let calls = -1; calls !== asked && !isClosed; ) {
      const searches = await options.searches()
      calls = asked
      const state = await step(searches)
      reached = { ...state, searches }
      failure = undefined
      for (const [spec, fault] of state.faults) {
        reportOnce(`metastore.json: the search of the set "${spec}" defines no set: ${fault}`)
      }
      advanced.notify()
      if (state.more) calls = -1
    }
  }

  function wake(): void {
    asked++
    working ??= work()
      .catch((thrown: unknown) => {
        const text = thrown instanceof Error ? thrown.message : String(thrown)
        reportOnce(`The sets of stored searches are not brought up to date: ${text}`)
        failure = new ProblemError(
          'unavailable',
          'The sets of stored searches cannot be read. Try again.',
          { retryAfter: 10 },
          { cause: thrown },
        )
        advanced.notify()
      })
      .finally(() => {
        working = undefined
      })
  }

  /** Revisions that are still to be compared up to a point; all of them if the history is being read again. */
  function revisionsLeft({ commit }: HistoryPoint): number {
    if (reached?.identity !== catalog.identity() || catalog.chain.positionOf(commit) === undefined)
      return Infinity
    return catalog.feed.startOf(commit) - reached.through
  }

  function stateAt(newest: HistoryPoint, searches: readonly S[]): ComparedState | undefined {
    if (!reached || !isDeepStrictEqual(reached.searches, searches) || revisionsLeft(newest) > 0)
      return undefined
    return { identity: reached.identity, newest, numbers: reached.numbers }
  }

  async function compared(
    milliseconds: number | 'brief',
    signal = new AbortController().signal,
  ): Promise<ComparedState | 'behind' | undefined> {
    const searches = await options.searches()
    const commit = catalog.head()
    if (commit === undefined) return undefined
    if (searches.length === 0) {
      // Deletes the rows of the sets that there were.
      if (reached && reached.searches.length > 0) wake()
      return undefined
    }
    const newest = { commit }
    const known = stateAt(newest, searches)
    if (known) return known
    failure = undefined
    wake()
    const isMuch = reached !== undefined && revisionsLeft(newest) > maxRevisionsForBriefWait
    const wait = milliseconds === 'brief' ? (isMuch ? 0 : briefWait) : milliseconds
    const end = performance.now() + wait
    for (;;) {
      const seen = advanced.count
      const state = stateAt(newest, searches)
      if (state) return state
      if (failure) throw failure
      const left = end - performance.now()
      if (left <= 0 || (await advanced.next(seen, left, signal)) === 'ended') return 'behind'
    }
  }

  return {
    async list() {
      const searches = await options.searches()
      // Begins to compare them.
      if (searches.length > 0) wake()
      return searches.filter(({ spec }) => !reached?.faults.has(spec))
    },
    compared,
    async close() {
      isClosed = true
      advanced.close()
      await working
      await disconnect()
      await thread.close()
    },
  }
}
