import type { Collection } from '../../core/records/collection.js'
import type { Version } from '../../core/value-types.js'
import { truncate } from '../../core/value-types.js'

/*
 * The subjects of our commits, for people who read `git log`. The whole id and the version are in the trailers.
 */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** An id short enough for the subject of a commit. */
function shortId(id: string): string {
  return uuid.test(id) ? `${id.slice(0, 8)}…` : truncate(id, 40)
}

/** `schema datacite`, `metadata 1f6c2a90…` */
export function recordLabel(kind: Collection, id: string): string {
  return `${kind} ${shortId(id)}`
}

/** `datacite, version 4` */
export function versionLabel(id: string, version: Version): string {
  return `${shortId(id)}, version ${version}`
}

/** The trailers that name what a commit is about. */
export function recordTrailers(
  kind: Collection,
  id: string,
  version: Version | undefined,
): readonly (readonly [string, string])[] {
  return [
    ['Record', `${kind} ${id}`],
    ...(version === undefined ? [] : [['Version', String(version)] as const]),
  ]
}
