import type { Catalog } from '../../../catalog/catalog.js'
import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { type Oid, toInstant } from '../../../core/value-types.js'
import { firstCommit } from '../../../service/points/resolve-point.js'
import type { Transactions } from '../../../service/updates/submit-update.js'
import type { HarvestPage } from '../rows/harvest-query.js'
import { HarvestError } from './harvest-error.js'
import { selectionOfPrefix } from './harvest-formats.js'
import type { HarvestItem, HarvestPages } from './harvest-pages.js'
import { intersection, type Selection, selectionOfSet } from './harvest-sets.js'
import { harvestVisibilityOf } from './harvester-access.js'
import {
  type Continuation,
  type HarvestListRequest,
  openResumptionTokens,
  type ResumptionTokens,
} from './resumption-token.js'

/** A part of a list. It has one item more than usual if a single item would be left for the next part. */
export interface HarvestPart {
  readonly request: HarvestListRequest
  readonly items: number
  /** Number of items of the list before this part. */
  readonly cursor: number
  /** Number of items of the whole list when the harvester asked for its first part. */
  readonly total: number
  readonly isContinued: boolean
  /**
   * Reads items by their places in the part.
   * @throws ProblemError `unavailable` if the catalog was rebuilt meanwhile
   */
  read(from: number, to: number): readonly HarvestItem[]
  /** The token that continues the list after the first `taken` items; undefined at the end of the list. */
  tokenAfter(taken: number): string | undefined
}

/** The parts of lists. @see Harvesting */
export interface HarvestParts {
  /** The first part of a list. @param size usual number of items in a part @throws HarvestError `noRecordsMatch` */
  first(caller: Principal, request: HarvestListRequest, size: number): Promise<HarvestPart>
  /** The part with which a token continues a list. @throws HarvestError `noRecordsMatch` if no record is left */
  next(caller: Principal, continuation: Continuation, size: number): Promise<HarvestPart>
  /** Reads a resumption token. @throws HarvestError `badResumptionToken` */
  continuationOf(token: string): Promise<Continuation>
}

export interface HarvestPartsOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'chain'>
  readonly harvest: HarvestPages
  readonly transactions: Pick<Transactions, 'readCommitted'>
}

export function openHarvestParts({ catalog, harvest, transactions }: HarvestPartsOptions): HarvestParts {
  const { committed, chain } = catalog
  const tokens = openTokensOfHistory(chain)

  async function pageOf(
    caller: Principal,
    { prefix, set, from, until }: HarvestListRequest,
    size: number,
    continuation?: Continuation,
  ): Promise<HarvestPage> {
    const selection = selectionOf(prefix, set)
    if (!selection) throw noRecordsMatch(continuation !== undefined)
    // If a single item would be left for the last part, it belongs to this part.
    const limit = size + 2
    const query = { ...selection, ...boundsOf(from, until), ...harvestVisibilityOf(committed, caller), limit }
    const place = continuation
      ? { at: { commit: continuation.commit }, after: continuation.after }
      : { counted: true }
    const page = await harvest.page({ ...query, ...place }, caller.client)
    if (page.entries.length === 0) throw noRecordsMatch(continuation !== undefined)
    return page
  }

  function partOf(
    { identity, entries, total = 0, commit }: HarvestPage,
    request: HarvestListRequest,
    size: number,
    continuation?: Continuation,
  ): HarvestPart {
    const isLast = entries.length <= size + 1
    const items = isLast ? entries : entries.slice(0, size)
    // A caller who sees no record gets purged records only. They are the same at every point.
    const point = commit ?? chain.first()
    const whole = continuation?.total ?? total
    const before = continuation?.count ?? 0
    return {
      request,
      items: items.length,
      cursor: before,
      total: whole,
      isContinued: continuation !== undefined,
      read: (start, end) => harvest.items(identity, items.slice(start, end)),
      tokenAfter(taken) {
        const last = items[taken - 1]
        if (!last || point === undefined || (isLast && taken === items.length)) return undefined
        const after = { time: last.time, id: last.id }
        return tokens().encode({ ...request, commit: point, after, count: before + taken, total: whole })
      },
    }
  }

  return {
    first: async (caller, request, size) => partOf(await pageOf(caller, request, size), request, size),
    next: async (caller, continuation, size) =>
      partOf(await pageOf(caller, continuation, size, continuation), continuation, size, continuation),
    async continuationOf(token) {
      const found = tokens().decode(token)
      if (!found) throw badToken('It is not a token of this repository, or it was altered.')
      await requireCommit(found.commit)
      return found
    },
  }

  /** Checks a commit. @throws HarvestError `badResumptionToken` if the served history does not have the commit */
  async function requireCommit(commit: Oid): Promise<void> {
    try {
      await transactions.readCommitted(() => {
        if (chain.positionOf(commit) !== undefined) return
        throw new ProblemError('not-found', 'The history has no such commit.')
      })
    } catch (error) {
      if (error instanceof ProblemError && error.kind === 'not-found')
        throw badToken('The history no longer has the state of this list.')
      throw error
    }
  }
}

/**
 * The tokens of the repository. They depend on the first commit, which changes if the history is replaced.
 * @returns a function that returns the tokens of the history now. It throws `unavailable` while the history is read
 */
function openTokensOfHistory(chain: Catalog['chain']): () => ResumptionTokens {
  let known: { readonly of: Oid; readonly tokens: ResumptionTokens } | undefined
  return () => {
    const of = firstCommit(chain)
    if (known?.of !== of) known = { of, tokens: openResumptionTokens(of) }
    return known.tokens
  }
}

function selectionOf(prefix: string, set: string | undefined): Selection | undefined {
  const ofSet = set === undefined ? {} : selectionOfSet(set)
  return ofSet && intersection(selectionOfPrefix(prefix), ofSet)
}

/** Adds the missing end of a time range with one end, because lists exclude a single end but include both. */
function boundsOf(from: number | undefined, until: number | undefined) {
  if (from === undefined && until === undefined) return {}
  return { from: toInstant(from ?? -maxTime), until: toInstant(until ?? maxTime) }
}

/** The end of the time range of ECMAScript, in milliseconds. */
const maxTime = 8.64e15

function noRecordsMatch(isContinued: boolean): HarvestError {
  return new HarvestError(
    'noRecordsMatch',
    isContinued ? 'The list has no further records.' : 'No records match the request.',
  )
}

export function badToken(reason: string): HarvestError {
  return new HarvestError('badResumptionToken', `${reason} Begin the list again.`)
}
