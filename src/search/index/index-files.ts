import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseFile, openDatabaseFile, removeDatabase } from '../../catalog/database/sqlite-file.js'
import {
  createSearchTables,
  isReadableIndex,
  isSearchFile,
  type ProgressRow,
  progressSql,
  searchFileName,
  searchTableVersion,
} from './search-tables.js'

/** An index that is open: the event loop reads its progress, threads do the rest. */
export interface OpenIndex {
  readonly file: string
  readonly database: DatabaseFile
  /** Reads the progress of the file. */
  progress(): ProgressRow
  close(): void
}

interface IndexFileOptions {
  /** The own folder of the repository. */
  readonly folder: string
  report(line: string): void
  /** Called when an open index is found damaged. */
  onDamage(): void
}

/** The files of the indexes of a repository. */
export interface IndexFiles {
  /** Opens the index for a build of the catalog; creates an empty one if there is none. */
  open(identity: string): OpenIndex
  /** Opens an index of an earlier build that was complete; undefined if there is none. */
  openFormer(identity: string): OpenIndex | undefined
  /** Deletes every index but this one. */
  removeOthers(kept: OpenIndex): void
}

export function openIndexFiles({ folder, report, onDamage }: IndexFileOptions): IndexFiles {
  function openFile(file: string, identity: string): OpenIndex {
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
      database,
      progress: () => read.get() ?? [identity, 0, null, 0, 0],
      close: () => connection.close(),
    }
  }

  return {
    open: identity => openFile(join(folder, searchFileName(identity)), identity),
    openFormer(identity) {
      const own = searchFileName(identity)
      for (const name of readdirSync(folder)) {
        if (name === own || !isReadableIndex(name)) continue
        const index = openFile(join(folder, name), '')
        if (index.progress()[4] === 1) return index
        index.close()
        removeDatabase(index.file)
      }
      return undefined
    },
    removeOthers(kept) {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name)
        if (isSearchFile(name) && name.endsWith('.sqlite') && file !== kept.file) removeDatabase(file)
      }
    },
  }
}
