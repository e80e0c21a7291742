import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { accessDenied, type Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { type GitRequest, openGitConversations } from './git-conversations.js'
import { fetchLimits, pushLimits } from './git-service-settings.js'
import type { FileSizeLimits } from './incoming-files.js'
import type { PushReceiver } from './receive-push.js'

/**
 * Limit of git processes at once. Packing for a clone keeps a core busy; more of them slow each other, and the updates,
 * down.
 */
export const maxGitProcesses = Math.max(8, 2 * availableParallelism())

export interface SmartHttpOptions {
  readonly repository: Repository
  /** Time limit of a conversation in milliseconds. Input and output extend it. */
  readonly longest: number
  /** Undefined: pushes are refused. */
  readonly pushes: PushReceiver | undefined
  /** Says whether everyone may now read the whole history of the served branch. */
  readonly isPublic: () => Promise<boolean>
}

/**
 * Answers a git client that clones, fetches or pushes.
 * @param limits of files in a push
 * @returns git's output, with backpressure. It ends with an error if it takes too long
 * @throws ProblemError `unauthenticated`, `forbidden`; `unavailable` without a git binary, with too many other clients,
 *   or if it takes too long; `malformed-request` for a body that git does not understand
 */
export type AnswerGit = (caller: Principal, request: GitRequest, limits: FileSizeLimits) => Promise<Readable>

/** Answers git clients with the git binary. `close` ends all conversations. */
export function openSmartHttp({ repository, longest, pushes, isPublic }: SmartHttpOptions): {
  readonly answer: AnswerGit
  close(): Promise<void>
} {
  const { git, gitDir, branch } = repository
  const conversations = openGitConversations(repository, maxGitProcesses, longest)

  /** @throws ProblemError `unavailable`, `forbidden` */
  function binaryFor({ program }: Pick<GitRequest, 'program'>): string {
    if (git === undefined) {
      throw new ProblemError(
        'unavailable',
        'This server runs without a git binary, so it cannot be cloned over HTTP. Clone its data folder over ssh or from a plain file server, or install git where it runs.',
      )
    }
    if (program === 'receive-pack' && !pushes) {
      throw new ProblemError(
        'forbidden',
        'This server takes no pushes; --allow-push permits them. Send changes through its interface.',
      )
    }
    return git
  }

  /**
   * A clone contains every version of every record, and a push can change every record, so that permissions on single
   * records are not enough.
   * @throws ProblemError `unauthenticated`, `forbidden`
   */
  async function refuse(caller: Principal, { program }: Pick<GitRequest, 'program'>): Promise<void> {
    if (caller.administrator) return
    if (program === 'upload-pack' && (await isPublic())) return
    const message =
      program === 'upload-pack'
        ? 'Only an administrator may clone the repository, because not everyone may read everything in it.'
        : 'Only an administrator may push to the repository.'
    throw accessDenied(caller, message)
  }

  async function fetch(
    binary: string,
    caller: Principal,
    request: GitRequest,
    { document }: FileSizeLimits,
  ): Promise<Readable> {
    if (caller.administrator) {
      const limits = await fetchLimits(gitDir, document, undefined)
      return await conversations.output(await conversations.start(binary, caller, request, limits))
    }
    // Version 2 of the protocol gives any object to clients that know its name, also from hidden branches.
    const { protocol: _, ...older } = request
    const limits = await fetchLimits(gitDir, document, branch)
    const conversation = await conversations.start(binary, caller, older, limits)
    try {
      const output = await conversations.output(conversation)
      // The branch may have moved between the first check and git's reading of it.
      await refuse(caller, request)
      return output
    } catch (error) {
      conversation.process.end()
      throw error
    }
  }

  async function push(
    binary: string,
    caller: Principal,
    request: GitRequest,
    limits: FileSizeLimits,
    receiver: PushReceiver,
  ): Promise<Readable> {
    const { settings, memory } = pushLimits(limits.document, await receiver.hooks())
    const conversation = await conversations.start(binary, caller, request, { settings, memory })
    const { process, request: bounded } = conversation
    const followed = receiver.answerHook(process, limits, { signal: bounded.signal, memory })
    const output = await conversations.output(conversation)
    async function* untilFollowed(): AsyncGenerator<Buffer> {
      yield* output
      await followed()
    }
    return Readable.from(untilFollowed(), { objectMode: false })
  }

  return {
    async answer(caller, request, limits) {
      const binary = binaryFor(request)
      await refuse(caller, request)
      return request.program === 'receive-pack' && pushes
        ? await push(binary, caller, request, limits, pushes)
        : await fetch(binary, caller, request, limits)
    },
    close: conversations.close,
  }
}
