import type { StoredRecord } from '../core/record.js'
import type { DocumentType, Id, Instant, Kind, Oid, Sha1, Version } from '../core/values.js'
import { toInstant, toVersion } from '../core/values.js'
import type { Revision } from './catalog.js'
import { parseFiles } from './rows.js'

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

const revisions = (record: string, created: string, from: string, json = 'b.json') => `
  SELECT ${record}.kind, ${record}.id, r.version, r.oid, r.time, ${created}, ${json}, r.type, r.hash, r.document,
    r.files, r.sequence, iif(r.version = 1, NULL,
      (SELECT max(p.version) FROM revision p WHERE p.rid = r.rid AND p.standing = 1 AND p.version < r.version))
  FROM ${from} ${json === 'NULL' ? '' : 'CROSS JOIN body b ON b.body = r.body'}`

// What creates metadata is its first version: then the record needs not be looked up.
const created = `iif(n.kind = 'metadata' AND r.version = 1, r.time,
  (SELECT c.created FROM record c WHERE c.rid = r.rid))`

/** A revision by its number. */
export const revisionSql = `${revisions('c', 'c.created', 'revision r CROSS JOIN record c ON c.rid = r.rid')} WHERE r.rev = ?`

function newestWith(json: 'b.json' | 'NULL'): string {
  const from = 'newest n CROSS JOIN revision r ON r.rev = n.rev'
  return `${revisions('n', created, from, json)} WHERE n.kind = ? AND n.id = ?`
}

/** The newest revision of a record of the tree, by kind and id. */
export const newestSql = newestWith('b.json')

/** The same without the record. */
export const newestWithoutRecordSql = newestWith('NULL')

export function toRevision(row: RevisionRow): Revision {
  return new ReadRevision(row)
}

/**
 * Record and files are parsed when they are asked for: not everybody who wants a document looks at them. A class, as V8 makes a
 * hidden class for every object that is given a getter of its own, and keeps it with all that the getter refers to.
 */
class ReadRevision implements Revision {
  readonly kind: Kind
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
  readonly #rows: string
  #record: StoredRecord | undefined
  #files: ReadonlyMap<string, Oid> | undefined

  constructor([
    kind,
    id,
    version,
    commit,
    time,
    created,
    json,
    type,
    hash,
    document,
    files,
    sequence,
    previous,
  ]: RevisionRow) {
    this.kind = kind as Kind
    this.id = id as Id
    this.version = toVersion(version)
    if (previous !== null) this.previous = toVersion(previous)
    this.commit = commit as Oid
    this.time = toInstant(time)
    this.createdAt = toInstant(created)
    this.documentType = type as DocumentType
    this.documentHash = hash as Sha1
    this.document = document as Oid
    this.sequence = sequence
    this.#json = json
    this.#rows = files
  }

  get record(): StoredRecord {
    if (this.#json === null) throw new Error('The record has not been read, as nobody wanted it.')
    this.#record ??= JSON.parse(this.#json) as StoredRecord
    return this.#record
  }

  get files(): ReadonlyMap<string, Oid> {
    this.#files ??= new Map([...parseFiles(this.#rows)].map(([file, entry]) => [file, entry.oid]))
    return this.#files
  }
}

// As those of any other revision: two of them are equal where all there is to see is.
for (const name of ['record', 'files'] as const)
  Object.defineProperty(ReadRevision.prototype, name, { enumerable: true })
