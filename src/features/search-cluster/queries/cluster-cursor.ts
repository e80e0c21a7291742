import { hash } from 'node:crypto'
import { tryParseJson } from '../../../core/json/try-parse.js'
import { malformedRequest } from '../../../core/problem.js'
import type { SearchRequest } from '../../search/search-engine.js'

/**
 * The sort values of a hit, which identify its place in the order. The next page begins after it (`search_after`).
 */
export type HitPosition = readonly (string | number | null)[]

/** Limit of the characters of a cursor. */
const maxCursorLength = 8192

/** A hash of the query of a cursor: hits of another query have another order. */
function fingerprint({ condition, filter, kinds, sort }: SearchRequest): string {
  return hash('sha256', JSON.stringify([condition, filter, kinds, sort]), 'base64url').slice(0, 16)
}

/** The cursor of the page that begins after a hit. */
export function formatHitCursor(request: SearchRequest, position: HitPosition): string {
  return Buffer.from(JSON.stringify([fingerprint(request), position])).toString('base64url')
}

/**
 * The position in a cursor that {@link formatHitCursor} made for the same query.
 * @throws ProblemError `malformed-request` for a cursor of another query, and for a text that is no cursor
 */
export function parseHitCursor(request: SearchRequest, cursor: string): HitPosition {
  const parsed =
    cursor.length > maxCursorLength ? undefined : tryParseJson(Buffer.from(cursor, 'base64url').toString())
  if (Array.isArray(parsed) && parsed[0] === fingerprint(request) && isPosition(parsed[1])) return parsed[1]
  throw malformedRequest('The cursor belongs to another query. Begin again without a cursor.')
}

function isPosition(value: unknown): value is HitPosition {
  return (
    Array.isArray(value) &&
    value.every(entry => entry === null || typeof entry === 'string' || typeof entry === 'number')
  )
}
