import { rmSync, statSync } from 'node:fs'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import {
  type Connection,
  type CurrentDatabase,
  connectionOf,
  connectionTo,
  isDatabaseDamage,
  maxLogBytes,
  type NamedFile,
  openTuned,
  problemOfError,
  rebuildProblem,
  type SqliteDatabase,
  unusableFileProblem,
  versionOf,
} from './sqlite-connection.js'

/** A derived SQLite file, which can be rebuilt at any time. */
export interface DatabaseFile {
  /** A connection for the writer. */
  connect(): Connection
  /** A connection for readers. Its calls fail while the file is damaged or not filled again. */
  connectReader(): Connection
  /** Whether a statement, or the check once a second, has found the file damaged, replaced or deleted. */
  readonly damaged: boolean
  /** Whether readers may read: the file is neither damaged nor empty after a replacement. */
  readonly usable: boolean
  noteDamage(): void
  /** Translates an error of SQLite in another thread to a problem, and notes damage. Returns other errors unchanged. */
  toProblem(thrown: unknown): unknown
  /** Replaces the file by an empty one; existing connections use the new file. */
  recreate(): void
  /** Lets readers read again after `recreate`. */
  markComplete(): void
}

interface DatabaseOptions extends NamedFile {
  /** `PRAGMA user_version` of a usable file. */
  readonly version: number
  /** Creates the tables in an empty file. */
  create(connection: Connection): void
  /** SQL that makes further tables, if they are missing. */
  readonly tables?: string
  report(line: string): void
  /** Called when the file is found damaged. */
  onDamage?(): void
}

/** Milliseconds between two checks that the file is still the one that was opened. */
const checkInterval = 1000

/**
 * Opens a derived file. Creates it if it does not exist, is damaged or is of another version.
 * @throws ProblemError `unusable-repository` if the file can be neither opened nor created
 */
export function openDatabaseFile(options: DatabaseOptions): DatabaseFile {
  const connections = new Set<{ open(): void; close(): void }>()
  let state: 'whole' | 'damaged' | 'empty' = 'whole'
  const watch = openFileWatch(options.file, isFileHarmed => {
    // `onDamage` was called before, but its repair failed. Repeat it.
    if (state !== 'whole') options.onDamage?.()
    else if (isFileHarmed()) noteDamage()
  })

  function noteDamage(): void {
    if (state === 'damaged') return
    state = 'damaged'
    options.onDamage?.()
  }

  function connect(isReader: boolean): Connection {
    initialise(options)
    const current: CurrentDatabase = { database: open(options), generation: 0 }
    const entry = {
      close: () => current.database.close(),
      open() {
        current.database = open(options)
        current.generation++
      },
    }
    connections.add(entry)
    // A first read: after it, no other process deletes the log when that process closes its connection.
    versionOf(current.database)
    watch.start()

    function watched<T>(job: () => T): T {
      if (isReader && state !== 'whole') throw rebuildProblem(options)
      try {
        return job()
      } catch (thrown) {
        throw toProblem(thrown)
      }
    }
    const close = () => {
      connections.delete(entry)
      if (connections.size === 0) watch.stop()
      current.database.close()
    }
    return connectionTo(current, watched, close)
  }

  function toProblem(thrown: unknown): unknown {
    if (!isDatabaseDamage(thrown)) return problemOfError(options, thrown) ?? thrown
    noteDamage()
    return rebuildProblem(options, thrown)
  }

  return {
    connect: () => connect(false),
    connectReader: () => connect(true),
    get damaged() {
      return state === 'damaged'
    },
    get usable() {
      return state === 'whole'
    },
    noteDamage,
    toProblem,
    recreate() {
      options.report(`The ${options.name} ${options.file} is damaged; it is deleted and rebuilt.`)
      // All connections close before the file is replaced: the last one deletes the log by name.
      for (const connection of connections) connection.close()
      removeDatabase(options.file)
      const fault = tryInitialise(options)
      if (fault !== undefined) throw unusableFileProblem(options, new Error(`it ${fault}`))
      for (const connection of connections) connection.open()
      watch.accept()
      state = 'empty'
    },
    markComplete() {
      if (state === 'empty') state = 'whole'
    },
  }
}

/** Creates the file, and replaces a damaged one. @throws ProblemError `unusable-repository` */
function initialise(options: DatabaseOptions): void {
  const fault = tryInitialise(options)
  if (fault === undefined) return
  options.report(`The ${options.name} ${options.file} ${fault}; it is deleted and rebuilt.`)
  removeDatabase(options.file)
  const again = tryInitialise(options)
  if (again !== undefined) throw unusableFileProblem(options, new Error(`it ${again}`))
}

/**
 * Checks a file at an interval. SQLite keeps its files open, so it does not notice when a file is deleted or replaced.
 * @param onInterval is called with a function that says whether the file was harmed since that function's last call
 */
function openFileWatch(file: string, onInterval: (isFileHarmed: () => boolean) => void) {
  let seen: DatabaseFileState | undefined
  let timer: NodeJS.Timeout | undefined

  function isFileHarmed(): boolean {
    const now = databaseFileState(file)
    const before = seen
    seen = now
    return before !== undefined && isHarmed(before, now)
  }

  return {
    start() {
      seen ??= databaseFileState(file)
      timer ??= setInterval(onInterval, checkInterval, isFileHarmed).unref()
    },
    /** Treats the present file as unharmed. */
    accept() {
      seen = databaseFileState(file)
    },
    stop: () => clearInterval(timer),
  }
}

/** @returns what is wrong with the file, or undefined if it has our tables */
function tryInitialise(options: DatabaseOptions): string | undefined {
  let database: SqliteDatabase | undefined
  try {
    database = open(options)
    // The write lock is not taken if the file is usable, because another process may hold that lock for long.
    if (versionOf(database) === options.version) {
      database.exec(options.tables ?? '')
      return undefined
    }
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('BEGIN IMMEDIATE')
    const version = versionOf(database)
    const [tables] = database.prepare('SELECT count(*) FROM sqlite_master').raw(true).get([]) as [number]
    if (version !== options.version && (version !== 0 || tables !== 0)) return 'is of another version'
    if (version === 0) {
      options.create(connectionOf(database))
      database.exec(options.tables ?? '')
      database.exec(`PRAGMA user_version = ${options.version}`)
    }
    database.exec('COMMIT')
    return undefined
  } catch (thrown) {
    if (isDatabaseDamage(thrown)) return 'is damaged'
    throw thrown instanceof ProblemError ? thrown : unusableFileProblem(options, thrown)
  } finally {
    if (database?.inTransaction) database.exec('ROLLBACK')
    database?.close()
  }
}

function open(options: DatabaseOptions) {
  try {
    return openTuned(options.file)
  } catch (thrown) {
    if (isDatabaseDamage(thrown)) throw thrown
    throw unusableFileProblem(options, thrown)
  }
}

/** Deletes the file, its log and its shared memory. @see https://sqlite.org/tempfiles.html */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** Identity and size of a SQLite file and of its write-ahead log; undefined if the file is missing. */
interface DatabaseFileState {
  readonly file: OneFile | undefined
  readonly log: OneFile | undefined
}

interface OneFile {
  readonly inode: bigint
  readonly size: bigint
}

export function databaseFileState(path: string): DatabaseFileState {
  return { file: statFile(path), log: statFile(`${path}-wal`) }
}

/** Does not open the file: closing it would release all locks of SQLite. @see fcntl(2), "Advisory record locking" */
function statFile(path: string): OneFile | undefined {
  const stats = undefinedIfMissing(() => statSync(path, { bigint: true }))
  return stats && { inode: stats.ino, size: stats.size }
}

/** Says whether another program changed the file: SQLite never shrinks the file, nor the log of an open connection. */
function isHarmed(before: DatabaseFileState, now: DatabaseFileState): boolean {
  return (['file', 'log'] as const).some(which => {
    const [was, is] = [before[which], now[which]]
    if (!was) return false
    if (!is || is.inode !== was.inode) return true
    return is.size < was.size && (which === 'file' || is.size < maxLogBytes)
  })
}
