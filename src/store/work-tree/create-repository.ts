import type { Stats } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Oid, toInstant } from '../../core/value-types.js'
import { syncFolder, writeFileDurably } from '../file-system/durable-files.js'
import { errorCode, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { makeFolder } from '../file-system/make-folder.js'
import { encodeCommit, identityLine, serviceIdentity } from '../objects/commit-format.js'
import { hashObject } from '../objects/hash-object.js'
import { fileMode, treeOfFiles } from '../objects/tree-format.js'
import { type NewObject, writePack } from '../packs/pack-writer.js'
import { metastoreFileName } from '../records/repository-layout.js'
import { encodeMetastoreFile } from '../repository/metastore-json.js'
import { ownFolder } from '../repository/open-repository.js'
import { guardAttributes } from '../repository-folder/git-config.js'
import { unusableRepository } from '../repository-folder/inspect-folder.js'
import { encodeIndex, encodeIndexEntry } from './index-file.js'
import { fileState } from './update-files.js'

interface InitOptions {
  /** Whether the repository has no work tree. */
  readonly bare: boolean
  /** Short name of the branch. */
  readonly branch?: string
  /** Files of the first commit by path; `metastore.json` and `.gitattributes` are added if missing. */
  readonly files?: ReadonlyMap<string, Uint8Array>
  /** Time of the first commit. */
  readonly now?: Date
}

const attributesFile = '.gitattributes'
/** Turns off conversion of line ends on all platforms. */
const attributes = Buffer.from('* -text\n')

/**
 * Creates a repository of our layout with one commit. Needs no git binary. The folder must be new or empty. After a
 * failure, the folder is removed or empty again.
 * @throws ProblemError `unusable-repository`
 */
export async function createRepository(folder: string, options: InitOptions): Promise<void> {
  const dir = resolve(folder)
  await createInEmptyFolder(dir, () => build(dir, options))
}

/**
 * Runs `make` on a folder, which must be new or empty. After a failure, removes the files it has made.
 * @param dir absolute path
 * @throws ProblemError `unusable-repository`
 */
export async function createInEmptyFolder(dir: string, make: () => Promise<void>): Promise<void> {
  const existed = await prepare(dir)
  try {
    await make()
  } catch (error) {
    await Promise.all((await readdir(dir)).map(name => rm(join(dir, name), { recursive: true, force: true })))
    if (!existed) await rm(dir, { recursive: true, force: true })
    throw plain(dir, error)
  }
}

/** @returns whether the folder existed before */
async function prepare(dir: string): Promise<boolean> {
  let found: Stats | undefined
  try {
    found = await undefinedIfMissingAsync(stat(dir))
    if (found === undefined) await makeFolder(dir)
  } catch (error) {
    throw plain(dir, error)
  }
  if (found && !found.isDirectory())
    throw unusableRepository(`${dir} is a file. Name a folder that is new or empty.`)
  const names = found ? await readdir(dir) : []
  if (names.length > 0) {
    throw unusableRepository(
      names.includes(metastoreFileName)
        ? `${dir} is a repository already: git-metastore serve --data ${dir} serves it.`
        : `${dir} is not empty. Name a folder that is new or empty, or move away what is in it.`,
    )
  }
  return found !== undefined
}

async function build(dir: string, options: InitOptions): Promise<void> {
  const { bare, branch = 'main', now = new Date() } = options
  const gitDir = bare ? dir : join(dir, '.git')
  const ref = `refs/heads/${branch}`
  const files = withStandardFiles(dir, options.files ?? new Map())
  await createGitDirectory(gitDir, bare)

  const objects = new Map<Oid, NewObject>()
  const add = (type: NewObject['type'], bytes: Uint8Array): Oid => {
    const oid = hashObject(type, bytes)
    objects.set(oid, { oid, type, bytes })
    return oid
  }
  const blobs = new Map([...files].map(([path, bytes]) => [path, add('blob', bytes)]))
  const slots = [...blobs].map(([path, oid]) => [path, { mode: fileMode, oid }] as const)
  const time = toInstant(now.getTime())
  const subject = 'Make the repository'
  const commit = add(
    'commit',
    encodeCommit({
      tree: add(
        'tree',
        treeOfFiles(new Map(slots), tree => add('tree', tree)),
      ),
      parents: [],
      author: serviceIdentity,
      time,
      subject,
      trailers: [],
    }),
  )
  const pack = await writePack(gitDir, join(gitDir, ownFolder), [...objects.values()])

  if (!bare) {
    guardAttributes(gitDir)
    await checkOut(dir, gitDir, files, blobs)
  }
  const line = `${'0'.repeat(40)} ${commit} ${identityLine(serviceIdentity, time)}\tcommit (initial): ${subject}\n`
  for (const log of bare ? [] : [join(gitDir, 'logs', ref), join(gitDir, 'logs', 'HEAD')]) {
    await mkdir(dirname(log), { recursive: true })
    await writeFile(log, line)
  }
  await writeRef(gitDir, ref, `${commit}\n`)
  // HEAD comes last: without it, the folder is not a repository, so a killed init leaves none that looks complete.
  await writeRef(gitDir, 'HEAD', `ref: ${ref}\n`)
  pack.release()
}

/** Creates a Git directory without `HEAD`; the caller writes `HEAD` last. */
export async function createGitDirectory(gitDir: string, bare: boolean): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', ownFolder]) {
    await makeFolder(join(gitDir, folder))
  }
  await writeFile(join(gitDir, 'config'), await configuration(gitDir, bare))
}

function withStandardFiles(
  dir: string,
  files: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, Uint8Array> {
  const all = new Map(files)
  if (!all.has(metastoreFileName)) all.set(metastoreFileName, encodeMetastoreFile(basename(dir)))
  if (!all.has(attributesFile)) all.set(attributesFile, attributes)
  return all
}

async function checkOut(
  dir: string,
  gitDir: string,
  files: ReadonlyMap<string, Uint8Array>,
  blobs: ReadonlyMap<string, Oid>,
): Promise<void> {
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), bytes, { flag: 'wx', mode: 0o644 })
  }
  // Not by isomorphic-git, whose loading takes more processor time than the rest of the creation.
  const entries = [...blobs]
    .map(([path, oid]) => ({ path: Buffer.from(path), oid, stat: fileState(join(dir, path)) }))
    .sort((one, other) => one.path.compare(other.path))
  const index = encodeIndex(entries.map(({ path, oid, stat }) => encodeIndexEntry(path, oid, stat)))
  await writeFile(join(gitDir, 'index'), index, { flag: 'wx' })
}

/** The settings of `git init` and those of our repositories. @see git-config(1) */
async function configuration(gitDir: string, bare: boolean): Promise<string> {
  const probe = join(gitDir, 'objects')
  const folds = (await undefinedIfMissingAsync(stat(join(dirname(probe), 'OBJECTS')))) !== undefined
  const windows = process.platform === 'win32'
  const core = [
    'repositoryformatversion = 0',
    `filemode = ${!windows}`,
    `bare = ${bare}`,
    ...(bare ? [] : ['logallrefupdates = true']),
    ...(windows ? ['symlinks = false'] : []),
    ...(folds ? ['ignorecase = true'] : []),
    ...(process.platform === 'darwin' ? ['precomposeunicode = true'] : []),
    'autocrlf = false',
    // This is for commits made with git. The server syncs its own commits anyway.
    'fsync = all',
  ]
  // The server merges packs in the background. Without `auto = 0`, `gc --auto` would do that during a user's commit.
  return `[core]\n${core.map(line => `\t${line}\n`).join('')}[gc]\n\tauto = 0\n`
}

/** Writes `HEAD` or a ref durably. The caller ensures that no other process writes it. */
export async function writeRef(gitDir: string, name: string, text: string): Promise<void> {
  const path = join(gitDir, name)
  await mkdir(dirname(path), { recursive: true })
  writeFileDurably(`${path}.lock`, [Buffer.from(text)])
  await rename(`${path}.lock`, path)
  syncFolder(dirname(path))
}

function plain(dir: string, error: unknown): unknown {
  const reason = {
    EROFS: 'the disk is read-only',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'a part of its path is a file',
    EEXIST: 'a part of its path is a symbolic link that leads to nothing',
    ENOENT: 'the system makes no folder there',
  }[errorCode(error) ?? '']
  return reason === undefined
    ? error
    : unusableRepository(`The repository ${dir} cannot be made: ${reason}.`, error)
}
