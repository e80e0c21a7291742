import { join } from 'node:path'
import { openProcessLock } from './process-lock.js'

/** File name in our own folder. */
const mergeLock = 'merge.lock'

/** Opens the lock to hold while packs are merged, or while no other process may merge them. It is not held yet. */
export function openMergeLock(ownDir: string) {
  return openProcessLock(join(ownDir, mergeLock))
}
