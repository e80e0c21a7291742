import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Instant, Oid, Sha1, Version } from '../../core/value-types.js'
import { asVersion, toInstant } from '../../core/value-types.js'
import { recordFromText } from '../../store/records/record-json.js'
import { parseFiles } from '../database/directory-files.js'

/*
 * A revision as one row of the catalog.
 */

export type RevisionRow = readonly [
  kind: string,
  id: string,
  version: number,
  commit: string,
  time: number,
  created: number,
  json: string | null,
  type: string,
  hash: string,
  document: string,
  files: string,
  sequence: number,
  previous: number | null,
]

/** Bytes of a record that a page of a list reads with its row; a longer one is read when it is asked for. */
const shortRecord = 4096

const revisions = (record: string, created: string, from: string, json = 'b.json', more = '') => `
  SELECT ${record}.kind, ${record}.id, r.version, r.oid, r.time, ${created}, ${json}, r.type, r.hash, r.document,
    r.files, r.sequence, iif(r.version = 1, NULL,
      (SELECT max(p.version) FROM revision p WHERE p.rid = r.rid AND p.standing = 1 AND p.version < r.version))${more}
  FROM ${from} ${json === 'NULL' ? '' : 'CROSS JOIN body b ON b.body = r.body'}`

// What creates metadata is its first version: then the record needs not be looked up.
const created = `iif(n.kind = 'metadata' AND r.version = 1, r.time,
  (SELECT c.created FROM record c WHERE c.rid = r.rid))`

/** A revision by its number. */
export const revisionSql = `${revisions('c', 'c.created', 'revision r CROSS JOIN record c ON c.rid = r.rid')} WHERE r.rev = ?`

/** Revisions by their numbers, a JSON array, in its order; a long record is not read. */
export const pageRevisionsSql = `${revisions(
  'c',
  'c.created',
  'json_each(?) q CROSS JOIN revision r ON r.rev = q.value CROSS JOIN record c ON c.rid = r.rid',
  `iif(octet_length(b.json) <= ${shortRecord}, b.json, NULL)`,
  ', b.body, octet_length(b.json)',
)} ORDER BY q.key`

/** A row of {@link pageRevisionsSql}. */
export type PageRow = readonly [...RevisionRow, body: number, bytes: number]

/** Records by their `body`, a JSON array. */
export const bodiesSql = 'SELECT body, json FROM body WHERE body IN (SELECT value FROM json_each(?))'

function newestWith(json: 'b.json' | 'NULL'): string {
  const from = 'newest n CROSS JOIN revision r ON r.rev = n.rev'
  return `${revisions('n', created, from, json)} WHERE n.kind = ? AND n.id = ?`
}

/** The newest revision of a record of the tree, by kind and id. */
export const newestSql = newestWith('b.json')

/** The same without the record. */
export const newestWithoutRecordSql = newestWith('NULL')

/** @param read reads the record as JSON, where the row has none */
export function toRevision(row: RevisionRow, read?: () => string): Revision {
  return new ReadRevision(row, read)
}

/**
 * Record and files are parsed when they are asked for: not everybody who wants a document looks at them. A class, as V8 makes a
 * hidden class for every object that is given a getter of its own, and keeps it with all that the getter refers to.
 */
class ReadRevision implements Revision {
  readonly kind: Collection
  readonly id: Id
  readonly version: Version
  // Not there at all, rather than undefined.
  declare readonly previous?: Version
  readonly commit: Oid
  readonly time: Instant
  readonly createdAt: Instant
  readonly documentType: DocumentType
  readonly documentHash: Sha1
  readonly document: Oid
  readonly sequence: number
  readonly #json: string | null
  readonly #read: (() => string) | undefined
  readonly #rows: string
  #record: StoredRecord | undefined
  #files: ReadonlyMap<string, Oid> | undefined

  constructor(row: RevisionRow, read: (() => string) | undefined) {
    const [kind, id, version, commit, time, created, json, type, hash, document, files, sequence, previous] =
      row
    this.kind = kind as Collection
    this.id = id as Id
    this.version = asVersion(version)
    if (previous !== null) this.previous = asVersion(previous)
    this.commit = commit as Oid
    this.time = toInstant(time)
    this.createdAt = toInstant(created)
    this.documentType = type as DocumentType
    this.documentHash = hash as Sha1
    this.document = document as Oid
    this.sequence = sequence
    this.#json = json
    this.#read = read
    this.#rows = files
  }

  get record(): StoredRecord {
    this.#record ??= recordFromText(this.#json ?? this.#readNow())
    return this.#record
  }

  #readNow(): string {
    if (!this.#read) throw new Error('The record has not been read: the statement did not select it.')
    return this.#read()
  }

  get files(): ReadonlyMap<string, Oid> {
    this.#files ??= new Map([...parseFiles(this.#rows)].map(([file, entry]) => [file, entry.oid]))
    return this.#files
  }
}

// As those of any other revision: two of them are equal where all there is to see is.
for (const name of ['record', 'files'] as const)
  Object.defineProperty(ReadRevision.prototype, name, { enumerable: true })
