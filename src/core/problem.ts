import type { Collection } from './records/collection.js'

/**
 * What can be wrong, whoever asks. The core and the rooms above say *what*; `http/response/problem-details.ts` alone says which
 * status, `cli/output/exit-codes.ts` which exit code.
 */
export type ProblemKind =
  | 'malformed-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  /** It has another address, which is given. */
  | 'elsewhere'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'page-out-of-range'
  /** A name in a body (a schema, a version) that does not exist, or bytes that are no schema or no document. */
  | 'unprocessable'
  | 'precondition-required'
  /** The request names a host that the server does not answer for. */
  | 'misdirected'
  /** One client sends more than its share. */
  | 'too-many-requests'
  /** Try again later: shutting down, an index lock held by somebody, a history that was rewritten. */
  | 'unavailable'
  | 'no-space'
  /** The folder is not one this program can serve: not ours, newer layout, detached HEAD, read-only… */
  | 'unusable-repository'
  /** Something of the repository is missing or damaged: another copy of it has it. */
  | 'damaged'
  | 'internal'

/**
 * One thing found wrong in a document, a schema or a revision.
 * @see RFC 9457 §3.2 (extension members), validators of JSON Schema and XML Schema
 */
export interface Finding {
  readonly message: string
  /** JSON Pointer (RFC 6901) into the document; `""` is the whole document. */
  readonly path?: string
  /** Line of the document or of `file`, from 1. */
  readonly line?: number
  /** JSON Pointer or name of the place in the schema that asked for it. */
  readonly schemaPath?: string
  /** Path of the file it was found in, where that is not the document itself. */
  readonly file?: string
}

/** One line a finding: where, then what. */
export function findingLine(finding: Finding): string {
  const place = [
    finding.file,
    finding.line === undefined ? undefined : `line ${finding.line}`,
    finding.path === undefined || finding.path === '' ? undefined : `at ${finding.path}`,
  ].filter(part => part !== undefined)
  return place.length === 0 ? finding.message : `${place.join(', ')}: ${finding.message}`
}

/** What a message ends with that tells of findings: the first one as a sentence, its place in front. */
function firstFault(findings: readonly Finding[]): string | undefined {
  const [first] = findings
  if (!first) return undefined
  const line = findingLine(first)
  // A file stands in front as it is called.
  return first.file === undefined ? line.charAt(0).toUpperCase() + line.slice(1) : line
}

/** The end of a message that tells of the first finding, or all of it; undefined where none does. */
export function findingInMessage(message: string, findings: readonly Finding[]): string | undefined {
  const said = message === findings[0]?.message ? message : firstFault(findings)
  return said !== undefined && message.endsWith(said) ? said : undefined
}

export interface ProblemExtra {
  readonly findings?: readonly Finding[]
  /** Seconds after which a repeat makes sense. */
  readonly retryAfter?: number
  /** Number of all matches, for `page-out-of-range`. */
  readonly total?: number
  /** The record that does not exist, for `not-found`: the versions of the interface word it differently. */
  readonly missing?: { readonly kind: Collection; readonly name: string }
  /** Which change of a change set it is about, from 0. */
  readonly change?: number
  /** Where it is, for `elsewhere`. */
  readonly location?: string
  /** A token was sent and is not valid, for `unauthenticated`. */
  readonly badToken?: true
  /** The methods a route has, for `method-not-allowed`. */
  readonly allow?: readonly string[]
}

/** The one error a person may see. Everything else that is thrown is a bug or a failing machine. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'

  constructor(
    readonly kind: ProblemKind,
    message: string,
    readonly extra: ProblemExtra = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * Refuses what has findings.
 * @param what a sentence the first finding follows
 * @throws ProblemError `unprocessable` with all of them, where there are any
 */
export function throwIfFindings(findings: readonly Finding[], what: string): void {
  const first = firstFault(findings)
  if (first !== undefined) throw new ProblemError('unprocessable', `${what} ${first}`, { findings })
}

/** Whoever asks finds the server again when it has been started anew. */
export function shuttingDown(): ProblemError {
  return new ProblemError('unavailable', 'The server is shutting down.', { retryAfter: 5 })
}

/** A request that cannot be understood: what is wrong, where, and what to write. */
export function malformedRequest(message: string): ProblemError {
  return new ProblemError('malformed-request', message)
}
