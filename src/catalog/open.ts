import path from 'node:path'
import type { History } from '../store/history.js'
import type { ObjectReader } from '../store/objects.js'
import type { Catalog, Judge } from './catalog.js'
import { openChain } from './chain.js'
import { openChronicle } from './chronicle.js'
import { isDamage, openDatabaseFile } from './database.js'
import { openFeed } from './feed.js'
import { openKnownRevisions } from './known-revisions.js'
import { openLedger } from './ledger.js'
import { openLogCopy } from './log-copy.js'
import { openMoves } from './moves.js'
import { openQueries } from './queries.js'
import { openSearch } from './search.js'
import { createTables, emptyTables, tablesVersion } from './tables.js'

export interface CatalogOptions {
  /** `<gitDir>/git-metastore/catalog.sqlite`; the full-text index lies beside it. Their folder must exist. */
  readonly file: string
  readonly objects: ObjectReader
  readonly history: History
  readonly judge: Judge
  /** Takes lines a person should read: a catalog made anew, revisions that break a rule. Default: nobody. */
  readonly report?: (line: string) => void
  /** Called when the file is found damaged while it is open: catching up makes it anew. */
  readonly onDamage?: () => void
}

/** Name of the file in our own folder. */
export const catalogFile = 'catalog.sqlite'

/**
 * Opens the catalog, making it where it does not exist; one that is damaged or of another version is deleted and
 * made anew, empty. It reflects nothing until `ledger.catchUp`.
 * @throws ProblemError `unusable-repository` where the file can be neither opened nor made
 */
export function openCatalog(options: CatalogOptions): Catalog {
  const { file, objects, history, judge, report = () => undefined, onDamage = () => undefined } = options
  const database = openDatabaseFile({
    file,
    version: tablesVersion,
    name: 'catalog',
    create: createTables,
    report,
    onDamage,
  })
  // Readers never see what the writer has not committed: it has a connection of its own.
  const reading = database.connectReader()
  const writing = database.connect()
  const known = openKnownRevisions()
  const committed = openQueries(reading, known)
  const planning = openQueries(writing, known)
  const moves = openMoves()
  const logCopy = openLogCopy(file, thrown => {
    // Of anything else those are told who write: what could not be copied stays in the log.
    if (isDamage(thrown)) database.noteDamage()
  })
  const ledger = openLedger({
    database,
    logCopy,
    reading,
    writing,
    planning,
    known,
    objects,
    history,
    judge,
    report,
    moved: moves.tell,
  })
  const search = openSearch({
    file: path.join(path.dirname(file), 'search.sqlite'),
    catalog: reading,
    revision: committed.revision,
    objects,
    report,
  })

  return {
    committed,
    planning,
    head: ledger.head,
    ledger,
    rehearse: ledger.rehearse,
    chronicle: openChronicle(reading, committed.revision),
    feed: openFeed(reading, committed.revision),
    moves,
    chain: openChain(reading),
    search: search.search,
    clear() {
      if (writing.inTransaction) throw new Error('The catalog cannot be cleared inside a transaction.')
      writing.transaction('IMMEDIATE', () => emptyTables(writing))
    },
    async close() {
      moves.close()
      await logCopy.close()
      search.close()
      reading.close()
      writing.close()
    },
  }
}
