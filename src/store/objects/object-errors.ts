import { ProblemError } from '../../core/problem.js'
import { restoreAdvice } from '../git-commands/git-failure.js'

/*
 * Faults of the objects of a repository.
 */

/** The repository lacks an object: it is shallow or damaged, or the name is wrong. */
export class MissingObject extends ProblemError {
  constructor(readonly oid: string) {
    super('damaged', `The repository has no object ${oid}. ${restoreAdvice}`)
  }
}

/** The repository has an object, but it cannot be read, or its bytes do not match its name. */
export class DamagedObject extends ProblemError {
  constructor(
    readonly oid: string,
    cause: unknown,
  ) {
    super('damaged', `The object ${oid} of the repository is damaged. ${restoreAdvice}`, {}, { cause })
  }
}

/** An object whose bytes do not have the format of its type. */
export class MalformedObject extends ProblemError {
  constructor(message: string) {
    super('damaged', `${message} ${restoreAdvice}`)
  }
}

/** Whether the error is a `damaged` problem: one of the errors above, or another one. */
export function isObjectDamage(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.kind === 'damaged'
}

/** The result of `read`; undefined if an object is missing or damaged, which `verify` reports. */
export async function readUnlessLost<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isObjectDamage(error)) return undefined
    throw error
  }
}
