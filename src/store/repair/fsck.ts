import { readdir } from 'node:fs/promises'
import { undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { runGit } from '../process/git-command.js'
import { packDirectory } from '../process/git-directory.js'

/** How often git looks when packs are taken away under it. */
const mostLooks = 10

/**
 * What git finds wrong with the objects and refs of a repository, line by line; empty where all is well.
 *
 * git lists the packs at the beginning and opens them later. One that was put together with others meanwhile is gone by then,
 * and it complains of that ("index not opened", "unable to read"). So what it says counts only where those packs are still
 * there; where they never are, what it has said at every look. It takes too long for {@link whilePacksChange}: packs that come
 * while it looks have to be allowed.
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
    if (always.length === 0 || look === mostLooks) return always
  }
}

async function lookOnce(git: string, gitDir: string): Promise<readonly string[]> {
  const args = ['fsck', '--strict', '--no-dangling', '--no-progress']
  const { code, stdout, stderr } = await runGit(git, gitDir, args)
  const lines = `${stdout.toString()}\n${stderr}`
    .split('\n')
    // What git says of a repository in which all is well.
    .filter(line => line.trim() !== '' && !/^(notice|hint): /.test(line))
  return lines.length === 0 && code !== 0 ? [`git fsck ended with exit code ${code}.`] : lines
}

async function packsIn(gitDir: string): Promise<readonly string[]> {
  const names = (await undefinedIfMissingAsync(readdir(packDirectory(gitDir)))) ?? []
  return names.filter(name => name.endsWith('.pack'))
}
