import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '../../catalog/catalog.js'
import { openHeadChangeNotifier } from '../../catalog/follow/head-change-notifier.js'
import type { CoreParts } from '../../compose/compose.js'
import type { HistoryPoint } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { type OaiSet, readMetastoreFile } from '../../store/repository/metastore-json.js'
import { openWorkerThread } from '../../store/workers/worker-thread.js'
import type { ComparedState, StoredSetSource } from '../harvesting/lists/harvest-sets.js'
import { readFirstDocuments } from '../search/index/first-documents.js'
import { waitFor } from '../search/wait-for.js'
import type { SetsState, StoredSearch, StoredSetJob } from './stored-set-jobs.js'

/** Sets of metadata that searches define. A thread compares each revision of the history with them, once. */
export interface StoredSets extends StoredSetSource {
  close(): Promise<void>
}

interface StoredSetsOptions {
  readonly catalog: Catalog
  readonly objects: ObjectReader
  /** The Git directory. */
  readonly gitDir: string
  /** Address of the module that describes documents; undefined if there is none. */
  describeModule(): string | undefined
  /** The searches of the newest commit. @throws ProblemError if they cannot be read */
  searches(): Promise<readonly OaiSet[]>
  report(line: string): void
}

/** Milliseconds of a brief wait, and limit of the revisions to compare for which there is one. */
const briefWait = 2000
const maxRevisionsForBriefWait = 2000

/** Opens the sets. The thread starts when there is a search to compare. */
function openStoredSets(options: StoredSetsOptions): StoredSets {
  const { catalog, searches: readSearches } = options
  const comparison = openComparison(options)

  /** Number of revisions up to a point that are not compared yet; Infinity while the history is being read again. */
  function revisionsLeft({ commit }: HistoryPoint): number {
    const { reached } = comparison
    if (reached?.identity !== catalog.identity() || catalog.chain.positionOf(commit) === undefined)
      return Infinity
    return catalog.feed.startOf(commit) - reached.through
  }

  function stateAt(newest: HistoryPoint, searches: readonly OaiSet[]): ComparedState | undefined {
    const { reached } = comparison
    if (!reached || !isDeepStrictEqual(reached.searches, searches) || revisionsLeft(newest) > 0)
      return undefined
    return { identity: reached.identity, newest, numbers: reached.numbers }
  }

  async function compared(
    milliseconds: number | 'brief',
    signal = new AbortController().signal,
  ): Promise<ComparedState | 'behind' | undefined> {
    const searches = await readSearches()
    const commit = catalog.head()
    if (commit === undefined) return undefined
    if (searches.length === 0) {
      // The next part deletes the rows of the sets whose searches were removed.
      if (comparison.reached && comparison.reached.searches.length > 0) comparison.wake()
      return undefined
    }
    const newest = { commit }
    const known = stateAt(newest, searches)
    if (known) return known
    comparison.retry()
    const isMuch = comparison.reached !== undefined && revisionsLeft(newest) > maxRevisionsForBriefWait
    const wait = milliseconds === 'brief' ? (isMuch ? 0 : briefWait) : milliseconds
    const check = () => {
      const state = stateAt(newest, searches)
      if (!state && comparison.failure) throw comparison.failure
      return state
    }
    return (await waitFor(check, comparison.advanced, wait, signal)) || 'behind'
  }

  return {
    async list() {
      const searches = await readSearches()
      // Begins to compare the revisions with them.
      if (searches.length > 0) comparison.wake()
      return searches.filter(({ spec }) => !comparison.reached?.faults.has(spec))
    },
    compared,
    close: comparison.close,
  }
}

/** Compares the revisions with the searches, in a thread of its own. Begins when it is woken. */
function openComparison({ report, searches: readSearches, ...options }: StoredSetsOptions) {
  const thread = openCompareThread(options)
  /** Notified after each part, and after a failure. */
  const advanced = openHeadChangeNotifier()
  let asked = 0
  let working: Promise<void> | undefined
  let isClosed = false
  let reached: (SetsState & { readonly searches: readonly OaiSet[] }) | undefined
  let failure: ProblemError | undefined
  const reported = new Set<string>()

  function reportOnce(line: string): void {
    if (!reported.has(line)) report(line)
    reported.add(line)
  }

  async function work(): Promise<void> {
    for (let calls = -1; calls !== asked && !isClosed; ) {
      const searches = await readSearches()
      calls = asked
      const state = await thread.compare(searches)
      reached = { ...state, searches }
      failure = undefined
      for (const [spec, fault] of state.faults) {
        reportOnce(`metastore.json: the search of the set "${spec}" defines no set: ${fault}`)
      }
      advanced.notify()
      if (state.more) calls = -1
    }
  }

  function fail(thrown: unknown): void {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    reportOnce(`The sets of stored searches are not brought up to date: ${text}`)
    failure = new ProblemError(
      'unavailable',
      'The sets of stored searches cannot be read. Try again.',
      { retryAfter: 10 },
      { cause: thrown },
    )
    advanced.notify()
  }

  function wake(): void {
    asked++
    working ??= work()
      .catch(fail)
      .finally(() => {
        working = undefined
      })
  }

  return {
    advanced,
    /** The state after the last part, with its searches; undefined before the first part. */
    get reached() {
      return reached
    },
    /** The problem of the last part; undefined if it did not fail. */
    get failure() {
      return failure
    },
    /** Compares all revisions with the present searches. */
    wake,
    /** As {@link wake}, and forgets the last failure. */
    retry(): void {
      failure = undefined
      wake()
    },
    async close(): Promise<void> {
      isClosed = true
      advanced.close()
      await working
      await thread.close()
    },
  }
}

type CompareThreadOptions = Pick<StoredSetsOptions, 'catalog' | 'objects' | 'gitDir' | 'describeModule'>

/** The thread of the comparison. It has a connection to the catalog, which a rebuild of the catalog closes. */
function openCompareThread({ catalog, objects, gitDir, describeModule }: CompareThreadOptions) {
  const thread = openWorkerThread<StoredSetJob, SetsState>(new URL('./compare-thread.js', import.meta.url))

  async function disconnect(): Promise<void> {
    await thread.disconnect({ do: 'disconnect' })
  }
  catalog.addReader({ disconnect })

  return {
    /** Compares a part of the revisions. */
    async compare(searches: readonly StoredSearch[]): Promise<SetsState> {
      // Throws while the file of the catalog is about to be replaced.
      catalog.identity()
      const plain = searches.map(({ spec, q }) => ({ spec, q }))
      const place = { catalog: catalog.file, gitDir, describeModule: describeModule() }
      const job = { do: 'compare', ...place, searches: plain } as const
      const state = await thread.run({ ...job, documents: new Map() })
      if (state.missing.length === 0) return state
      return await thread.run({ ...job, documents: await readFirstDocuments(state.missing, objects) })
    },
    async close(): Promise<void> {
      await disconnect()
      await thread.close()
    },
  }
}

/** Opens the sets for harvesters that the newest commit defines in `metastore.json`. */
export function openConfiguredSets({
  repository,
  catalog,
  report,
  describeModule,
}: Pick<CoreParts, 'repository' | 'catalog' | 'report' | 'describeModule'>): StoredSets {
  const { dir, gitDir, objects, history } = repository
  let known: { readonly head: Oid | undefined; readonly sets: readonly OaiSet[] } = {
    head: undefined,
    sets: [],
  }

  async function searches(): Promise<readonly OaiSet[]> {
    const head = catalog.head()
    if (head === undefined || head === known.head) return known.sets
    try {
      known = { head, sets: (await readMetastoreFile(dir, head, objects, history)).oaiSets }
    } catch (error) {
      // The commit was not checked, and its `metastore.json` is invalid. The sets stay as they were.
      if (!(error instanceof ProblemError)) throw error
      report(`The sets for harvesters stay as they were: ${error.message}`)
      known = { head, sets: known.sets }
    }
    return known.sets
  }

  return openStoredSets({ catalog, objects, gitDir, describeModule, searches, report })
}
