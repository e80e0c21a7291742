import { isPlain as isPlainProcess } from '../core/plain-mode.js'
import { ProblemError } from '../core/problem.js'
import type { Oid } from '../core/value-types.js'
import type { History } from '../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../store/objects/object-reader.js'
import type { Catalog, CatalogReader, RuleCheck } from './catalog.js'
import {
  openBackgroundConnection,
  openForegroundConnection,
  openLogCopier,
} from './database/background-connection.js'
import { openDatabaseFile } from './database/sqlite-file.js'
import { createTables, tableVersion } from './database/table-definitions.js'
import { openHeadChangeNotifier } from './follow/head-change-notifier.js'
import { openLongLists } from './read/long-list-reader.js'
import { openNeighbours } from './read/record-revisions.js'
import { openRevisionBatchReader, type ReaderThreadOptions } from './read/revision-batch-reader.js'
import { noRevisionCache, openRevisionCache } from './read/revision-cache.js'
import { openQueries } from './read/revision-queries.js'
import { openRowReaders } from './read/row-readers.js'
import { openChangeFeed } from './revision-history/change-feed.js'
import { openFirstParentChain } from './revision-history/first-parent-chain.js'
import { openRevisionCursors } from './revision-history/revision-cursor.js'
import { openBackgroundWriter } from './write/background-writer.js'
import { openSqliteCatalogWriter, watchCatalogWriter } from './write/sqlite-catalog-writer.js'

export interface CatalogOptions {
  /** `<gitDir>/git-metastore/catalog.sqlite`; the folder must exist. */
  readonly file: string
  readonly objects: ObjectReader
  readonly history: History
  readonly checkRules: RuleCheck
  /** Writes a line to the operator: the catalog is rebuilt, a revision breaks a rule. Default: no reports. */
  readonly report?: (line: string) => void
  /** Called when the open file turns out to be damaged. The next `writer.catchUp` rebuilds it. */
  readonly onDamage?: () => void
  /** The smallest number of revisions of a flush that another thread writes, unless their records are long; default 8. */
  readonly minInBackground?: number
  /** Settings of the threads that read batches and long lists; default: the main thread reads them. */
  readonly readerThread?: ReaderThreadOptions | undefined
  /** Replaces fast paths by plain ones. Default: as METASTORE_PLAIN says. Tests of a fast path set it to false. */
  readonly isPlain?: boolean
  /** SQL that makes the tables of features in the catalog's file, if they are missing. */
  readonly tables?: string | undefined
}

/** Name of the file in the folder `git-metastore` of the Git directory. */
export const catalogFile = 'catalog.sqlite'

/**
 * Opens the catalog, and creates it if it does not exist. A file that is damaged or of another version is replaced by
 * an empty one. An empty catalog is filled by `writer.catchUp`.
 *
 * This function is long, because it names every part of the catalog once and connects the parts.
 * @throws ProblemError `unusable-repository` if the file can be neither opened nor created
 */
export function openCatalog(options: CatalogOptions): Catalog {
  const { file, objects, history, checkRules, report = () => undefined, onDamage = () => undefined } = options
  const { isPlain = isPlainProcess, tables = '' } = options
  const database = openDatabaseFile({
    file,
    version: tableVersion,
    name: 'catalog',
    create: createTables,
    tables,
    report,
    onDamage,
  })
  // Readers and the writer have a connection each, so that readers see committed rows only.
  const reading = database.connectReader()
  const writing = database.connect()
  const revisionCache = isPlain ? noRevisionCache : openRevisionCache()
  const committed = openQueries(reading, revisionCache)
  const headChanges = openHeadChangeNotifier()
  /** The head of which readers were told. */
  let told: Oid | undefined
  function tell(head: Oid | undefined): void {
    told = head
    headChanges.notify()
  }
  const background = isPlain ? openForegroundConnection(file) : openBackgroundConnection(file)
  const backgroundWriter = isPlain ? undefined : openBackgroundWriter(file, database)
  const revisionBatches = openRevisionBatchReader(file, database, options.readerThread)
  const longLists = openLongLists(file, database, options.readerThread, committed)
  const readRows = openRowReaders(committed.rows)
  const readers: CatalogReader[] = [revisionBatches, longLists]
  const writer = watchCatalogWriter(
    openSqliteCatalogWriter({
      database,
      background,
      backgroundWriter,
      readers,
      minInBackground: options.minInBackground,
      copyLog: openLogCopier({ background, file, version: tableVersion, noteDamage: database.noteDamage }),
      reading,
      writing,
      writerQueries: openQueries(writing, revisionCache),
      revisionCache,
      objects,
      history,
      checkRules,
      report,
      moved: tell,
    }),
  )

  return {
    committed,
    newest: revisionBatches.newest,
    quickPage: committed.quickPage,
    longLists,
    goneSchemas: committed,
    rows: {
      async read(script, query, client) {
        const found = await longLists.read(script, query, client)
        return found ? found.read : await readRows(script.href, query)
      },
      revisions(identity, revs) {
        if (committed.identity() === identity) return committed.revisionsOf(revs)
        // Row numbers of another build of the catalog are not valid.
        throw new ProblemError('unavailable', 'The catalog was rebuilt meanwhile. Try again.', {
          retryAfter: 1,
        })
      },
    },
    unlisted: committed.unlisted,
    planning: writer.planning,
    head: writer.head,
    writer,
    written(kind, id, commit) {
      const last = revisionCache.get(kind, id)
      return last?.commit === commit ? last : undefined
    },
    dryRunCatchUp: writer.dryRunCatchUp,
    cursors: openRevisionCursors(reading, committed.revision),
    feed: openChangeFeed(reading, committed.revision),
    headChanges,
    noticeOthers() {
      const head = writer.head()
      if (head !== told) tell(head)
    },
    chain: openFirstParentChain(reading),
    neighbours: openNeighbours(reading),
    file,
    identity: committed.identity,
    addReader: reader => readers.push(reader),
    async close() {
      headChanges.close()
      await background.close()
      await backgroundWriter?.close()
      await revisionBatches.close()
      await longLists.close()
      reading.close()
      writing.close()
    },
  }
}
