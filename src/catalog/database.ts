import { rmSync } from 'node:fs'
import Database from 'libsql'
import { ProblemError } from '../core/problem.js'

/** What we bind and read. libsql ends the process on a boolean or on a lone object, so nothing else gets through. */
export type Value = string | number | null
export type Row = readonly Value[]

export interface Statement<R extends Row> {
  get(...values: Row): R | undefined
  all(...values: Row): readonly R[]
  /** @returns the row id of what was inserted last */
  run(...values: Row): number
}

/** One connection. Statements are compiled at first use and stay good when the file is replaced. */
export interface Connection {
  prepare<R extends Row = Row>(sql: string): Statement<R>
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
  connect(): Connection
  /** A statement found the file damaged. */
  readonly damaged: boolean
  /** Deletes the file and makes it anew; connections go on with the new one. */
  recreate(): void
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
}

/** Kibibytes of pages a connection keeps in memory: what updates touch at 1,000,000 records, above the leaves. */
const usualPages = 8 * 1024

/** Milliseconds to wait for another process's write. */
const patience = 5000

/**
 * Opens a derived file, making it where it does not exist, is damaged or is of another version.
 * @throws ProblemError `unusable-repository` where the file can be neither opened nor made
 */
export function openDatabaseFile(options: DatabaseOptions): DatabaseFile {
  const connections = new Set<{ reopen(): void }>()
  let damaged = false

  function connect(): Connection {
    let database = open(options)
    let generation = 0
    const entry = {
      reopen() {
        database.close()
        database = open(options)
        generation++
      },
    }
    connections.add(entry)

    /** Notes damage on the way of an error upwards. */
    function watched<T>(job: () => T): T {
      try {
        return job()
      } catch (thrown) {
        if (isDamage(thrown)) damaged = true
        throw thrown
      }
    }
    const compiled = new Map<string, Statement<Row>>()
    function compile(sql: string): Statement<Row> {
      let made = -1
      let reads = false
      let statement: ReturnType<typeof database.prepare>
      const current = (reading: boolean) => {
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
        get: (...values) => watched(() => current(true).get(values) as Row | undefined),
        all: (...values) => watched(() => current(true).all(values) as readonly Row[]),
        run: (...values) => watched(() => Number(current(false).run(values).lastInsertRowid)),
      }
    }
    const connection: Connection = {
      prepare<R extends Row>(sql: string) {
        let statement = compiled.get(sql)
        if (!statement) {
          statement = compile(sql)
          compiled.set(sql, statement)
        }
        return statement as Statement<R>
      },
      exec(sql) {
        watched(() => database.exec(sql))
      },
      transaction(mode, job) {
        connection.exec(`BEGIN ${mode}`)
        try {
          const result = job()
          connection.exec('COMMIT')
          return result
        } catch (thrown) {
          if (database.inTransaction) database.exec('ROLLBACK')
          throw thrown
        }
      },
      get inTransaction() {
        return database.inTransaction
      },
      keepPages(kibibytes = usualPages) {
        database.exec(`PRAGMA cache_size = -${kibibytes}`)
        database.exec('PRAGMA shrink_memory')
      },
      close() {
        connections.delete(entry)
        database.close()
      },
    }
    return connection
  }

  return {
    connect() {
      const fault = tryInitialise(options)
      if (fault !== undefined) {
        options.report(`The ${options.name} ${options.file} ${fault}; it is deleted and made anew.`)
        remove(options.file)
        const again = tryInitialise(options)
        if (again !== undefined) throw unusable(options, new Error(`it ${again}`))
      }
      return connect()
    },
    get damaged() {
      return damaged
    },
    recreate() {
      options.report(`The ${options.name} ${options.file} is damaged; it is deleted and made anew.`)
      remove(options.file)
      const fault = tryInitialise(options)
      if (fault !== undefined) throw unusable(options, new Error(`it ${fault}`))
      for (const connection of connections) connection.reopen()
      damaged = false
    },
  }
}

/** @returns what is wrong with the file, or undefined when it has our tables */
function tryInitialise(options: DatabaseOptions): string | undefined {
  let database: ReturnType<typeof open> | undefined
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
      options.create(bare(database))
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
  let database: InstanceType<typeof Database> | undefined
  try {
    const opened = new Database(file, { timeout: patience })
    database = opened
    const [found] = opened.prepare('PRAGMA user_version').raw(true).get([]) as [number]
    if (found === version) {
      return {
        ...bare(opened),
        get inTransaction() {
          return opened.inTransaction
        },
        close: () => opened.close(),
      }
    }
  } catch (thrown) {
    if (!isOfDatabase(thrown)) throw thrown
  }
  database?.close()
  return undefined
}

/** The part of a connection that making tables needs. */
function bare(database: ReturnType<typeof open>): Connection {
  return {
    prepare: <R extends Row>(sql: string) => ({
      get: (...values: Row) => database.prepare(sql).raw(true).get(values) as R | undefined,
      all: (...values: Row) => database.prepare(sql).raw(true).all(values) as R[],
      run: (...values: Row) => Number(database.prepare(sql).run(values).lastInsertRowid),
    }),
    exec: sql => {
      database.exec(sql)
    },
    transaction: (_, job) => job(),
    keepPages: () => undefined,
    inTransaction: true,
    close: () => undefined,
  }
}

function open(options: DatabaseOptions) {
  try {
    const database = new Database(options.file, { timeout: patience })
    database.exec('PRAGMA synchronous = NORMAL')
    database.exec(`PRAGMA cache_size = -${usualPages}`)
    // Fewer and larger copies of the log into the file: each waits for the disk.
    database.exec('PRAGMA wal_autocheckpoint = 4000')
    // After a rebuild the log is as large as the catalog; it need not stay so.
    database.exec('PRAGMA journal_size_limit = 67108864')
    return database
  } catch (thrown) {
    if (isDamage(thrown)) throw thrown
    throw unusable(options, thrown)
  }
}

function remove(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

function isDamage(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && /^SQLITE_(CORRUPT|NOTADB)/.test(String(thrown.code))
}

function isOfDatabase(thrown: unknown): boolean {
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
