import { getSystemErrorMap } from 'node:util'

/*
 * The errors of file operations, by the names of the system. @see errno(3)
 */

/** The errno name of a failed system call (`ENOENT`), or undefined for any other thrown value. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined
  return typeof thrown.code === 'string' ? thrown.code : undefined
}

export function hasErrorCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(thrown) ?? '')
}

/** The system's text for a failed system call, such as "no space left on device"; undefined for other errors. */
export function systemReason(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('errno' in thrown)) return undefined
  return typeof thrown.errno === 'number' ? getSystemErrorMap().get(thrown.errno)?.[1] : undefined
}

/** Whether link(2) failed because the file system has no hard links, or between two mounts. */
export function isWithoutHardLinks(thrown: unknown): boolean {
  return hasErrorCode(thrown, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV')
}

/** Runs a file operation; undefined if it fails with `ENOENT`. */
export function undefinedIfMissing<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** {@link undefinedIfMissing} for a promise. */
export async function undefinedIfMissingAsync<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}
