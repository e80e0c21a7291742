import type { ProblemKind } from '../../core/problem.js'

/** Exit codes of every command. @see docs/run/exit-codes.md */
export const exitCodes = {
  good: 0,
  /** The command could not run: the repository is unusable, a disk or a network failed, or there is a bug. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Not found, or the change was refused: a conflict, a precondition, no permission. */
  refused: 3,
  /** A document or schema is not valid, `verify` found something, or the repository is damaged. */
  invalid: 4,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const { failed, usage, refused, invalid } = exitCodes

const codeOf = {
  'malformed-request': usage,
  unauthenticated: refused,
  forbidden: refused,
  'not-found': refused,
  elsewhere: refused,
  'method-not-allowed': failed,
  'not-acceptable': failed,
  conflict: refused,
  gone: refused,
  'precondition-failed': refused,
  misdirected: usage,
  'too-large': refused,
  'unsupported-media-type': failed,
  'page-out-of-range': refused,
  unprocessable: invalid,
  'precondition-required': refused,
  'too-many-requests': failed,
  unavailable: failed,
  'no-space': failed,
  'unusable-repository': failed,
  damaged: invalid,
  internal: failed,
} satisfies Record<ProblemKind, ExitCode>

/** The exit code for a problem. */
export function exitCodeOf(kind: ProblemKind): ExitCode {
  return codeOf[kind]
}
