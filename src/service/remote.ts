import { availableParallelism } from 'node:os'
import { malformed, ProblemError } from '../core/problem.js'
import { converse, Speechless, type Talk } from '../store/conversation.js'
import type { Repository } from '../store/repository.js'
import type { Services } from './services.js'

/**
 * Programs of git's at once. Packing for a clone keeps a core busy; more of them only make each other, and whoever
 * stores something, wait.
 */
export const mostConversations = Math.max(8, 2 * availableParallelism())

/** Branches and tags, and nothing else that lies in the repository: the last entry that fits a name counts. */
const onlyBranchesAndTags = ['refs', '!refs/heads', '!refs/tags'].map(ref => `transfer.hideRefs=${ref}`)

const settings = [...onlyBranchesAndTags, 'uploadpack.allowFilter=true']

/** Answers git clients with the git binary. `close` ends what is under way. */
export function openRemote({ git, gitDir }: Repository): {
  readonly answer: Services['remote']
  close(): Promise<void>
} {
  const underWay = new Set<Promise<unknown>>()
  const closing = new AbortController()

  async function start(binary: string, talk: Talk) {
    try {
      return await converse(binary, gitDir, talk, settings)
    } catch (error) {
      if (!(error instanceof Speechless) || !talk.input || talk.signal.aborted) throw error
      const told = error.complaint.replaceAll(gitDir, 'the repository')
      throw malformed(`git ${talk.program} can make nothing of the body: ${told}`)
    }
  }

  return {
    async answer(caller, talk) {
      if (git === undefined) {
        throw new ProblemError(
          'unavailable',
          'This server does without a git binary, so nothing can be cloned from it. Clone its data folder, over ssh or through a plain file server; or install git where it runs.',
        )
      }
      // A clone has every version of every record, whoever may read them.
      if (!caller.administrator) {
        throw new ProblemError(
          'forbidden',
          'Only an administrator may clone the repository: it holds everything.',
        )
      }
      if (underWay.size >= mostConversations) {
        const message = `${mostConversations} clones and fetches are under way already. Try again in a moment.`
        throw new ProblemError('unavailable', message, { retryAfter: 5 })
      }
      const signal = AbortSignal.any([talk.signal, closing.signal])
      const conversation = start(git, { ...talk, signal })
      const ended = conversation
        .then(({ ended }) => ended)
        // What went wrong is told to whoever asked.
        .catch(() => undefined)
      underWay.add(ended)
      void ended.finally(() => underWay.delete(ended))
      return (await conversation).output
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}
