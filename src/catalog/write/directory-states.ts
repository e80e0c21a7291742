import { once } from '../../core/data-structures/lazy-value.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import { asVersion, type Id, type Instant, type Oid, type Sha1, toInstant } from '../../core/value-types.js'
import { type DirectoryFiles, parseFiles } from '../database/directory-files.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { DirectoryState, ReplayedRecord } from '../replay/revision-rows.js'

type RecordRow = readonly [
  rid: number,
  id: string | null,
  revisions: number,
  versions: number,
  last: number,
  good: number | null,
  gone: number,
  created: number,
  goodBlob: string | null,
  goodBody: number | null,
  goodVersion: number | null,
]

/** Returns a reader of what the catalog knows of a directory; undefined for one that never was that of a record. */
export function openDirectoryStates(
  connection: Connection,
): (directory: string) => DirectoryState | undefined {
  const sql = {
    record: connection.prepare<RecordRow>(
      `SELECT c.rid, c.id, c.revisions, c.versions, c.last, c.good, c.gone, c.created, r.record_blob, r.body,
         r.version
       FROM record c LEFT JOIN revision r ON r.rev = c.good WHERE c.directory = ?`,
    ),
    first: connection.prepare<readonly [commit: string, time: number]>(
      'SELECT r.oid, r.time FROM record c CROSS JOIN revision r ON r.rev = c.first WHERE c.rid = ?',
    ),
    files: connection.prepare<readonly [string]>('SELECT files FROM revision WHERE rev = ?'),
    content: connection.prepare<readonly [string, string, string, string, string]>(
      `SELECT r.record_blob, r.type, r.document, r.hash, b.json
       FROM revision r JOIN body b ON b.body = r.body WHERE r.rev = ?`,
    ),
  }

  function firstOf(rid: number): DirectoryState['first'] {
    const row = sql.first.get(rid)
    if (!row) throw new Error(`The catalog has no first revision of record ${rid}.`)
    return { commit: row[0] as Oid, time: toInstant(row[1]) }
  }

  function filesAt(rev: number): DirectoryFiles {
    const row = sql.files.get(rev)
    return row ? parseFiles(row[0]) : new Map()
  }

  function contentAt(rev: number): ReplayedRecord | undefined {
    const row = sql.content.get(rev)
    return (
      row && {
        recordBlob: row[0] as Oid,
        documentType: row[1] as DocumentType,
        document: row[2] as Oid,
        documentHash: row[3] as Sha1,
        record: JSON.parse(row[4]) as StoredRecord,
      }
    )
  }

  const reads: ContentReads = { firstOf, filesAt, contentAt }
  return directory => {
    const row = sql.record.get(directory)
    return row && new StoredDirectory(row, reads)
  }
}

/** Reads what few updates need. */
interface ContentReads {
  firstOf(rid: number): DirectoryState['first']
  filesAt(rev: number): DirectoryFiles
  contentAt(rev: number): ReplayedRecord | undefined
}

/** A class, because V8 keeps a hidden class, with all that the getters refer to, for every object with own getters. */
class StoredDirectory implements DirectoryState {
  readonly rid: number
  readonly id: Id | undefined
  readonly revisions: number
  readonly versions: number
  readonly createdAt: Instant
  readonly served: boolean
  readonly gone: boolean
  readonly validRow: number | null
  readonly state: DirectoryState['state']
  readonly #first: () => DirectoryState['first']
  readonly #files: () => DirectoryFiles
  readonly #content: () => ReplayedRecord | undefined

  constructor(row: RecordRow, { firstOf, filesAt, contentAt }: ContentReads) {
    const [rid, id, revisions, versions, newest, good, gone, created, recordBlob, body, version] = row
    this.rid = rid
    this.id = (id ?? undefined) as Id | undefined
    this.revisions = revisions
    this.versions = versions
    this.createdAt = toInstant(created)
    this.served = good !== null && gone === 0
    this.gone = gone === 1
    this.validRow = good
    this.state =
      recordBlob === null || body === null || version === null
        ? undefined
        : { recordBlob: recordBlob as Oid, body, version: asVersion(version) }
    this.#first = once(() => firstOf(rid))
    this.#files = once(() => filesAt(newest))
    this.#content = once(() => (good === null ? undefined : contentAt(good)))
  }

  get first(): DirectoryState['first'] {
    return this.#first()
  }

  get files(): DirectoryFiles {
    return this.#files()
  }

  get validState(): ReplayedRecord | undefined {
    return this.#content()
  }
}
