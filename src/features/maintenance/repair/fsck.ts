import { readdir } from 'node:fs/promises'
import { undefinedIfMissingAsync } from '../../../store/file-system/file-errors.js'
import { runGit } from '../../../store/git-commands/git-command.js'
import { packFolder } from '../../../store/git-commands/git-directory.js'
import { hashObject } from '../../../store/objects/hash-object.js'

/** Limit of the runs of `git fsck` while packs change. */
const maxLooks = 10

/**
 * Runs `git fsck`.
 *
 * Git lists the packs at the beginning and opens them later. If a pack is merged meanwhile, git reports errors ("index
 * not opened", "unable to read"). So errors count only if all packs from before a run still exist after it. If that is
 * so after no run, the errors count that every run has reported. `whilePacksChange` cannot be used: during such a long
 * run, new packs may come, too.
 * @returns lines of git's errors; empty if there are none
 * @see git-fsck(1)
 */
export async function fsck(git: string, gitDir: string): Promise<readonly string[]> {
  let always: readonly string[] | undefined
  for (let look = 1; ; look++) {
    const before = await packsIn(gitDir)
    const found = await lookOnce(git, gitDir)
    const now = new Set(await packsIn(gitDir))
    if (found.length === 0 || before.every(name => now.has(name))) return found
    always = always?.filter(line => found.includes(line)) ?? found
    if (always.length === 0 || look === maxLooks) return always
  }
}

/** Git has the empty tree built in, but reports it as missing if the index of a work tree without files names it. */
const emptyTreeLine = `missing tree ${hashObject('tree', Buffer.alloc(0))}`

async function lookOnce(git: string, gitDir: string): Promise<readonly string[]> {
  const args = ['fsck', '--strict', '--no-dangling', '--no-progress']
  const { code, stdout, stderr } = await runGit(git, gitDir, args)
  const all = `${stdout.toString()}\n${stderr}`.split('\n')
  const isExplained = all.includes(emptyTreeLine)
  // Git also prints notices for an intact repository.
  const lines = all.filter(
    line => line.trim() !== '' && !/^(notice|hint): /.test(line) && line !== emptyTreeLine,
  )
  return lines.length === 0 && code !== 0 && !isExplained ? [`git fsck ended with exit code ${code}.`] : lines
}

async function packsIn(gitDir: string): Promise<readonly string[]> {
  const names = (await undefinedIfMissingAsync(readdir(packFolder(gitDir)))) ?? []
  return names.filter(name => name.endsWith('.pack'))
}
