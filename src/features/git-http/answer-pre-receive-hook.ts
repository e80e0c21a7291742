import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../core/problem.js'
import { abbreviateCommit } from '../../service/git/commit-fault.js'
import type { FileSizeLimits } from '../../service/git/incoming-commit-rules.js'
import { refNameFault, refNameRefusal } from '../../service/git/ref-name-rules.js'
import { undefinedIfMissingAsync } from '../../store/file-system/file-errors.js'
import type { Writer } from '../../store/write/writer-interface.js'
import { openPushReview, type Push, type PushReviewOptions, rejectPush } from './check-pushed-commits.js'
import type { GitServiceProcess } from './pack-service.js'
import {
  answerPreReceiveHook,
  installPreReceiveHook,
  type PushVerdict,
  preReceiveHookFolder,
  type ReceivedPush,
} from './pre-receive-hook.js'
import { findLargeObjects, type LargeObject } from './quarantine.js'

export interface PushReceiverOptions extends PushReviewOptions {
  readonly writer: Pick<Writer, 'runWhileLocked'>
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
}

/** Time limit in milliseconds for git to move the branches of an accepted push. */
const maxMoveMilliseconds = 10_000

/** Limit in bytes of a tree, a commit or a tag: enough for a tree with about a hundred thousand entries. */
const maxOtherBytes = 4 * 2 ** 20
/** Limit of the objects that a refusal lists. */
const maxListedObjects = 20

function maxBytesOf(type: string, { document, record }: FileSizeLimits): number {
  return type === 'blob' ? Math.max(document, record) : maxOtherBytes
}

function largeLine({ oid, type, bytes }: LargeObject, limits: FileSizeLimits): string {
  const found = `The ${type} ${abbreviateCommit(oid)} has ${bytes} bytes; at most ${maxBytesOf(type, limits)} are accepted.`
  return type === 'blob' ? `${found} git log --find-object=${oid} shows which file that is.` : found
}

/** Checks pushes before their branches move. */
export interface PushReceiver {
  /** The folder of the hooks that git runs. @throws the error of the system if the hooks cannot be run any more */
  hooks(): Promise<string>
  /**
   * Answers the hook of a push.
   * @param bounds limits of each git process that reads the push
   * @returns a function to call when git has ended. It resolves when the catalog has the pushed commits
   */
  answerHook(
    conversation: GitServiceProcess,
    limits: FileSizeLimits,
    bounds: Push['bounds'],
  ): () => Promise<void>
}

/**
 * Writes the `pre-receive` hook, and opens the object that answers the hook.
 * @throws the error of the system if the hook cannot be written or run
 */
export async function openPushReceiver(options: PushReceiverOptions): Promise<PushReceiver> {
  const { repository, git, writer, report } = options
  const { gitDir, ownDir, branch } = repository
  await installPreReceiveHook(ownDir)
  const review = openPushReview(options)

  /** Finds pushed objects above the limits, on any branch. They are refused: readers hold an object in memory. */
  async function findLarge(
    { updates, environment }: ReceivedPush,
    limits: FileSizeLimits,
    bounds: Push['bounds'],
  ): Promise<readonly LargeObject[]> {
    // A push that only deletes refs has no objects, and no quarantine.
    if (updates.every(({ to }) => to === undefined)) return []
    return await findLargeObjects(
      git,
      gitDir,
      environment,
      type => maxBytesOf(type, limits),
      maxListedObjects,
      bounds,
    )
  }

  /** Waits until git has moved the branches, with a time limit, because all updates wait meanwhile. */
  async function waitForMove({ ended, end }: GitServiceProcess): Promise<void> {
    const late = new AbortController()
    const patience = sleep(maxMoveMilliseconds, undefined, { signal: late.signal }).then(end, () => undefined)
    await ended
    late.abort()
    await patience
  }

  function verdictOnError(thrown: unknown): PushVerdict {
    if (thrown instanceof ProblemError) return rejectPush(thrown.message)
    report(`A push failed: ${String(thrown)}`)
    return rejectPush('The server failed; its log has the reason.')
  }

  return {
    hooks: () => preReceiveHookFolder(ownDir),
    answerHook(conversation, limits, bounds) {
      let followed = Promise.resolve()

      async function decide(received: ReceivedPush): Promise<PushVerdict> {
        for (const move of received.updates) {
          const why = refNameFault(move, branch)
          if (why !== undefined) return rejectPush(refNameRefusal(move.ref, why))
        }
        const occupied = await checkedOutBranches(gitDir, branch)
        const taken = received.updates.find(({ ref }) => occupied.includes(ref))
        if (taken !== undefined) {
          return rejectPush(`${taken.ref} is checked out on the server. Push to another branch.`)
        }
        const large = await findLarge(received, limits, bounds)
        const refuseLarge = () => rejectPush(...large.map(object => largeLine(object, limits)))
        const move = received.updates.find(({ ref }) => ref === branch)
        if (large.length > 0 && (move === undefined || large.some(({ type }) => type !== 'blob'))) {
          return refuseLarge()
        }
        if (move === undefined) return { accepted: true, lines: [] }
        return await new Promise<PushVerdict>(resolve => {
          followed = writer
            .runWhileLocked(async head => {
              const reviewed = await review({ received, move, limits, bounds }, head)
              // Also refuses large files that are in no version: removed again, or merged with a side branch.
              const verdict = reviewed.accepted && large.length > 0 ? refuseLarge() : reviewed
              resolve(verdict)
              if (verdict.accepted) await waitForMove(conversation)
            })
            // After the verdict, this `resolve` has no effect.
            .catch(thrown => resolve(verdictOnError(thrown)))
        })
      }

      const { channel } = conversation
      if (!channel) throw new Error('Only a push has a channel.')
      answerPreReceiveHook(channel, received => decide(received).catch(verdictOnError))
      return () => followed
    },
  }
}

/** Branches that are checked out in the data folder or in linked work trees, except the served one. */
async function checkedOutBranches(gitDir: string, served: string): Promise<readonly string[]> {
  const linked = (await undefinedIfMissingAsync(readdir(join(gitDir, 'worktrees')))) ?? []
  const folders = [gitDir, ...linked.map(name => join(gitDir, 'worktrees', name))]
  const heads = await Promise.all(
    folders.map(folder => undefinedIfMissingAsync(readFile(join(folder, 'HEAD'), 'latin1'))),
  )
  return heads.flatMap(head => /^ref: (\S+)/.exec(head ?? '')?.[1] ?? []).filter(ref => ref !== served)
}
