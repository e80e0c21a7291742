import type { RemoteConfig } from '../../config.js'
import { isMissingOrEmpty } from '../missing-or-empty.js'
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
  if (remote === undefined || remote.role === 'mirror') {
    if (free) await makeFromTemplate(folder, terminal)
    return
  }
  // Loaded here: few servers have another repository.
  const clones = await import('../../store/remotes/initial-clone.js')
  const unborn = !free && (await clones.hasNoCommit(folder))
  if (!free && !unborn) return
  const source = { remote: remote.remote, git }
  const isClone = remote.role === 'source' || unborn || (await clones.remoteHasCommits(source))
  if (!isClone) return await makeFromTemplate(folder, terminal)
  const { removePasswords } = await import('../../store/remotes/address.js')
  terminal?.note(`Cloning ${removePasswords(remote.remote)} into ${folder}…`)
  await (free ? clones.cloneIntoEmptyFolder : clones.cloneIntoUnbornRepository)(folder, source)
}

async function makeFromTemplate(folder: string, terminal: Terminal | undefined): Promise<void> {
  terminal?.note(`Making ${folder} from the template…`)
  const { createFromTemplate } = await import('../create-from-template.js')
  await createFromTemplate(folder)
}
