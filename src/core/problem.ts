import type { Collection } from './records/collection.js'

/**
 * The kinds of problems, independent of the interface. `http/problems/problem-status.ts` maps a kind to a status code,
 * and `cli/output/exit-codes.ts` maps it to an exit code.
 */
export type ProblemKind =
  | 'malformed-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  /** The resource has another address, which the problem gives. */
  | 'elsewhere'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'page-out-of-range'
  /** A name in the body (a schema, a version) does not exist, or the bytes are no valid schema or document. */
  | 'unprocessable'
  | 'precondition-required'
  /** The request names a host that the server does not answer for. */
  | 'misdirected'
  /** The client has used up its rate limit. */
  | 'too-many-requests'
  /** A temporary condition: the server shuts down, another process holds the index lock, the history was rewritten. */
  | 'unavailable'
  | 'no-space'
  /** This program cannot serve the folder: it has another or a newer layout, a detached HEAD, is read-only… */
  | 'unusable-repository'
  /** An object of the repository is missing or damaged; another copy of the repository may have it. */
  | 'damaged'
  | 'internal'

/**
 * One fault of a document, a schema or a revision.
 * @see RFC 9457 §3.2 (extension members), validators of JSON Schema and XML Schema
 */
export interface Finding {
  readonly message: string
  /** JSON Pointer (RFC 6901) into the document; `""` is the whole document. For XML a path such as `/list/item[2]/@ref`. */
  readonly path?: string
  /** Line of the document or of `file`, from 1. */
  readonly line?: number
  /**
   * Position in the line, from 1, in UTF-16 code units: of the name of a member, else of the value; of the start tag of
   * an element.
   */
  readonly column?: number
  /** Name of the member, element or attribute that is missing at the place. */
  readonly missing?: string
  /** Name of the member, element or attribute that is not permitted at the place. */
  readonly unknown?: string
  /** JSON Pointer or name of the violated part of the schema. */
  readonly schemaPath?: string
  /** Path of the file with the fault; undefined for the document. */
  readonly file?: string
}

/** A finding as one line: the place, then the message. A path into a document that a schema judges is enough. */
export function findingLine(finding: Finding): string {
  const isFound = finding.path !== undefined && finding.schemaPath !== undefined
  const place = [
    finding.file,
    finding.line === undefined || isFound ? undefined : `line ${finding.line}`,
    finding.path === undefined || finding.path === '' ? undefined : `at ${finding.path}`,
  ].filter(part => part !== undefined)
  return place.length === 0 ? finding.message : `${place.join(', ')}: ${finding.message}`
}

/** The first finding as a sentence that begins with its place. */
export function firstFault(findings: readonly Finding[]): string | undefined {
  const [first] = findings
  if (!first) return undefined
  const line = findingLine(first)
  // A file name keeps its case.
  return first.file === undefined ? line.charAt(0).toUpperCase() + line.slice(1) : line
}

/** The end of the message that repeats the first finding; undefined if the message does not repeat it. */
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
  /** The missing record, for `not-found`: the versions of the interface have different messages. */
  readonly missing?: { readonly kind: Collection; readonly name: string }
  /** Index of the refused change in its change set, from 0. */
  readonly change?: number
  /** The other address, for `elsewhere`. */
  readonly location?: string
  /** The request has an invalid token, for `unauthenticated`. */
  readonly badToken?: true
  /** The methods of the route, for `method-not-allowed`. */
  readonly allow?: readonly string[]
}

/** The only error that users see. Any other error is a bug or a failure of the machine. */
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
 * Throws a problem if there are findings. Its message repeats the first finding.
 * @param what a sentence that precedes the first finding
 * @throws ProblemError `unprocessable` with all findings, if there are any
 */
export function throwIfFindings(findings: readonly Finding[], what: string): void {
  const first = firstFault(findings)
  if (first !== undefined) throw new ProblemError('unprocessable', `${what} ${first}`, { findings })
}

/** Describes a failure for the operator. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof ProblemError) return thrown.message
  if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`
  return String(thrown)
}

/** The problem of requests during a shutdown. Clients may repeat them after the next start. */
export function shuttingDown(): ProblemError {
  return new ProblemError('unavailable', 'The server is shutting down.', { retryAfter: 5 })
}

/** @param message says what is wrong, where, and what to write instead */
export function malformedRequest(message: string): ProblemError {
  return new ProblemError('malformed-request', message)
}

/** The problem of a request that is over a limit. */
export function tooLarge(message: string): ProblemError {
  return new ProblemError('too-large', message)
}

/** What `read` reads; undefined for what is missing or damaged. @param tell gets the reason */
export async function unlessDamaged<T>(
  read: () => Promise<T>,
  tell?: (reason: string) => void,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'damaged') throw error
    tell?.(error.message)
    return undefined
  }
}
