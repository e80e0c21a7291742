import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runGit } from '../process/git-command.js'

/**
 * Settings of a repository that others push to. Git unpacks a small push into loose objects, and `git gc --prune=now`
 * removes those before the branch leads to them; a push that stays a pack has a `.keep` until then. As each push is a
 * pack then, git puts them together when there are more of them than usual.
 * @see git-config(1)
 */
const settings = [
  ['receive.unpackLimit', '1'],
  ['gc.autoPackLimit', '500'],
  ['gc.pruneExpire', 'never'],
] as const

/**
 * Guards a repository on this machine against `git gc` beside a push: what a person has set there stays. Where its
 * configuration cannot be written it stays unguarded, as one on another machine does.
 * @param address as {@link resolveRemoteAddress} shows it
 */
export async function guardLog(git: string, address: string): Promise<void> {
  const gitDir = folderAt(address)
  if (gitDir === undefined) return
  for (const [name, value] of settings) {
    const { code } = await runGit(git, gitDir, ['config', '--local', '--get', name])
    if (code === 1) await runGit(git, gitDir, ['config', '--local', name, value])
  }
}

/** @returns undefined where it is on another machine, or not there */
function folderAt(address: string): string | undefined {
  const path = address.startsWith('file://') ? fileURLToPath(address) : address
  if (!isAbsolute(path)) return undefined
  return [join(path, '.git'), path].find(folder => existsSync(join(folder, 'objects')))
}
