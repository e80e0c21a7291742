import { Readable } from 'node:stream'
import { accessDenied, type Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { FileSizeLimits } from '../../service/git/incoming-commit-rules.js'
import { memoryOfGit } from '../../store/git-commands/git-command.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { PushReceiver } from './answer-pre-receive-hook.js'
import { type GitConversations, type GitRequest, openGitConversations } from './git-conversations.js'
import {
  fetchMemory,
  fetchSettings,
  memorySettings,
  pushMemory,
  pushSettings,
  servedBranchSettings,
} from './git-settings.js'

export interface SmartHttpOptions {
  readonly repository: Repository
  /** Time limit of a conversation in milliseconds. Each byte of input and output extends it. */
  readonly maxMilliseconds: number
  /** Receives pushes; undefined if the server refuses pushes. */
  readonly pushes: PushReceiver | undefined
  /** Whether everyone may read everything in the history of the served branch. */
  readonly isPublic: () => Promise<boolean>
}

/**
 * Git's answer to a client that clones, fetches or pushes, as a stream with backpressure. The stream ends with an error
 * if it exceeds the time limit.
 * @param limits of the files that are pushed
 * @throws ProblemError `unauthenticated`, `forbidden`; `unavailable` without a git binary, while too many conversations
 *   are under way, or after the time limit; `malformed-request` if git cannot read the body
 */
export type AnswerGit = (caller: Principal, request: GitRequest, limits: FileSizeLimits) => Promise<Readable>

export interface SmartHttp {
  readonly answer: AnswerGit
  /** Ends the conversations under way. */
  close(): Promise<void>
}

/** Answers git clients with the git binary. */
export function openSmartHttp({
  repository,
  maxMilliseconds,
  pushes,
  isPublic,
}: SmartHttpOptions): SmartHttp {
  const { git, gitDir, branch } = repository
  const conversations = openGitConversations(repository, maxMilliseconds)

  /**
   * A clone contains every version of every record, whatever the access lists say; a push may change any record.
   * @throws ProblemError `unauthenticated`, `forbidden`
   */
  async function demandPermission(caller: Principal, { program }: GitRequest): Promise<void> {
    if (caller.administrator) return
    if (program === 'upload-pack' && (await isPublic())) return
    const message =
      program === 'upload-pack'
        ? 'Only an administrator may clone the repository, because it contains records that not everyone may read.'
        : 'Only an administrator may push to the repository.'
    throw accessDenied(caller, message)
  }

  async function fetch(
    binary: string,
    caller: Principal,
    request: GitRequest,
    { document }: FileSizeLimits,
  ): Promise<Readable> {
    const memory = await memoryOfGit(gitDir, fetchMemory(document))
    const limits = (settings: readonly string[]) => ({
      settings: [...settings, ...memorySettings(document)],
      memory,
    })
    if (caller.administrator) {
      const conversation = await conversations.start(binary, caller, request, limits(fetchSettings))
      return await conversation.output()
    }
    // Answers in protocol version 0: in version 2, a client gets any object whose id it knows, even of hidden refs.
    const { protocol: _, ...version0 } = request
    const served = limits(servedBranchSettings(branch))
    const conversation = await conversations.start(binary, caller, version0, served)
    try {
      const output = await conversation.output()
      // The branch may have moved after the first check. Git has read its value now, so the second check covers it.
      await demandPermission(caller, request)
      return output
    } catch (error) {
      conversation.process.end()
      throw error
    }
  }

  return {
    async answer(caller, request, limits) {
      const binary = binaryFor(request, git, pushes)
      await demandPermission(caller, request)
      if (request.program === 'receive-pack' && pushes)
        return await push(conversations, binary, caller, request, limits, pushes)
      return await fetch(binary, caller, request, limits)
    },
    close: conversations.close,
  }
}

/** Answers a push. The output ends only when the catalog has the pushed commits. */
async function push(
  conversations: GitConversations,
  binary: string,
  caller: Principal,
  request: GitRequest,
  limits: FileSizeLimits,
  to: PushReceiver,
): Promise<Readable> {
  const memory = pushMemory(limits.document)
  const settings = [...pushSettings(await to.hooks()), ...memorySettings(limits.document)]
  const conversation = await conversations.start(binary, caller, request, { settings, memory })
  const followed = to.answerHook(conversation.process, limits, { signal: conversation.signal, memory })
  const output = await conversation.output()
  async function* untilFollowed(): AsyncGenerator<Buffer> {
    yield* output
    await followed()
  }
  return Readable.from(untilFollowed(), { objectMode: false })
}

/** The path of the git binary for a request. @throws ProblemError `unavailable`, `forbidden` */
function binaryFor(
  { program }: GitRequest,
  git: string | undefined,
  pushes: PushReceiver | undefined,
): string {
  if (git === undefined) {
    throw new ProblemError(
      'unavailable',
      'This server does without a git binary, so you cannot clone from it. Clone its data folder, over ssh or through a plain file server; or install git where the server runs.',
    )
  }
  if (program === 'receive-pack' && !pushes) {
    throw new ProblemError(
      'forbidden',
      'This server takes no pushes; it would with --allow-push. Send changes through its interface.',
    )
  }
  return git
}
