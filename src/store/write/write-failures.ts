import { ProblemError } from '../../core/problem.js'
import { errorCode } from '../file-system/durable-files.js'
import type { Repository } from '../repository/open-repository.js'
import { spreadOf } from '../repository/staging-folder.js'

/** Whether the disk failed while writing; then repeating the write may report a false success. @see fsync(2), EIO */
export function isDiskFailure(thrown: unknown): boolean {
  return errorCode(thrown) === 'EIO'
}

/**
 * Translates a failure of the write path.
 * @param isUnsure whether the branch may have moved nevertheless
 * @returns a ProblemError for failures of the file system; any other error unchanged
 */
export function problemOfFailure(thrown: unknown, repository: Repository, isUnsure: boolean): unknown {
  if (thrown instanceof ProblemError) return thrown
  const code = errorCode(thrown)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const what = isUnsure ? 'whether the update was stored shows when there is room' : 'nothing was stored'
    return new ProblemError('no-space', `The disk is full; ${what}.`, {}, { cause: thrown })
  }
  if (isDiskFailure(thrown)) {
    return new ProblemError(
      'unavailable',
      'The disk reported an error while writing. The server takes no more updates until it is started again.',
      {},
      { cause: thrown },
    )
  }
  if (code === 'EXDEV') return spreadOf(repository) ?? thrown
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new ProblemError('unavailable', 'The repository cannot be written to.', {}, { cause: thrown })
  }
  return thrown
}
