import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { findGitBinary } from '../process/git-binary.js'
import { collectGit, type GitResult, gitEnvironment } from '../process/git-command.js'
import { gitFailure, restoreAdvice } from '../process/git-failure.js'
import { isLost } from '../refs/compare-and-swap.js'
import { inspectFolder, ownFolder, unusableRepository } from '../repository/inspect-folder.js'

/**
 * A clone as git finds it: bare or not, linked work trees, a detached HEAD. It is only looked at, and needs none of
 * what the served {@link Repository} does. Every question goes to the git binary.
 */
export interface Clone {
  /** The folder that was named. Absolute. */
  readonly dir: string
  /** Path of the git binary. */
  readonly binary: string
  /** Git directory of this work tree. */
  readonly gitDir: string
  /** Git directory that holds the objects: another one than `gitDir` in a linked work tree. */
  readonly commonDir: string
  /** Undefined: it is bare, or the folder is the inside of a Git directory. */
  readonly workTree: string | undefined
  readonly bare: boolean
  /** Full name of the branch HEAD points at; undefined where HEAD is detached. */
  readonly branch: string | undefined
  /** The commit of HEAD; undefined where it has none yet. */
  readonly head: Oid | undefined
  /** Why that commit cannot be read. */
  readonly fault?: ProblemError
  /** Where the objects are: what a hook was called with in quarantine, then the clone's own folder. */
  readonly objectFolders: readonly string[]
  /** Runs git in the clone. @param variables more of the environment */
  git(args: readonly string[], variables?: EnvironmentVariables, input?: string): Promise<GitResult>
}

export type EnvironmentVariables = Readonly<Record<string, string>>

export interface CloneOptions {
  /** As in the configuration: `auto` or the path of a binary. */
  readonly git: string
  /** Objects that `git receive-pack` keeps in quarantine while `pre-receive` runs count too. */
  readonly quarantine?: boolean
  /** To look at a clone whose newest commit cannot be read; default: that is an error. */
  readonly evenDamaged?: boolean
}

/**
 * Looks at a clone and changes nothing.
 * @throws ProblemError `damaged`; `unusable-repository` where there is none, or one without its whole history, or no
 *   git
 */
export async function openClone(folder: string, options: CloneOptions): Promise<Clone> {
  const dir = resolve(folder)
  const binary = await findGitBinary(options.git)
  if (binary === undefined)
    throw unusableRepository('This command needs a git binary, of version 2.31 or newer.')
  const quarantine = options.quarantine ? quarantineVariables() : {}
  const git: Clone['git'] = (args, variables = {}, input) =>
    run(binary, dir, args, { ...quarantine, ...variables }, input)
  const found = await git([
    'rev-parse',
    '--path-format=absolute',
    '--git-dir',
    '--git-common-dir',
    '--is-bare-repository',
    '--is-shallow-repository',
    '--show-object-format',
    '--is-inside-work-tree',
  ])
  if (found.code !== 0) {
    // It says why; where git does not even see a repository, that is said if something is left of one.
    const looked = inspectFolder(dir).then(({ branch }) => branch(undefined))
    await looked.catch((error: unknown) => {
      if (error instanceof ProblemError && error.kind === 'damaged') throw error
    })
    throw unusableRepository(`${dir} cannot be looked at: ${firstLine(found.stderr)}`)
  }
  const [gitDir = '', commonDir = '', bare, shallow, format, inside] = lines(found)
  if (shallow === 'true') {
    throw unusableRepository(
      `${dir} is a shallow clone: its history, from which all versions are counted, is cut off. Complete it with ` +
        `\`git -C ${dir} fetch --unshallow\`; in a forge's CI, ask for the whole history (fetch-depth: 0).`,
    )
  }
  if (format !== 'sha1')
    throw unusableRepository(`${dir} names its objects by ${format}; only SHA-1 is supported.`)
  const promisor = await git([
    'config',
    '--get-regexp',
    String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`,
  ])
  if (promisor.code === 0) {
    throw unusableRepository(
      `${dir} is a partial clone, which lacks objects. Make a whole clone and name that.`,
    )
  }
  const top = inside === 'true' ? await git(['rev-parse', '--show-toplevel']) : undefined
  const branch = await git(['symbolic-ref', '--quiet', 'HEAD'])
  const ref = branch.code === 0 ? lines(branch)[0] : undefined
  const newest = await headOf({ dir, commonDir, branch: ref, git })
  if (newest.fault && !options.evenDamaged) throw newest.fault
  return {
    dir,
    binary,
    gitDir,
    commonDir,
    workTree: top && lines(top)[0],
    bare: bare === 'true',
    branch: ref,
    ...newest,
    objectFolders: [...quarantineFolders(dir, quarantine), `${commonDir}/objects`],
    git,
  }
}

/** The commit a name stands for, as git reads it. @throws ProblemError `not-found` */
export async function resolveCommit(clone: Clone, name: string): Promise<Oid> {
  const oid = name.startsWith('-') ? undefined : await commitOf(clone.git, name)
  if (oid === undefined) throw new ProblemError('not-found', `${clone.dir} has no commit ${name}.`)
  return oid
}

interface Head {
  readonly head: Oid | undefined
  readonly fault?: ProblemError
}

/** The commit of HEAD, and what is wrong where it leads to what is no commit that can be read. */
async function headOf({
  dir,
  commonDir,
  branch,
  git,
}: Pick<Clone, 'dir' | 'commonDir' | 'branch' | 'git'>): Promise<Head> {
  const commit = await commitOf(git, 'HEAD')
  if (commit !== undefined) return { head: commit }
  const named = await git(['rev-parse', '--verify', '--quiet', 'HEAD'])
  const [oid = ''] = lines(named)
  const isCommit = /^[0-9a-f]{40}$/.test(oid)
  const ownDir = join(commonDir, ownFolder)
  // A new repository has no commit yet.
  const isNew =
    branch === undefined
      ? !existsSync(ownDir)
      : !isLost(commonDir, ownDir, branch) && !existsSync(join(commonDir, branch))
  if (!isCommit && isNew) return { head: undefined }
  const what = isCommit ? `leads to commit ${oid}, which cannot be read` : 'leads to no commit'
  const message = `${dir} is damaged: HEAD ${what}. ${restoreAdvice}`
  return { head: isCommit ? (oid as Oid) : undefined, fault: new ProblemError('damaged', message) }
}

async function commitOf(git: Clone['git'], name: string): Promise<Oid | undefined> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  return found.code === 0 ? (lines(found)[0] as Oid) : undefined
}

/**
 * What git has to say for itself, where it does not do what it is asked. @throws ProblemError `damaged`, `unavailable`
 */
export function linesOrThrow(result: GitResult, what: string): readonly string[] {
  if (result.code === 0) return lines(result)
  const said = result.stderr.split('\n').filter(line => line !== '' && !line.startsWith('hint:'))
  const told = [...new Set(said)].join('\n') || result.stdout.toString().trim() || `exit code ${result.code}`
  const failure = gitFailure(what.replace(/^git /, ''), told)
  if (failure instanceof ProblemError) throw failure
  throw new ProblemError('unavailable', `${what} failed. Git says: ${told}`)
}

export function lines({ stdout }: GitResult): readonly string[] {
  return stdout.toString().replace(/\n$/, '').split('\n')
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}

const ownFolderVariable = 'GIT_OBJECT_DIRECTORY'
const otherFoldersVariable = 'GIT_ALTERNATE_OBJECT_DIRECTORIES'

/** @see git-receive-pack(1), "Quarantine Environment" */
function quarantineVariables(): EnvironmentVariables {
  const { [ownFolderVariable]: own, [otherFoldersVariable]: others } = process.env
  return {
    ...(own === undefined ? {} : { [ownFolderVariable]: own }),
    ...(others === undefined ? {} : { [otherFoldersVariable]: others }),
  }
}

function quarantineFolders(dir: string, quarantine: EnvironmentVariables): readonly string[] {
  const { [ownFolderVariable]: own = '', [otherFoldersVariable]: others = '' } = quarantine
  const separator = process.platform === 'win32' ? ';' : ':'
  return [own, ...others.split(separator)].filter(folder => folder !== '').map(folder => resolve(dir, folder))
}

function run(
  git: string,
  cwd: string,
  args: readonly string[],
  variables: EnvironmentVariables,
  input?: string,
): Promise<GitResult> {
  const child = spawn(git, args, { cwd, env: { ...gitEnvironment(), ...variables }, windowsHide: true })
  return collectGit(child, input)
}
