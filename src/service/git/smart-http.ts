import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { accessDenied, type Principal } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import {
  type ConversationLimits,
  GitServiceFailed,
  type GitServiceProcess,
  type GitServiceRequest,
  startGitService,
} from '../../store/git-http/pack-service.js'
import { memoryOfGit } from '../../store/process/git-memory-estimate.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { servedGitDir } from '../../store/repository/served-git-directory.js'
import { openClientProcesses, type ProcessSlot, requesterOf } from '../comparisons/client-processes.js'
import type { FileSizeLimits } from './incoming-files.js'
import type { PushReceiver } from './receive-push.js'

/**
 * Programs of git's at once. Packing for a clone keeps a core busy; more of them only make each other, and whoever
 * stores something, wait.
 */
export const maxGitProcesses = Math.max(8, 2 * availableParallelism())

/** Bytes a push may have: what is new in the work tree is held in memory. */
const largestPush = 256 * 2 ** 20

/** Branches and tags, and nothing else that lies in the repository: the last entry that fits a name counts. */
const onlyBranchesAndTags = ['refs', '!refs/heads', '!refs/tags'].map(ref => `transfer.hideRefs=${ref}`)

/** We were told to serve this folder, whoever owns it. */
const ours = [
  ...onlyBranchesAndTags,
  'safe.directory=*',
  // We name a graft file that is empty; clients need not hear that there should be none.
  'advice.graftFileDeprecated=false',
]

const toFetch = [...ours, 'uploadpack.allowFilter=true']

/** The served branch alone: that what is on it may be read by everybody says nothing about other branches. */
const toFetchServed = (branch: string) => [
  ...toFetch,
  'transfer.hideRefs=refs',
  `transfer.hideRefs=!${branch}`,
]

/**
 * What git holds in memory of its own accord: no more than is mapped, remembered and compared, and of a file that is
 * larger than any may be, nothing.
 */
const inLittleMemory = (largestFile: number) => [
  `core.bigFileThreshold=${largestFile}`,
  'pack.threads=1',
  'pack.windowMemory=128m',
  'pack.deltaCacheSize=64m',
]

/** Bytes of memory for each process of a push: a few files of the largest size, and a list of what was brought. */
const memoryOfPush = (largestFile: number) => 2 ** 30 + 8 * largestFile

/** The same for a clone of an empty repository. */
const memoryOfFetch = (largestFile: number) => 2 ** 29 + 8 * largestFile

const toPush = [
  ...ours,
  // The writer brings the work tree up to date.
  'receive.denyCurrentBranch=ignore',
  'receive.fsckObjects=true',
  // A remark to git only: a mode that none of its commands has written since 2005.
  'receive.fsck.badFilemode=error',
  `receive.maxInputSize=${largestPush}`,
  // One pack, as our own updates make it, and packs are merged by ourselves.
  'receive.unpackLimit=1',
  'receive.autogc=false',
  'receive.updateServerInfo=false',
  'core.fsync=all',
]

/** Bytes of input or output for which a conversation has another second. */
const bytesPerSecond = 4096

export interface SmartHttpOptions {
  readonly repository: Repository
  /** Milliseconds that a conversation may take, and a second more for each {@link bytesPerSecond}. */
  readonly longest: number
  /** Undefined: nothing can be pushed. */
  readonly pushes: PushReceiver | undefined
  /** Says whether everybody may read everything the served branch has and had, as it is now. */
  readonly isPublic: () => Promise<boolean>
}

/** What a git client asks. */
type Asked = Omit<GitServiceRequest, 'signal'>

/** A request of a git client that git is answering. */
interface Begun {
  readonly conversation: GitServiceProcess
  readonly talk: GitServiceRequest
  /** Free again when the conversation has ended. */
  readonly slot: ProcessSlot
}

/**
 * Git's answer to a client that clones, fetches or pushes, as a stream with backpressure. It ends with an error
 * where it takes too long.
 * @param limits of the files that are pushed
 * @throws ProblemError `unauthenticated`, `forbidden`; `unavailable` without a git binary, or while it answers too many
 *   others, or where it takes too long; `malformed-request` for what it cannot understand
 */
export type AnswerGit = (
  caller: Principal,
  talk: Omit<GitServiceRequest, 'signal'>,
  limits: FileSizeLimits,
) => Promise<Readable>

/** Answers git clients with the git binary. `close` ends what is under way. */
export function openSmartHttp({ repository, longest, pushes, isPublic }: SmartHttpOptions): {
  readonly answer: AnswerGit
  close(): Promise<void>
} {
  const { git, gitDir, branch } = repository
  const slots = openClientProcesses({
    most: maxGitProcesses,
    longest,
    work: 'clones, fetches and pushes',
    retryAfter: 5,
    late,
  })
  const underWay = new Set<Promise<unknown>>()
  const closing = new AbortController()

  function late(): ProblemError {
    return new ProblemError(
      'unavailable',
      `A clone, fetch or push may take ${longest / 1000} seconds (--git-time), and one more for each ${bytesPerSecond / 1024} KiB. Try again when the server has less to do, or fetch less: git clone --depth 1.`,
      { retryAfter: 60 },
    )
  }

  /** @throws ProblemError `unavailable`, `forbidden` */
  function binaryFor({ program }: Pick<GitServiceRequest, 'program'>): string {
    if (git === undefined) {
      throw new ProblemError(
        'unavailable',
        'This server does without a git binary, so nothing can be cloned from it. Clone its data folder, over ssh or through a plain file server; or install git where it runs.',
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

  /**
   * A clone has every version of every record, whoever may read them; a push may change any.
   * @throws ProblemError `unauthenticated`, `forbidden`
   */
  async function refuse(caller: Principal, { program }: Pick<GitServiceRequest, 'program'>): Promise<void> {
    if (caller.administrator) return
    if (program === 'upload-pack' && (await isPublic())) return
    const message =
      program === 'upload-pack'
        ? 'Only an administrator may clone the repository, as not everything in it is for everybody.'
        : 'Only an administrator may push to the repository.'
    throw accessDenied(caller, message)
  }

  async function fetch(
    binary: string,
    caller: Principal,
    asked: Asked,
    { document }: FileSizeLimits,
  ): Promise<Readable> {
    const memory = await memoryOfGit(gitDir, memoryOfFetch(document))
    const limits = (settings: readonly string[]) => ({
      settings: [...settings, ...inLittleMemory(document)],
      memory,
    })
    if (caller.administrator) return await outputOf(await begin(binary, caller, asked, limits(toFetch)))
    // By version 2 of the protocol whoever knows the name of an object gets it, wherever it is.
    const { protocol: _, ...plain } = asked
    const begun = await begin(binary, caller, plain, limits(toFetchServed(branch)))
    try {
      const output = await outputOf(begun)
      // Git has read where the branch is, and that may be further than when it was asked for the first time.
      await refuse(caller, asked)
      return output
    } catch (error) {
      begun.conversation.end()
      throw error
    }
  }

  /** @throws ProblemError `unavailable` */
  async function begin(
    binary: string,
    caller: Principal,
    asked: Asked,
    limits: ConversationLimits,
  ): Promise<Begun> {
    const requester = requesterOf(caller)
    if (!requester) throw new Error('Git is answered over HTTP alone.')
    const slot = slots.enter(requester)
    const talk = { ...asked, signal: AbortSignal.any([slot.signal, closing.signal]) }
    // A push needs the repository itself, whose work tree git is to leave alone.
    const folder = talk.program === 'upload-pack' ? servedGitDir(repository) : gitDir
    // To start a process holds the event loop: one of them each time it goes round.
    await openEventLoopPauses().now()
    const conversation = orElse(slot.leave, () => startGitService(binary, folder, talk, limits))
    talk.input?.on('data', (chunk: Buffer) => slot.extend(timeFor(chunk)))
    // How it ended is told to whoever asked.
    const ended = conversation.ended.catch(() => undefined)
    underWay.add(ended)
    void ended.then(() => {
      underWay.delete(ended)
      slot.leave()
    })
    return { conversation, talk, slot }
  }

  async function outputOf({ conversation, talk, slot }: Begun): Promise<Readable> {
    const output = await firstOutputOf(conversation, talk).catch((error: unknown) => {
      throw slot.isLate ? late() : error
    })
    async function* untilLate(): AsyncGenerator<Buffer> {
      for await (const chunk of output as AsyncIterable<Buffer>) {
        slot.extend(timeFor(chunk))
        yield chunk
      }
      // The client must not take what was cut off for the end.
      if (slot.isLate) throw late()
    }
    return Readable.from(untilLate(), { objectMode: false })
  }

  async function firstOutputOf(
    conversation: GitServiceProcess,
    { program, input, signal }: GitServiceRequest,
  ): Promise<Readable> {
    try {
      return await conversation.output()
    } catch (error) {
      if (!(error instanceof GitServiceFailed)) throw error
      // By us, or by whoever ends our whole process group, as a terminal does.
      if (signal.aborted || error.ended) {
        const extra = { retryAfter: 5 }
        throw new ProblemError('unavailable', 'The conversation was ended. Try again.', extra, {
          cause: error,
        })
      }
      if (!input) throw error
      const told = error.complaint.replaceAll(gitDir, 'the repository')
      throw malformedRequest(`git ${program} can make nothing of the body: ${told}`)
    }
  }

  async function push(
    binary: string,
    caller: Principal,
    asked: Asked,
    limits: FileSizeLimits,
    to: PushReceiver,
  ): Promise<Readable> {
    const memory = memoryOfPush(limits.document)
    const hooks = await to.hooks()
    const settings = [...toPush, ...inLittleMemory(limits.document), `core.hooksPath=${hooks}`]
    const begun = await begin(binary, caller, asked, { settings, memory })
    const { conversation, talk } = begun
    const followed = to.answerHook(conversation, limits, { signal: talk.signal, memory })
    const output = await outputOf(begun)
    async function* untilFollowed(): AsyncGenerator<Buffer> {
      yield* output
      await followed()
    }
    return Readable.from(untilFollowed(), { objectMode: false })
  }

  return {
    async answer(caller, asked, limits) {
      const binary = binaryFor(asked)
      await refuse(caller, asked)
      if (asked.program === 'receive-pack' && pushes) return await push(binary, caller, asked, limits, pushes)
      return await fetch(binary, caller, asked, limits)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}

/** @param failed called before an error is passed on */
function orElse<T>(failed: () => void, act: () => T): T {
  try {
    return act()
  } catch (error) {
    failed()
    throw error
  }
}

/** Milliseconds that a conversation has for these bytes. */
function timeFor({ length }: Buffer): number {
  return (length / bytesPerSecond) * 1000
}
