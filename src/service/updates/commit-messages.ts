import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
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

/** @param version undefined: the record is new */
export function metadataSubject(id: string, follows: SchemaReference, version?: Version): string {
  const label = recordLabel('metadata', id)
  const schema = `${shortId(follows.schemaId)}, version ${follows.version}`
  return version === undefined
    ? `Create ${label} (${schema})`
    : `Update ${label} to version ${version} (${schema})`
}

/** Of a revised schema. @param version undefined where it is not known */
export function schemaSubject(id: string, contentChanges: boolean, version: Version | undefined): string {
  const label = recordLabel('schema', id)
  if (contentChanges) return `Update ${label}${version === undefined ? '' : ` to version ${version}`}`
  return `Update the record of ${label}${version === undefined ? '' : ` (version ${version})`}`
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
