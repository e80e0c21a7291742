import { rmSync, statSync } from 'node:fs'
import Database from 'libsql'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissing } from '../../store/file-system/durable-files.js'

/** What we bind and read. libsql ends the process on a boolean or on a lone object, so nothing else gets through. */
export type SqlValue = string | number | null
export type SqlRow = readonly SqlValue[]

export interface Statement<R extends SqlRow> {
  get(...values: SqlRow): R | undefined
  all(...values: SqlRow): readonly R[]
  /** @returns the row id of what was inserted last */
  run(...values: SqlRow): number
}

/** One connection. Statements are compiled at first use and stay good when the file is replaced. */
export interface Connection {
  prepare<R extends SqlRow = SqlRow>(sql: string): Statement<R>
  exec(sql: string): void
  /** Runs `job` in a transaction; every read in it sees one state. */
  transaction<T>(mode: 'DEFERRED' | 'IMMEDIATE', job: () => T): T
  readonly inTransaction: boolean
  /** Kibibytes of pages to keep in memory; default: as many as at the start. */
  keepPages(kibibytes?: number): void
  close(): void
}

/** A derived SQLite file that may be thrown away at any time. */
export interface DatabaseFile {
  /** For whoever fills it. */
  connect(): Connection
  /** For readers: nothing is answered from a file that is damaged, or not filled again yet. */
  connectReader(): Connection
  /** It was found damaged, exchanged or gone: by a statement, or by looking at it every second. */
  readonly damaged: boolean
  /** Readers may read. */
  readonly usable: boolean
  /** Says that it was found damaged. */
  noteDamage(): void
  /** What a failure of SQLite's in another thread means here: damage is noted, and a failing disk is a problem. */
  toProblem(thrown: unknown): unknown
  /** Deletes the file and makes it anew, empty; connections go on with the new one. */
  recreate(): void
  /** Says that it has all it should have: readers may read again. */
  markComplete(): void
}

export interface DatabaseOptions {
  readonly file: string
  /** `PRAGMA user_version` of a file that can be used as it is. */
  readonly version: number
  /** Makes the tables of an empty file. */
  create(connection: Connection): void
  /** What the file is, for messages: `catalog`. */
  readonly name: string
  report(line: string): void
  /** Called when it is found damaged. */
  onDamage?(): void
}

type SqliteDatabase = InstanceType<typeof Database>

/** Kibibytes of pages a connection keeps in memory: what updates touch at 1,000,000 records, above the leaves. */
const usualPages = 8 * 1024

/** Milliseconds to wait for another process's write. */
export const busyTimeoutMs = 5000

/** Milliseconds between two looks at whether the file still is the one that was opened. */
const lookEvery = 1000

/** Bytes the log may keep after a rebuild, in which it grows as large as the catalog. */
const largestLog = 64 * 1024 * 1024

/**
 * Opens a derived file, making it where it does not exist, is damaged or is of another version.
 * @throws ProblemError `unusable-repository` where the file can be neither opened nor made
 */
export function openDatabaseFile(options: DatabaseOptions): DatabaseFile {
  const connections = new Set<{ open(): void; close(): void }>()
  let state: 'whole' | 'damaged' | 'empty' = 'whole'
  let seen: FileState | undefined
  let looking: NodeJS.Timeout | undefined

  function noteDamage(): void {
    if (state === 'damaged') return
    state = 'damaged'
    options.onDamage?.()
  }

  /** SQLite holds its files open, and would neither see that one is gone nor that others have another by now. */
  function look(): void {
    // What could not be put right yet is tried again.
    if (state !== 'whole') {
      options.onDamage?.()
      return
    }
    const now = stateOf(options.file)
    const before = seen
    seen = now
    if (before && isHarmed(before, now)) noteDamage()
  }

  function connect(isReader: boolean): Connection {
    const current: Current = { database: open(options), generation: 0 }
    const entry = {
      close: () => current.database.close(),
      open() {
        current.database = open(options)
        current.generation++
      },
    }
    connections.add(entry)
    // From the first read on nobody else takes away the log at their end.
    current.database.prepare('PRAGMA user_version').raw(true).get([])
    seen ??= stateOf(options.file)
    looking ??= setInterval(look, lookEvery).unref()

    function watched<T>(job: () => T): T {
      if (isReader && state !== 'whole') throw beingMade(options)
      try {
        return job()
      } catch (thrown) {
        throw toProblem(thrown)
      }
    }
    const close = () => {
      connections.delete(entry)
      if (connections.size === 0) clearInterval(looking)
      current.database.close()
    }
    return connectionTo(current, watched, close)
  }

  /** Notes damage on the way of an error upwards, and says what a failing disk is. */
  function toProblem(thrown: unknown): unknown {
    if (!isDamage(thrown)) return failing(options, thrown) ?? thrown
    noteDamage()
    return beingMade(options, thrown)
  }

  function initialise(): void {
    const fault = tryInitialise(options)
    if (fault === undefined) return
    options.report(`The ${options.name} ${options.file} ${fault}; it is deleted and made anew.`)
    removeDatabase(options.file)
    const again = tryInitialise(options)
    if (again !== undefined) throw unusable(options, new Error(`it ${again}`))
  }

  return {
    connect() {
      initialise()
      return connect(false)
    },
    connectReader() {
      initialise()
      return connect(true)
    },
    get damaged() {
      return state === 'damaged'
    },
    get usable() {
      return state === 'whole'
    },
    noteDamage,
    toProblem,
    recreate() {
      options.report(`The ${options.name} ${options.file} is damaged; it is deleted and made anew.`)
      // All of them first: the last one that closes removes the log, by its name.
      for (const connection of connections) connection.close()
      removeDatabase(options.file)
      const fault = tryInitialise(options)
      if (fault !== undefined) throw unusable(options, new Error(`it ${fault}`))
      for (const connection of connections) connection.open()
      seen = stateOf(options.file)
      state = 'empty'
    },
    markComplete() {
      if (state === 'empty') state = 'whole'
    },
  }
}

/** The database of a connection, which is another one in each generation. */
interface Current {
  database: SqliteDatabase
  generation: number
}

/** @param watched runs whatever may fail */
function connectionTo(
  current: Readonly<Current>,
  watched: <T>(job: () => T) => T,
  close: () => void,
): Connection {
  const compiled = new Map<string, Statement<SqlRow>>()
  function compile(sql: string): Statement<SqlRow> {
    let made = -1
    let reads = false
    let statement: ReturnType<SqliteDatabase['prepare']>
    const compiledFor = (reading: boolean) => {
      const { database, generation } = current
      if (made !== generation || reads !== reading) {
        statement = database.prepare(sql)
        if (reading) statement.raw(true)
        made = generation
        reads = reading
      }
      return statement
    }
    // Values always go down as one array: see Value.
    return {
      get: (...values) => watched(() => compiledFor(true).get(values) as SqlRow | undefined),
      all: (...values) => watched(() => compiledFor(true).all(values) as readonly SqlRow[]),
      run: (...values) => watched(() => Number(compiledFor(false).run(values).lastInsertRowid)),
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
        const { database } = current
        if (database.inTransaction) database.exec('ROLLBACK')
        throw thrown
      }
    },
    get inTransaction() {
      return current.database.inTransaction
    },
    keepPages(kibibytes = usualPages) {
      const { database } = current
      database.exec(`PRAGMA cache_size = -${kibibytes}`)
      database.exec('PRAGMA shrink_memory')
    },
    close,
  }
  return connection
}

/** Opens a file of ours for a thread that writes to it beside this one. What fails is thrown as SQLite says it. */
export function openToWrite(file: string): Connection {
  return connectionOf(tuned(file))
}

/** To one database for good; what fails is thrown as SQLite says it. */
function connectionOf(database: SqliteDatabase): Connection {
  return connectionTo(
    { database, generation: 0 },
    job => job(),
    () => database.close(),
  )
}

/** What the file and its log look like from outside; undefined where there is none. */
interface FileState {
  readonly file: OneFile | undefined
  readonly log: OneFile | undefined
}

interface OneFile {
  readonly inode: bigint
  readonly size: bigint
}

function stateOf(path: string): FileState {
  return { file: lookAt(path), log: lookAt(`${path}-wal`) }
}

/** Not opened: closing it again would end all locks that SQLite has on it. @see fcntl(2), "Advisory record locking" */
function lookAt(path: string): OneFile | undefined {
  const found = undefinedIfMissing(() => statSync(path, { bigint: true }))
  return found && { inode: found.ino, size: found.size }
}

/** Whether somebody else has been at it: SQLite never makes the file smaller, nor the log while we are connected. */
function isHarmed(before: FileState, now: FileState): boolean {
  return (['file', 'log'] as const).some(which => {
    const [was, is] = [before[which], now[which]]
    if (!was) return false
    if (!is || is.inode !== was.inode) return true
    return is.size < was.size && (which === 'file' || is.size < largestLog)
  })
}

/** @returns what is wrong with the file, or undefined when it has our tables */
function tryInitialise(options: DatabaseOptions): string | undefined {
  let database: SqliteDatabase | undefined
  try {
    database = open(options)
    const opened = database
    const versionNow = () => (opened.prepare('PRAGMA user_version').raw(true).get([]) as [number])[0]
    // A file that is good already is opened without a write lock: another process may be in a transaction for long.
    if (versionNow() === options.version) return undefined
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('BEGIN IMMEDIATE')
    const version = versionNow()
    const [tables] = database.prepare('SELECT count(*) FROM sqlite_master').raw(true).get([]) as [number]
    if (version !== options.version && (version !== 0 || tables !== 0)) return 'is of another version'
    if (version === 0) {
      options.create(connectionOf(database))
      database.exec(`PRAGMA user_version = ${options.version}`)
    }
    database.exec('COMMIT')
    return undefined
  } catch (thrown) {
    if (isDamage(thrown)) return 'is damaged'
    throw thrown instanceof ProblemError ? thrown : unusable(options, thrown)
  } finally {
    if (database?.inTransaction) database.exec('ROLLBACK')
    database?.close()
  }
}

/**
 * Opens a derived file for what only reads, whoever else writes to it.
 * @returns undefined where it cannot be read as it is: damaged, of another version, on a disk that cannot be written to
 */
export function openToRead(file: string, version: number): Connection | undefined {
  let database: SqliteDatabase | undefined
  try {
    const opened = new Database(file, { timeout: busyTimeoutMs })
    database = opened
    const [found] = opened.prepare('PRAGMA user_version').raw(true).get([]) as [number]
    if (found === version) {
      return connectionOf(opened)
    }
  } catch (thrown) {
    if (!isOfDatabase(thrown)) throw thrown
  }
  database?.close()
  return undefined
}

function open(options: DatabaseOptions) {
  try {
    return tuned(options.file)
  } catch (thrown) {
    if (isDamage(thrown)) throw thrown
    throw unusable(options, thrown)
  }
}

function tuned(file: string): SqliteDatabase {
  const database = new Database(file, { timeout: busyTimeoutMs })
  database.exec('PRAGMA synchronous = NORMAL')
  database.exec(`PRAGMA cache_size = -${usualPages}`)
  // Whoever commits copies the log, and waits for the disk, only where copies beside cannot keep up with it.
  database.exec('PRAGMA wal_autocheckpoint = 16000')
  database.exec(`PRAGMA journal_size_limit = ${largestLog}`)
  return database
}

/** The file, and what SQLite keeps beside it. @see https://sqlite.org/tempfiles.html */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** An empty file is a good one to SQLite, but none that has our tables. */
export function isDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error && 'code' in thrown)) return false
  const code = String(thrown.code)
  return (
    /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|READONLY_DBMOVED)/.test(code) ||
    (code === 'SQLITE_ERROR' && /no such table/.test(thrown.message))
  )
}

function beingMade(options: DatabaseOptions, cause?: unknown): ProblemError {
  const message = `The ${options.name} was damaged and is being made anew. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 2 }, { cause })
}

/** What SQLite says of a disk, or of another process, that does not let it go on. @see https://sqlite.org/rescode.html */
function failing(options: DatabaseOptions, thrown: unknown): ProblemError | undefined {
  if (!(thrown instanceof Error && isOfDatabase(thrown))) return undefined
  const code = String((thrown as NodeJS.ErrnoException).code)
  if (code === 'SQLITE_FULL') {
    const message = `The disk is full; the ${options.name} cannot be written.`
    return new ProblemError('no-space', message, {}, { cause: thrown })
  }
  if (!/^SQLITE_(IOERR|READONLY|CANTOPEN|BUSY)/.test(code)) return undefined
  const message = `The ${options.name} cannot be read or written: ${thrown.message}. Try again.`
  return new ProblemError('unavailable', message, { retryAfter: 2 }, { cause: thrown })
}

/** Whether SQLite itself failed. */
export function isOfDatabase(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('SQLITE_')
}

function unusable(options: DatabaseOptions, cause: unknown): ProblemError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ProblemError(
    'unusable-repository',
    `The ${options.name} ${options.file} cannot be opened: ${why}`,
    {},
    { cause },
  )
}
