import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.js'
import type { PushOutcome } from '../../store/remotes/push-outcome.js'
import type { RemoteBranch } from '../../store/remotes/remote-branch.js'
import type { ConnectionStatusFile } from './connection-status.js'
import { errorText } from './periodic-task.js'

export interface MirroringOptions {
  readonly catalog: Pick<Catalog, 'head' | 'headChanges'>
  readonly mirror: RemoteBranch
  readonly book: ConnectionStatusFile
}

/** Milliseconds until what failed is tried again: the first time, and at most. */
const retry = { first: 1000, longest: 60_000 }
/** Milliseconds after which a mirror is looked at that nothing has to be pushed to. */
const lookEvery = 60_000
/**
 * Milliseconds that the updates after a push are gathered for the next one; as long as the push took, if that is more.
 */
const pause = 50
/** Milliseconds the end waits for a mirror to get the last updates. */
const longestFarewell = 5000

/**
 * Pushes what is served to another repository after each flush, beside everything else: what comes while a push is
 * under way goes with the next one. A push that fails is tried again, later and later; nothing is ever forced.
 */
export function pushToMirror({ catalog, mirror, book }: MirroringOptions): { close(): Promise<void> } {
  const { address } = mirror
  const closing = new AbortController()
  const { signal } = closing

  /** @returns what is wrong, if anything */
  async function push(): Promise<string | undefined> {
    const head = catalog.head()
    if (head === undefined) return undefined
    const pushed = await mirror.push(head)
    if (pushed.how !== 'moved') return failureOf(pushed)
    book.reached(head)
    return undefined
  }

  function failureOf(pushed: Exclude<PushOutcome, { how: 'moved' }>): string {
    if (pushed.how === 'unknown') return `${address} cannot be reached. Git says: ${pushed.said}`
    if (pushed.how === 'refused') return `${address} takes no updates. Git says: ${pushed.said}`
    return `${address} has commits that are not here: somebody else pushed there. It is left as it is; merge them here (git pull), or put it back, and updates go there again.`
  }

  async function goOn(): Promise<void> {
    let delay = retry.first
    while (!signal.aborted) {
      const { count } = catalog.headChanges
      const started = performance.now()
      const failure = await push().catch(errorText)
      if (signal.aborted) return
      if (failure !== undefined) {
        book.failed(failure)
        await rest(delay)
        delay = Math.min(2 * delay, retry.longest)
        continue
      }
      delay = retry.first
      const took = performance.now() - started
      await catalog.headChanges.next(count, lookEvery, signal)
      await rest(Math.max(pause, took))
    }
  }

  /** Ended early at the end. */
  async function rest(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
  }

  /** What was answered last goes there too, unless that takes long. */
  async function bidFarewell(): Promise<void> {
    const { ok, commit } = book.now()
    if (!ok || commit === catalog.head()) return
    const failure = await push().catch(errorText)
    if (failure !== undefined) book.failed(failure)
  }

  const going = goOn()
  return {
    async close() {
      closing.abort()
      const late = new AbortController()
      const ended = going.then(bidFarewell).finally(() => late.abort())
      await sleep(longestFarewell, undefined, { signal: late.signal }).catch(() => undefined)
      await mirror.close()
      await ended
    },
  }
}
