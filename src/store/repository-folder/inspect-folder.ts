import { lstat, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import { errorCode, undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { restoreAdvice } from '../git-commands/git-failure.js'
import { type ConfigEntry, configFile, isTrue, parseConfig, settingOf } from './git-config.js'

/** The properties of a Git repository in exactly this folder; parent folders are not searched. */
interface GitFolder {
  readonly gitDir: string
  readonly bare: boolean
  /**
   * Full name of the branch to serve: the last served branch, else the branch that HEAD points at.
   * @throws ProblemError `unusable-repository` if HEAD points at no branch, `damaged` if HEAD is damaged
   */
  branch(servedLast: string | undefined): string
  /** Whether the repository uses objects of another repository. */
  readonly hasAlternates: boolean
}

/** The configuration file of a repository is damaged, so that git does nothing. Other copies have other settings. */
export class DamagedConfiguration extends ProblemError {
  constructor(dir: string, file: string, fault: string) {
    super(
      'damaged',
      `${file} is damaged: ${fault}. Git does nothing without it. Correct that line. If its content is lost, move the file ` +
        `away, run \`git init ${dir}\` with --bare for a bare repository, which writes a new one, and set your own ` +
        'settings again.',
    )
  }
}

/** Our own folder inside the Git directory. */
export const ownFolder = 'git-metastore'

/** Supported extensions of the repository format. @see git-config(1), "extensions.*" */
const harmlessExtensions: readonly string[] = ['noop', 'preciousobjects', 'worktreeconfig']

/**
 * Finds the Git repository in a folder, and checks that it can be served: its format, that it is a plain work tree or
 * a bare repository, and that it has its whole history. Changes nothing.
 * @param dir absolute path
 * @throws ProblemError `unusable-repository` or `damaged`, with the fault, its place and what to do
 */
export async function inspectFolder(dir: string): Promise<GitFolder> {
  const { gitDir, bare } = await findGitDir(dir)
  const config = await readConfig(dir, gitDir)
  checkFormat(gitDir, config)
  checkKind(dir, bare, config)
  const shallow = await readText(join(gitDir, 'shallow'))
  if (shallow?.trim()) {
    throw unusableRepository(
      `${dir} is a shallow clone: its history, from which all versions are counted, is cut off. Complete it with ` +
        `\`git -C ${dir} fetch --unshallow\`.`,
    )
  }
  const alternates = await readText(join(gitDir, 'objects', 'info', 'alternates'))
  const head = (await readText(join(gitDir, 'HEAD')))?.trim() ?? ''
  const wasOurs = (await look(stat(join(gitDir, ownFolder)), gitDir)) !== undefined
  return {
    gitDir,
    bare,
    branch: last => branchOf(dir, head, last, wasOurs),
    hasAlternates: Boolean(alternates?.trim()),
  }
}

/** The entries of the configuration file; none if there is no such file. @throws DamagedConfiguration */
export async function readConfig(dir: string, gitDir: string): Promise<readonly ConfigEntry[]> {
  const file = join(gitDir, configFile)
  const { entries, fault } = parseConfig((await readText(file)) ?? '')
  if (fault !== undefined) throw new DamagedConfiguration(dir, file, fault)
  return entries
}

/** Demands that a folder exists. @param dir absolute path @throws ProblemError `unusable-repository` if it does not */
export async function demandFolder(dir: string): Promise<void> {
  const folder = await look(stat(dir), dir)
  if (!folder)
    throw unusableRepository(`There is no folder ${dir}. Make one with \`git-metastore init ${dir}\`.`)
  if (!folder.isDirectory())
    throw unusableRepository(`${dir} is not a folder. Name the folder that holds the data.`)
}

async function findGitDir(dir: string): Promise<{ gitDir: string; bare: boolean }> {
  await demandFolder(dir)
  const inner = join(dir, '.git')
  const dotGit = await look(lstat(inner), inner)
  if (dotGit?.isFile()) throw linkedWorkTree(dir)
  const gitDir = dotGit ? inner : dir
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs'].map(name => look(stat(join(gitDir, name)), join(gitDir, name))),
  )
  // These are the remains of a damaged git-metastore repository.
  if (parts[1] && (await look(stat(join(gitDir, ownFolder)), gitDir)) && parts.includes(undefined)) {
    const missing = parts[0] ? 'refs' : 'HEAD'
    throw damaged(`${dir} is damaged: ${join(gitDir, missing)} is missing.`)
  }
  if (parts.some(part => part === undefined)) {
    throw unusableRepository(
      `${dir} is not a Git repository. Make a new one with \`git-metastore init <folder>\`.`,
    )
  }
  if (!dotGit && basename(dir) === '.git') {
    throw unusableRepository(
      `${dir} is the inside of a repository. Name the folder around it: ${dirname(dir)}`,
    )
  }
  return { gitDir, bare: !dotGit }
}

function checkFormat(gitDir: string, config: readonly ConfigEntry[]): void {
  const version = Number(settingOf(config, 'core', 'repositoryformatversion') ?? 0)
  if (version !== 0 && version !== 1) {
    throw unusableRepository(
      `${gitDir} has a repository format (${version}) that this program does not know. Upgrade it.`,
    )
  }
  const extensions = config.filter(entry => entry.section === 'extensions')
  for (const { name, value } of extensions) {
    const word = value.toLowerCase()
    if (name === 'objectformat') {
      if (word === 'sha1') continue
      throw unusableRepository(
        `${gitDir} names its objects by ${value}; only SHA-1 is supported. Make a repository with ` +
          '`git-metastore init <folder>`.',
      )
    }
    if (name === 'refstorage') {
      if (word === 'files') continue
      throw unusableRepository(
        `${gitDir} keeps its branches in the format "${value}", which is not supported. Change it with ` +
          '`git refs migrate --ref-format=files`.',
      )
    }
    if (name === 'partialclone') throw partial(gitDir)
    // In a repository of format 0, other extensions have no effect.
    if (version === 1 && !harmlessExtensions.includes(name)) {
      throw unusableRepository(
        `${gitDir} uses the extension "${name}" of Git's repository format, which this program does not know. ` +
          'Make a clone without it and name that.',
      )
    }
  }
  if (
    config.some(({ section, name, value }) => section === 'remote' && name === 'promisor' && isTrue(value))
  ) {
    throw partial(gitDir)
  }
}

function partial(gitDir: string): ProblemError {
  return unusableRepository(
    `${gitDir} is a partial clone, which fetches objects only when they are needed. Make a whole clone and name that.`,
  )
}

function checkKind(dir: string, bare: boolean, config: readonly ConfigEntry[]): void {
  const said = settingOf(config, 'core', 'bare')
  if (!bare && isTrue(said)) {
    throw unusableRepository(
      `${dir} holds a .git that calls itself bare. Name ${join(dir, '.git')} under another name, or run ` +
        `\`git -C ${dir} config core.bare false\`.`,
    )
  }
  if (bare && said !== undefined && !isTrue(said)) {
    throw unusableRepository(
      `${dir} is the inside of a repository that has its work tree elsewhere. Name the work tree.`,
    )
  }
  const worktree = settingOf(config, 'core', 'worktree')
  if (worktree !== undefined) {
    throw unusableRepository(
      `${dir} has its work tree elsewhere (core.worktree = ${worktree}), which is not supported. Make a clone of it ` +
        'and name that.',
    )
  }
}

/**
 * The ref of the branch to serve: `servedLast`, otherwise the branch in HEAD.
 * @param head content of the file HEAD. Even with `servedLast`, it has to name a branch or a commit
 * @param servedLast the branch that was served last; undefined if it is unknown
 * @param wasOurs whether git-metastore has served the repository before: then a HEAD that names another ref is damage
 * @throws ProblemError `unusable-repository` or `damaged`
 */
function branchOf(dir: string, head: string, servedLast: string | undefined, wasOurs: boolean): string {
  const branch = /^ref:\s*(refs\/heads\/\S+)$/.exec(head)?.[1]
  if (branch !== undefined && !branch.includes('..')) return servedLast ?? branch
  if (/^[0-9a-f]{40}$/.test(head)) {
    if (servedLast !== undefined) return servedLast
    throw unusableRepository(
      `HEAD of ${dir} is detached: it points at a commit, not at a branch. Check out the branch to serve: ` +
        `\`git -C ${dir} checkout main\`.`,
    )
  }
  if (wasOurs || !/^ref: \S+$/.test(head)) throw damaged(`${dir} is damaged: its HEAD names no branch.`)
  throw unusableRepository(
    `HEAD of ${dir} names no branch. Check out the branch to serve: \`git -C ${dir} checkout main\`.`,
  )
}

async function readText(path: string): Promise<string | undefined> {
  return look(readFile(path, 'utf8'), path)
}

/** Awaits a file operation; undefined if the file does not exist. @throws ProblemError if permission is denied */
async function look<T>(operation: Promise<T>, path: string): Promise<T | undefined> {
  try {
    return await undefinedIfMissingAsync(operation)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM') {
      throw unusableRepository(
        `${path} cannot be read: permission denied. Start as a user who may read it.`,
        error,
      )
    }
    throw error
  }
}

function damaged(message: string): ProblemError {
  return new ProblemError('damaged', `${message} ${restoreAdvice}`)
}

function linkedWorkTree(dir: string): ProblemError {
  return unusableRepository(
    `${dir} is a linked work tree or a submodule of another repository. Name the repository itself, or make a ` +
      'clone of it and name that.',
  )
}

export function unusableRepository(message: string, cause?: unknown): ProblemError {
  return new ProblemError('unusable-repository', message, {}, cause === undefined ? {} : { cause })
}

/** The Git directory of a data folder that may be damaged. @throws ProblemError `unusable-repository` */
export async function findDamagedGitDir(dir: string): Promise<string> {
  const dotGit = await undefinedIfMissingAsync(stat(join(dir, '.git')))
  if (dotGit?.isFile()) throw linkedWorkTree(dir)
  for (const gitDir of [join(dir, '.git'), dir]) {
    const objects = await undefinedIfMissingAsync(stat(join(gitDir, 'objects')))
    if (objects?.isDirectory()) return gitDir
  }
  throw unusableRepository(
    `${dir} is no Git repository, not even a damaged one: it has no folder of objects.`,
  )
}
