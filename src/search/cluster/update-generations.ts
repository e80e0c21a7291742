import type { Catalog } from '../../catalog/catalog.js'
import type { Oid } from '../../core/value-types.js'
import type { RejectedDocument } from './bulk-request.js'
import {
  type ClusterState,
  type Generation,
  latestGeneration,
  readState,
  writeState,
} from './cluster-state.js'
import { type FilledPart, type FillOptions, openFill } from './fill-generation.js'
import { openGenerations } from './generations.js'

export interface GenerationOptions extends Omit<FillOptions, 'catalog' | 'generations'> {
  readonly catalog: Pick<Catalog, 'feed' | 'head' | 'chain'>
  /** What the documents depend on, beside the history. */
  readonly identity: string
  /** Fill a new generation, although the current one is complete. */
  readonly refill: boolean
  /** Milliseconds for which a replaced generation is kept. */
  readonly keep: number
  /** Takes a line for the operator. */
  readonly report: (line: string) => void
  /** Takes the commit that searches reflect from now on. */
  reflect(commit: Oid): void
}

/** Brings generations of indices up to the catalog, one part at a time. */
export interface GenerationUpdates {
  /**
   * @returns whether there is more to do at once
   * @throws ClusterError, ProblemError
   */
  next(signal: AbortSignal): Promise<boolean>
  /** Reads the state again the next time: the cluster may have lost what was in it. */
  forget(): void
}

/** Milliseconds between two refreshes while revisions keep coming. */
const refreshEvery = 1000

/**
 * The current generation follows the catalog and answers. The next one is filled from the beginning, and takes its
 * place when it is complete.
 */
export function openGenerationUpdates(options: GenerationOptions): GenerationUpdates {
  const { client, names, catalog, report } = options
  const generations = openGenerations(client, names, report)
  const fillPart = openFill({ ...options, generations })
  let state: ClusterState | undefined
  let wantsRefill = options.refill
  let refreshed = { commit: undefined as Oid | undefined, at: Number.NEGATIVE_INFINITY }

  async function change(next: ClusterState): Promise<ClusterState> {
    await writeState(client, names, next)
    state = next
    return next
  }

  async function fill(generation: Generation, isCurrent: boolean, signal: AbortSignal): Promise<FilledPart> {
    const part = await fillPart(generation, isCurrent, signal)
    reportRejected(client.address, part.rejected, report)
    return part
  }

  async function opened(): Promise<ClusterState> {
    const stored = await readState(client, names)
    await generations.prepare(stored.current?.number)
    return stored
  }

  async function continueCurrent(before: ClusterState, signal: AbortSignal): Promise<boolean> {
    const { current } = before
    if (!current) return false
    if (!isFollowing(options, current)) {
      // It answers until the next one is complete.
      if (refreshed.commit === undefined && current.commit !== undefined) reflect(current.commit)
      return false
    }
    const { commit, more } = await fill(current, true, signal)
    if (commit !== current.commit) await change({ ...before, current: { ...current, commit } })
    if (commit !== refreshed.commit && (!more || performance.now() - refreshed.at > refreshEvery)) {
      await generations.refresh(current.number)
      reflect(commit)
    }
    return more
  }

  async function continueNext(before: ClusterState, signal: AbortSignal): Promise<boolean> {
    const { next } = before
    if (!next) return false
    const { commit, more } = await fill(next, false, signal)
    const filled = { ...next, commit }
    if (commit !== next.commit) await change({ ...before, next: filled })
    if (more || commit !== catalog.head()) return true
    await generations.refresh(next.number)
    await generations.publish(next.number)
    const { current, retired } = before
    // What a purge has removed from the history leaves the cluster at once.
    const isRewritten = current !== undefined && !isInHistory(catalog.chain, current.commit)
    const at = Date.now() + (isRewritten ? 0 : options.keep)
    const old = [
      ...(isRewritten ? retired.map(({ number }) => number) : []),
      ...(current ? [current.number] : []),
    ]
    const kept = isRewritten ? [] : retired
    await change({ current: filled, retired: [...kept, ...old.map(number => ({ number, at }))] })
    reflect(commit)
    return false
  }

  function reflect(commit: Oid): void {
    refreshed = { commit, at: performance.now() }
    options.reflect(commit)
  }

  async function deleteRetired(before: ClusterState): Promise<void> {
    const due = before.retired.filter(({ at }) => at <= Date.now())
    if (due.length === 0) return
    for (const { number } of due) await generations.remove(number)
    await change({ ...before, retired: before.retired.filter(entry => !due.includes(entry)) })
  }

  return {
    async next(signal) {
      if (catalog.head() === undefined) return false
      state ??= await opened()
      const plan = planned(options, state, wantsRefill)
      if (plan !== state) state = await change(plan)
      wantsRefill = false
      const isBehind = await continueCurrent(state, signal)
      const isFilling = await continueNext(state, signal)
      await deleteRetired(state)
      return isBehind || isFilling
    },
    forget() {
      state = undefined
    },
  }
}

/** Whether the history continues from where a generation is. */
function isFollowing(
  { catalog, identity }: Pick<GenerationOptions, 'catalog' | 'identity'>,
  { commit, identity: made }: Generation,
): boolean {
  return made === identity && isInHistory(catalog.chain, commit)
}

/** Whether the history still has the commit that a generation reflects. */
function isInHistory(chain: Catalog['chain'], commit: Oid | undefined): boolean {
  return commit === undefined || chain.positionOf(commit) !== undefined
}

/** Plans a new generation where the current one cannot be continued, or shall be replaced. */
function planned(options: GenerationOptions, before: ClusterState, wantsRefill: boolean): ClusterState {
  const { current, next, retired } = before
  if (next && isFollowing(options, next)) return before
  const isComplete = current && isFollowing(options, current)
  if (isComplete && !wantsRefill && !next) return before
  return {
    ...before,
    next: { number: latestGeneration(before) + 1, identity: options.identity },
    retired: next ? [...retired, { number: next.number, at: Date.now() }] : retired,
  }
}

function reportRejected(
  address: string,
  rejected: readonly RejectedDocument[],
  report: (line: string) => void,
): void {
  for (const { id, reason } of rejected) report(`${address} does not take the document ${id}: ${reason}`)
}
