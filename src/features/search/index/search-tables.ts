import { createHash } from 'node:crypto'
import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { recordFields } from '../search-condition.js'
import { ownerField } from '../values/record-values.js'

/** Increased with every change to the tables: an index of another version cannot be read. */
export const searchTableVersion = 10
/**
 * Increased with every change to the indexed text, such as to what documents say about themselves: an index of another
 * version answers until a new one is complete. It also holds for documents in a cluster.
 */
export const searchTextVersion = 9

/** Limit of the bytes of the column `facets` of most records. */
export const usualValueBytes = 1000

/*
 * `rev` is the row of the newest revision of a record in the catalog, so that the newest records have the highest
 * numbers. The index has no access lists: each query joins the attached catalog.
 *
 * words: words in lower case without accents (see fold-words.ts), so that the simplest tokenizer suffices. A phrase never
 * goes from one value to the next.
 * - title, description, record, document: the words of all values. Those of titles and descriptions are not in `record`.
 *   Before and after each description stands the token `~`, so that a whole one is a phrase.
 * - leaf: for each value of a record or document, its words with the number of their path: `~12~field ~12~emission`. The
 *   token `~12~` stands before and after each value, so that a whole value is a phrase. Titles and descriptions, whose
 *   words have columns, have this token alone.
 * - whole: a token for each whole value of a record field or a declared path, such as `~57`. See the table value.
 */
const tables = `
CREATE VIRTUAL TABLE words USING fts5(
  title, description, record, document, leaf, whole, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '~'");
-- Paths into documents, in lower case, and record fields.
CREATE TABLE path (path INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
-- Paths into documents by their last letters: a search for *.name reads those that end so.
CREATE TABLE ending (reversed TEXT, path INTEGER, PRIMARY KEY (reversed, path)) WITHOUT ROWID;
-- title: the words of the name of the record for people, cut. schema: that of the document; of a schema its own id.
-- facets: the numbers of its whole values by the number of their field, as JSON: {"3":[57,60]}.
CREATE TABLE indexed (
  rev INTEGER PRIMARY KEY, rid INTEGER NOT NULL UNIQUE, kind TEXT NOT NULL, id TEXT NOT NULL, year INTEGER,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, title TEXT NOT NULL, schema TEXT NOT NULL, version INTEGER NOT NULL,
  facets TEXT NOT NULL);
CREATE INDEX indexed_by_id ON indexed (id, kind);
CREATE INDEX indexed_by_update ON indexed (updated, rev);
CREATE INDEX indexed_by_title ON indexed (title, rev);
CREATE INDEX indexed_by_schema ON indexed (schema, rev);
CREATE INDEX indexed_by_version ON indexed (version, rev);
CREATE INDEX indexed_with_many_values ON indexed (rev) WHERE octet_length(facets) > ${usualValueBytes};
-- Whole values that records have or had. text: the form that is shown. folded: the form in which values are compared, NULL
-- if it is the text in lower case. hash: of that form. Most titles belong to one record, so that they are stored once.
CREATE TABLE value (
  value INTEGER PRIMARY KEY, field INTEGER NOT NULL, hash INTEGER NOT NULL, folded TEXT, text TEXT NOT NULL);
CREATE INDEX value_by_hash ON value (field, hash);
-- Numbers and times at declared paths.
CREATE TABLE number (rev INTEGER, field INTEGER, num REAL, PRIMARY KEY (rev, field, num)) WITHOUT ROWID;
CREATE INDEX number_by_field ON number (field, num);
-- What schemas declare, and the schemas whose documents have to be indexed again. after: the last record done.
CREATE TABLE declaration (schema TEXT PRIMARY KEY, json TEXT NOT NULL, said TEXT) WITHOUT ROWID;
CREATE TABLE declared (schema TEXT, field INTEGER, kind TEXT NOT NULL, facet INTEGER NOT NULL, PRIMARY KEY (schema, field))
  WITHOUT ROWID;
CREATE TABLE pending (schema TEXT PRIMARY KEY, after INTEGER NOT NULL) WITHOUT ROWID;
-- identity: of the catalog. through: the last revision in the index. wanted: the last revision of the catalog when the
-- index was begun. complete: the index has reached it, and answers.
CREATE TABLE progress (
  one INTEGER PRIMARY KEY CHECK (one = 1), identity TEXT NOT NULL, through INTEGER NOT NULL, "commit" TEXT,
  complete INTEGER NOT NULL, wanted INTEGER);
`

/** Creates an empty index for a build of the catalog. */
export function createSearchTables(connection: Connection, identity: string): void {
  connection.exec(tables)
  // Segments are merged as late as FTS5 allows: each merge writes their words again, and a search reads 16 as fast as 4.
  connection.exec("INSERT INTO words (words, rank) VALUES ('automerge', 16)")
  const add = connection.prepare('INSERT INTO path (name) VALUES (?)')
  for (const field of [...recordFields, ownerField]) add.run(recordPath(field))
  connection.prepare('INSERT INTO progress VALUES (1, ?, 0, NULL, 0, NULL)').run(identity)
}

/** The form of a row of the table `value` in which values are compared. @param row the alias of the table, with a dot */
export function foldedSql(row = ''): string {
  return `coalesce(${row}folded, lower(${row}text))`
}

/** The hash of a value in its compared form. Nobody finds many values with the same one. */
export function valueHash(folded: string): number {
  return createHash('sha1').update(folded).digest().readInt32BE()
}

/** The name of a record field in the table of paths. No path into a document has capital letters. */
export function recordPath(field: string): string {
  return `RECORD:${field}`
}

/** The letters of a path from the last to the first, as the table `ending` has them. */
export function reversedPath(name: string): string {
  return [...name].reverse().join('')
}

/** The parts of the file name of an index. Each build of the catalog has its own file. */
export interface IndexName {
  /** The beginning of the file names of all indexes that this program makes for this build of the catalog. */
  readonly build: string
  /** Limit of the indexed text of a document, in characters; 0: documents are not indexed. */
  readonly textLimit: number
}

/** The part of a file name that identifies a build of the catalog. */
export function indexBuild(identity: string): string {
  return `search-${searchTableVersion}.${searchTextVersion}-${identity.replaceAll('-', '').slice(0, 16)}`
}

export function indexFileName({ build, textLimit }: IndexName): string {
  return `${build}-${textLimit}.sqlite`
}

/** The parts of a file name; undefined if the file is no index, or not one that this program can read. */
export function parseIndexFileName(name: string): IndexName | undefined {
  const [, build, version, textLimit] = /^(search-(\d+)\.\d+-\w+)-(\d+)\.sqlite$/.exec(name) ?? []
  if (build === undefined || version !== String(searchTableVersion)) return undefined
  return { build, textLimit: Number(textLimit) }
}

/** Whether a file in our own folder is an index, of this version or another. */
export function isSearchFile(name: string): boolean {
  return name.startsWith('search') && /\.sqlite(?:-wal|-shm)?$/.test(name)
}

export type ProgressRow = readonly [
  identity: string,
  through: number,
  commit: string | null,
  complete: number,
  wanted: number | null,
]

export const progressSql = 'SELECT identity, through, "commit", complete, wanted FROM progress'
