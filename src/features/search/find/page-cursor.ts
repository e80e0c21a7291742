import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto'
import type { SqlRow, SqlValue } from '../../../catalog/database/sqlite-connection.js'
import { tryParseJson } from '../../../core/json/try-parse.js'
import { malformedRequest } from '../../../core/problem.js'
import type { SearchRequest } from '../search-engine.js'

/** The end of a page, after which the next page begins. */
export type HitCursor =
  /** The page ends with this row of a revision, newest first. */
  | { readonly by: 'newest'; readonly rev: number }
  /** The page ends with a hit that has these values in the columns of the order. */
  | { readonly by: 'columns'; readonly place: SqlRow }
  | ScoreCursor

export interface ScoreCursor {
  readonly by: 'score'
  /** The rows of the last hits of the page, the last one first. */
  readonly last: readonly number[]
  /** The score of the last hit when the page was read. */
  readonly score: number
  /** The lowest row whose hit is ranked by score; 0: all hits are. */
  readonly rankedFrom: number
  /** The row of the newest hit when the first page was read. */
  readonly until: number
}

const cipher = 'aes-256-gcm'
/** Bytes of the initialization vector and the authentication tag. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
const vectorLength = 12
const tagLength = 16

/**
 * Writes a cursor. It is encrypted, because row numbers tell how many records there are, hidden ones included, and
 * because a forged cursor could ask for more hits in the order of their scores than a search ranks. The same place has
 * the same text, so that records that the caller does not see never change a page.
 * @returns the text of a cursor, for the next page of the same request
 */
export function writeCursor(cursor: HitCursor, request: SearchRequest, identity: string): string {
  const fields: readonly unknown[] =
    cursor.by === 'newest'
      ? ['n', cursor.rev]
      : cursor.by === 'columns'
        ? ['c', ...cursor.place]
        : ['s', cursor.score, cursor.rankedFrom, cursor.until, ...cursor.last]
  const key = keyOf(request, identity)
  const text = JSON.stringify(fields)
  // The vector depends on the text, because the cipher demands another vector for each text with one key.
  const vector = createHmac('sha256', key).update(text).digest().subarray(0, vectorLength)
  const sealing = createCipheriv(cipher, key, vector)
  const sealed = [sealing.update(text), sealing.final()]
  return Buffer.concat([vector, sealing.getAuthTag(), ...sealed]).toString('base64url')
}

/** Limit of the characters of a cursor. */
const maxCursorLength = 4000

/**
 * Decrypts the cursor of a page.
 * @throws ProblemError `malformed-request` for a cursor of another request, or of an earlier build of the index
 */
export function readCursor(text: string, request: SearchRequest, identity: string): HitCursor {
  const bytes = Buffer.from(text.length > maxCursorLength ? '' : text, 'base64url')
  const opened = bytes.toString('base64url') === text ? decrypted(bytes, keyOf(request, identity)) : undefined
  const fields = opened === undefined ? undefined : tryParseJson(opened)
  const cursor = Array.isArray(fields) ? cursorOf(fields) : undefined
  if (!cursor) {
    throw malformedRequest(
      'The cursor is not of this search, or the index has been made anew since. Begin again at the first page.',
    )
  }
  return cursor
}

/** Undefined for bytes that were not encrypted with this key. */
function decrypted(bytes: Buffer, key: Buffer): string | undefined {
  const tagEnd = vectorLength + tagLength
  if (bytes.length < tagEnd) return undefined
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, vectorLength), { authTagLength: tagLength })
  opening.setAuthTag(bytes.subarray(vectorLength, tagEnd))
  const text = opening.update(bytes.subarray(tagEnd))
  try {
    return Buffer.concat([text, opening.final()]).toString()
  } catch {
    // The bytes were changed, or encrypted with another key.
    return undefined
  }
}

function cursorOf([kind, ...fields]: readonly unknown[]): HitCursor | undefined {
  const isNumber = (value: unknown): value is number => typeof value === 'number'
  if (kind === 'n') return isNumber(fields[0]) ? { by: 'newest', rev: fields[0] } : undefined
  if (kind === 'c') {
    const isPlace = fields.every(value => isNumber(value) || typeof value === 'string')
    return isPlace ? { by: 'columns', place: fields as SqlValue[] } : undefined
  }
  if (kind !== 's' || !fields.every(isNumber)) return undefined
  const [score, rankedFrom, until, ...last] = fields
  if (score === undefined || rankedFrom === undefined || until === undefined) return undefined
  return { by: 'score', last, score, rankedFrom, until }
}

/**
 * The key for the cursors of a request, without its pages and facets. Clients do not know the identity of the index,
 * and so cannot make the key.
 */
function keyOf({ condition, filter, kinds, sort }: SearchRequest, identity: string): Buffer {
  return hash('sha256', JSON.stringify([condition, filter, kinds, sort, identity]), 'buffer')
}
