import { join, resolve } from 'node:path'
import { findGit } from '../process/git-binary.js'
import { runGit } from '../process/git-command.js'
import { readBranch } from '../refs/compare-and-swap.js'
import { intoFreeFolder, makeGitDir, writeRef } from '../repository/create-repository.js'
import { inspectFolder, unusable } from '../repository/inspect-folder.js'
import { ownFolder } from '../repository/open-repository.js'
import { servedRef } from '../repository/served-branch-file.js'
import { withoutPassword } from './address.js'
import { headOfRemote, openRemoteBranch, withoutGit } from './remote-branch.js'

export interface FillOptions {
  /** The name of a configured remote, a URL, or a path. */
  readonly remote: string
  /** As in the configuration. */
  readonly git: string
}

/** Whether the folder is a repository without a commit: just made, or being filled when that was broken off. */
export async function isUnborn(folder: string): Promise<boolean> {
  const { gitDir, branch } = await inspectFolder(resolve(folder))
  const servedLast = servedRef({ gitDir, ownDir: join(gitDir, ownFolder) })
  return readBranch(gitDir, branch(servedLast)) === undefined
}

/** Whether another repository has anything to clone. @throws ProblemError `unusable-repository`, `unavailable` */
export async function hasHistory({ remote, git }: FillOptions): Promise<boolean> {
  return (await headOfRemote(await binaryOf(git), undefined, remote)) !== undefined
}

/**
 * Clones the branch that another repository's HEAD leads to, with all tags, into a folder that is missing or empty.
 * Where that fails, what was made is removed again; where it is killed, {@link fillUnborn} goes on with it.
 * @throws ProblemError `unusable-repository`, `unavailable`
 */
export async function fillFree(folder: string, options: FillOptions): Promise<void> {
  const dir = resolve(folder)
  const gitDir = join(dir, '.git')
  await intoFreeFolder(dir, async () => {
    await makeGitDir(gitDir, false)
    await writeRef(gitDir, 'HEAD', 'ref: refs/heads/main\n')
    await fillUnborn(dir, options)
  })
}

/** The same into a repository without a commit, bare or not. */
export async function fillUnborn(folder: string, { remote, git }: FillOptions): Promise<void> {
  const dir = resolve(folder)
  const { gitDir, bare } = await inspectFolder(dir)
  const binary = await binaryOf(git)
  const branch = await headOfRemote(binary, gitDir, remote)
  const source = branch && (await openRemoteBranch({ git: binary, gitDir, branch }, remote, 'fetch'))
  const tip = source && (await source.fetch())
  if (branch === undefined || tip === undefined) {
    throw unusable(
      `There is nothing to clone in ${withoutPassword(remote)} yet: its HEAD leads to no commit.`,
    )
  }
  const run = async (...args: readonly string[]) => {
    const { code, stderr } = await runGit(binary, gitDir, args)
    if (code !== 0) throw unusable(`${dir} cannot be filled. Git says: ${stderr}`)
  }
  await run('symbolic-ref', 'HEAD', branch)
  // Before the branch: what is broken off in between is done again.
  if (!bare) await run(`--work-tree=${dir}`, 'read-tree', '--reset', '-u', tip)
  await run('update-ref', branch, tip)
}

async function binaryOf(git: string): Promise<string> {
  const binary = await findGit(git)
  if (binary === undefined) throw withoutGit()
  return binary
}
