import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import {
  asVersion,
  type Id,
  type Instant,
  type Oid,
  type Sha1,
  toInstant,
  type Version,
} from '../../core/value-types.js'
import { recordFromText } from '../../store/records/record-json.js'
import { parseFiles } from '../database/directory-files.js'

/** A revision as a row of the queries below. */
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

/** Limit of a record that a page of a list reads with its row, in bytes. Longer records are read when accessed. */
const shortRecord = 4096

const revisions = (record: string, created: string, from: string, json = 'b.json', more = '') => `
  SELECT ${record}.kind, ${record}.id, r.version, r.oid, r.time, ${created}, ${json}, r.type, r.hash, r.document,
    r.files, r.sequence, iif(r.version = 1, NULL,
      (SELECT max(p.version) FROM revision p WHERE p.rid = r.rid AND p.standing = 1 AND p.version < r.version))${more}
  FROM ${from} ${json === 'NULL' ? '' : 'CROSS JOIN body b ON b.body = r.body'}`

// Version 1 of a metadata record has the time of its creation, which need not be looked up then.
const created = `iif(n.kind = 'metadata' AND r.version = 1, r.time,
  (SELECT c.created FROM record c WHERE c.rid = r.rid))`

/** Selects a revision by its row number. */
export const revisionSql = `${revisions('c', 'c.created', 'revision r CROSS JOIN record c ON c.rid = r.rid')} WHERE r.rev = ?`

/** Selects revisions by a JSON array of row numbers, in its order, without long records. */
export const pageRevisionsSql = `${revisions(
  'c',
  'c.created',
  'json_each(?) q CROSS JOIN revision r ON r.rev = q.value CROSS JOIN record c ON c.rid = r.rid',
  `iif(octet_length(b.json) <= ${shortRecord}, b.json, NULL)`,
  ', b.body, octet_length(b.json)',
)} ORDER BY q.key`

/** A row of {@link pageRevisionsSql}. */
export type PageRow = readonly [...RevisionRow, body: number, bytes: number]

/** Selects records by a JSON array of their `body`. */
export const bodiesSql = 'SELECT body, json FROM body WHERE body IN (SELECT value FROM json_each(?))'

function newestWith(json: 'b.json' | 'NULL'): string {
  const from = 'newest n CROSS JOIN revision r ON r.rev = n.rev'
  return `${revisions('n', created, from, json)} WHERE n.kind = ? AND n.id = ?`
}

/** Selects the newest valid revision of a record, by kind and id. No row if the record is GONE. */
export const newestSql = newestWith('b.json')

/** As {@link newestSql}, without the record's JSON. */
export const newestWithoutRecordSql = newestWith('NULL')

/**
 * A revision from its row. Its record and its files are parsed at the first access.
 * @param read reads the record's JSON at the first access, if the row has none
 */
export function toRevision(row: RevisionRow, read?: () => string): Revision {
  return new ReadRevision(row, read)
}

/**
 * Parses record and files at the first access, because readers of documents need neither. It is a class, because V8
 * keeps a hidden class, with all that the getter refers to, for every object with an own getter.
 */
class ReadRevision implements Revision {
  readonly kind: Collection
  readonly id: Id
  readonly version: Version
  // The property is absent, not undefined, for the first version.
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

// Enumerable as in other revisions, so that a deep comparison includes them.
for (const name of ['record', 'files'] as const)
  Object.defineProperty(ReadRevision.prototype, name, { enumerable: true })
