import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Oid, toOid } from '../../core/value-types.js'
import { errorCode, undefinedIfMissing } from '../file-system/file-errors.js'

/*
 * The format of `packed-refs`. @see git-pack-refs(1)
 */

/** Content of a ref: an object name, or `ref: ` and the name of another ref. */
export type RefValue = string

/** Name of the file in the Git directory. */
export const packedRefsFile = 'packed-refs'

/**
 * The refs of `packed-refs`, with unchecked values. Skips the first line, which begins with `#`, and the peeled objects
 * of annotated tags, which begin with `^`.
 */
export function* parsePackedRefs(text: string): Generator<readonly [name: string, value: RefValue]> {
  // Line by line, because most readers look for one of many refs.
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const next = text.indexOf('\n', start)
    end = next < 0 ? text.length : next
    if (text[start] === '#' || text[start] === '^') continue
    const line = text.slice(start, end)
    const space = line.lastIndexOf(' ')
    const name = line.slice(space + 1)
    if (space > 0 && /^refs\/./.test(name)) yield [name, line.slice(0, space)]
  }
}

/** The first fault of a `packed-refs` file, at which git stops; undefined if there is none. */
export function packedRefsFault(text: string): string | undefined {
  if (text === '') return undefined
  const lines = text.split('\n')
  const index = lines.findIndex(line => !/^(?:#.*|\^[0-9a-f]{40}|[0-9a-f]{40} refs\/\S+|)$/.test(line))
  if (index >= 0 && index < lines.length - 1) return `its line ${index + 1} is no ref`
  return lines.at(-1) === '' ? undefined : 'its last line is cut off'
}

export function isObjectName(value: RefValue): value is Oid {
  return /^[0-9a-f]{40}$/.test(value)
}

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

/**
 * Whether a missing branch must have existed before. That is so if the repository was opened before, and if either the
 * branch has a reflog or the repository has no other branch.
 * @param ownDir our own folder, which exists if a repository with a commit was opened
 */
export function existedBefore(gitDir: string, ownDir: string, branch: string): boolean {
  if (!existsSync(ownDir)) return false
  return existsSync(join(gitDir, 'logs', branch)) || !hasBranches(gitDir)
}
