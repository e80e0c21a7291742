import { ProblemError } from '../../core/problem.js'
import { trimEnd } from '../../core/value-types.js'

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
