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
import { errorCode, undefinedIfMissingAsync } from './durable-files.js'

/*
 * Reads a folder that a person hands over. It may come from an archive or be shared with others, so nothing in it is
 * trusted: only regular files are read, and no symbolic link is followed, neither of a file nor of a folder on the way.
 * The root alone may be a link: the person has named it.
 */

/** An entry of a folder. `other` is a symbolic link, a named pipe, a socket or a device. */
export interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'other'
}

/**
 * Lists one folder, sorted by name.
 * @param path of the folder below the root, `/` between its parts; `""` is the root
 * @throws ProblemError `malformed-request` where it is no folder, or a part of its path is a link
 */
export async function listFolder(root: string, path: string): Promise<readonly FolderEntry[]> {
  return within(root, partsOf(path), async place => {
    const entries = await readdir(place, { withFileTypes: true })
    return entries.map(entry => ({ name: entry.name, kind: kindOf(entry) })).sort(byName)
  })
}

/**
 * Paths of all files below a folder, sorted folder by folder.
 * @param wanted says of a name whether to look at it; by default all
 * @throws ProblemError `malformed-request` where an entry is neither a file nor a folder
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
 * Bytes of one file. Never waits for a writer of a named pipe.
 * @param path of the file below the root, `/` between its parts
 * @throws ProblemError `malformed-request` where it is no regular file, or a part of its path is a link
 * @throws Error `ENOENT` where there is none
 */
export async function readRegularFile(root: string, path: string): Promise<Buffer> {
  const folders = partsOf(path)
  const name = folders.pop() ?? ''
  return within(root, folders, async place => {
    // To open a device can have an effect of its own, so what it is comes first.
    await insist(join(place, name), path, 'file')
    const handle = await opened(join(place, name), path, openFlags)
    try {
      // The entry may have been replaced meanwhile.
      const found = await handle.stat()
      if (!found.isFile()) throw refusal(path, found)
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  })
}

/**
 * Bytes of one file; undefined where it is no regular file, or a part of its path is a link.
 * @throws Error `ENOENT` where there is none
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
 * Looks at the folders on the way to a path, as far as they are there.
 * @throws ProblemError `malformed-request` where one is a link
 */
export async function refuseLinkedFolders(root: string, path: string): Promise<void> {
  const folders = partsOf(path).slice(0, -1)
  await undefinedIfMissingAsync(within(root, folders, async () => undefined))
}

/** Why an entry of a folder is not read: which one it is, and what to do. */
export async function faultOf(root: string, path: string): Promise<ProblemError> {
  const folders = partsOf(path)
  const name = folders.pop() ?? ''
  return within(root, folders, async place => refusal(path, await lstat(join(place, name))))
}

/**
 * Bytes of a file; undefined where it is no regular file. Synchronous, for threads.
 * @param path of the file; links in the folders on its way are for the caller to rule out
 */
export function readRegularFileSync(path: string): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, openFlags)
  } catch (error) {
    // A link; a socket.
    if (['ELOOP', 'EMLINK', 'ENXIO'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** Windows has none of these, and neither named pipes in folders. @see open(2) */
const {
  O_RDONLY,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_DIRECTORY = 0,
} = constants as Partial<typeof constants> & {
  readonly O_RDONLY: number
}
const openFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

/** Where a path may begin with an opened folder, as with openat(2). @see proc_pid_fd(5) */
const openedFolders = '/proc/self/fd'

/**
 * Goes down from the root, folder by folder, and runs something on the last one. On Linux every step starts from the
 * opened folder above, so a folder that is replaced by a link meanwhile changes nothing. Elsewhere each folder is
 * looked at right before the next step.
 * @param use gets a path that leads into the folder
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
    for (const [at, name] of folders.entries()) {
      const path = folders.slice(0, at + 1).join('/')
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
    // Replaced since it was looked at.
    if (!['ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO'].includes(errorCode(error) ?? '')) throw error
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

function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : 1
}
