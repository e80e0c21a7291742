import path from 'node:path'
import type { History } from '../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../store/objects/object-reader.js'
import type { Catalog, RuleCheck } from './catalog.js'
import { openBackgroundConnection } from './database/background-connection.js'
import { isDamage, openDatabaseFile } from './database/sqlite-file.js'
import { createTables, deleteAllRows, tableVersion } from './database/table-definitions.js'
import { openHeadChangeNotifier } from './follow/head-change-notifier.js'
import { scanAnchors } from './lists/list-page-offsets.js'
import { anchorDistance } from './lists/list-reader.js'
import { openFullTextSearch } from './read/full-text-search.js'
import { openLongLists } from './read/long-list-reader.js'
import { openSurroundings } from './read/neighbouring-revisions.js'
import { openQueries } from './read/queries.js'
import { openRevisionBatchReader, type ReaderThreadOptions } from './read/revision-batch-reader.js'
import { openRevisionCache } from './read/revision-cache.js'
import { openChangeFeed } from './revision-history/change-feed.js'
import { openFirstParentChain } from './revision-history/first-parent-chain.js'
import { openRevisionCursors } from './revision-history/revision-cursor.js'
import { openBackgroundWriter } from './write/background-writer.js'
import { watchLedger } from './write/catalog-lag.js'
import { openSqliteCatalogWriter } from './write/sqlite-catalog-writer.js'

export interface CatalogOptions {
  /** `<gitDir>/git-metastore/catalog.sqlite`; the full-text index lies beside it. Their folder must exist. */
  readonly file: string
  readonly objects: ObjectReader
  readonly history: History
  readonly judge: RuleCheck
  /** Reports lines to the operator: a catalog made anew, revisions that break a rule. Default: no reports. */
  readonly report?: (line: string) => void
  /** Called when the file is found damaged while it is open: catching up makes it anew. */
  readonly onDamage?: () => void
  /** Revisions from which on what the writer adds is written in another thread; default 8. */
  readonly fewestBeside?: number
  /** How other threads read what many ask for, and long lists; default: they do not. */
  readonly together?: ReaderThreadOptions | undefined
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
    version: tableVersion,
    name: 'catalog',
    create: createTables,
    report,
    onDamage,
  })
  // Readers never see what the writer has not committed: it has a connection of its own.
  const reading = database.connectReader()
  const writing = database.connect()
  const known = openRevisionCache()
  const committed = openQueries(reading, known)
  const moves = openHeadChangeNotifier()
  const background = openBackgroundConnection(file)
  const beside = openBackgroundWriter(file, database)
  const together = openRevisionBatchReader(file, database, options.together)
  const longLists = openLongLists(file, database, options.together, committed)
  let copying = false
  /**
   * It waits for the disk three times, so it runs apart from commits.
   * @see https://sqlite.org/wal.html, "Checkpointing"
   */
  function copyLog(): void {
    if (copying) return
    copying = true
    background
      .exec('PRAGMA wal_checkpoint(PASSIVE)')
      .catch((thrown: unknown) => {
        // What could not be copied stays in the log; of anything but damage those are told who write.
        if (isDamage(thrown)) database.noteDamage()
      })
      .finally(() => {
        copying = false
      })
  }
  const ledger = watchLedger(
    openSqliteCatalogWriter({
      database,
      background,
      beside,
      readers: [together, longLists],
      fewestBeside: options.fewestBeside,
      copyLog,
      reading,
      writing,
      own: openQueries(writing, known),
      known,
      objects,
      history,
      judge,
      report,
      moved: moves.tell,
    }),
  )
  const search = openFullTextSearch({
    file: path.join(path.dirname(file), 'search.sqlite'),
    catalog: reading,
    revision: committed.revision,
    objects,
    report,
  })

  return {
    committed,
    newest: together.newest,
    isQuick: committed.isQuick,
    longLists,
    planning: ledger.planning,
    head: ledger.head,
    ledger,
    written(kind, id, commit) {
      const last = known.get(kind, id)
      return last?.commit === commit ? last : undefined
    },
    rehearse: ledger.rehearse,
    chronicle: openRevisionCursors(reading, committed.revision),
    feed: openChangeFeed(reading, committed.revision),
    moves,
    chain: openFirstParentChain(reading),
    surroundings: openSurroundings(reading),
    search: search.search,
    async prepareDeepPages(kind, query) {
      if (committed.hasAnchors(kind, query)) return
      const found = await scanAnchors(background, kind, query, anchorDistance)
      if (found) committed.addAnchors(kind, query, found)
    },
    clear() {
      if (writing.inTransaction) throw new Error('The catalog cannot be cleared inside a transaction.')
      writing.transaction('IMMEDIATE', () => deleteAllRows(writing))
    },
    async close() {
      moves.close()
      await background.close()
      await beside.close()
      await together.close()
      await longLists.close()
      search.close()
      reading.close()
      writing.close()
    },
  }
}
