import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProblemError } from '../../core/problem.js'
import { undefinedIfMissingAsync } from '../../store/file-system/durable-files.js'
import type { GitServiceProcess } from '../../store/git-http/pack-service.js'
import {
  answerPreReceiveHook,
  installPreReceiveHook,
  type PushVerdict,
  preReceiveHookDirectory,
  type ReceivedPush,
} from '../../store/git-http/pre-receive-hook.js'
import { findLargeObjects, type LargeObject } from '../../store/git-http/quarantine.js'
import type { Writer } from '../../store/write/writer.js'
import { abbreviateCommit } from './commit-violations.js'
import type { FileSizeLimits } from './incoming-files.js'
import { confusionLine, confusionOf } from './ref-name-rules.js'
import { openPushReview, type Push, type ReviewOptions, rejectPush } from './review-push.js'

export interface PushOptions extends ReviewOptions {
  readonly writer: Pick<Writer, 'runWhileLocked'>
  /** One line for whoever runs the program. */
  readonly report: (line: string) => void
}

/** Milliseconds git may take to move the branches once it may. */
const longestMove = 10_000

/** Bytes that what is no file may have: a folder with a hundred thousand entries, a message of megabytes. */
const largestOther = 4 * 2 ** 20
/** Objects that are too large which a pusher is told one by one. */
const mostTold = 20

function mostOf(type: string, { document, record }: FileSizeLimits): number {
  return type === 'blob' ? Math.max(document, record) : largestOther
}

function largeLine({ oid, type, bytes }: LargeObject, limits: FileSizeLimits): string {
  const found = `The ${type} ${abbreviateCommit(oid)} has ${bytes} bytes; at most ${mostOf(type, limits)} are taken.`
  return type === 'blob' ? `${found} git log --find-object=${oid} says which file that is.` : found
}

/** Has pushes reviewed before their branches move. */
export interface PushReceiver {
  /** The folder of hooks git has to be told of. @throws the system's error where they could not be run any more */
  hooks(): Promise<string>
  /**
   * Answers the hook of a push that is being received.
   * @param bounds of each git that looks at it
   * @returns what to wait for once git has ended: then the lists have what was accepted
   */
  answerHook(
    conversation: GitServiceProcess,
    limits: FileSizeLimits,
    bounds: Push['bounds'],
  ): () => Promise<void>
}

/** @throws the system's error where the hook cannot be made or run */
export async function openPushReceiver(options: PushOptions): Promise<PushReceiver> {
  const { repository, git, writer, report } = options
  const { gitDir, ownDir, branch } = repository
  await installPreReceiveHook(ownDir)
  const review = openPushReview(options)

  /** The branches people work on in the data folder and in work trees beside it, but for the served one. */
  async function occupied(): Promise<readonly string[]> {
    const linked = (await undefinedIfMissingAsync(readdir(join(gitDir, 'worktrees')))) ?? []
    const folders = [gitDir, ...linked.map(name => join(gitDir, 'worktrees', name))]
    const heads = await Promise.all(
      folders.map(folder => undefinedIfMissingAsync(readFile(join(folder, 'HEAD'), 'latin1'))),
    )
    return heads.flatMap(head => /^ref: (\S+)/.exec(head ?? '')?.[1] ?? []).filter(ref => ref !== branch)
  }

  /** What is larger than anything here may be, on whatever branch: whoever reads it later has it in memory. */
  async function largeIn(
    { updates, environment }: ReceivedPush,
    limits: FileSizeLimits,
    bounds: Push['bounds'],
  ): Promise<readonly LargeObject[]> {
    // What only removes brings nothing, and has no place for it.
    if (updates.every(({ to }) => to === undefined)) return []
    return await findLargeObjects(git, gitDir, environment, type => mostOf(type, limits), mostTold, bounds)
  }

  /** Waits until git has moved the branches, but not for ever: everybody else waits too. */
  async function moved({ ended, end }: GitServiceProcess): Promise<void> {
    const late = new AbortController()
    const patience = sleep(longestMove, undefined, { signal: late.signal }).then(end, () => undefined)
    await ended
    late.abort()
    await patience
  }

  function explain(thrown: unknown): PushVerdict {
    if (thrown instanceof ProblemError) return rejectPush(thrown.message)
    report(`A push failed: ${String(thrown)}`)
    return rejectPush('The server failed; its log says why.')
  }

  return {
    hooks: () => preReceiveHookDirectory(ownDir),
    answerHook(conversation, limits, bounds) {
      let followed = Promise.resolve()

      async function decide(received: ReceivedPush): Promise<PushVerdict> {
        for (const move of received.updates) {
          const why = confusionOf(move, branch)
          if (why !== undefined) return rejectPush(confusionLine(move.ref, why))
        }
        const theirs = await occupied()
        const taken = received.updates.find(({ ref }) => theirs.includes(ref))
        if (taken !== undefined) {
          return rejectPush(`Somebody is at work on ${taken.ref} beside the server. Push to another branch.`)
        }
        const large = await largeIn(received, limits, bounds)
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
              // A file that was removed again, or came with a merge, is in no version.
              const verdict = reviewed.accepted && large.length > 0 ? refuseLarge() : reviewed
              resolve(verdict)
              if (verdict.accepted) await moved(conversation)
            })
            // Where git has its verdict already, this one has no effect any more.
            .catch(thrown => resolve(explain(thrown)))
        })
      }

      answerPreReceiveHook(conversation.channel, received => decide(received).catch(explain))
      return () => followed
    },
  }
}
