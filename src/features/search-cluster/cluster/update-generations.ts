import type { Catalog } from '../../../catalog/catalog.js'
import type { Oid } from '../../../core/value-types.js'
import type { ConnectorRewind, ConnectorStatus } from '../connectors/connector-files.js'
import type { RejectedDocument } from './bulk-request.js'
import type { ClusterClient } from './cluster-client.js'
import {
  type ClusterState,
  type Generation,
  readState,
  StateChanged,
  type StoredState,
  writeState,
} from './cluster-state.js'
import { type Fill, type FilledPart, type FillOptions, openFill } from './fill-generation.js'
import { type Generations, openGenerations } from './generations.js'
import type { IndexNames } from './index-names.js'
import {
  afterRewind,
  type GenerationStatuses,
  isInHistory,
  openGenerationStatuses,
  planned,
} from './plan-generations.js'
import type { ReflectedCommit } from './reflected-commit.js'

export interface GenerationOptions extends Omit<FillOptions, 'catalog' | 'generations'> {
  readonly catalog: Pick<Catalog, 'feed' | 'head' | 'chain' | 'committed'>
  /** Identifies what the documents depend on in addition to the history. Begins with the version of their mapping. */
  readonly identity: string
  /** True: fill a new generation, although the current one is complete. */
  readonly refill: boolean
  /** The last request to send revisions again; it may be done already. */
  rewind(): ConnectorRewind | undefined
  /** Takes a line for the operator. */
  readonly report: (line: string) => void
  readonly reflected: ReflectedCommit
}

/** Milliseconds between two refreshes, which make revisions searchable, while more revisions are being sent. */
const refreshInterval = 1000
/** Milliseconds for which a replaced generation is kept. */
const retiredTime = 24 * 60 * 60_000

/** What the steps of the work share. */
interface UpdateParts {
  readonly options: GenerationOptions
  readonly generations: Generations
  readonly stored: StateCopy
  readonly statuses: GenerationStatuses
  readonly sending: Fill
}

/**
 * Sends revisions to the generations of indices, one part at a time, until they reflect the catalog. The current
 * generation follows the catalog and answers. The next one is filled from the beginning, and takes its place when it is
 * complete.
 */
export function openGenerationUpdates(options: GenerationOptions) {
  const { client, names, catalog, report } = options
  const generations = openGenerations(client, names, report)
  const sending = openFill({ ...options, generations })
  const stored = openStateCopy(client, names, generations)
  const statuses = openGenerationStatuses(options)
  const parts = { options, generations, stored, statuses, sending }
  const planning = { ...options, latestIndices: generations.latest }
  let wantsRefill = options.refill
  /** The id of the last rewind that commands have asked this server for, once it is done. */
  let rewound: string | undefined

  async function step(): Promise<boolean> {
    const asked = options.rewind()
    // For a new rewind, the indices are listed again: that some were deleted may be the reason for it.
    if (asked?.id !== rewound) stored.forget()
    const before = await stored.read()
    const plan = planned(
      planning,
      statuses,
      afterRewind(planning, statuses, before, asked, report),
      wantsRefill,
    )
    if (plan !== before) await stored.change(plan)
    wantsRefill = false
    rewound = asked?.id
    const isBehind = await continueCurrent(parts, await stored.read())
    const isFilling = await continueNext(parts, await stored.read())
    await deleteRetired(parts, await stored.read())
    return isBehind || isFilling
  }

  return {
    /**
     * Does the next part of the work.
     * @returns whether there is more to do at once
     * @throws ClusterError, ProblemError
     */
    async next(): Promise<boolean> {
      if (catalog.head() === undefined) return false
      try {
        return await step()
      } catch (error) {
        if (!(error instanceof StateChanged)) throw error
        // The next step reads what the other server has written, and decides again.
        stored.forget()
        return true
      }
    },
    /** Reads which commit can be searched, and changes nothing. @throws ClusterError */
    async readState(): Promise<void> {
      const state = await stored.look()
      goBack(options, state.current)
      answerFrom(options, state)
    },
    /** The progress that commands show. */
    progress(): Pick<ConnectorStatus, 'filling' | 'rewind'> {
      const { next } = stored.last() ?? {}
      const filling = next && { generation: next.number, ...(next.commit && { commit: next.commit }) }
      return { ...(filling && { filling }), ...(rewound !== undefined && { rewind: rewound }) }
    },
    /** The schemas whose documents are sent again to the generation that answers. */
    again: () => stored.last()?.current?.again ?? [],
    /** Reads the state again the next time: another server may have changed it, or the cluster may have lost it. */
    forget: stored.forget,
  }
}

/** Sends the next part to the generation that answers. @returns whether there is more to do at once */
async function continueCurrent(parts: UpdateParts, before: ClusterState): Promise<boolean> {
  const { options, generations, stored } = parts
  const { catalog, reflected } = options
  const { current } = before
  goBack(options, current)
  if (!current) return false
  const part = await fill(parts, current, true)
  if (!part) {
    answerFrom(options, before)
    return false
  }
  const { commit, more } = part
  const filled = withPart(catalog.chain, current, part)
  if (filled !== current) await stored.change({ ...before, current: filled })
  const sent = await sendAgain(parts, filled, true)
  if (sent !== filled) await stored.change({ ...before, current: sent })
  const settled = settledCommit(catalog.chain, { ...sent, commit })
  if (settled !== reflected.commit() && (!more || reflected.age() > refreshInterval)) {
    await generations.refresh(current.number)
    reflected.moveTo(settled)
  }
  return more || (sent.again !== undefined && sent !== filled)
}

/**
 * Sends the next part to the generation that is being filled. Publishes the generation when it is complete.
 * @returns whether there is more to do at once
 */
async function continueNext(parts: UpdateParts, before: ClusterState): Promise<boolean> {
  const { options, generations, stored, statuses } = parts
  const { catalog, reflected } = options
  const { next, current } = before
  const part = next && (await fill(parts, next, false))
  if (!part) return false
  const { commit, more } = part
  const filled = withPart(catalog.chain, next, part)
  const sent = await sendAgain(parts, filled, false)
  // Another server has brought the current generation further. It goes on until the next one has its commits, too.
  const lacksCommits =
    current !== undefined && !isInHistory(catalog.chain, current.commit) && !statuses.isLost(current)
  const isComplete = !more && commit === catalog.head() && !lacksCommits && !sent.again
  // If another server has planned anything else, this write fails before the aliases move.
  if (sent !== next || isComplete) await stored.change({ ...before, next: sent })
  if (!isComplete) return more || commit !== catalog.head() || (sent.again !== undefined && sent !== filled)
  await generations.refresh(next.number)
  await generations.publish(next.number)
  await stored.change(withReplacedCurrent(before, sent, statuses))
  statuses.reached(next, commit, true)
  reflected.moveTo(commit)
  return false
}

/** The state in which a complete generation replaces the current one, which is retired. */
function withReplacedCurrent(
  before: ClusterState,
  filled: Generation,
  statuses: GenerationStatuses,
): ClusterState {
  const { next: _, ...rest } = before
  const { current, retired } = rest
  // A purge has rewritten the history: the removed data leaves the cluster at once.
  const isRewritten = current !== undefined && statuses.isLost(current)
  const time = Date.now() + (isRewritten ? 0 : retiredTime)
  const old = [
    ...(isRewritten ? retired.map(({ number }) => number) : []),
    ...(current ? [current.number] : []),
  ]
  const kept = isRewritten ? [] : retired
  return { ...rest, current: filled, retired: [...kept, ...old.map(number => ({ number, at: time }))] }
}

/** Deletes the retired generations whose time has come. */
async function deleteRetired({ generations, stored }: UpdateParts, before: ClusterState): Promise<void> {
  const due = before.retired.filter(({ at }) => at <= Date.now())
  if (due.length === 0) return
  for (const { number } of due) await generations.remove(number)
  await stored.change({ ...before, retired: before.retired.filter(entry => !due.includes(entry)) })
}

/** Fills a generation with a part of the history. @returns undefined if this server cannot bring it forward */
async function fill(
  { options, statuses, sending }: UpdateParts,
  generation: Generation,
  isCurrent: boolean,
): Promise<FilledPart | undefined> {
  const status = statuses.of(generation)
  if (typeof status === 'string') return undefined
  const part = await sending.next(status, isCurrent)
  statuses.reached(generation, part.commit, isCurrent)
  reportRejected(options.client.address, part.rejected, options.report)
  return part
}

/** The generation after a part, unless another server has brought it to a commit that this server does not have yet. */
function withPart(chain: Catalog['chain'], generation: Generation, part: FilledPart): Generation {
  const { commit, again: known = [], settled } = generation
  if (!isInHistory(chain, commit) || (part.commit === commit && part.again.length === 0)) return generation
  const kept = known.filter(({ schema }) => part.again.every(each => each.schema !== schema))
  const again = [...kept, ...part.again]
  const moved = { ...generation, commit: part.commit }
  if (again.length === 0) return moved
  const before = known.length > 0 ? settled : commit
  return { ...moved, again, ...(before !== undefined && { settled: before }) }
}

/**
 * Sends the next documents of a schema that says something else about them.
 * @returns the generation after it; the same one if there is nothing to send, or if this server lacks commits of it
 */
async function sendAgain(
  { options, sending, statuses }: UpdateParts,
  generation: Generation,
  isCurrent: boolean,
): Promise<Generation> {
  const { again = [], settled: _, ...rest } = generation
  const [first, ...others] = again
  const isServed =
    typeof statuses.of(generation) === 'object' && isInHistory(options.catalog.chain, rest.commit)
  if (!first || !isServed) return generation
  const sent = await sending.again(generation, [first, ...others], isCurrent)
  reportRejected(options.client.address, sent.rejected, options.report)
  return sent.again.length > 0 ? { ...generation, again: sent.again } : rest
}

/** The commit that searches of a generation reflect. While documents are sent again, it is an earlier one. */
function settledCommit(
  chain: Catalog['chain'],
  { commit, again, settled }: Pick<Generation, 'commit' | 'again' | 'settled'>,
): Oid | undefined {
  const [here, before] = [commit, settled].map(oid => oid && chain.positionOf(oid))
  // A rewind may have gone further back.
  return again && before !== undefined && (here === undefined || before < here) ? settled : commit
}

/**
 * The current generation answers until the next one is complete, unless its documents lack what queries of this
 * version ask for.
 */
function answerFrom(options: GenerationOptions, { current }: ClusterState): void {
  const { reflected } = options
  if (current?.commit === undefined || versionOf(current) !== versionOf(options)) return
  if (reflected.commit() === undefined) reflected.moveTo(settledCommit(options.catalog.chain, current))
}

/** Moves the reflected commit back if the cluster has lost revisions, or revisions are sent again. */
function goBack({ catalog, reflected }: GenerationOptions, current: Generation | undefined): void {
  const settled = current && settledCommit(catalog.chain, current)
  const [from, to] = [reflected.commit(), settled].map(oid => oid && catalog.chain.positionOf(oid))
  const isBack = from !== undefined && to !== undefined && to < from
  if (isBack || (!current && reflected.commit() !== undefined)) reflected.moveTo(settled)
}

/** The version of the mapping of a generation, with which its identity begins. */
function versionOf({ identity }: Pick<Generation, 'identity'>): string | undefined {
  return /^\d+/.exec(identity)?.[0]
}

function reportRejected(
  address: string,
  rejected: readonly RejectedDocument[],
  report: (line: string) => void,
): void {
  for (const { id, reason } of rejected) report(`${address} rejects the document ${id}: ${reason}`)
}

export type StateCopy = ReturnType<typeof openStateCopy>

/** The state in the cluster, and a copy of it. */
function openStateCopy(client: ClusterClient, names: IndexNames, generations: Generations) {
  let known: StoredState | undefined
  /** Kept by `forget`: commands show the last progress while the cluster is away. */
  let last: ClusterState | undefined

  return {
    /** The copy of the state. Without a copy, reads the state and prepares the indices. @throws ClusterError */
    async read(): Promise<ClusterState> {
      if (known) return known.state
      const stored = await readState(client, names)
      await generations.prepare(stored.state)
      known = stored
      last = stored.state
      return last
    },
    /** Reads the state, and prepares nothing. @throws ClusterError */
    async look(): Promise<ClusterState> {
      last = (known ?? (await readState(client, names))).state
      return last
    },
    /** The state that was read or written last; undefined if there is none. */
    last: () => last,
    /** Replaces the state that was read. @throws StateChanged if another server has changed it; ClusterError */
    async change(next: ClusterState): Promise<void> {
      if (!known) throw new Error('The state of the search cluster was not read.')
      known = await writeState(client, names, next, known)
      last = next
    },
    /** Drops the copy: the next step reads the state again. */
    forget(): void {
      known = undefined
    },
  }
}
