import type { Catalog } from '../../../catalog/catalog.js'
import type { Oid } from '../../../core/value-types.js'
import type { ConnectorRewind } from '../connectors/connector-files.js'
import { type ClusterState, type Generation, latestGeneration } from './cluster-state.js'

interface PlanOptions {
  readonly catalog: Pick<Catalog, 'chain'>
  /** Identifies what the documents depend on in addition to the history. Begins with the version of their mapping. */
  readonly identity: string
  /** Number of the highest generation that has an index, even if the state does not name it. */
  latestIndices(): number
}

/**
 * A generation at the commit from which this server goes on, or why it cannot: `foreign` documents depend on other
 * options or another version; `ahead`: another server has brought the generation to a commit that this server does not
 * have yet; `lost`: the history has no commit from which to go on.
 */
type GenerationStatus = Generation | 'foreign' | 'ahead' | 'lost'

/** Tells whether this server can go on with a generation. */
export interface GenerationStatuses {
  of(generation: Generation): GenerationStatus
  /** Whether a generation has data of commits that the history of this server has lost. */
  isLost(generation: Generation): boolean
  /** Whether this server has already sent revisions to any generation, in the history as it is now. */
  hasBegun(): boolean
  /** Notes the commit to which this server has brought a generation. */
  reached(generation: Generation, commit: Oid, isCurrent: boolean): void
}

export function openGenerationStatuses({
  catalog: { chain },
  identity,
}: Pick<PlanOptions, 'catalog' | 'identity'>): GenerationStatuses {
  /** The commit to which this server has brought each generation. Other servers may be ahead, or may have gone back. */
  const own = new Map<number, Oid>()
  /** The last commit to which this server has brought a generation that answers searches. */
  let followed: Oid | undefined
  const isKnown = (commit: Oid | undefined) => commit !== undefined && isInHistory(chain, commit)

  function of(generation: Generation): GenerationStatus {
    if (generation.identity !== identity) return 'foreign'
    if (isInHistory(chain, generation.commit)) return generation
    const reached = own.get(generation.number)
    if (reached !== undefined && isKnown(reached)) return { ...generation, commit: reached }
    return isKnown(followed) ? 'ahead' : 'lost'
  }

  return {
    of,
    isLost(generation) {
      const status = of(generation)
      return status === 'lost' || (status === 'foreign' && !isInHistory(chain, generation.commit))
    },
    hasBegun: () => [...own.values()].some(isKnown),
    reached({ number }, commit, isCurrent) {
      own.set(number, commit)
      if (isCurrent) followed = commit
    },
  }
}

/** Whether the history has the commit that a generation reflects. */
export function isInHistory(chain: Catalog['chain'], commit: Oid | undefined): boolean {
  return commit === undefined || chain.positionOf(commit) !== undefined
}

/**
 * Plans a new generation if the current one cannot continue, or is to be replaced.
 * @throws Error if another server has planned a new generation with other options: the server that was started last
 *   decides
 */
export function planned(
  options: PlanOptions,
  statuses: GenerationStatuses,
  before: ClusterState,
  wantsRefill: boolean,
): ClusterState {
  const { current, next } = before
  const [present, coming] = [current, next].map(generation => generation && statuses.of(generation))
  if (isGood(coming)) return before
  if (statuses.hasBegun()) {
    if (isGood(present) && !wantsRefill) return before
    if ((coming ?? present) === 'foreign') throw new Error(otherOptions)
  } else if (isGood(present) && !wantsRefill && !next) return before
  return withNewGeneration(options, before)
}

const otherOptions =
  'Another server fills the same indices with another --base-url, other --search-ids or another version. ' +
  'Give both the same, or stop one of them and restart the other.'

/** Whether a generation needs no replacement. */
function isGood(status: GenerationStatus | undefined): boolean {
  return typeof status === 'object' || status === 'ahead'
}

function withNewGeneration({ identity, latestIndices }: PlanOptions, before: ClusterState): ClusterState {
  const { next, retired } = before
  // A cluster that has lost the state may still have indices, some of them without the mapping of the template.
  const number = Math.max(latestGeneration(before), latestIndices()) + 1
  return {
    ...before,
    next: { number, identity },
    retired: next ? [...retired, { number: next.number, at: Date.now() }] : retired,
  }
}

/**
 * Limit of the done rewinds that are remembered. More than the servers that feed a cluster: a forgotten rewind is done
 * again.
 */
const maxRewinds = 100

/**
 * The state after the rewind that commands have asked for last.
 * @param asked the rewind, which may be done already; undefined if there is none
 * @param report takes a line for the operator
 */
export function afterRewind(
  options: PlanOptions,
  statuses: GenerationStatuses,
  before: ClusterState,
  asked: ConnectorRewind | undefined,
  report: (line: string) => void,
): ClusterState {
  const { catalog } = options
  const { current, next, rewinds = [] } = before
  if (asked === undefined || rewinds.includes(asked.id)) return before
  const noted = { ...before, rewinds: [...rewinds, asked.id].slice(-maxRewinds) }
  const { to } = asked
  if (to === undefined) return withNewGeneration(options, noted)
  const wanted = catalog.chain.positionOf(to)
  if (wanted === undefined) {
    report(`The search does not go back to commit ${to}: the served history has lost it.`)
    return noted
  }
  const back = (generation: Generation): Generation => {
    const { commit } = generation
    if (commit === undefined) return generation
    const here = catalog.chain.positionOf(commit)
    // A commit that only another server has is later than the wanted one.
    const isLater = here === undefined ? isGood(statuses.of(generation)) : here > wanted
    return isLater ? { ...generation, commit: to } : generation
  }
  return { ...noted, ...(current && { current: back(current) }), ...(next && { next: back(next) }) }
}
