import { mkdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'libsql'
import type { Catalog, RuleCheck } from '../../../src/catalog/catalog.js'
import { openCatalog } from '../../../src/catalog/open-catalog.js'
import { tablesOf } from '../../../src/feature.js'
import { features } from '../../../src/features.js'
import { renderingThread } from '../../../src/http/rendering/rendered-record.js'
import type { History } from '../../../src/store/commit-history/first-parent-history.js'
import { openGitLogHistory } from '../../../src/store/commit-history/git-log.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import type { ObjectReader } from '../../../src/store/objects/object-reader.js'

/** A catalog of a repository in a separate file. */
export interface TestCatalog extends Catalog {
  readonly file: string
  readonly objects: ObjectReader
  readonly reports: readonly string[]
  /** Deletes all rows; the next `writer.catchUp` reads the whole history. */
  clear(): void
  /** Closes the catalog and its object reader. */
  end(): Promise<void>
}

export const acceptEverything: RuleCheck = () => Promise.resolve([])

export function openTestCatalog(
  gitDir: string,
  options: {
    name?: string
    checkRules?: RuleCheck
    history?: (objects: ObjectReader) => History
    /** Number of revisions from which a transaction uses the background writer, also on the plain path. */
    fewestInBackground?: number
    /** Default: the thread of a server. */
    readingThread?: URL
    /** SQL of the tables of features; default: those of all features. */
    tables?: string
  } = {},
): TestCatalog {
  const folder = path.join(gitDir, 'git-metastore', options.name ?? 'one')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'catalog.sqlite')
  const objects = openCatFileReader('git', gitDir)
  const reports: string[] = []
  const catalog = openCatalog({
    file,
    objects,
    history: options.history?.(objects) ?? openGitLogHistory('git', gitDir, objects),
    checkRules: options.checkRules ?? acceptEverything,
    report: line => reports.push(line),
    tables: options.tables ?? tablesOf(features),
    readerThread: { script: options.readingThread ?? renderingThread, gitDir },
    ...(options.fewestInBackground !== undefined && {
      minInBackground: options.fewestInBackground,
      isPlain: false,
    }),
  })
  return {
    ...catalog,
    file,
    objects,
    reports,
    clear: () => deleteAllRows(file),
    async end() {
      await catalog.close()
      await objects.close()
    },
  }
}

function deleteAllRows(file: string): void {
  const database = new Database(file)
  try {
    const named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'state'"
    const tables = database.prepare(named).raw(true).all([]) as [string][]
    database.exec(`BEGIN; ${tables.map(([name]) => `DELETE FROM ${name};`).join('')}
      UPDATE state SET head = NULL, sequence = 0, latest = NULL, identity = hex(randomblob(16)); COMMIT`)
  } finally {
    database.close()
  }
}

const tables =
  'state chain record revision body name newest tally resource audience member shown uses withdrawn'.split(
    ' ',
  )

/** Returns the rows of all tables of a catalog file in a fixed order, without the identity of the build. */
export function catalogContent(file: string): Record<string, unknown> {
  const database = new Database(file)
  try {
    const rows = tables.map(table => {
      const all = database.prepare(`SELECT * FROM ${table}`).raw(true).all([]) as unknown[][]
      const told = table === 'state' ? all.map(row => row.slice(0, 4)) : all
      const kept = table === 'tally' || table === 'shown' ? told.filter(row => row.at(-1) !== 0) : told
      return [table, kept.map(row => JSON.stringify(row)).sort(byText)] as const
    })
    const indexes = database.prepare("SELECT name FROM sqlite_master WHERE type = 'index'").raw(true).all([])
    return { ...Object.fromEntries(rows), indexes: JSON.stringify(indexes.map(String).sort(byText)) }
  } finally {
    database.close()
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
