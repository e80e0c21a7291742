import type { Catalog } from '../../catalog/catalog.js'
import type { Oid } from '../../core/value-types.js'
import type { ConnectorRewind, ConnectorStatus } from '../connectors/connector-files.js'
import type { RejectedDocument } from './bulk-request.js'
import type { ClusterClient } from './cluster-client.js'
import {
  type ClusterState,
  type Generation,
  latestGeneration,
  readState,
  writeState,
} from './cluster-state.js'
import { type FilledPart, type FillOptions, openFill } from './fill-generation.js'
import { type Generations, openGenerations } from './generations.js'
import type { IndexNames } from './index-names.js'

export interface GenerationOptions extends Omit<FillOptions, 'catalog' | 'generations'> {
  readonly catalog: Pick<Catalog, 'feed' | 'head' | 'chain' | 'committed'>
  /** Names what the documents depend on in addition to the history; begins with their version and a blank. */
  readonly identity: string
  /** Fill a new generation, although the current one is complete. */
  readonly refill: boolean
  /** The last request to send revisions again; it may be done already. */
  rewind(): ConnectorRewind | undefined
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
  /** Reads what there is to search in, and changes nothing. @throws ClusterError */
  readState(): Promise<void>
  /** For commands. */
  progress(): Pick<ConnectorStatus, 'filling' | 'rewind'>
  /** Reads the state again the next time: the cluster may have lost what was in it. */
  forget(): void
}

/** Milliseconds between two refreshes while revisions keep coming. */
const refreshInterval = 1000

/**
 * The current generation follows the catalog and answers. The next one is filled from the beginning, and takes its
 * place when it is complete.
 */
export function openGenerationUpdates(options: GenerationOptions): GenerationUpdates {
  const { client, names, catalog, report } = options
  const generations = openGenerations(client, names, report)
  const fillPart = openFill({ ...options, generations })
  const stored = openStoredState(client, names, generations)
  const reflected = openReflection(options.reflect)
  let wantsRefill = options.refill

  async function fill(generation: Generation, isCurrent: boolean, signal: AbortSignal): Promise<FilledPart> {
    const part = await fillPart(generation, isCurrent, signal)
    reportRejected(client.address, part.rejected, report)
    return part
  }

  /**
   * The current generation answers until the next one is complete, unless its documents lack what queries of this version
   * ask for.
   */
  function answerFrom({ current }: ClusterState): void {
    if (current?.commit === undefined || versionOf(current) !== versionOf(options)) return
    if (reflected.commit() === undefined) reflected.advanceTo(current.commit)
  }

  async function continueCurrent(before: ClusterState, signal: AbortSignal): Promise<boolean> {
    const { current } = before
    if (!current) return false
    if (!isFollowing(options, current)) {
      answerFrom(before)
      return false
    }
    const { commit, more } = await fill(current, true, signal)
    if (commit !== current.commit) await stored.change({ ...before, current: { ...current, commit } })
    if (commit !== reflected.commit() && (!more || reflected.isOld())) {
      await generations.refresh(current.number)
      reflected.advanceTo(commit)
    }
    return more
  }

  async function continueNext(before: ClusterState, signal: AbortSignal): Promise<boolean> {
    const { next } = before
    if (!next) return false
    const { commit, more } = await fill(next, false, signal)
    const filled = { ...next, commit }
    if (commit !== next.commit) await stored.change({ ...before, next: filled })
    if (more || commit !== catalog.head()) return true
    await generations.refresh(next.number)
    await generations.publish(next.number)
    const { current, retired } = before
    // A purge has rewritten the history: the removed data leaves the cluster at once.
    const isRewritten = current !== undefined && !isInHistory(catalog.chain, current.commit)
    const at = Date.now() + (isRewritten ? 0 : options.keep)
    const old = [
      ...(isRewritten ? retired.map(({ number }) => number) : []),
      ...(current ? [current.number] : []),
    ]
    const kept = isRewritten ? [] : retired
    const { rewind } = before
    await stored.change({
      ...(rewind !== undefined && { rewind }),
      current: filled,
      retired: [...kept, ...old.map(number => ({ number, at }))],
    })
    reflected.advanceTo(commit)
    return false
  }

  async function deleteRetired(before: ClusterState): Promise<void> {
    const due = before.retired.filter(({ at }) => at <= Date.now())
    if (due.length === 0) return
    for (const { number } of due) await generations.remove(number)
    await stored.change({ ...before, retired: before.retired.filter(entry => !due.includes(entry)) })
  }

  return {
    async next(signal) {
      if (catalog.head() === undefined) return false
      const before = await stored.read()
      const plan = withPlannedGeneration(options, afterRewind(options, before), wantsRefill)
      if (plan !== before) await stored.change(plan)
      wantsRefill = false
      const isBehind = await continueCurrent(await stored.read(), signal)
      const isFilling = await continueNext(await stored.read(), signal)
      await deleteRetired(await stored.read())
      return isBehind || isFilling
    },
    readState: async () => answerFrom(await stored.look()),
    progress() {
      const { next, rewind } = stored.last() ?? {}
      const filling = next && { generation: next.number, ...(next.commit && { commit: next.commit }) }
      return { ...(filling && { filling }), ...(rewind !== undefined && { rewind }) }
    },
    forget: stored.forget,
  }
}

/** The state in the cluster, and a copy of it. */
function openStoredState(client: ClusterClient, names: IndexNames, generations: Generations) {
  let known: ClusterState | undefined
  /** Not dropped: what was done stays done while the cluster is away. */
  let last: ClusterState | undefined
  const keep = (state: ClusterState) => {
    known = state
    last = state
  }
  return {
    /** Reads the state and prepares the indices, unless the copy is there. @throws ClusterError */
    async read(): Promise<ClusterState> {
      if (known) return known
      const state = await readState(client, names)
      await generations.prepare(state.current?.number)
      keep(state)
      return state
    },
    /** Reads the state only. @throws ClusterError */
    async look(): Promise<ClusterState> {
      last = known ?? (await readState(client, names))
      return last
    },
    /** The last one that was read or written. */
    last: () => last,
    /** @throws ClusterError */
    async change(next: ClusterState): Promise<void> {
      await writeState(client, names, next)
      keep(next)
    },
    /** Drops the copy. */
    forget(): void {
      known = undefined
    },
  }
}

/** The commit that searches reflect. @param reflect takes each new one */
function openReflection(reflect: (commit: Oid) => void) {
  let last = { commit: undefined as Oid | undefined, at: Number.NEGATIVE_INFINITY }
  return {
    commit: () => last.commit,
    isOld: () => performance.now() - last.at > refreshInterval,
    advanceTo(commit: Oid): void {
      last = { commit, at: performance.now() }
      reflect(commit)
    },
  }
}

/** The version of the documents of a generation, with which its identity begins. */
function versionOf({ identity }: Pick<Generation, 'identity'>): string | undefined {
  return identity.split(' ')[0]
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

/** Plans a new generation if the current one cannot continue, or is to be replaced. */
function withPlannedGeneration(
  options: GenerationOptions,
  before: ClusterState,
  wantsRefill: boolean,
): ClusterState {
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

/** The state after the last rewind that commands have asked for. */
function afterRewind(
  { catalog, identity, rewind, report }: GenerationOptions,
  before: ClusterState,
): ClusterState {
  const asked = rewind()
  if (asked === undefined || asked.id === before.rewind) return before
  const { current, next, retired } = before
  const { to } = asked
  if (to === undefined) {
    return {
      ...before,
      rewind: asked.id,
      next: { number: latestGeneration(before) + 1, identity },
      retired: next ? [...retired, { number: next.number, at: Date.now() }] : retired,
    }
  }
  const wanted = catalog.chain.positionOf(to)
  if (wanted === undefined)
    report(`The search does not go back to commit ${to}: the served history has lost it.`)
  const back = <T extends Generation | undefined>(generation: T): T => {
    const here = generation?.commit && catalog.chain.positionOf(generation.commit)
    return here === undefined || wanted === undefined || here <= wanted
      ? generation
      : { ...generation, commit: to }
  }
  return {
    ...before,
    rewind: asked.id,
    ...(current && { current: back(current) }),
    ...(next && { next: back(next) }),
  }
}

function reportRejected(
  address: string,
  rejected: readonly RejectedDocument[],
  report: (line: string) => void,
): void {
  for (const { id, reason } of rejected) report(`${address} rejects the document ${id}: ${reason}`)
}
