import { ProblemError } from '../../core/problem.js'
import type { Page, PageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { isMissingOrDamaged, type ObjectReader } from '../../store/objects/object-reader.js'
import type { Connection } from '../database/sqlite-connection.js'
import { type DatabaseFile, openDatabaseFile } from '../database/sqlite-file.js'

/** Increased with every change to the tables below or to the indexed text. */
const searchVersion = 1
/** Revisions per transaction, whose documents are in memory at the same time. */
const chunkSize = 200
/** Most characters of a document that are indexed. */
const longestText = 1 << 20

/*
 * The full-text index is a separate file, because searches write to it and must not wait for the writer's transaction,
 * nor the writer for them. `through` is the last indexed row of `revision`.
 */
const tables = `
CREATE VIRTUAL TABLE words USING fts5(
  record, document, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), identity TEXT NOT NULL, through INTEGER NOT NULL);
INSERT INTO progress VALUES (1, '', 0);
`

interface SearchOptions {
  readonly file: string
  /** The readers' connection to the catalog. */
  readonly catalog: Connection
  readonly objects: ObjectReader
  /** Reads a revision by its row number. */
  revision(rev: number): Revision
  report(line: string): void
}

type IndexProgress = readonly [identity: string, through: number]
type Statements = ReturnType<typeof statementsOf>

/** Full-text search. A search updates the index first, so that updates of records cost nothing more. */
export function openFullTextSearch(options: SearchOptions) {
  const { catalog, objects } = options
  let opened: { database: DatabaseFile; connection: Connection; statements: Statements } | undefined
  let updating: Promise<void> | undefined
  let closed = false
  const identityOf = catalog.prepare<readonly [string]>('SELECT identity FROM state')
  const changed = catalog.prepare<readonly [rev: number, rid: number]>(
    'SELECT rev, rid FROM revision WHERE rev > ? ORDER BY rev LIMIT ?',
  )
  const newest = catalog.prepare<readonly [rev: number]>('SELECT rev FROM newest WHERE rid = ?')

  /** Opens the index at the first search, because most servers get none. */
  function index() {
    if (closed) throw new ProblemError('unavailable', 'The full-text index is closed.')
    if (!opened) {
      const database = openDatabaseFile({
        file: options.file,
        version: searchVersion,
        name: 'full-text index',
        create: connection => connection.exec(tables),
        report: options.report,
      })
      const connection = database.connect()
      opened = { database, connection, statements: statementsOf(connection) }
    }
    if (opened.database.damaged) {
      opened.database.recreate()
      // The search fills the index before it queries it.
      opened.database.markComplete()
    }
    return opened
  }

  async function update(): Promise<void> {
    while (await updateChunk()) {
      // Repeats until no revision is left.
    }
  }

  /** @returns whether there may be more */
  async function updateChunk(): Promise<boolean> {
    const { connection, statements } = index()
    const identity = identityOf.get()?.[0] ?? ''
    const before = statements.progress.get() ?? ['', 0]
    const through = before[0] === identity ? before[1] : 0
    const rows = changed.all(through, chunkSize)
    const last = rows.at(-1)
    if (!last && before[0] === identity) return false
    const texts: (readonly [rid: number, record: string, document: string] | readonly [rid: number])[] = []
    for (const rid of new Set(rows.map(row => row[1]))) {
      const rev = newest.get(rid)
      if (!rev) texts.push([rid])
      else {
        const revision = options.revision(rev[0])
        texts.push([rid, textOf(revision.record), await documentText(objects, revision.document)])
      }
    }
    return connection.transaction('IMMEDIATE', () => {
      const now = statements.progress.get() ?? ['', 0]
      // Another process has indexed these revisions, and perhaps newer ones.
      if (now[0] !== before[0] || now[1] !== before[1]) return true
      if (before[0] !== identity) statements.deleteAll.run()
      for (const [rid, record, document] of texts) {
        statements.delete.run(rid)
        if (record !== undefined) statements.insert.run(rid, record, document ?? '')
      }
      statements.setProgress.run(identity, last?.[0] ?? 0)
      return rows.length === chunkSize
    })
  }

  async function search(words: string, window: PageWindow): Promise<Page<Revision>> {
    // Searches share an update unless it began before they were requested.
    const mine = (updating ?? Promise.resolve()).catch(() => undefined).then(update)
    updating = mine
    await mine
    const expression = expressionOf(words)
    if (expression === '') return { items: [], offset: window.offset, total: 0 }
    const { statements } = index()
    const total = statements.count.get(expression)?.[0] ?? 0
    const found = statements.find.all(expression, window.limit, window.offset)
    const items = found.flatMap(([rid]) => {
      const rev = newest.get(rid)
      return rev ? [options.revision(rev[0])] : []
    })
    return { items, offset: window.offset, total }
  }

  return {
    search,
    close(): void {
      closed = true
      opened?.connection.close()
      opened = undefined
    },
  }
}

function statementsOf(connection: Connection) {
  return {
    progress: connection.prepare<IndexProgress>('SELECT identity, through FROM progress'),
    setProgress: connection.prepare('UPDATE progress SET identity = ?, through = ?'),
    deleteAll: connection.prepare("INSERT INTO words (words) VALUES ('delete-all')"),
    delete: connection.prepare('DELETE FROM words WHERE rowid = ?'),
    insert: connection.prepare('INSERT INTO words (rowid, record, document) VALUES (?, ?, ?)'),
    count: connection.prepare<readonly [number]>('SELECT count(*) FROM words WHERE words MATCH ?'),
    find: connection.prepare<readonly [rid: number]>(
      'SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank, rowid LIMIT ? OFFSET ?',
    ),
  }
}

/** Quotes every word, so that none is an operator. @see https://sqlite.org/fts5.html §3.1 */
function expressionOf(words: string): string {
  return words
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter(word => /[\p{L}\p{N}]/u.test(word))
    .map(word => `"${word.replaceAll('"', '""')}"`)
    .join(' ')
}

/** The values of a record as text, without member names. */
function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return ''
  return Object.values(value).map(textOf).join(' ')
}

async function documentText(objects: ObjectReader, blob: Oid): Promise<string> {
  try {
    const { bytes } = await objects.read(blob)
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8'
    return bytes
      .subarray(0, 2 * longestText)
      .toString(encoding)
      .slice(0, longestText)
  } catch (thrown) {
    // Searches still find the record by its own words. `verify` reports the missing object.
    if (isMissingOrDamaged(thrown)) return ''
    throw thrown
  }
}
