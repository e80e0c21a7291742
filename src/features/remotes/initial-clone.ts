import { join, resolve } from 'node:path'
import type { DataFolder } from '../../feature.js'
import { findGitBinary } from '../../store/git-commands/git-binary.js'
import { runGit } from '../../store/git-commands/git-command.js'
import { readRef } from '../../store/refs/read-refs.js'
import { removePasswords } from '../../store/remotes/address.js'
import { ownFolder, servedRef } from '../../store/repository/open-repository.js'
import { inspectFolder, unusableRepository } from '../../store/repository-folder/inspect-folder.js'
import { createGitDirectory, createInEmptyFolder, writeRef } from '../../store/work-tree/create-repository.js'
import { findRemoteDefaultBranch, gitBinaryRequired, openRemoteBranch } from './remote-branch.js'
import type { RemoteSettings } from './remote-settings.js'

interface FillOptions {
  /** The name of a configured remote, a URL, or a path. */
  readonly remote: string
  /** `auto` or the path of a binary, as in the configuration. */
  readonly git: string
}

/**
 * Fills the data folder of a server that follows a repository or shares a log with a clone, if it has no commit.
 * @returns false if there is nothing to clone or the folder has commits
 */
export async function cloneInto(folder: DataFolder, { role, remote }: RemoteSettings): Promise<boolean> {
  const { path, isFree, git, note } = folder
  if (role === 'mirror') return false
  const isUnborn = !isFree && (await hasNoCommit(path))
  if (!isFree && !isUnborn) return false
  const source = { remote, git }
  // The first server that shares an empty log begins with the template.
  if (role === 'log' && isFree && !(await remoteHasCommits(source))) return false
  note(`Cloning ${removePasswords(remote)} into ${path}…`)
  await (isFree ? cloneIntoEmptyFolder : cloneIntoUnbornRepository)(path, source)
  return true
}

/** Whether the repository in a folder has no commit: it is new, or an interrupted clone has left it. */
async function hasNoCommit(folder: string): Promise<boolean> {
  const { gitDir, branch } = await inspectFolder(resolve(folder))
  const servedLast = servedRef({ gitDir, ownDir: join(gitDir, ownFolder) })
  return readRef(gitDir, branch(servedLast)) === undefined
}

/** Whether another repository has a commit to clone. @throws ProblemError `unusable-repository`, `unavailable` */
async function remoteHasCommits({ remote, git }: FillOptions): Promise<boolean> {
  return (await findRemoteDefaultBranch(await binaryOf(git), undefined, remote)) !== undefined
}

/**
 * Clones the default branch and all tags of another repository into a new or empty folder. After a failure, removes the
 * created files. If the process was killed, {@link cloneIntoUnbornRepository} continues.
 * @throws ProblemError `unusable-repository`, `unavailable`
 */
export async function cloneIntoEmptyFolder(folder: string, options: FillOptions): Promise<void> {
  const dir = resolve(folder)
  const gitDir = join(dir, '.git')
  await createInEmptyFolder(dir, async () => {
    await createGitDirectory(gitDir, false)
    await writeRef(gitDir, 'HEAD', 'ref: refs/heads/main\n')
    await cloneIntoUnbornRepository(dir, options)
  })
}

/** {@link cloneIntoEmptyFolder} for a repository without a commit, bare or not. */
async function cloneIntoUnbornRepository(folder: string, { remote, git }: FillOptions): Promise<void> {
  const dir = resolve(folder)
  const { gitDir, bare } = await inspectFolder(dir)
  const binary = await binaryOf(git)
  const branch = await findRemoteDefaultBranch(binary, gitDir, remote)
  const source = branch && (await openRemoteBranch({ git: binary, gitDir, branch }, remote, 'fetch'))
  const tip = source && (await source.fetch())
  if (branch === undefined || tip === undefined) {
    throw unusableRepository(
      `There is nothing to clone in ${removePasswords(remote)} yet: its HEAD leads to no commit.`,
    )
  }
  const run = async (...args: readonly string[]) => {
    const { code, stderr } = await runGit(binary, gitDir, args)
    if (code !== 0) throw unusableRepository(`${dir} cannot be filled. Git says: ${stderr}`)
  }
  await run('symbolic-ref', 'HEAD', branch)
  // The files come before the branch: an interrupted clone has no commit then, and will be repeated.
  if (!bare) await run(`--work-tree=${dir}`, 'read-tree', '--reset', '-u', tip)
  await run('update-ref', branch, tip)
}

async function binaryOf(git: string): Promise<string> {
  const binary = await findGitBinary(git)
  if (binary === undefined) throw gitBinaryRequired()
  return binary
}
