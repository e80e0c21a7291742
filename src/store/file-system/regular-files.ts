import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { errorCode, hasErrorCode, undefinedIfMissingAsync } from './file-errors.js'

/*
 * Reads an untrusted folder, such as an unpacked archive or a shared folder. Reads regular files only and follows no
 * symbolic links to files or folders. Only the root may be a link, because the user named it.
 */

/** An entry of a folder. `other` is a symbolic link, a named pipe, a socket or a device. */
export interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'other'
}

/**
 * Lists one folder, sorted by name.
 * @param path relative to the root, with `/` as separator; `""` is the root
 * @throws ProblemError `malformed-request` if it is not a folder, or its path contains a link
 */
export async function listFolder(root: string, path: string): Promise<readonly FolderEntry[]> {
  return within(root, partsOf(path), async place => {
    const entries = await readdir(place, { withFileTypes: true })
    const found = entries.map(entry => ({ name: entry.name, kind: kindOf(entry) }))
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  })
}

/**
 * Paths of all files below a folder, sorted folder by folder.
 * @param wanted filters files and folders by name; default: all
 * @throws ProblemError `malformed-request` if an entry is neither a file nor a folder
 */
export async function filesBelow(
  root: string,
  path: string,
  wanted: (name: string) => boolean = () => true,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const { name, kind } of await listFolder(root, path)) {
    if (!wanted(name)) continue
    const inner = path === '' ? name : `${path}/${name}`
    if (kind === 'other') throw await faultOf(root, inner)
    if (kind === 'folder') found.push(...(await filesBelow(root, inner, wanted)))
    else found.push(inner)
  }
  return found
}

/**
 * Reads a file. Does not block on a named pipe.
 * @param path relative to the root, with `/` as separator
 * @throws ProblemError `malformed-request` if it is not a regular file, or its path contains a link
 * @throws Error `ENOENT` if it does not exist
 */
export async function readRegularFile(root: string, path: string): Promise<Buffer> {
  const folders = partsOf(path)
  const name = folders.pop() ?? ''
  return within(root, folders, async place => {
    // Check the type before opening, because opening a device can have side effects.
    await insist(join(place, name), path, 'file')
    const handle = await opened(join(place, name), path, openFlags)
    try {
      // The entry may have been replaced after the first check.
      const found = await handle.stat()
      if (!found.isFile()) throw refusal(path, found)
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  })
}

/**
 * Reads a file; undefined if it is not a regular file, or its path contains a link.
 * @throws Error `ENOENT` if it does not exist
 */
export async function readIfRegular(root: string, path: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(root, path)
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'malformed-request') return undefined
    throw error
  }
}

/**
 * Checks those parent folders of a path that exist.
 * @throws ProblemError `malformed-request` if one of them is a link
 */
export async function refuseLinkedFolders(root: string, path: string): Promise<void> {
  const folders = partsOf(path).slice(0, -1)
  await undefinedIfMissingAsync(within(root, folders, async () => undefined))
}

/** The error for an entry that is not read: its path, its type, and what to do. */
export async function faultOf(root: string, path: string): Promise<ProblemError> {
  const folders = partsOf(path)
  const name = folders.pop() ?? ''
  return within(root, folders, async place => refusal(path, await lstat(join(place, name))))
}

/**
 * Reads a file; undefined if it is not a regular file. Synchronous, for worker threads.
 * @param path of the file; the caller rules out links in its parent folders
 */
export function readRegularFileSync(path: string): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, openFlags)
  } catch (error) {
    // It is a symbolic link or a socket.
    if (hasErrorCode(error, 'ELOOP', 'EMLINK', 'ENXIO')) return undefined
    throw error
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** Windows has only O_RDONLY, and no named pipes in folders. @see open(2) */
const {
  O_RDONLY,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_DIRECTORY = 0,
} = constants as Partial<typeof constants> & {
  readonly O_RDONLY: number
}
const openFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

/** A path below `/proc/self/fd/<fd>` starts at an open folder, as with openat(2). @see proc_pid_fd(5) */
const openedFolders = '/proc/self/fd'

/**
 * Walks down from the root, folder by folder, and runs `use` on the last one. On Linux, each step starts from the
 * opened parent folder, so replacing a folder by a link during the walk has no effect. Elsewhere, each folder is
 * checked right before the next step.
 * @param use gets a path of the folder
 */
async function within<T>(
  root: string,
  folders: readonly string[],
  use: (place: string) => Promise<T>,
): Promise<T> {
  const hasOpenedFolders = existsSync(openedFolders)
  const handles: FileHandle[] = []
  let place = root
  try {
    for (const [index, name] of folders.entries()) {
      const path = folders.slice(0, index + 1).join('/')
      const next = join(place, name)
      await insist(next, path, 'folder')
      if (hasOpenedFolders) {
        const handle = await opened(next, path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
        handles.push(handle)
        place = join(openedFolders, String(handle.fd))
      } else place = next
    }
    return await use(place)
  } catch (error) {
    const isDenied = errorCode(error) === 'EACCES'
    throw isDenied
      ? malformedRequest(`"${folders.join('/') || '.'}" cannot be read: permission denied.`)
      : error
  } finally {
    for (const handle of handles) await handle.close()
  }
}

async function opened(place: string, path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(place, flags)
  } catch (error) {
    if (errorCode(error) === 'EACCES') throw malformedRequest(`"${path}" cannot be read: permission denied.`)
    // The entry was replaced after the check.
    if (!hasErrorCode(error, 'ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO')) throw error
    throw refusal(path, await lstat(place))
  }
}

async function insist(place: string, path: string, kind: 'file' | 'folder'): Promise<void> {
  const found = await lstat(place)
  if (kindOf(found) !== kind) throw refusal(path, found)
}

type Kinds = Pick<Stats | Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>

function kindOf(entry: Kinds): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}

function refusal(path: string, found: Kinds): ProblemError {
  const only = 'Only regular files in real folders are read'
  if (found.isSymbolicLink())
    return malformedRequest(
      `"${path}" is a symbolic link. ${only}: put a copy of what it points at in its place.`,
    )
  if (found.isFile()) return malformedRequest(`"${path}" is a file where a folder is expected.`)
  if (found.isDirectory()) return malformedRequest(`"${path}" is a folder where a file is expected.`)
  const what = found.isFIFO() ? 'a named pipe' : found.isSocket() ? 'a socket' : 'a device'
  return malformedRequest(`"${path}" is ${what}. ${only}: remove it, or put a file in its place.`)
}

function partsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '')
}
