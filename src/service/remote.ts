import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { type Caller, refused } from '../core/access.js'
import { malformed, ProblemError } from '../core/problem.js'
import { type Conversation, converse, Speechless, type Talk } from '../store/conversation.js'
import type { Repository } from '../store/repository.js'
import { servedGitDir } from '../store/served-head.js'
import type { Pushes } from './push.js'
import type { FileLimits, Services } from './services.js'

/**
 * Programs of git's at once. Packing for a clone keeps a core busy; more of them only make each other, and whoever
 * stores something, wait.
 */
export const mostConversations = Math.max(8, 2 * availableParallelism())

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
 * What unpacking holds in memory of its own accord: no more than is mapped, remembered and compared, and of a file that
 * is larger than any may be, nothing.
 */
const unpacking = (largestFile: number) => [
  `core.bigFileThreshold=${largestFile}`,
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=128m',
  'pack.threads=1',
]

/** Bytes of memory for each process of a push: a few files of the largest size, and a list of what was brought. */
const memoryOfPush = (largestFile: number) => 2 ** 30 + 8 * largestFile

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

export interface RemoteOptions {
  readonly repository: Repository
  /** Undefined: nothing can be pushed. */
  readonly pushes: Pushes | undefined
  /** Says whether everybody may read everything the served branch has and had, as it is now. */
  readonly isPublic: () => Promise<boolean>
}

/** Answers git clients with the git binary. `close` ends what is under way. */
export function openRemote({ repository, pushes, isPublic }: RemoteOptions): {
  readonly answer: Services['remote']
  close(): Promise<void>
} {
  const { git, gitDir, branch } = repository
  const underWay = new Set<Promise<unknown>>()
  const closing = new AbortController()

  /** @throws ProblemError `unavailable`, `forbidden` */
  function binaryFor({ program }: Talk): string {
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
  async function refuse(caller: Caller, { program }: Talk): Promise<void> {
    if (caller.administrator) return
    if (program === 'upload-pack' && (await isPublic())) return
    const message =
      program === 'upload-pack'
        ? 'Only an administrator may clone the repository, as not everything in it is for everybody.'
        : 'Only an administrator may push to the repository.'
    throw refused(caller, message)
  }

  /** A clone for somebody who is no administrator. */
  async function fetchPublic(binary: string, caller: Caller, talk: Talk): Promise<Readable> {
    // By version 2 of the protocol whoever knows the name of an object gets it, wherever it is.
    const { protocol: _, ...plain } = talk
    const conversation = start(binary, plain, toFetchServed(branch))
    try {
      const output = await outputOf(conversation, plain)
      // Git has read where the branch is, and that may be further than when it was asked for the first time.
      await refuse(caller, talk)
      return output
    } catch (error) {
      conversation.end()
      throw error
    }
  }

  function start(binary: string, talk: Talk, settings: readonly string[], memory?: number): Conversation {
    if (underWay.size >= mostConversations) {
      const message = `${mostConversations} clones, fetches and pushes are under way already. Try again in a moment.`
      throw new ProblemError('unavailable', message, { retryAfter: 5 })
    }
    // A push needs the repository itself, whose work tree git is to leave alone.
    const folder = talk.program === 'upload-pack' ? servedGitDir(repository) : gitDir
    const conversation = converse(binary, folder, talk, settings, memory)
    // How it ended is told to whoever asked.
    const ended = conversation.ended.catch(() => undefined)
    underWay.add(ended)
    void ended.then(() => underWay.delete(ended))
    return conversation
  }

  async function outputOf(conversation: Conversation, { program, input, signal }: Talk): Promise<Readable> {
    try {
      return await conversation.output()
    } catch (error) {
      if (!(error instanceof Speechless)) throw error
      // By us, or by whoever ends our whole process group, as a terminal does.
      if (signal.aborted || error.ended) {
        const extra = { retryAfter: 5 }
        throw new ProblemError('unavailable', 'The conversation was ended. Try again.', extra, {
          cause: error,
        })
      }
      if (!input) throw error
      const told = error.complaint.replaceAll(gitDir, 'the repository')
      throw malformed(`git ${program} can make nothing of the body: ${told}`)
    }
  }

  async function push(binary: string, talk: Talk, limits: FileLimits, to: Pushes): Promise<Readable> {
    const hooks = await to.hooks()
    const settings = [...toPush, ...unpacking(limits.document), `core.hooksPath=${hooks}`]
    const conversation = start(binary, talk, settings, memoryOfPush(limits.document))
    const followed = to.attend(conversation, limits, talk.signal)
    const output = await outputOf(conversation, talk)
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
      const talk = { ...asked, signal: AbortSignal.any([asked.signal, closing.signal]) }
      if (talk.program === 'receive-pack' && pushes) return await push(binary, talk, limits, pushes)
      if (!caller.administrator) return await fetchPublic(binary, caller, talk)
      return await outputOf(start(binary, talk, toFetch), talk)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}
