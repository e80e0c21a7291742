import type { Catalog } from '../../catalog/catalog.js'
import { openHeadChangeNotifier } from '../../catalog/follow/head-change-notifier.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { isMissingOrDamaged, type ObjectReader } from '../../store/objects/object-reader.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import type { IndexProgress } from '../search-engine.js'
import { type OpenIndex, openIndexFiles } from './index-files.js'
import type { IndexState, IndexThreadJob, SearchPlace } from './index-thread-jobs.js'
import { openWorkPace } from './work-pace.js'

export interface IndexerOptions {
  readonly catalog: Catalog
  readonly objects: ObjectReader
  /** The own folder of the repository, for the files of the index. */
  readonly folder: string
  /** The Git directory. */
  readonly gitDir: string
  /** Limit of the indexed text of a document, in characters; 0: documents are not indexed. */
  readonly textLimit: number
  report(line: string): void
  /** Closes the connections of readers to the index and the catalog. */
  disconnectReaders(): Promise<void>
}

/** Keeps the index at the catalog, in a thread of its own. */
export interface SearchIndexer {
  /**
   * The index to ask.
   * @throws ProblemError `unavailable` while there is none
   */
  place(): SearchPlace
  /** Translates an error of a reader to a problem. A damaged index is made anew. */
  toProblem(thrown: unknown): unknown
  progress(): IndexProgress
  /** Closes the connections to index and catalog, of readers too. */
  disconnect(): Promise<void>
  /** @see SearchEngine.waitFor */
  waitFor(commit: Oid, milliseconds: number, signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

/** Bytes of documents that are sent to the thread at once. */
const mostBytes = 4 * 2 ** 20
/** Milliseconds in which revisions are gathered before they are indexed. */
const gathering = 30
/** Milliseconds before a step that failed is repeated; doubled with each failure. */
const firstDelay = 250
const longestDelay = 30_000

export function openSearchIndexer(options: IndexerOptions): SearchIndexer {
  const { catalog, objects, gitDir, textLimit, report } = options
  const thread = openWorkerThread<IndexThreadJob, IndexState>(new URL('./index-thread.js', import.meta.url))
  const files = openIndexFiles({
    folder: options.folder,
    report,
    onDamage() {
      isDamaged = true
      woken.tell()
    },
  })
  const ending = new AbortController()
  const pace = openWorkPace()
  /** Told after each part, and when there is something to do. */
  const advanced = openHeadChangeNotifier()
  const woken = openHeadChangeNotifier()
  let started = false
  let isDamaged = false
  /** The index that follows the catalog, and the build of the catalog that it is for. */
  let own: { readonly index: OpenIndex; readonly identity: string } | undefined
  /** A complete index of an earlier build, which answers until the own one is complete. */
  let former: OpenIndex | undefined
  let state: IndexState | undefined
  let lastError: string | undefined
  let waiting = 0

  /** Opens the index for the catalog as it is now. */
  async function openOwn(identity: string): Promise<OpenIndex> {
    if (own?.identity === identity) return own.index
    await disconnect()
    if (own && state?.complete && !own.index.database.damaged) {
      former?.close()
      former = own.index
    } else {
      own?.index.close()
    }
    own = undefined
    state = undefined
    const index = files.open(identity)
    own = { index, identity }
    const [, through, commit, sequence, complete] = index.progress()
    state = {
      ...{ identity, through, last: through, sequence, commit: (commit ?? undefined) as Oid | undefined },
      ...{ complete: complete === 1, more: true, missing: [] },
    }
    if (!state.complete) former ??= files.openFormer(identity)
    return index
  }

  async function disconnect(): Promise<void> {
    if (started) await thread.run({ do: 'disconnect' })
    await options.disconnectReaders()
  }

  async function recreateDamaged(): Promise<void> {
    isDamaged = false
    await disconnect()
    if (former?.database.damaged) {
      former.close()
      former = undefined
    }
    if (!own?.index.database.damaged) return
    state = undefined
    own.index.database.recreate()
    own.index.database.markComplete()
  }

  /** Indexes a part. @returns whether there may be more */
  async function step(): Promise<boolean> {
    if (isDamaged) await recreateDamaged()
    const identity = catalog.identity()
    const index = await openOwn(identity)
    // Fails while the file of the catalog is about to be replaced.
    if (catalog.identity() !== identity) return true
    started = true
    const run = (documents: ReadonlyMap<Oid, Uint8Array | undefined>) =>
      thread
        .run({ do: 'index', file: index.file, catalog: catalog.file, gitDir, textLimit, documents })
        .catch((thrown: unknown) => {
          throw index.database.toProblem(thrown)
        })
    let reached = await run(new Map())
    if (reached.missing.length > 0) reached = await run(await readSome(reached.missing))
    // The catalog was made anew meanwhile.
    return reached.identity === identity ? await arrive(index, reached) : true
  }

  async function arrive(index: OpenIndex, reached: IndexState): Promise<boolean> {
    state = reached
    if (reached.complete && former) {
      await options.disconnectReaders()
      former.close()
      former = undefined
      files.removeOthers(index)
    }
    advanced.tell()
    return reached.more
  }

  /** Reads documents that are in no pack. The thread goes on with the first ones. */
  async function readSome(wanted: readonly Oid[]): Promise<Map<Oid, Uint8Array | undefined>> {
    const found = new Map<Oid, Uint8Array | undefined>()
    let sum = 0
    for (const oid of wanted) {
      if (sum > mostBytes) break
      try {
        const { bytes } = await objects.read(oid)
        sum += bytes.length
        found.set(oid, bytes)
      } catch (thrown) {
        // The record is still found by its own words. `verify` reports the missing object.
        if (!isMissingOrDamaged(thrown)) throw thrown
        found.set(oid, undefined)
      }
    }
    return found
  }

  async function follow(): Promise<void> {
    let failures = 0
    while (!ending.signal.aborted) {
      const [changes, calls] = [catalog.headChanges.count, woken.count]
      try {
        const start = performance.now()
        const more = await step()
        failures = 0
        lastError = undefined
        if (waiting === 0) await pace.rest(performance.now() - start, ending.signal)
        if (more) continue
        await nextChange(changes, calls)
      } catch (thrown) {
        if (ending.signal.aborted) return
        const text = thrown instanceof Error ? thrown.message : String(thrown)
        if (text !== lastError) report(`The search index cannot follow: ${text}`)
        lastError = text
        await woken.next(calls, Math.min(firstDelay * 2 ** failures++, longestDelay), ending.signal)
      }
    }
  }

  async function nextChange(changes: number, calls: number): Promise<void> {
    const ended = new AbortController()
    const signal = AbortSignal.any([ending.signal, ended.signal])
    await Promise.race([
      catalog.headChanges.next(changes, 2 ** 31 - 1, signal),
      woken.next(calls, 2 ** 31 - 1, signal),
    ])
    ended.abort()
    if (waiting === 0) await woken.next(woken.count, gathering, ending.signal)
  }

  function isUpToDate(): boolean {
    return state?.complete === true && !state.more && !isDamaged && state.commit === catalog.head()
  }

  const following = follow()

  return {
    place() {
      const index = state?.complete && !own?.index.database.damaged ? own?.index : former
      if (!index || index.database.damaged) {
        throw new ProblemError('unavailable', 'The search index is being made. Try again.', { retryAfter: 2 })
      }
      return { file: index.file, catalog: catalog.file, gitDir }
    },
    toProblem: thrown => (state?.complete ? own?.index : former)?.database.toProblem(thrown) ?? thrown,
    progress() {
      const upToDate = isUpToDate()
      const lag = state ? Math.max(0, state.last - state.through) : 0
      return {
        commit: state?.commit,
        upToDate,
        lag: upToDate ? 0 : Math.max(1, lag),
        isMissing: !state?.complete && !former,
        ...(lastError !== undefined && { lastError }),
      }
    },
    disconnect,
    async waitFor(commit, milliseconds, signal) {
      const wanted = catalog.chain.positionOf(commit)
      if (wanted === undefined)
        throw new ProblemError('not-found', `The history that is served has no commit ${commit}.`)
      const end = performance.now() + milliseconds
      waiting++
      woken.tell()
      try {
        for (;;) {
          const seen = advanced.count
          if (state?.complete && state.sequence >= wanted && state.identity === own?.identity) return true
          const left = end - performance.now()
          if (left <= 0 || (await advanced.next(seen, left, signal)) === 'over') return false
        }
      } finally {
        waiting--
      }
    },
    async close() {
      ending.abort()
      woken.close()
      await following
      advanced.close()
      await disconnect()
      await thread.close()
      own?.index.close()
      former?.close()
    },
  }
}
