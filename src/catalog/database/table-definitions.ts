import { randomUUID } from 'node:crypto'
import type { Connection } from './sqlite-connection.js'

/**
 * Increase this with every change to the tables, also those of features, or to derived values: a file of another version
 * is rebuilt.
 */
export const tableVersion = 14

/**
 * Times are milliseconds; `age` is a negated time, so that the newest row is first in ascending order. Object names
 * are hex text. All values but `state.identity` are derived from the history alone.
 */
const tables = `
-- The commit that the catalog reflects. identity: changes with every rebuild.
CREATE TABLE state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  head TEXT, sequence INTEGER NOT NULL, latest INTEGER, identity TEXT NOT NULL);

-- The first-parent chain. rev: the last revision of the commit or of an earlier one; 0 if there is none.
CREATE TABLE chain (sequence INTEGER PRIMARY KEY, oid TEXT NOT NULL, rev INTEGER NOT NULL);

-- A directory that is or was a record's. id: null if neither a record.json nor the directory's name gives it.
-- first, last: its oldest and newest revision; good: its newest valid revision that is no removal; gone: its newest
-- valid revision is a removal; bad: its newest revision is invalid.
CREATE TABLE record (
  rid INTEGER PRIMARY KEY, kind TEXT NOT NULL, directory TEXT NOT NULL UNIQUE, id TEXT, created INTEGER NOT NULL,
  revisions INTEGER NOT NULL, versions INTEGER NOT NULL, last INTEGER NOT NULL, good INTEGER,
  gone INTEGER NOT NULL, bad INTEGER NOT NULL, first INTEGER NOT NULL);

-- standing: 0 invalid, 1 valid, 2 a valid removal. version: null for a removal.
CREATE TABLE revision (
  rev INTEGER PRIMARY KEY, rid INTEGER NOT NULL, standing INTEGER NOT NULL, version INTEGER, sequence INTEGER NOT NULL,
  oid TEXT NOT NULL, time INTEGER NOT NULL, files TEXT NOT NULL,
  record_blob TEXT, body INTEGER, type TEXT, document TEXT, hash TEXT, findings TEXT);

-- Canonical JSON of a record; successive revisions with the same record share a row.
CREATE TABLE body (body INTEGER PRIMARY KEY, json TEXT NOT NULL);

-- Every name that a record has or had.
CREATE TABLE name (name TEXT PRIMARY KEY, rid INTEGER NOT NULL) WITHOUT ROWID;

-- Newest valid revisions of served records. schema: null for schemas. state: of the record. year: the year (UTC) of the
-- revision with which the record was served first, or again after a removal.
CREATE TABLE newest (
  rid INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, age INTEGER NOT NULL, schema TEXT,
  type TEXT NOT NULL, rev INTEGER NOT NULL, audience INTEGER NOT NULL, state TEXT NOT NULL, year INTEGER NOT NULL);
-- Former states of metadata that readers lost with the revision rev: the record was removed or REVOKED, or members of its
-- audience see it no longer, or its schema or document type changed. age: of the revision rev; the other columns are those
-- of the former state.
CREATE TABLE withdrawn (
  rid INTEGER NOT NULL, rev INTEGER NOT NULL, age INTEGER NOT NULL, id TEXT NOT NULL, schema TEXT NOT NULL,
  type TEXT NOT NULL, audience INTEGER NOT NULL, PRIMARY KEY (rid, rev)) WITHOUT ROWID;
-- Number of served records by kind, schema, state and year.
CREATE TABLE tally (
  kind TEXT, schema TEXT, state TEXT, year INTEGER, n INTEGER NOT NULL,
  PRIMARY KEY (kind, schema, state, year)) WITHOUT ROWID;

-- Resources described by the newest revision of served metadata.
CREATE TABLE resource (resource TEXT, rid INTEGER, PRIMARY KEY (resource, rid)) WITHOUT ROWID;
CREATE INDEX resource_by_record ON resource (rid);
-- Subjects that see a record in lists: with READ or more, with ADMINISTRATE if it is REVOKED. Administrators see every
-- record and are not members. Many records share an audience. sids: its members as a sorted JSON array.
CREATE TABLE audience (audience INTEGER PRIMARY KEY, sids TEXT NOT NULL UNIQUE);
CREATE TABLE member (audience INTEGER, sid TEXT, PRIMARY KEY (audience, sid)) WITHOUT ROWID;
CREATE INDEX member_by_sid ON member (sid, audience);
-- Number of records that each audience sees.
CREATE TABLE shown (
  audience INTEGER, kind TEXT, schema TEXT, state TEXT, year INTEGER, n INTEGER NOT NULL,
  PRIMARY KEY (audience, kind, schema, state, year)) WITHOUT ROWID;
-- Served records that are REVOKED.
CREATE TABLE revoked (rid INTEGER PRIMARY KEY);
-- Schemas that any valid revision of a metadata record followed.
CREATE TABLE uses (schema TEXT, rid INTEGER, PRIMARY KEY (schema, rid)) WITHOUT ROWID;
`

/** Indexes that only queries need; a rebuild creates them at its end. */
const indexes = {
  chain_by_commit: 'chain (oid)',
  record_bad: 'record (rid) WHERE bad = 1',
  record_gone_schema: "record (id) WHERE kind = 'schema' AND gone = 1",
  revision_by_version: 'revision (rid, standing, version, sequence)',
  newest_by_id: 'newest (kind, id, type, age, rev, schema, audience)',
  newest_by_age: 'newest (kind, age, id, rev, schema, audience)',
  newest_by_schema: 'newest (kind, schema, age, id, rev, audience)',
  newest_by_audience: 'newest (audience)',
  withdrawn_by_age: 'withdrawn (age, id)',
  withdrawn_by_rev: 'withdrawn (rev)',
} as const

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
