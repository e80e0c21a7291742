import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import type { Id } from '../../../core/value-types.js'
import { type ClusterClient, ClusterError, causeText, type FailureCause } from '../cluster/cluster-client.js'
import type { IndexNames } from '../cluster/index-names.js'
import type { HitPosition } from './cluster-cursor.js'
import type { AnsweredFacet } from './facet-aggregations.js'

export interface SearchSenderOptions {
  readonly client: ClusterClient
  readonly names: IndexNames
  /** Limit of the milliseconds of a search, with its repetitions. */
  readonly timeout: number
  /** Whether a search is repeated after a temporary failure. */
  readonly repeats: boolean
  /** Takes a line for the operator. */
  readonly report: (line: string) => void
}

export interface AnsweredHit {
  readonly _score: number | null
  readonly sort?: HitPosition
  /** The members that the search has asked for. */
  readonly _source: {
    readonly id: Id
    readonly metastore: {
      readonly kind: Collection
      readonly sequence?: number
      readonly shown?: { readonly title?: readonly string[] }
    }
  }
}

export interface SearchAnswer {
  readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly AnsweredHit[] }
  readonly aggregations?: Readonly<Record<string, AnsweredFacet>>
  readonly timed_out: boolean
  readonly _shards: {
    readonly failed: number
    readonly failures?: readonly { readonly reason?: FailureCause }[]
  }
}

/**
 * Milliseconds before each repetition of a search. A cluster refuses a search with 429 or 503, or leaves shards out,
 * while it has too little memory, or too many searches.
 */
const repeatDelays = [100, 300, 900, 2700]

/** Sends searches to the cluster, and tells the operator why one fails. */
export function openSearchSender(options: SearchSenderOptions): (body: object) => Promise<SearchAnswer> {
  const { client, names, report } = options
  let reported: string | undefined

  async function sendOnce(body: object, timeout: number): Promise<SearchAnswer> {
    const path = `${names.all}/_search?ignore_unavailable=true`
    const answer = await client.send<SearchAnswer>('POST', path, { body, timeout })
    // An answer from some of the shards alone would have wrong totals and facets.
    if (answer.timed_out || answer._shards.failed > 0) throw partialFailure(client, answer)
    return answer
  }

  async function sendRepeatedly(body: object): Promise<SearchAnswer> {
    const end = performance.now() + options.timeout
    const left = () => Math.max(1, Math.ceil(end - performance.now()))
    for (const delay of options.repeats ? repeatDelays : []) {
      try {
        return await sendOnce(body, left())
      } catch (error) {
        const isTemporary = error instanceof ClusterError && error.isTemporary
        if (!isTemporary || left() <= delay) throw error
        await sleep(delay)
      }
    }
    return await sendOnce(body, left())
  }

  /** @throws ProblemError `unavailable`; `malformed-request` if the cluster rejects the search */
  return async body => {
    try {
      const answer = await sendRepeatedly(body)
      reported = undefined
      return answer
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      const problem = toProblem(error)
      if (problem.kind === 'unavailable' && error.message !== reported) {
        report(`A search failed: ${error.message}`)
        reported = error.message
      }
      throw problem
    }
  }
}

function partialFailure({ address }: ClusterClient, { _shards }: SearchAnswer): ClusterError {
  const cause = _shards.failures?.[0]?.reason ?? {}
  const why = causeText(cause)
  const message = `${address} could not search in all of its shards.${why === '' ? '' : ` ${why}`}`
  return new ClusterError(message, 503, {}, cause.type)
}

function toProblem(error: ClusterError): ProblemError {
  if (error.isTemporary || error.status === 401 || error.status === 403) {
    return new ProblemError(
      'unavailable',
      'The search cluster does not answer. Records can be read and changed; search again later.',
      { retryAfter: 10 },
      { cause: error },
    )
  }
  return new ProblemError(
    'malformed-request',
    // The cluster's message may name indices of schemas that the caller may not read.
    'The search cluster refuses this search: it is too large, or compares values with others of another type.',
    {},
    { cause: error },
  )
}
