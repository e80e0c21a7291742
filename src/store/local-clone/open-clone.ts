import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { findGitBinary } from '../git-commands/git-binary.js'
import { endedGit, type GitResult, gitEnvironment } from '../git-commands/git-command.js'
import { gitFailure, restoreAdvice } from '../git-commands/git-failure.js'
import { isObjectDamage } from '../objects/object-errors.js'
import { runProgram } from '../process/launcher.js'
import { existedBefore } from '../refs/read-refs.js'
import {
  demandFolder,
  inspectFolder,
  ownFolder,
  unusableRepository,
} from '../repository-folder/inspect-folder.js'

/**
 * A clone in any state that git accepts: bare or not, linked work trees, a detached HEAD. Read-only. All information
 * comes from the git binary.
 */
export interface Clone {
  /** Absolute path of the folder that the user named. */
  readonly dir: string
  /** Path of the git binary. */
  readonly binary: string
  /** Git directory of this work tree. */
  readonly gitDir: string
  /** Git directory with the objects; differs from `gitDir` in a linked work tree. */
  readonly commonDir: string
  /** Undefined if the clone is bare, or if the folder is inside a Git directory. */
  readonly workTree: string | undefined
  readonly bare: boolean
  /** Full name of the branch that HEAD points at; undefined if HEAD is detached. */
  readonly branch: string | undefined
  /** The commit of HEAD; undefined if there is none yet. */
  readonly head: Oid | undefined
  /** Why that commit cannot be read; undefined if it can. */
  readonly fault?: ProblemError
  /** Folders with objects: those of the quarantine, then the clone's own. */
  readonly objectFolders: readonly string[]
  /** Runs git in the clone. @param variables additional environment variables */
  git(args: readonly string[], variables?: EnvironmentVariables, input?: string): Promise<GitResult>
}

export type EnvironmentVariables = Readonly<Record<string, string>>

interface CloneOptions {
  /** `auto` or the path of a binary, as in the configuration. */
  readonly git: string
  /** Includes the objects that `git receive-pack` keeps in quarantine while `pre-receive` runs. */
  readonly quarantine?: boolean
  /** Accepts a clone whose newest commit cannot be read. */
  readonly evenDamaged?: boolean
}

/**
 * Inspects a clone without changing it.
 * @throws ProblemError `damaged`; `unusable-repository` if there is no clone, no complete history, or no git
 */
export async function openClone(folder: string, options: CloneOptions): Promise<Clone> {
  const dir = resolve(folder)
  const binary = await findGitBinary(options.git)
  if (binary === undefined)
    throw unusableRepository('This command needs a git binary, of version 2.31 or newer.')
  // Git is started in this folder. If the folder did not exist, the system would say that git is missing.
  await demandFolder(dir)
  const quarantine = options.quarantine ? quarantineVariables() : {}
  const git: Clone['git'] = (args, variables, input) => {
    const env = { ...gitEnvironment(), ...quarantine, ...variables }
    const program = { command: binary, args, cwd: dir, env }
    return endedGit(runProgram(input === undefined ? program : { ...program, input }))
  }
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
    // If the folder has the remains of a damaged repository, that is the error; otherwise git's own message.
    const looked = inspectFolder(dir).then(({ branch }) => branch(undefined))
    await looked.catch((error: unknown) => {
      if (isObjectDamage(error)) throw error
    })
    throw unusableRepository(`${dir} cannot be read: ${found.stderr.split('\n')[0]}`)
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

/** Resolves a revision like git. @throws ProblemError `not-found` */
export async function resolveCommit(clone: Clone, name: string): Promise<Oid> {
  const oid = name.startsWith('-') ? undefined : await commitOf(clone, name)
  if (oid === undefined) throw new ProblemError('not-found', `${clone.dir} has no commit ${name}.`)
  return oid
}

/** The commit of HEAD, and the reason if it cannot be read. */
async function headOf({
  dir,
  commonDir,
  branch,
  git,
}: Pick<Clone, 'dir' | 'commonDir' | 'branch' | 'git'>): Promise<Pick<Clone, 'head' | 'fault'>> {
  const commit = await commitOf({ git }, 'HEAD')
  if (commit !== undefined) return { head: commit }
  const named = await git(['rev-parse', '--verify', '--quiet', 'HEAD'])
  const [oid = ''] = lines(named)
  const isCommit = /^[0-9a-f]{40}$/.test(oid)
  const ownDir = join(commonDir, ownFolder)
  // A new repository has no commit yet.
  const isNew =
    branch === undefined
      ? !existsSync(ownDir)
      : !existedBefore(commonDir, ownDir, branch) && !existsSync(join(commonDir, branch))
  if (!isCommit && isNew) return { head: undefined }
  const what = isCommit ? `leads to commit ${oid}, which cannot be read` : 'leads to no commit'
  const message = `${dir} is damaged: HEAD ${what}. ${restoreAdvice}`
  return { head: isCommit ? (oid as Oid) : undefined, fault: new ProblemError('damaged', message) }
}

/** The commit to which a name leads now; undefined if there is none. */
export async function commitOf({ git }: Pick<Clone, 'git'>, name: string): Promise<Oid | undefined> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  return found.code === 0 ? (lines(found)[0] as Oid) : undefined
}

/**
 * Output lines of a successful git. @throws ProblemError `damaged`, `unavailable` with git's message if it failed
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

/** @see git-receive-pack(1), "Quarantine Environment" */
function quarantineVariables(): EnvironmentVariables {
  const { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: others } = process.env
  return {
    ...(own !== undefined && { GIT_OBJECT_DIRECTORY: own }),
    ...(others !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: others }),
  }
}

function quarantineFolders(dir: string, quarantine: EnvironmentVariables): readonly string[] {
  const { GIT_OBJECT_DIRECTORY: own = '', GIT_ALTERNATE_OBJECT_DIRECTORIES: others = '' } = quarantine
  return [own, ...others.split(delimiter)].filter(folder => folder !== '').map(folder => resolve(dir, folder))
}
