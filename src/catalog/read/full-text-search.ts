import { ProblemError } from '../../core/problem.js'
import type { Page, PageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { isMissingOrDamaged, type ObjectReader } from '../../store/objects/object-reader.js'
import type { Connection } from '../database/sqlite-connection.js'
import { type DatabaseFile, openDatabaseFile } from '../database/sqlite-file.js'

/** Goes up with every change to the tables below or to what goes into them. */
const searchVersion = 1
/** Revisions looked at, and documents in hand, at a time. */
const chunkSize = 200
/** Characters of a document that are indexed. */
const longestText = 1 << 20

/*
 * The full-text index is a file of its own: it is written while people search, and must neither wait for the
 * writer's transaction nor hold it up. `through` is the last row of `revision` it has taken in.
 */
const tables = `
CREATE VIRTUAL TABLE words USING fts5(
  record, document, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), identity TEXT NOT NULL, through INTEGER NOT NULL);
INSERT INTO progress VALUES (1, '', 0);
`

export interface SearchOptions {
  readonly file: string
  /** The readers' connection to the catalog. */
  readonly catalog: Connection
  readonly objects: ObjectReader
  /** A revision by its row. */
  revision(rev: number): Revision
  report(line: string): void
}

export interface FullTextSearch {
  search(words: string, window: PageWindow): Promise<Page<Revision>>
  close(): void
}

type IndexProgress = readonly [identity: string, through: number]
type Statements = ReturnType<typeof statementsOf>

/** Full-text search, brought up to date when somebody searches, so that writing pays nothing for it. */
export function openFullTextSearch(options: SearchOptions): FullTextSearch {
  const { catalog, objects } = options
  let opened: { database: DatabaseFile; connection: Connection; statements: Statements } | undefined
  let updating: Promise<void> | undefined
  let closed = false
  const identityOf = catalog.prepare<readonly [string]>('SELECT identity FROM state')
  const changed = catalog.prepare<readonly [rev: number, rid: number]>(
    'SELECT rev, rid FROM revision WHERE rev > ? ORDER BY rev LIMIT ?',
  )
  const newest = catalog.prepare<readonly [rev: number]>('SELECT rev FROM newest WHERE rid = ?')

  /** Opened at the first search: most servers' lives pass without one. */
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
      // It is brought up to date before it is asked.
      opened.database.markComplete()
    }
    return opened
  }

  async function update(): Promise<void> {
    while (await updateChunk()) {
      // Until nothing is left.
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
      // Another process was quicker, and may have taken in newer states than these.
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
    // One update serves all searches that wait for it, unless it began before a search came.
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
    close() {
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

/** Every word as a quoted string, so that nothing in it can be an operator. @see https://sqlite.org/fts5.html §3.1 */
function expressionOf(words: string): string {
  return words
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter(word => /[\p{L}\p{N}]/u.test(word))
    .map(word => `"${word.replaceAll('"', '""')}"`)
    .join(' ')
}

/** The values of a record, without the names of its members. */
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
    // A record can be found by its other words; verify tells of the missing object.
    if (isMissingOrDamaged(thrown)) return ''
    throw thrown
  }
}
