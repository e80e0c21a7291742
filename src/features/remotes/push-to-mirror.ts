import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.js'
import { errorText } from '../../core/problem.js'
import type { ConnectionStatusFile } from './connection-status.js'
import type { PushOutcome, RemoteBranch } from './remote-branch.js'

export interface MirroringOptions {
  readonly catalog: Pick<Catalog, 'head' | 'headChanges'>
  readonly mirror: RemoteBranch
  readonly status: ConnectionStatusFile
}

/** Milliseconds from a failed push to the next attempt: after the first failure, and at most. */
const retryDelays = { first: 1000, longest: 60_000 }
/** Milliseconds between two checks of a mirror without new commits. */
const checkInterval = 60_000
/** Least pause in milliseconds between two pushes, to collect updates. After a longer push, the pause is as long. */
const minPause = 50
/** Time limit in milliseconds of the last push when the server stops. */
const maxLastPushMilliseconds = 5000

/**
 * Pushes the served branch to another repository in the background. Updates during a push go with the next one. A
 * failed push is retried with increasing delays. A push never overwrites commits of the other repository.
 */
export function pushToMirror({ catalog, mirror, status }: MirroringOptions): { close(): Promise<void> } {
  const { address } = mirror
  const closing = new AbortController()
  const { signal } = closing

  /** Pushes the newest commit. @returns the failure, as a sentence; undefined after a success */
  async function push(): Promise<string | undefined> {
    const head = catalog.head()
    if (head === undefined) return undefined
    const pushed = await mirror.push(head)
    if (pushed.how !== 'moved') return failureOf(pushed)
    status.noteSuccess(head)
    return undefined
  }

  function failureOf(pushed: Exclude<PushOutcome, { how: 'moved' }>): string {
    if (pushed.how === 'unknown') return `${address} cannot be reached. Git says: ${pushed.said}`
    if (pushed.how === 'refused') return `${address} takes no updates. Git says: ${pushed.said}`
    return `${address} has commits that are not here: another client pushed there. Nothing is pushed until you merge them here (git pull) or reset that branch.`
  }

  async function run(): Promise<void> {
    let delay = retryDelays.first
    while (!signal.aborted) {
      const { count } = catalog.headChanges
      const started = performance.now()
      const failure = await push().catch(errorText)
      if (signal.aborted) return
      if (failure !== undefined) {
        status.noteFailure(failure)
        await waitFor(delay)
        delay = Math.min(2 * delay, retryDelays.longest)
        continue
      }
      delay = retryDelays.first
      const took = performance.now() - started
      await catalog.headChanges.next(count, checkInterval, signal)
      await waitFor(Math.max(minPause, took))
    }
  }

  /** Waits; closing ends the wait. */
  async function waitFor(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
  }

  /** Pushes the last updates. */
  async function pushLast(): Promise<void> {
    const { ok, commit } = status.now()
    if (!ok || commit === catalog.head()) return
    const failure = await push().catch(errorText)
    if (failure !== undefined) status.noteFailure(failure)
  }

  const running = run()
  return {
    async close() {
      closing.abort()
      const late = new AbortController()
      const ended = running.then(pushLast).finally(() => late.abort())
      await sleep(maxLastPushMilliseconds, undefined, { signal: late.signal }).catch(() => undefined)
      await mirror.close()
      await ended
    },
  }
}
