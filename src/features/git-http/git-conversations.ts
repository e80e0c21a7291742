import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Principal } from '../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { openClientProcesses, type ProcessSlot } from '../../core/scheduling/client-processes.js'
import { replaceFileAtomically } from '../../store/file-system/durable-files.js'
import { gitFailure } from '../../store/git-commands/git-failure.js'
import { isAtServedBranch } from '../../store/repository/head-watch.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { openGitFileCheck } from '../../store/repository-folder/damaged-git-files.js'
import {
  type ConversationLimits,
  GitServiceFailed,
  type GitServiceProcess,
  type GitServiceRequest,
  startGitService,
} from './pack-service.js'

/** A request of a git client. */
export type GitRequest = Omit<GitServiceRequest, 'signal'>

/** A git process that answers a client. */
export interface GitConversation {
  readonly process: GitServiceProcess
  /** Aborted when the client has gone, the time is over, or the server stops. */
  readonly signal: AbortSignal
  /**
   * The output of the process. Resolves when the first bytes are there. The output ends with an error after the time
   * limit.
   * @throws ProblemError `unavailable`; `damaged`; `malformed-request` if git cannot read the input
   */
  output(): Promise<Readable>
}

export interface GitConversations {
  /**
   * Starts the git process that answers a request.
   * @param git path of the git binary
   * @throws ProblemError `unavailable` while too many conversations are under way
   */
  start(
    git: string,
    caller: Principal,
    request: GitRequest,
    limits: ConversationLimits,
  ): Promise<GitConversation>
  /** Ends all conversations. */
  close(): Promise<void>
}

/**
 * Limit of the git processes at one time. Packing for a clone keeps a core busy: more processes only slow down each
 * other and updates.
 */
export const maxGitProcesses = Math.max(8, 2 * availableParallelism())

/** Bytes of input or output that extend the time limit by a second. */
const bytesPerSecond = 4096

/**
 * Runs git processes for clients, with a limit on their number and their time.
 * @param maxMilliseconds of a conversation; each {@link bytesPerSecond} bytes extend the time by a second
 */
export function openGitConversations(repository: Repository, maxMilliseconds: number): GitConversations {
  const { gitDir } = repository
  const slots = openClientProcesses({
    maxProcesses: maxGitProcesses,
    maxMilliseconds,
    work: 'clones, fetches and pushes',
    retryAfter: 5,
    lateProblem: () => timeLimitProblem(maxMilliseconds),
  })
  const checkGitFiles = openGitFileCheck(gitDir)
  const runningConversations = new Set<Promise<unknown>>()
  const closing = new AbortController()

  return {
    async start(git, caller, request, limits) {
      // Git shows its user a problem of the first request only, and would not find damage there in protocol version 2.
      if (!request.input) await checkGitFiles()
      const { client } = caller
      if (!client) throw new Error('Git conversations need the client of an HTTP request.')
      const slot = slots.enter(client)
      const signal = AbortSignal.any([slot.signal, closing.signal])
      // A fetch gets the served branch as HEAD. A push changes the repository itself.
      const folder = request.program === 'upload-pack' ? servedGitDir(repository) : gitDir
      const process = await startGitService(git, folder, { ...request, signal }, limits).catch(
        (error: unknown) => {
          slot.leave()
          throw error
        },
      )
      request.input?.on('data', (chunk: Buffer) => slot.extend(timeExtensionOf(chunk)))
      // Callers of `output` get the error of the process.
      const ended = process.ended.catch(() => undefined)
      runningConversations.add(ended)
      void ended.then(() => {
        runningConversations.delete(ended)
        slot.leave()
      })
      return {
        process,
        signal,
        async output() {
          const first = firstOutput(process, { ...request, signal }, gitDir, checkGitFiles)
          const output = await first.catch((error: unknown) => {
            throw slot.isLate ? timeLimitProblem(maxMilliseconds) : error
          })
          const untilLate = outputUntilLate(output, slot, maxMilliseconds)
          return Readable.from(untilLate, { objectMode: false }).once('close', () => output.destroy())
        },
      }
    },
    async close() {
      closing.abort()
      await Promise.all(runningConversations)
    },
  }
}

/** Resolves with the first output. @throws ProblemError `unavailable`, `damaged`, `malformed-request` */
async function firstOutput(
  process: GitServiceProcess,
  { program, input, signal }: GitServiceRequest,
  gitDir: string,
  checkGitFiles: () => Promise<void>,
): Promise<Readable> {
  try {
    return await process.output()
  } catch (error) {
    if (!(error instanceof GitServiceFailed)) throw error
    // This server ended the process, or a signal ended the whole process group, as Ctrl+C in a terminal does.
    if (signal.aborted || error.ended) {
      const extra = { retryAfter: 5 }
      throw new ProblemError('unavailable', 'The conversation was ended. Try again.', extra, { cause: error })
    }
    await checkGitFiles()
    if (!input) throw gitFailure(program, error.complaint)
    const message = error.complaint.replaceAll(gitDir, 'the repository')
    throw malformedRequest(`git ${program} cannot read the body of the request: ${message}`)
  }
}

async function* outputUntilLate(
  output: Readable,
  slot: ProcessSlot,
  longest: number,
): AsyncGenerator<Buffer> {
  for await (const chunk of output as AsyncIterable<Buffer>) {
    slot.extend(timeExtensionOf(chunk))
    yield chunk
  }
  // The output was cut off: the client must not take this for the end of the output.
  if (slot.isLate) throw timeLimitProblem(longest)
}

/** The problem for a conversation that took too long. @param longest time limit in milliseconds */
function timeLimitProblem(longest: number): ProblemError {
  return new ProblemError(
    'unavailable',
    `A clone, fetch or push may take ${longest / 1000} seconds (--git-time), and one more for each ${bytesPerSecond / 1024} KiB. Try again when the server has less to do, or fetch less: git clone --depth 1.`,
    { retryAfter: 60 },
  )
}

/** Milliseconds by which these bytes extend the time limit. */
function timeExtensionOf({ length }: Buffer): number {
  return (length / bytesPerSecond) * 1000
}

/**
 * A Git directory for git clients: its HEAD is at the served branch. If HEAD of the repository is elsewhere, this is a
 * folder of our own, made like the Git directory of a linked work tree. @see gitrepository-layout(5), "commondir"
 */
function servedGitDir(repository: Repository): string {
  const { gitDir, ownDir, branch } = repository
  if (isAtServedBranch(repository)) return gitDir
  const folder = join(ownDir, 'served-head')
  mkdirSync(folder, { recursive: true })
  replaceFileAtomically(join(folder, 'commondir'), '../..\n')
  replaceFileAtomically(join(folder, 'HEAD'), `ref: ${branch}\n`)
  return folder
}
