import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { ClusterClient } from './cluster-client.js'
import {
  type ClusterState,
  type Generation,
  latestGeneration,
  readState,
  writeState,
} from './cluster-state.js'
import { type FillOptions, openFill } from './fill-generation.js'
import { openGenerations } from './generations.js'
import type { IndexNames } from './index-names.js'

export interface FollowerOptions extends Omit<FillOptions, 'catalog' | 'generations'> {
  readonly client: ClusterClient
  readonly names: IndexNames
  readonly catalog: Pick<Catalog, 'feed' | 'head' | 'headChanges' | 'chain'>
  /** What the documents depend on, beside the history. */
  readonly identity: string
  /** Fill a new generation, although the current one is complete. */
  readonly refill: boolean
  /** Milliseconds for which a replaced generation is kept. */
  readonly keep: number
  /** Takes a line for the operator. */
  readonly report: (line: string) => void
}

/** The cluster follows the catalog. */
export interface Follower {
  /** The commit that searches reflect. Undefined: no generation is complete. */
  reflected(): Oid | undefined
  lastError(): string | undefined
  /** Resolves with true when searches reflect the commit, with false after the time or on abort. */
  waitFor(commit: Oid, milliseconds: number, signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

/** Milliseconds until what failed is tried again: the first time, and at most. */
const retry = { first: 500, longest: 30_000 }
/** Milliseconds after which the catalog is looked at without a notification. */
const lookEvery = 60_000
/** Milliseconds between two refreshes while revisions keep coming. */
const refreshEvery = 1000

/**
 * Copies every revision to the cluster in the background, in the order of history. A failed request is retried with
 * increasing delays.
 */
export function followCatalog(options: FollowerOptions): Follower {
  const { client, names, catalog, identity, report } = options
  const closing = new AbortController()
  const { signal } = closing
  const generations = openGenerations(client, names, report)
  const fill = openFill({ ...options, generations })
  const waiting = new Set<() => void>()
  let state: ClusterState | undefined
  let wantsRefill = options.refill
  let reflected: Oid | undefined
  let refreshed = Number.NEGATIVE_INFINITY
  let lastError: string | undefined

  async function change(next: ClusterState): Promise<ClusterState> {
    await writeState(client, names, next)
    state = next
    return next
  }

  /** Whether the history continues from where a generation is. */
  function isFollowing({ commit, identity: made }: Generation): boolean {
    return made === identity && (commit === undefined || catalog.chain.positionOf(commit) !== undefined)
  }

  /** Plans a new generation where the current one cannot be continued. */
  async function planned(before: ClusterState): Promise<ClusterState> {
    const { current, next, retired } = before
    if (next && isFollowing(next)) return before
    const needsNext = !current || !isFollowing(current) || wantsRefill || next !== undefined
    if (!needsNext) return before
    wantsRefill = false
    return await change({
      ...before,
      next: { number: latestGeneration(before) + 1, identity },
      retired: next ? [...retired, { number: next.number, at: Date.now() }] : retired,
    })
  }

  /** @returns whether there is more to do at once */
  async function goOnce(): Promise<boolean> {
    if (catalog.head() === undefined) return false
    if (!state) {
      const stored = await readState(client, names)
      await generations.prepare(stored.current?.number)
      state = stored
    }
    const planning = await planned(state)
    const isAhead = await continueCurrent(planning)
    const isFilling = await continueNext(state)
    await deleteRetired(state)
    return isAhead || isFilling
  }

  async function continueCurrent(before: ClusterState): Promise<boolean> {
    const { current } = before
    if (!current) return false
    if (!isFollowing(current)) {
      reflected ??= current.commit
      return false
    }
    const part = await fill(current, true, signal)
    reportRejected(part.rejected)
    if (part.commit !== current.commit)
      await change({ ...before, current: { ...current, commit: part.commit } })
    if (part.commit !== reflected && (!part.more || performance.now() - refreshed > refreshEvery)) {
      await generations.refresh(current.number)
      reflect(part.commit)
    }
    return part.more
  }

  async function continueNext(before: ClusterState): Promise<boolean> {
    const { next } = before
    if (!next) return false
    const part = await fill(next, false, signal)
    reportRejected(part.rejected)
    const filled = { ...next, commit: part.commit }
    if (part.commit !== next.commit) await change({ ...before, next: filled })
    if (part.more || part.commit !== catalog.head()) return true
    await publish(filled)
    return false
  }

  /** Makes a complete generation the one that answers. */
  async function publish(complete: Generation): Promise<void> {
    await generations.refresh(complete.number)
    await generations.publish(complete.number)
    const { current, retired = [] } = state ?? {}
    await change({
      current: complete,
      retired: current ? [...retired, { number: current.number, at: Date.now() + options.keep }] : retired,
    })
    if (complete.commit !== undefined) reflect(complete.commit)
  }

  async function deleteRetired(before: ClusterState): Promise<void> {
    const due = before.retired.filter(({ at }) => at <= Date.now())
    if (due.length === 0) return
    for (const { number } of due) await generations.remove(number)
    await change({ ...before, retired: before.retired.filter(entry => !due.includes(entry)) })
  }

  function reflect(commit: Oid): void {
    reflected = commit
    refreshed = performance.now()
    for (const wake of [...waiting]) wake()
  }

  function reportRejected(rejected: readonly { readonly id: string; readonly reason: string }[]): void {
    for (const { id, reason } of rejected)
      report(`${client.address} does not take the document ${id}: ${reason}`)
  }

  async function goOn(): Promise<void> {
    let delay = retry.first
    while (!signal.aborted) {
      const { count } = catalog.headChanges
      try {
        const more = await goOnce()
        if (lastError !== undefined) report(`${client.address} is in order again.`)
        lastError = undefined
        delay = retry.first
        if (!more) await catalog.headChanges.next(count, lookEvery, signal)
      } catch (error) {
        if (signal.aborted) return
        failed(error)
        await rest(delay)
        delay = Math.min(2 * delay, retry.longest)
      }
    }
  }

  function failed(error: unknown): void {
    const text = error instanceof ProblemError || error instanceof Error ? error.message : String(error)
    if (text !== lastError) report(text)
    lastError = text
    // The cluster may have lost what was in it.
    state = undefined
  }

  /** Ended early at the end. */
  async function rest(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
  }

  const going = goOn()
  return {
    reflected: () => reflected,
    lastError: () => lastError,
    waitFor: (commit, milliseconds, ended) =>
      waitUntil(() => hasReached(commit), waiting, milliseconds, AbortSignal.any([ended, signal])),
    async close() {
      closing.abort()
      await going
    },
  }

  function hasReached(commit: Oid): boolean {
    const [here, wanted] = [reflected, commit].map(oid => oid && catalog.chain.positionOf(oid))
    return here !== undefined && wanted !== undefined && here >= wanted
  }
}

/** Asks a question again whenever it is woken. */
function waitUntil(
  isTrue: () => boolean,
  waiting: Set<() => void>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (isTrue()) return Promise.resolve(true)
  if (signal.aborted || milliseconds <= 0) return Promise.resolve(false)
  return new Promise(resolve => {
    function end(answer: boolean): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', give)
      waiting.delete(wake)
      resolve(answer)
    }
    const wake = () => {
      if (isTrue()) end(true)
    }
    const give = () => end(false)
    const timer = setTimeout(give, milliseconds)
    signal.addEventListener('abort', give)
    waiting.add(wake)
  })
}
