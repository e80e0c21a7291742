import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { errorCode, systemReason, undefinedIfMissingAsync } from '../../store/file-system/file-errors.js'
import { makeFolder } from '../../store/file-system/make-folder.js'
import { removeOnSignal } from '../../store/file-system/temporary-folder.js'

/** Replaces `-` after `--output` for yargs, which reads a single `-` as an option without a name. */
export const standardOutput = '/dev/stdout'

/** Whether the command line means standard output. yargs leaves the `-` of `--output=-` as it is. */
export function isStandardOutput(path: string): boolean {
  return path === '-' || path === standardOutput
}

/**
 * Writes a file as a whole: an existing file stays until the new one is complete, and its permissions are kept. Follows
 * links. Writes directly to what is no regular file, such as a pipe or a device.
 * @throws ProblemError `malformed-request` if the path cannot be a file, `no-space`, `unavailable`
 */
export async function writeOutput(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const tell = failureOf(path)
  const found = await undefinedIfMissingAsync(stat(path)).catch(tell)
  if (found === undefined || found.isFile()) return await replaceFile(path, found, pieces)
  // Without O_CREAT: a pipe that is removed now does not become a file.
  const file = await open(path, constants.O_WRONLY).catch(tell)
  try {
    await writePieces(file, pieces, tell)
  } finally {
    await file.close()
  }
}

/** Permissions of new files; the system removes those in the umask. */
const newFileMode = 0o666
/** Permissions of a file that will replace another one, while it is written. Then it gets those of the other. */
const ownerOnly = 0o600

/** Makes a folder with its parents. @throws ProblemError `no-space`, `unavailable` */
export async function makeOutputFolder(path: string): Promise<void> {
  await makeFolder(path).catch((error: unknown) => {
    const dangling = errorCode(error) === 'EEXIST'
    const said = dangling
      ? 'a part of its path is a symbolic link that leads to nothing'
      : systemReason(error)
    throw problemOf(`${path} cannot be made`, said, error)
  })
}

async function replaceFile(
  path: string,
  found: Stats | undefined,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const tell = failureOf(path)
  const target = await endOfLinks(path).catch(tell)
  // In the folder of the target: a file can be renamed only within one file system.
  const part = join(dirname(target), `.git-metastore-${randomBytes(8).toString('hex')}.part`)
  const forget = removeOnSignal(part)
  try {
    const file = await open(part, 'wx', found === undefined ? newFileMode : ownerOnly).catch(tell)
    try {
      try {
        await writePieces(file, pieces, tell)
        if (found !== undefined) await file.chmod(found.mode & 0o777).catch(tell)
      } finally {
        await file.close()
      }
      await rename(part, target).catch(tell)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  } finally {
    forget()
  }
}

/** The path that symbolic links lead to, even if nothing is there yet. */
async function endOfLinks(path: string): Promise<string> {
  const end = await undefinedIfMissingAsync(realpath(path))
  if (end !== undefined) return end
  const folder = await realpath(dirname(resolve(path)))
  const next = await undefinedIfMissingAsync(readlink(path))
  return next === undefined ? resolve(path) : await endOfLinks(resolve(folder, next))
}

/** Number of characters that are collected before they are written. */
const writeLength = 1 << 18

/** Writes text in large pieces. @param tell throws the problem of a failed write; errors of `pieces` stay unchanged */
async function writePieces(
  file: FileHandle,
  pieces: AsyncIterable<string>,
  tell: (error: unknown) => never,
): Promise<void> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length < writeLength) continue
    await file.writeFile(text).catch(tell)
    text = ''
  }
  await file.writeFile(text).catch(tell)
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no folder of that name for it',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
}

/** @returns a function that throws the problem for an error of the system, with the path of the command line */
function failureOf(path: string): (error: unknown) => never {
  return error => {
    const what = `${path} cannot be written`
    const reason = reasons[errorCode(error) ?? '']
    if (reason === undefined) throw problemOf(what, systemReason(error), error)
    throw new ProblemError('malformed-request', `${what}: ${reason}.`, {}, { cause: error })
  }
}

/** The problem for a failure of the system. @param reason undefined for another error, which is returned as it is */
function problemOf(what: string, reason: string | undefined, error: unknown): unknown {
  if (reason === undefined) return error
  const kind = errorCode(error) === 'ENOSPC' ? 'no-space' : 'unavailable'
  return new ProblemError(kind, `${what}: ${reason}.`, {}, { cause: error })
}
