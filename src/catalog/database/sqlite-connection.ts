import Database from 'libsql'
import { ProblemError } from '../../core/problem.js'
import { trimEnd } from '../../core/value-types.js'

/**
 * A value to bind or to read. No other type is allowed: a boolean, or a single object, makes libsql end the process.
 */
export type SqlValue = string | number | null
export type SqlRow = readonly SqlValue[]

export interface Statement<R extends SqlRow> {
  get(...values: SqlRow): R | undefined
  all(...values: SqlRow): readonly R[]
  /** @returns the row id of the last inserted row */
  run(...values: SqlRow): number
}

/** A connection to a database. Statements are compiled at first use, and again after the file was replaced. */
export interface Connection {
  prepare<R extends SqlRow = SqlRow>(sql: string): Statement<R>
  exec(sql: string): void
  /** Runs `job` in a transaction; all reads in it see one state. */
  transaction<T>(mode: 'DEFERRED' | 'IMMEDIATE', job: () => T): T
  readonly inTransaction: boolean
  /** Sets the size of the page cache in KiB; default: the size of a new connection. */
  keepPages(kibibytes?: number): void
  close(): void
}

export type SqliteDatabase = InstanceType<typeof Database>

/** The open database of a connection. `generation` increases when the file is replaced. */
export interface CurrentDatabase {
  database: SqliteDatabase
  generation: number
}

/** Page cache of a connection, in KiB: enough for the inner pages that updates of 1,000,000 records read. */
const defaultCacheSize = 8 * 1024

/** Limit of the wait for the write lock of another process, in milliseconds. */
export const busyTimeoutMs = 5000

/** Limit of the log after a rebuild, in bytes. During a rebuild, the log grows as large as the catalog. */
export const maxLogBytes = 64 * 1024 * 1024

/**
 * A connection to a database whose file may be replaced. Statements are compiled again for a new file.
 * @param watched runs each call of SQLite that may fail, to translate its error
 */
export function connectionTo(
  current: Readonly<CurrentDatabase>,
  watched: <T>(job: () => T) => T,
  close: () => void,
): Connection {
  const compiled = new Map<string, Statement<SqlRow>>()
  function compile(sql: string): Statement<SqlRow> {
    let made = -1
    let madeFor: 'get' | 'all' | 'run' | undefined
    let statement: ReturnType<SqliteDatabase['prepare']>
    // `get` after `all` of the same compiled statement returns the row of `all`: a defect of libsql 0.5.
    const compiledFor = (use: 'get' | 'all' | 'run') => {
      const { database, generation } = current
      if (made !== generation || madeFor !== use) {
        statement = database.prepare(sql)
        if (use !== 'run') statement.raw(true)
        made = generation
        madeFor = use
      }
      return statement
    }
    // Values are passed as one array: see SqlValue.
    return {
      get: (...values) => watched(() => compiledFor('get').get(values) as SqlRow | undefined),
      all: (...values) => watched(() => compiledFor('all').all(values) as readonly SqlRow[]),
      run: (...values) => watched(() => Number(compiledFor('run').run(values).lastInsertRowid)),
    }
  }
  const connection: Connection = {
    prepare<R extends SqlRow>(sql: string) {
      let statement = compiled.get(sql)
      if (!statement) {
        statement = compile(sql)
        compiled.set(sql, statement)
      }
      return statement as Statement<R>
    },
    exec(sql) {
      watched(() => current.database.exec(sql))
    },
    transaction(mode, job) {
      connection.exec(`BEGIN ${mode}`)
      try {
        const result = job()
        connection.exec('COMMIT')
        return result
      } catch (thrown) {
        if (connection.inTransaction) current.database.exec('ROLLBACK')
        throw thrown
      }
    },
    get inTransaction() {
      const { database } = current
      // libsql ends the process if it is asked about a closed database.
      return database.open && database.inTransaction
    },
    keepPages(kibibytes = defaultCacheSize) {
      const { database } = current
      database.exec(`PRAGMA cache_size = -${kibibytes}`)
      database.exec('PRAGMA shrink_memory')
    },
    close,
  }
  return connection
}

/** A connection to a database that is never replaced. It throws SQLite's own errors. */
export function connectionOf(database: SqliteDatabase): Connection {
  return connectionTo(
    { database, generation: 0 },
    job => job(),
    () => database.close(),
  )
}

/** Opens an empty database in memory, to which files may be attached. */
export function openInMemory(): Connection {
  return connectionOf(new Database(':memory:', { timeout: busyTimeoutMs }))
}

/**
 * Opens an existing database file for writing, in a worker thread: it throws SQLite's own errors, which the thread
 * that started the worker translates to problems.
 */
export function openToWrite(file: string): Connection {
  return connectionOf(openTuned(file))
}

/**
 * Opens a derived file for reading while others may write to it.
 * @returns undefined if it cannot be read: it is damaged, of another version, or on a read-only disk
 */
export function openToRead(file: string, version: number): Connection | undefined {
  let database: SqliteDatabase | undefined
  try {
    database = new Database(file, { timeout: busyTimeoutMs })
    if (versionOf(database) === version) return connectionOf(database)
  } catch (thrown) {
    if (!isSqliteError(thrown)) throw thrown
  }
  database?.close()
  return undefined
}

/** The version of the tables, as `PRAGMA user_version` has it; 0 for an empty file. */
export function versionOf(database: SqliteDatabase): number {
  return (database.prepare('PRAGMA user_version').raw(true).get([]) as [number])[0]
}

export function openTuned(file: string): SqliteDatabase {
  const database = new Database(file, { timeout: busyTimeoutMs })
  database.exec('PRAGMA synchronous = NORMAL')
  database.exec(`PRAGMA cache_size = -${defaultCacheSize}`)
  // A commit copies the log itself, and waits for the disk, only if the copies in the background are too slow.
  database.exec('PRAGMA wal_autocheckpoint = 16000')
  database.exec(`PRAGMA journal_size_limit = ${maxLogBytes}`)
  return database
}

/** A derived file, for messages. */
export interface NamedFile {
  readonly file: string
  /** What the file is: `catalog`. */
  readonly name: string
}

/** Says whether the error comes from SQLite. */
export function isSqliteError(thrown: unknown): thrown is NodeJS.ErrnoException & { readonly code: string } {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('SQLITE_')
}

/**
 * Says whether the error means that the file is damaged. An empty file has none of our tables and counts as damaged.
 */
export function isDatabaseDamage(thrown: unknown): boolean {
  if (!isSqliteError(thrown)) return false
  const { code, message } = thrown
  return (
    /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|READONLY_DBMOVED)/.test(code) ||
    (code === 'SQLITE_ERROR' && /no such table/.test(message))
  )
}

export function rebuildProblem({ name }: NamedFile, cause?: unknown): ProblemError {
  const message = `The ${name} is damaged and is being rebuilt. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 2 }, { cause })
}

/**
 * The problem for an error of SQLite that has its cause in a disk or in another process; undefined for other errors.
 * @see https://sqlite.org/rescode.html
 */
export function problemOfError({ name }: NamedFile, thrown: unknown): ProblemError | undefined {
  if (!isSqliteError(thrown)) return undefined
  if (thrown.code === 'SQLITE_FULL') {
    const message = `The disk is full; the ${name} cannot be written.`
    return new ProblemError('no-space', message, {}, { cause: thrown })
  }
  if (!/^SQLITE_(IOERR|READONLY|CANTOPEN|BUSY)/.test(thrown.code)) return undefined
  const message = `The ${name} cannot be read or written: ${trimEnd(thrown.message, '.')}. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 2 }, { cause: thrown })
}

export function unusableFileProblem({ name, file }: NamedFile, cause: unknown): ProblemError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `The ${name} ${file} cannot be opened: ${why}`
  return new ProblemError('unusable-repository', message, {}, { cause })
}
