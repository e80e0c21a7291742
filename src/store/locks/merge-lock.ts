import { join } from 'node:path'
import { openProcessLock } from './process-lock.js'

/** File name in our own folder. */
const mergeLock = 'merge.lock'

/** The lock to hold while packs are merged, or must not be merged by others. Not held yet. */
export function openMergeLock(ownDir: string) {
  return openProcessLock(join(ownDir, mergeLock))
}
