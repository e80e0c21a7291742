import { Readable } from 'node:stream'
import type { Principal } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import {
  type ConversationLimits,
  GitServiceFailed,
  type GitServiceProcess,
  type GitServiceRequest,
  startGitService,
} from '../../store/git-http/pack-service.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { servedGitDir } from '../../store/repository/served-git-directory.js'
import type { ClientProcesses, ProcessSlot } from '../comparisons/client-processes.js'
import { openClientProcesses, requesterOf } from '../comparisons/client-processes.js'

/** The request of a git client, whose end the conversation sets. */
export type GitRequest = Omit<GitServiceRequest, 'signal'>

/** A running git process that answers a client. */
export interface GitConversation {
  readonly process: GitServiceProcess
  readonly request: GitServiceRequest
  /** Freed when the process ends. */
  readonly slot: ProcessSlot
}

/** Runs the git processes that answer clients, within limits of number, time and memory. */
export interface GitConversations {
  /** @throws ProblemError `unavailable` if too many are running */
  start(
    binary: string,
    caller: Principal,
    request: GitRequest,
    limits: ConversationLimits,
  ): Promise<GitConversation>
  /**
   * The output of git, with backpressure. Each chunk of input or output extends the time limit.
   * @throws ProblemError `unavailable` if it takes too long; `malformed-request` for input that git does not understand.
   *   The stream fails in the same way
   */
  output(conversation: GitConversation): Promise<Readable>
  /** Ends all processes. */
  close(): Promise<void>
}

/** Bytes of input or output that extend the time limit by a second. */
const bytesPerSecond = 4096

/**
 * @param most limit of the processes
 * @param longest time limit of a conversation in milliseconds, without extensions
 */
export function openGitConversations(
  repository: Repository,
  most: number,
  longest: number,
): GitConversations {
  const { gitDir } = repository
  const late = () => tooSlow(longest)
  const slots: ClientProcesses = openClientProcesses({
    most,
    longest,
    work: 'clones, fetches and pushes',
    retryAfter: 5,
    late,
  })
  const running = new Set<Promise<unknown>>()
  const closing = new AbortController()

  return {
    async start(binary, caller, request, limits) {
      const requester = requesterOf(caller)
      if (!requester) throw new Error('Only requests over HTTP have conversations with git.')
      const slot = slots.enter(requester)
      const bounded = { ...request, signal: AbortSignal.any([slot.signal, closing.signal]) }
      // A push changes the repository itself, but git must not touch its work tree.
      const folder = request.program === 'upload-pack' ? servedGitDir(repository) : gitDir
      // Starting a process blocks the event loop, so one is started in each of its rounds.
      await openEventLoopPauses().now()
      const process = startOrFree(slot, () => startGitService(binary, folder, bounded, limits))
      request.input?.on('data', (chunk: Buffer) => slot.extend(timeFor(chunk)))
      // `output` reports the error.
      const ended = process.ended.catch(() => undefined)
      running.add(ended)
      void ended.then(() => {
        running.delete(ended)
        slot.leave()
      })
      return { process, request: bounded, slot }
    },

    async output(conversation) {
      const { slot } = conversation
      const output = await firstOutput(conversation, gitDir).catch((error: unknown) => {
        throw slot.isLate ? late() : error
      })
      async function* untilLate(): AsyncGenerator<Buffer> {
        for await (const chunk of output as AsyncIterable<Buffer>) {
          slot.extend(timeFor(chunk))
          yield chunk
        }
        // Without the error, the client would take the truncated output for a complete one.
        if (slot.isLate) throw late()
      }
      return Readable.from(untilLate(), { objectMode: false })
    },

    async close() {
      closing.abort()
      await Promise.all(running)
    },
  }
}

function startOrFree(slot: ProcessSlot, start: () => GitServiceProcess): GitServiceProcess {
  try {
    return start()
  } catch (error) {
    slot.leave()
    throw error
  }
}

async function firstOutput({ process, request }: GitConversation, gitDir: string): Promise<Readable> {
  const { program, input, signal } = request
  try {
    return await process.output()
  } catch (error) {
    if (!(error instanceof GitServiceFailed)) throw error
    // Ended by this server, or by a signal to the whole process group, such as Ctrl-C in a terminal.
    if (signal.aborted || error.ended) {
      throw new ProblemError(
        'unavailable',
        'The conversation was ended. Try again.',
        { retryAfter: 5 },
        { cause: error },
      )
    }
    if (!input) throw error
    const complaint = error.complaint.replaceAll(gitDir, 'the repository')
    throw malformedRequest(`git ${program} does not understand the body: ${complaint}`)
  }
}

/** Milliseconds by which the bytes extend the time limit. */
function timeFor({ length }: Buffer): number {
  return (length / bytesPerSecond) * 1000
}

function tooSlow(longest: number): ProblemError {
  return new ProblemError(
    'unavailable',
    `A clone, fetch or push may take ${longest / 1000} seconds (--git-time), and one more for each ${bytesPerSecond / 1024} KiB. Try again when the server has less to do, or fetch less: git clone --depth 1.`,
    { retryAfter: 60 },
  )
}
