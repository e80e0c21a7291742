import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type DatabaseFile, openDatabaseFile, removeDatabase } from '../../../catalog/database/sqlite-file.js'
import type { Oid } from '../../../core/value-types.js'
import type { IndexState } from './index-thread-jobs.js'
import {
  createSearchTables,
  type IndexName,
  indexBuild,
  indexFileName,
  isSearchFile,
  type ProgressRow,
  parseIndexFileName,
  progressSql,
  searchTableVersion,
} from './search-tables.js'

/**
 * The indexes of a repository: the own index, which follows the catalog, and a former one. The former index belongs to
 * an earlier build of the catalog, and answers searches until the own index is complete. It does not answer if the
 * history was rewritten since, because it may still have purged data.
 */
export interface IndexBuilds {
  /** The state of the own index; undefined until it is opened. */
  readonly state: IndexState | undefined
  /** The index that answers searches; undefined while there is none. */
  serving(): OpenIndex | undefined
  /** Opens the own index for a build of the catalog. */
  use(identity: string): Promise<OpenIndex>
  /** Stores the state that the own index has reached. Once it is complete, closes and deletes all other indexes. */
  reach(state: IndexState): Promise<void>
  /** Whether an index was found damaged since {@link repair}. */
  readonly isDamaged: boolean
  /** Replaces a damaged index by an empty one. */
  repair(): Promise<void>
  close(): void
}

interface BuildsOptions extends IndexFileOptions {
  /** Whether the served history has a commit. */
  isInHistory(commit: Oid): boolean
  /** Closes the connections of all threads. */
  disconnect(): Promise<void>
}

export function openIndexBuilds({ isInHistory, disconnect, ...fileOptions }: BuildsOptions): IndexBuilds {
  let isDamaged = false
  const files = openIndexFiles({
    ...fileOptions,
    onDamage() {
      isDamaged = true
      fileOptions.onDamage()
    },
  })
  let own: OpenIndex | undefined
  let former: OpenIndex | undefined
  let state: IndexState | undefined
  let othersRemoved = false

  function replaceOwn(): void {
    if (own && state?.complete && !own.database.damaged) {
      former?.close()
      former = own
    } else {
      own?.close()
    }
    own = undefined
    state = undefined
    othersRemoved = false
  }

  /** Whether the history still has the commit that an index reflects; true if the index reflects none. */
  function isOfHistory(commit: string | null | undefined): boolean {
    return commit === null || commit === undefined || isInHistory(commit as Oid)
  }

  return {
    get state() {
      return state
    },
    get isDamaged() {
      return isDamaged
    },
    serving() {
      const isComplete = state?.complete && !own?.database.damaged
      const index = isComplete ? own : former
      const commit = isComplete ? state?.commit : former?.progress()[2]
      return index?.database.damaged || !isOfHistory(commit) ? undefined : index
    },
    async use(identity) {
      if (own && state?.identity === identity) return own
      await disconnect()
      replaceOwn()
      own = files.open(identity)
      state = storedState(own, identity)
      if (!state.complete) former ??= files.openFormer(own)
      return own
    },
    async reach(reached) {
      state = reached
      if (!own || !reached.complete || othersRemoved) return
      if (former) await disconnect()
      former?.close()
      former = undefined
      files.removeOthers(own)
      othersRemoved = true
    },
    async repair() {
      isDamaged = false
      await disconnect()
      if (former?.database.damaged) {
        former.close()
        former = undefined
      }
      if (!own?.database.damaged) return
      if (state) state = { ...state, complete: false, more: true }
      own.database.recreate()
      own.database.markComplete()
    },
    close() {
      own?.close()
      former?.close()
    },
  }
}

/** The state that an index has in its file. */
function storedState(index: OpenIndex, identity: string): IndexState {
  const [, through, commit, complete] = index.progress()
  return {
    ...{ identity, through, last: through, commit: (commit ?? undefined) as Oid | undefined },
    ...{ complete: complete === 1, more: true, again: [], missing: [] },
  }
}

/** An open index. The event loop reads only its progress; threads and processes read and write everything else. */
export interface OpenIndex {
  readonly file: string
  /** Limit of the indexed text of a document, in characters. */
  readonly textLimit: number
  readonly database: DatabaseFile
  /** Reads the progress of the file. */
  progress(): ProgressRow
  close(): void
}

/** Limit of the indexed text of a document, in characters, if a command creates the index. */
const defaultTextLimit = 2 ** 20

interface IndexFileOptions {
  /** Our own folder in the Git directory. */
  readonly folder: string
  /**
   * Limit of the indexed text of a document, in characters; 0: documents are not indexed. Undefined for a command,
   * which uses the server's index whatever its limit.
   */
  readonly textLimit: number | undefined
  report(line: string): void
  /** Called when an open index is found damaged. */
  onDamage(): void
}

/** Opens the files of the indexes of a repository. */
function openIndexFiles({ folder, textLimit, report, onDamage }: IndexFileOptions) {
  function openFile(name: IndexName, identity: string): OpenIndex {
    const file = join(folder, indexFileName(name))
    const database = openDatabaseFile({
      file,
      version: searchTableVersion,
      name: 'search index',
      create: connection => createSearchTables(connection, identity),
      report,
      onDamage,
    })
    const connection = database.connect()
    const read = connection.prepare<ProgressRow>(progressSql)
    return {
      file,
      textLimit: name.textLimit,
      database,
      progress: () => read.get() ?? [identity, 0, null, 0, null],
      close: () => connection.close(),
    }
  }

  /** The indexes in the folder that this program can read. */
  function readableIndexes(): readonly IndexName[] {
    return readdirSync(folder).flatMap(name => parseIndexFileName(name) ?? [])
  }

  return {
    /** Opens the index for a build of the catalog; creates an empty one if there is none. */
    open(identity: string): OpenIndex {
      const build = indexBuild(identity)
      const known = textLimit === undefined ? readableIndexes().find(name => name.build === build) : undefined
      return openFile(known ?? { build, textLimit: textLimit ?? defaultTextLimit }, identity)
    },
    /** Opens an index of an earlier build that was complete; undefined if there is none. */
    openFormer(own: OpenIndex): OpenIndex | undefined {
      for (const name of readableIndexes()) {
        if (join(folder, indexFileName(name)) === own.file) continue
        const index = openFile(name, '')
        if (index.progress()[3] === 1) return index
        index.close()
        removeDatabase(index.file)
      }
      return undefined
    },
    /** Deletes every other index. A command keeps the other indexes of this build of the catalog. */
    removeOthers({ file }: OpenIndex): void {
      const ofBuild = basename(file).replace(/-\d+\.sqlite$/, '-')
      for (const name of readdirSync(folder)) {
        const isKept = textLimit === undefined && name.startsWith(ofBuild)
        if (isSearchFile(name) && name.endsWith('.sqlite') && basename(file) !== name && !isKept)
          removeDatabase(join(folder, name))
      }
    },
  }
}
