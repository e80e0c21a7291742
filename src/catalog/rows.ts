import { readersOf } from '../core/access.js'
import type { Finding } from '../core/problem.js'
import { namesOf, relatedResources, type StoredRecord, stateOf } from '../core/record.js'
import {
  type DocumentType,
  type Id,
  type Instant,
  type Kind,
  type Oid,
  type Sha1,
  toInstant,
  toVersion,
} from '../core/values.js'
import { canonicalRecord } from '../store/codec.js'
import { recordFile } from '../store/layout.js'
import type { Revision } from './catalog.js'
import type { Connection, Value } from './database.js'
import type { FileEntry, Files } from './structure.js'

/** A revision as it goes into the tables, whoever made it: the server, which knows all of it, or a person. */
export interface Entry {
  readonly kind: Kind
  readonly directory: string
  /** Undefined where neither the directory's name nor its record tells it. */
  readonly id: Id | undefined
  readonly commit: Oid
  readonly time: Instant
  readonly sequence: number
  /** Empty: the commit removes the directory. */
  readonly files: Files
  /** Of a good state. */
  readonly content?: Content
  /** None: it is good. */
  readonly findings: readonly Finding[]
}

export interface Content {
  readonly record: StoredRecord
  readonly recordBlob: Oid
  readonly documentType: DocumentType
  readonly document: Oid
  readonly documentHash: Sha1
}

/** What is known of a directory before its next revision. */
export interface Before {
  readonly id: Id | undefined
  readonly files: Files
  /** Its first revision, good or bad. */
  readonly first: { readonly commit: Oid; readonly time: Instant }
  /** The directory has a good state that is served. */
  readonly served: boolean
  /** The newest good state, whose parts need not be read again where the blobs are the same. */
  readonly good?: Content
}

export interface Rows {
  before(directory: string): Before | undefined
  /**
   * Derives everything from the revision and the ones before it. The only function that writes rows.
   * @returns the revision as a reader would find it, where it is a good state and that is known without reading
   */
  apply(entry: Entry): Revision | undefined
}

type RecordRow = readonly [
  rid: number,
  id: string | null,
  revisions: number,
  versions: number,
  last: number,
  good: number | null,
  gone: number,
  goodBlob: string | null,
  goodBody: number | null,
  goodVersion: number | null,
  created: number,
]

/** @param connection the writer's, with a transaction open whenever `apply` is called */
export function openRows(connection: Connection): Rows {
  const sql = {
    record: connection.prepare<RecordRow>(
      `SELECT c.rid, c.id, c.revisions, c.versions, c.last, c.good, c.gone, r.record_blob, r.body, r.version,
         c.created
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
    // Its first revision is the next row; saying so at once saves an update of every record ever made.
    insertRecord: connection.prepare(
      `INSERT INTO record SELECT NULL, ?, ?, ?, ?, 1, 1, next, iif(?, next, NULL), 0, ?, next
       FROM (SELECT coalesce(max(rev), 0) + 1 AS next FROM revision)`,
    ),
    updateRecord: connection.prepare(
      'UPDATE record SET id = ?, revisions = ?, versions = ?, last = ?, good = ?, gone = ?, bad = ? WHERE rid = ?',
    ),
    insertRevision: connection.prepare(
      'INSERT INTO revision VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    insertBody: connection.prepare('INSERT INTO body VALUES (NULL, ?)'),
    insertName: connection.prepare('INSERT OR IGNORE INTO name VALUES (?, ?)'),
    newest: connection.prepare<readonly [schema: string | null, audience: number]>(
      'SELECT schema, audience FROM newest WHERE rid = ?',
    ),
    putNewest: connection.prepare('INSERT OR REPLACE INTO newest VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    updateNewest: connection.prepare('UPDATE newest SET age = ?, type = ?, rev = ? WHERE rid = ?'),
    deleteNewest: connection.prepare('DELETE FROM newest WHERE rid = ?'),
    count: connection.prepare(
      'INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (kind, schema) DO UPDATE SET n = n + excluded.n',
    ),
    insertResource: connection.prepare('INSERT OR IGNORE INTO resource VALUES (?, ?)'),
    deleteResources: connection.prepare('DELETE FROM resource WHERE rid = ?'),
    audience: connection.prepare<readonly [audience: number]>('SELECT audience FROM audience WHERE sids = ?'),
    insertAudience: connection.prepare('INSERT INTO audience VALUES (NULL, ?)'),
    insertMember: connection.prepare('INSERT INTO member VALUES (?, ?)'),
    show: connection.prepare(
      'INSERT INTO shown VALUES (?, ?, ?, ?) ON CONFLICT (audience, kind, schema) DO UPDATE SET n = n + excluded.n',
    ),
    insertRevoked: connection.prepare('INSERT OR IGNORE INTO revoked VALUES (?)'),
    deleteRevoked: connection.prepare('DELETE FROM revoked WHERE rid = ?'),
    insertUse: connection.prepare('INSERT OR IGNORE INTO uses VALUES (?, ?)'),
  }

  function firstOf(rid: number): Before['first'] {
    const row = sql.first.get(rid)
    if (!row) throw new Error(`The catalog has no first revision of record ${rid}.`)
    return { commit: row[0] as Oid, time: toInstant(row[1]) }
  }

  function filesAt(rev: number): Files {
    const row = sql.files.get(rev)
    return row ? parseFiles(row[0]) : new Map()
  }

  function contentAt(rev: number): Content | undefined {
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

  function audienceOf(record: StoredRecord): number {
    const members = [...new Set(readersOf(record))].sort()
    const sids = JSON.stringify(members)
    const known = sql.audience.get(sids)?.[0]
    if (known !== undefined) return known
    const audience = sql.insertAudience.run(sids)
    for (const sid of members) sql.insertMember.run(audience, sid)
    return audience
  }

  /** The record is served in a new state, or no more: `is` undefined. */
  function tally(
    kind: Kind,
    rid: number,
    is: { readonly schema: string; readonly audience: number } | undefined,
    isNew = false,
  ): void {
    const row = isNew ? undefined : sql.newest.get(rid)
    const was = row && { schema: row[0] ?? '', audience: row[1] }
    if (was?.schema !== is?.schema) {
      if (was) sql.count.run(kind, was.schema, -1)
      if (is) sql.count.run(kind, is.schema, 1)
    }
    if (was?.schema !== is?.schema || was?.audience !== is?.audience) {
      if (was) sql.show.run(was.audience, kind, was.schema, -1)
      if (is) sql.show.run(is.audience, kind, is.schema, 1)
    }
  }

  /** @param change what the record is to the one served before: the same bytes, other ones, or there is none at all */
  function serve(
    entry: Entry,
    content: Content,
    id: Id,
    rid: number,
    rev: number,
    change: 'same' | 'other' | 'new',
  ): void {
    const { kind } = entry
    const { record, documentType } = content
    if (change === 'same') {
      sql.updateNewest.run(-entry.time, documentType, rev, rid)
      return
    }
    const isNew = change === 'new'
    const schema = record.schema?.schemaId
    const audience = audienceOf(record)
    tally(kind, rid, { schema: schema ?? '', audience }, isNew)
    for (const name of namesOf(record)) sql.insertName.run(name, rid)
    if (stateOf(record) === 'REVOKED') sql.insertRevoked.run(rid)
    else if (!isNew) sql.deleteRevoked.run(rid)
    if (kind === 'metadata') {
      if (!isNew) sql.deleteResources.run(rid)
      for (const resource of relatedResources(record)) sql.insertResource.run(resource, rid)
      if (schema !== undefined) sql.insertUse.run(schema, rid)
    }
    sql.putNewest.run(rid, kind, id, -entry.time, schema ?? null, documentType, rev, audience)
  }

  function withdraw(kind: Kind, rid: number): void {
    tally(kind, rid, undefined)
    sql.deleteNewest.run(rid)
    sql.deleteResources.run(rid)
    sql.deleteRevoked.run(rid)
  }

  return {
    before(directory) {
      const row = sql.record.get(directory)
      if (!row) return undefined
      const [rid, id, , , last, good, gone] = row
      const content = good === null ? undefined : contentAt(good)
      return {
        id: (id ?? undefined) as Id | undefined,
        files: filesAt(last),
        first: firstOf(rid),
        served: content !== undefined && gone === 0,
        ...(content && { good: content }),
      }
    },

    apply(entry) {
      const { kind, directory, findings, content } = entry
      const removal = entry.files.size === 0
      const before = sql.record.get(directory)
      // Nothing is left of a directory that never was a record's.
      if (!before && removal) return undefined
      const id = ((before?.[1] as Id | null | undefined) ?? entry.id) as Id | undefined
      const revisions = (before?.[2] ?? 0) + 1
      let versions = before?.[3] ?? 0
      if (!before) versions = 1
      else if (kind === 'schema' && !removal && documentsDiffer(filesAt(before[4]), entry.files)) versions++
      const version = removal ? null : kind === 'metadata' ? revisions : versions

      const good = findings.length === 0
      const state = good && !removal && content && id !== undefined ? content : undefined
      const oldGood = before?.[5] ?? null
      const rid =
        before?.[0] ??
        sql.insertRecord.run(kind, directory, id ?? null, entry.time, state ? 1 : 0, good ? 0 : 1)
      // A good state's names, its id among them, come with it.
      if (id !== undefined && !before?.[1] && !state) sql.insertName.run(id, rid)
      const sameBlob = state !== undefined && before?.[7] === state.recordBlob
      const record = state && canonicalRecord(state.record)
      const body =
        state === undefined
          ? null
          : sameBlob
            ? (before?.[8] ?? null)
            : sql.insertBody.run(JSON.stringify(record))
      const rev = sql.insertRevision.run(
        rid,
        good ? (removal ? 2 : 1) : 0,
        version,
        entry.sequence,
        entry.commit,
        entry.time,
        formatFiles(entry.files),
        state?.recordBlob ?? null,
        body,
        state?.documentType ?? null,
        state?.document ?? null,
        state?.documentHash ?? null,
        good ? null : JSON.stringify(findings),
      )
      const wasGone = before?.[6] === 1
      const gone = good ? removal : wasGone
      const change = !before ? 'new' : sameBlob && !wasGone ? 'same' : 'other'
      if (state && id !== undefined) serve(entry, state, id, rid, rev, change)
      else if (good && removal) withdraw(kind, rid)
      if (before) {
        sql.updateRecord.run(
          id ?? null,
          revisions,
          versions,
          rev,
          state ? rev : oldGood,
          gone ? 1 : 0,
          good ? 0 : 1,
          rid,
        )
      }
      const previous = before?.[9] ?? undefined
      // A revision of the same version hides the one before that version.
      if (!state || !record || id === undefined || version === null || previous === version) return undefined
      return {
        kind,
        id,
        version: toVersion(version),
        ...(previous !== undefined && { previous: toVersion(previous) }),
        commit: entry.commit,
        time: entry.time,
        createdAt: toInstant(before?.[10] ?? entry.time),
        record: record as StoredRecord,
        documentType: state.documentType,
        documentHash: state.documentHash,
        document: state.document,
        files: new Map([...entry.files].map(([file, { oid }]) => [file, oid])),
        sequence: entry.sequence,
      }
    },
  }
}

/** Says whether a file other than the record differs in its bytes. */
export function documentsDiffer(a: Files, b: Files): boolean {
  const count = (files: Files) => files.size - (files.has(recordFile) ? 1 : 0)
  if (count(a) !== count(b)) return true
  for (const [file, entry] of b) if (file !== recordFile && a.get(file)?.oid !== entry.oid) return true
  return false
}

/** Sorted by path, so that equal directories have equal text. */
function formatFiles(files: Files): string {
  const rows: Value[][] = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, { oid, mode }]) => (mode === undefined ? [file, oid] : [file, oid, mode]))
  return JSON.stringify(rows)
}

export function parseFiles(text: string): Map<string, FileEntry> {
  const rows = JSON.parse(text) as readonly (readonly [string, Oid, string?])[]
  return new Map(rows.map(([file, oid, mode]) => [file, mode === undefined ? { oid } : { oid, mode }]))
}
