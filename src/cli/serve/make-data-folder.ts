import type { RemoteConfig } from '../../config.js'
import { removePasswords } from '../../store/remotes/address.js'
import {
  cloneIntoEmptyFolder,
  cloneIntoUnbornRepository,
  hasNoCommit,
  remoteHasCommits,
} from '../../store/remotes/initial-clone.js'
import { createFromTemplate, isMissingOrEmpty } from '../create-from-template.js'
import type { Terminal } from '../output/terminal.js'

/**
 * Makes the data folder if it does not exist: from the template, or as a clone of a repository to follow or share.
 * @param terminal receives a line that says what is made
 */
export async function makeDataFolder(
  folder: string,
  git: string,
  remote: RemoteConfig | undefined,
  terminal: Terminal | undefined,
): Promise<void> {
  const free = await isMissingOrEmpty(folder)
  const unborn = !free && remote !== undefined && remote.role !== 'mirror' && (await hasNoCommit(folder))
  if (!free && !unborn) return
  const isClone =
    remote?.role === 'source' ||
    (remote?.role === 'log' && (unborn || (await remoteHasCommits({ remote: remote.remote, git }))))
  if (!isClone) {
    terminal?.note(`Making ${folder} from the template…`)
    return await createFromTemplate(folder)
  }
  terminal?.note(`Cloning ${removePasswords(remote.remote)} into ${folder}…`)
  await (free ? cloneIntoEmptyFolder : cloneIntoUnbornRepository)(folder, { remote: remote.remote, git })
}
