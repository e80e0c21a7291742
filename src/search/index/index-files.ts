import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type DatabaseFile, openDatabaseFile, removeDatabase } from '../../catalog/database/sqlite-file.js'
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

export interface IndexFileOptions {
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
export function openIndexFiles({ folder, textLimit, report, onDamage }: IndexFileOptions) {
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
