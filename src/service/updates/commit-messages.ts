import type { Collection } from '../../core/records/collection.js'
import type { SchemaReference } from '../../core/records/record.js'
import { type Instant, instantOf, truncate, type Version } from '../../core/value-types.js'
import type { CommitInfo } from '../../store/objects/commit-format.js'

/*
 * Subjects of the server's commits, for readers of `git log`. The full id and the version are in the trailers.
 */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Shortens an id for the subject of a commit. */
function shortId(id: string): string {
  return uuid.test(id) ? `${id.slice(0, 8)}…` : truncate(id, 40)
}

/** A record in the subject of a commit, with a shortened id: `schema datacite`, `metadata 1f6c2a90…`. */
export function recordLabel(kind: Collection, id: string): string {
  return `${kind} ${shortId(id)}`
}

/**
 * The subject of a commit that creates or updates a metadata record.
 * @param version the new version; undefined: the record is new
 */
export function metadataSubject(id: string, follows: SchemaReference, version?: Version): string {
  const label = recordLabel('metadata', id)
  const schema = `${shortId(follows.schemaId)}, version ${follows.version}`
  return version === undefined
    ? `Create ${label} (${schema})`
    : `Update ${label} to version ${version} (${schema})`
}

/** The subject for a new schema. */
export function newSchemaSubject(id: string): string {
  return `Register ${recordLabel('schema', id)}`
}

/** The subject for a revised schema. @param version undefined if it is not known */
export function schemaSubject(id: string, contentChanges: boolean, version: Version | undefined): string {
  const label = recordLabel('schema', id)
  if (contentChanges) return `Update ${label}${version === undefined ? '' : ` to version ${version}`}`
  return `Update the record of ${label}${version === undefined ? '' : ` (version ${version})`}`
}

/**
 * The subject of the first step of a deletion, which revokes a record.
 * @param version undefined if it is not known
 */
export function revocationSubject(kind: Collection, id: string, version: Version | undefined): string {
  return `Revoke ${recordLabel(kind, id)}${version === undefined ? '' : ` (version ${version})`}`
}

/** The subject of the second step of a deletion, which removes the directory of a record. */
export function deletionSubject(kind: Collection, id: string): string {
  return `Delete ${recordLabel(kind, id)}`
}

/** The trailers that name the record and the version. */
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

/** The trailer with the time at which another repository made a revision. `Recorded-At` is the time of the import. */
export const originalTimeTrailer = 'Original-Time'

// regexp-time: linear, as a line has to begin with the trailer.
const originalTimeLine = new RegExp(`^${originalTimeTrailer}: (\\S+)$`, 'm')

/** The time of a revision in its first repository; undefined if it was made here, or the trailer has no time. */
export function originalTimeOf({ body }: Pick<CommitInfo, 'body'>): Instant | undefined {
  const text = originalTimeLine.exec(body)?.[1]
  // A person may have written anything into the message.
  return text === undefined ? undefined : instantOf(text)
}
