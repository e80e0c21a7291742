import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { tryParseJson } from '../../../core/json/try-parse.js'
import type { Oid } from '../../../core/value-types.js'

/** A list request of a harvester. `from` and `until` are in milliseconds, and both are included. */
export interface HarvestListRequest {
  readonly verb: 'ListRecords' | 'ListIdentifiers'
  readonly prefix: string
  readonly set?: string
  readonly from?: number
  readonly until?: number
}

/** The place where a list continues. The server does not store it. */
export interface Continuation extends HarvestListRequest {
  /** The point of the list. */
  readonly commit: Oid
  /** The last entry before the place. */
  readonly after: { readonly time: number; readonly id: string }
  /** Number of entries before the place. */
  readonly count: number
  /** Number of entries of the whole list. */
  readonly total: number
}

/** Length in bytes of the code at the beginning of a token. */
const codeLength = 8

/** Limit of the length of a token, in characters: an id and a prefix have at most 200 characters. */
const maxTokenLength = 2000

export interface ResumptionTokens {
  encode(continuation: Continuation): string
  /** Reads a token. @returns undefined for a text that is no token of the repository */
  decode(token: string): Continuation | undefined
}

/**
 * Tokens of a repository. Every clone accepts the same tokens. The code of a token detects altered tokens and those of
 * other repositories. The code is not secret: access is checked again when a token is used.
 * @param firstCommit of the served history
 */
export function openResumptionTokens(firstCommit: Oid): ResumptionTokens {
  const key = createHash('sha256').update(`git-metastore resumption token\n${firstCommit}`).digest()
  const codeOf = (bytes: Buffer) => createHmac('sha256', key).update(bytes).digest().subarray(0, codeLength)
  return {
    encode({ verb, prefix, set, from, until, commit, after, count, total }) {
      const bounds = [from ?? null, until ?? null]
      const fields = [1, commit, verb, prefix, set ?? null, ...bounds, after.time, after.id, count, total]
      const bytes = Buffer.from(JSON.stringify(fields))
      return Buffer.concat([codeOf(bytes), bytes]).toString('base64url')
    },
    decode(token) {
      if (token.length > maxTokenLength || !/^[\w-]+$/.test(token)) return undefined
      const all = Buffer.from(token, 'base64url')
      const bytes = all.subarray(codeLength)
      if (bytes.length === 0 || !timingSafeEqual(all.subarray(0, codeLength), codeOf(bytes))) return undefined
      // A different text with the same bytes is an altered token too.
      if (all.toString('base64url') !== token) return undefined
      return continuationIn(bytes.toString())
    },
  }
}

/**
 * Reads the fields of a token, and checks them: anyone who knows the first commit can compute the code of a token.
 * @returns undefined for a token of another version of the program, or of none
 */
function continuationIn(text: string): Continuation | undefined {
  const fields = tryParseJson(text)
  if (!isFields(fields)) return undefined
  const [, commit, verb, prefix, set, from, until, time, id, count, total] = fields
  return {
    verb,
    prefix,
    ...(set !== null && { set }),
    ...(from !== null && { from }),
    ...(until !== null && { until }),
    commit,
    after: { time, id },
    count,
    total,
  }
}

function isFields(fields: unknown): fields is Fields {
  if (!Array.isArray(fields) || fields.length !== 11) return false
  const [version, commit, verb, prefix, set, from, until, time, id, count, total] =
    fields as readonly unknown[]
  return (
    version === 1 &&
    [commit, prefix, id].every(each => typeof each === 'string') &&
    (verb === 'ListRecords' || verb === 'ListIdentifiers') &&
    (set === null || typeof set === 'string') &&
    [from, until].every(each => each === null || isTime(each)) &&
    isTime(time) &&
    [count, total].every(each => Number.isSafeInteger(each) && Number(each) >= 0)
  )
}

/** Whether a value is a time in milliseconds, in the range of ECMAScript. */
function isTime(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 8.64e15
}

type Fields = readonly [
  version: number,
  commit: Oid,
  verb: HarvestListRequest['verb'],
  prefix: string,
  set: string | null,
  from: number | null,
  until: number | null,
  time: number,
  id: string,
  count: number,
  total: number,
]
