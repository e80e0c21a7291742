import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { errorCode, undefinedIfMissing } from '../file-system/file-errors.js'
import { isObjectName, packedRefsFile, parsePackedRefs } from './packed-refs.js'

/*
 * Reads single refs from their files: loose ones, and those of `packed-refs`.
 * @see gitrepository-layout(5), git-pack-refs(1)
 */

/**
 * Reads a ref. If it has a file of its own, that takes precedence over `packed-refs`.
 * @param ref full name
 * @returns undefined if there is no such ref
 * @throws RangeError if the file of the ref contains no object name
 */
export function readRef(gitDir: string, ref: string): Oid | undefined {
  // The loose ref is read twice, because another process may move the ref between both places meanwhile.
  return readLoose(gitDir, ref) ?? readPacked(gitDir, ref) ?? readLoose(gitDir, ref)
}

function readLoose(gitDir: string, ref: string): Oid | undefined {
  try {
    return undefinedIfMissing(() => toOid(readFileSync(join(gitDir, ref), 'latin1').trim()))
  } catch (error) {
    // There is a folder in place of the ref's file, or another ref in place of a folder of its path.
    if (errorCode(error) === 'EISDIR' || errorCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function readPacked(gitDir: string, ref: string): Oid | undefined {
  for (const [name, value] of readPackedRefs(gitDir)) if (name === ref) return toOid(value)
  return undefined
}

/** Whether there is any branch, or at least a file or folder in the place of one. */
export function hasBranches(gitDir: string): boolean {
  const loose = undefinedIfMissing(() => readdirSync(join(gitDir, 'refs', 'heads'))) ?? []
  if (loose.length > 0) return true
  for (const [name, value] of readPackedRefs(gitDir))
    if (name.startsWith('refs/heads/') && isObjectName(value)) return true
  return false
}

function readPackedRefs(gitDir: string): ReturnType<typeof parsePackedRefs> {
  return parsePackedRefs(undefinedIfMissing(() => readFileSync(join(gitDir, packedRefsFile), 'utf8')) ?? '')
}
