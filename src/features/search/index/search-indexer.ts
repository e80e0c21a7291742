import type { Catalog } from '../../../catalog/catalog.js'
import {
  type HeadChangeNotifier,
  openHeadChangeNotifier,
} from '../../../catalog/follow/head-change-notifier.js'
import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'
import { openWorkerThread } from '../../../store/workers/worker-thread.js'
import type { IndexProgress } from '../search-engine.js'
import { waitFor } from '../wait-for.js'
import { readFirstDocuments } from './first-documents.js'
import { type IndexBuilds, type OpenIndex, openIndexBuilds } from './index-builds.js'
import type { IndexState, IndexThreadJob, SearchPlace } from './index-thread-jobs.js'
import { backlogOf, repeatSteps } from './repeat-steps.js'

export interface IndexerOptions {
  readonly catalog: Catalog
  readonly objects: ObjectReader
  /** Our own folder in the Git directory, for the files of the index. */
  readonly folder: string
  /** The Git directory. */
  readonly gitDir: string
  /**
   * Limit of the indexed text of a document, in characters; 0: documents are not indexed. Undefined for a command, which
   * uses the server's index whatever its limit.
   */
  readonly textLimit: number | undefined
  /** Address of the module that describes documents; undefined if there is none. */
  describeModule?(): string | undefined
  report(line: string): void
  /** Closes the connections of readers to the index and the catalog. */
  disconnectReaders(): Promise<void>
}

/**
 * Keeps the index up to date with the catalog, in a thread of its own.
 *
 * This function is long, because the builds, the steps and the waits call each other and share which index answers.
 */
export function openSearchIndexer(options: IndexerOptions) {
  const { catalog, gitDir, report } = options
  const thread = openWorkerThread<IndexThreadJob, IndexState>(new URL('./index-thread.js', import.meta.url))
  /** Notified after each part, and after a failure. */
  const advanced = openHeadChangeNotifier()
  const builds = openIndexBuilds({
    folder: options.folder,
    textLimit: options.textLimit,
    report,
    onDamage: () => steps.wake(),
    isInHistory: commit => catalog.chain.positionOf(commit) !== undefined,
    disconnect,
  })
  const waits = openCommitWaits({ builds, advanced, chain: catalog.chain, wake: () => steps.wake() })
  let lastError: string | undefined

  /** Closes all connections to the index and the catalog, including those of readers. */
  async function disconnect(): Promise<void> {
    await thread.disconnect({ do: 'disconnect' })
    await options.disconnectReaders()
  }

  /** Opens the index, so that it answers before the thread has started. @returns whether revisions are to be indexed */
  async function prepare(): Promise<boolean> {
    const identity = catalog.identity()
    await builds.use(identity)
    const { state } = builds
    const isUpToDate =
      state?.complete === true && state.commit !== undefined && state.commit === catalog.head()
    if (state && isUpToDate) await builds.reach({ ...state, more: false })
    return !isUpToDate
  }

  /** Lets the thread index a part of the revisions. @returns whether there may be more */
  async function step(): Promise<boolean> {
    if (builds.isDamaged) await builds.repair()
    const identity = catalog.identity()
    const index = await builds.use(identity)
    // Throws while the file of the catalog is about to be replaced.
    if (catalog.identity() !== identity) return true
    const reached = await indexPart(thread, index, options)
    // The catalog was rebuilt meanwhile.
    if (reached.identity !== identity) return true
    await builds.reach(reached)
    lastError = undefined
    advanced.notify()
    return reached.more
  }

  const steps = repeatSteps({
    prepare,
    step,
    headChanges: catalog.headChanges,
    isUrgent: waits.isAny,
    backlog: () => backlogOf(builds.state),
    onFailure(thrown) {
      const text = thrown instanceof Error ? thrown.message : String(thrown)
      if (text !== lastError) report(`The search index is not brought up to date: ${text}`)
      lastError = text
      advanced.notify()
    },
  })

  return {
    /** The index that answers searches. @throws ProblemError `unavailable` while there is none */
    place(): SearchPlace {
      const index = builds.serving()
      if (index)
        return { file: index.file, catalog: catalog.file, gitDir, describeModule: options.describeModule?.() }
      steps.wake()
      throw new ProblemError('unavailable', 'The search index is being built. Try again.', { retryAfter: 2 })
    },
    /** Translates an error of a reader to a problem. A damaged index is rebuilt. */
    toProblem: (thrown: unknown) => builds.serving()?.database.toProblem(thrown) ?? thrown,
    progress: () => progressOf(builds, catalog.head(), lastError),
    disconnect,
    waitFor: waits.waitFor,
    async close(): Promise<void> {
      await steps.close()
      advanced.close()
      await disconnect()
      await thread.close()
      builds.close()
    },
  }
}

function progressOf(
  builds: IndexBuilds,
  head: Oid | undefined,
  lastError: string | undefined,
): IndexProgress {
  const { state } = builds
  const isSettled = state?.complete === true && !state.more
  const upToDate = isSettled && !builds.isDamaged && state.commit === head
  const lag = state ? Math.max(0, state.last - state.through) : 0
  return {
    commit: state?.commit,
    upToDate,
    lag: upToDate ? 0 : Math.max(1, lag),
    isMissing: builds.serving() === undefined,
    ...(state && state.again.length > 0 && { again: state.again }),
    ...(lastError !== undefined && { lastError }),
  }
}

interface CommitWaitsOptions {
  readonly builds: IndexBuilds
  /** Notified when the index has advanced. */
  readonly advanced: HeadChangeNotifier
  readonly chain: Catalog['chain']
  /** Begins the next part of the work now. */
  wake(): void
}

/** Calls that wait until the own index reflects a commit. */
function openCommitWaits({ builds, advanced, chain, wake }: CommitWaitsOptions) {
  let waiting = 0

  /** Whether the index reflects the commit at this position. @param wanted position on the first-parent chain */
  function isReached(wanted: number): boolean {
    const { complete, commit } = builds.state ?? {}
    // Undefined if the index reflects a commit that the history has lost.
    const reached = complete && commit !== undefined ? chain.positionOf(commit) : undefined
    return reached !== undefined && reached >= wanted
  }

  return {
    isAny: () => waiting > 0,
    /** @see SearchEngine.waitFor */
    async waitFor(commit: Oid, milliseconds: number, signal: AbortSignal): Promise<boolean> {
      const wanted = chain.positionOf(commit)
      if (wanted === undefined)
        throw new ProblemError('not-found', `The history that is served has no commit ${commit}.`)
      waiting++
      wake()
      try {
        return await waitFor(() => isReached(wanted), advanced, milliseconds, signal)
      } finally {
        waiting--
      }
    },
  }
}

/** Lets the thread index a part, and reads documents that the thread does not find. */
async function indexPart(
  thread: { run(job: IndexThreadJob): Promise<IndexState> },
  { file, textLimit, database }: OpenIndex,
  { catalog, gitDir, objects, describeModule }: IndexerOptions,
): Promise<IndexState> {
  const place = { file, catalog: catalog.file, gitDir, describeModule: describeModule?.() }
  const job = { do: 'index', ...place, textLimit } as const
  const run = (documents: ReadonlyMap<Oid, Uint8Array | undefined>) =>
    thread.run({ ...job, documents }).catch((thrown: unknown) => {
      throw database.toProblem(thrown)
    })
  const reached = await run(new Map())
  return reached.missing.length > 0 ? await run(await readFirstDocuments(reached.missing, objects)) : reached
}
