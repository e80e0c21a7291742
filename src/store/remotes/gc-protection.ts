import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runGit } from '../git-commands/git-command.js'

/**
 * Settings of git for a shared repository. By default, git unpacks a small push into loose objects, which `git gc
 * --prune=now` may remove before the branch leads to them. With these settings, each push stays a pack, which has a
 * `.keep` file until then. As there are more packs, the limit for automatic repacking is higher.
 * @see git-config(1)
 */
const settings = [
  ['receive.unpackLimit', '1'],
  ['gc.autoPackLimit', '500'],
  ['gc.pruneExpire', 'never'],
] as const

/**
 * Protects a repository on this machine against a concurrent `git gc` during a push. Existing settings stay. Does
 * nothing if the configuration cannot be written, or if the repository is on another machine.
 * @param address `shown` of {@link resolveRemoteAddress}
 */
export async function guardLog(git: string, address: string): Promise<void> {
  const gitDir = folderAt(address)
  if (gitDir === undefined) return
  for (const [name, value] of settings) {
    const { code } = await runGit(git, gitDir, ['config', '--local', '--get', name])
    if (code === 1) await runGit(git, gitDir, ['config', '--local', name, value])
  }
}

/** Git directory of a repository. @returns undefined if the repository is on another machine or missing */
function folderAt(address: string): string | undefined {
  const path = address.startsWith('file://') ? fileURLToPath(address) : address
  if (!isAbsolute(path)) return undefined
  return [join(path, '.git'), path].find(folder => existsSync(join(folder, 'objects')))
}
