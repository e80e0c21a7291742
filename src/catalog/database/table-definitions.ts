import { randomUUID } from 'node:crypto'
import type { Connection } from './sqlite-file.js'

/** Goes up with every change to the tables or to what is derived; a file of another version is made anew. */
export const tableVersion = 7

/**
 * Times are milliseconds; `age` is a time negated, so that newest first is an ascending order. Object names are hex
 * text. Everything but `state.identity` is derived from the history alone.
 */
const tables = `
-- What the catalog reflects. identity: another one after every rebuild, for the full-text index.
CREATE TABLE state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  head TEXT, sequence INTEGER NOT NULL, latest INTEGER, identity TEXT NOT NULL);

-- The first-parent chain. rev: the last revision made by the commit or by one before it; 0 where there is none.
CREATE TABLE chain (sequence INTEGER PRIMARY KEY, oid TEXT NOT NULL, rev INTEGER NOT NULL);

-- A directory that is or was a record's. id: unknown while no record.json told it and the directory's name does not.
-- first, last: its oldest and its newest revision; good: the newest good one that is a state; gone: the newest good one is a removal.
CREATE TABLE record (
  rid INTEGER PRIMARY KEY, kind TEXT NOT NULL, directory TEXT NOT NULL UNIQUE, id TEXT, created INTEGER NOT NULL,
  revisions INTEGER NOT NULL, versions INTEGER NOT NULL, last INTEGER NOT NULL, good INTEGER,
  gone INTEGER NOT NULL, bad INTEGER NOT NULL, first INTEGER NOT NULL);

-- standing: 0 bad, 1 a good state, 2 a good removal. version: null for a removal.
CREATE TABLE revision (
  rev INTEGER PRIMARY KEY, rid INTEGER NOT NULL, standing INTEGER NOT NULL, version INTEGER, sequence INTEGER NOT NULL,
  oid TEXT NOT NULL, time INTEGER NOT NULL, files TEXT NOT NULL,
  record_blob TEXT, body INTEGER, type TEXT, document TEXT, hash TEXT, findings TEXT);

-- Canonical record JSON; shared by successive revisions that leave the record as it is.
CREATE TABLE body (body INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- Every name a record has or had.
CREATE TABLE name (name TEXT PRIMARY KEY, rid INTEGER NOT NULL) WITHOUT ROWID;

-- Records that are served, in their newest good state. schema: of metadata only.
CREATE TABLE newest (
  rid INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, age INTEGER NOT NULL, schema TEXT,
  type TEXT NOT NULL, rev INTEGER NOT NULL, audience INTEGER NOT NULL);
CREATE TABLE tally (kind TEXT, schema TEXT, n INTEGER NOT NULL, PRIMARY KEY (kind, schema)) WITHOUT ROWID;

-- Resources the newest state of served metadata describes.
CREATE TABLE resource (resource TEXT, rid INTEGER, PRIMARY KEY (resource, rid)) WITHOUT ROWID;
CREATE INDEX resource_by_record ON resource (rid);
-- Who sees a record in lists, administrators apart: READ and more, ADMINISTRATE where it is REVOKED. Records have few
-- different audiences. sids: its members as JSON, sorted.
CREATE TABLE audience (audience INTEGER PRIMARY KEY, sids TEXT NOT NULL UNIQUE);
CREATE TABLE member (audience INTEGER, sid TEXT, PRIMARY KEY (audience, sid)) WITHOUT ROWID;
CREATE INDEX member_by_sid ON member (sid, audience);
-- How many records each audience sees.
CREATE TABLE shown (
  audience INTEGER, kind TEXT, schema TEXT, n INTEGER NOT NULL, PRIMARY KEY (audience, kind, schema)) WITHOUT ROWID;
-- Served records that are REVOKED.
CREATE TABLE revoked (rid INTEGER PRIMARY KEY);
-- Schemas any good revision of a metadata record followed.
CREATE TABLE uses (schema TEXT, rid INTEGER, PRIMARY KEY (schema, rid)) WITHOUT ROWID;
`

/** Indexes that only questions need; a rebuild makes them at its end. */
const indexes = {
  chain_by_commit: 'chain (oid)',
  record_bad: 'record (rid) WHERE bad = 1',
  revision_by_version: 'revision (rid, standing, version, sequence)',
  newest_by_id: 'newest (kind, id, type, age, rev, schema, audience)',
  newest_by_age: 'newest (kind, age, id, rev, schema, audience)',
  newest_by_schema: 'newest (schema, age, id, rev, audience)',
  newest_by_audience: 'newest (audience)',
} as const

const names = [
  'chain',
  'record',
  'revision',
  'body',
  'name',
  'newest',
  'tally',
  'resource',
  'audience',
  'member',
  'shown',
  'revoked',
  'uses',
] as const

export function createTables(connection: Connection): void {
  connection.exec(tables)
  createIndexes(connection)
  connection.prepare('INSERT INTO state VALUES (1, NULL, 0, NULL, ?)').run(randomUUID())
}

export function createIndexes(connection: Connection): void {
  for (const [name, of] of Object.entries(indexes))
    connection.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${of}`)
}

export function dropIndexes(connection: Connection): void {
  for (const name of Object.keys(indexes)) connection.exec(`DROP INDEX IF EXISTS ${name}`)
}

/** Inside a transaction of the caller's. */
export function deleteAllRows(connection: Connection): void {
  for (const name of names) connection.exec(`DELETE FROM ${name}`)
  connection
    .prepare('UPDATE state SET head = NULL, sequence = 0, latest = NULL, identity = ?')
    .run(randomUUID())
}
