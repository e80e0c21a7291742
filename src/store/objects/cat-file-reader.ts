import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { crashSignals } from '../../core/crash-signals.js'
import type { Oid } from '../../core/value-types.js'
import { type GitBounds, gitUnavailable, spawnGit } from '../process/git-command.js'
import { whilePacksChange } from '../process/retry-while-packs-change.js'
import { ignoreBrokenPipe } from '../process/run-program.js'
import { streamInBulk, streamOneByOne } from './bulk-reader.js'
import { openCatFileParser } from './cat-file-output.js'
import {
  DamagedObject,
  type GitObject,
  hasObject,
  isMissingOrDamaged,
  MissingObject,
  type ObjectReader,
  type StreamedObject,
} from './object-reader.js'

/** Limit of unanswered requests sent to git. */
const mostUnderWay = 512
/** Number of objects from which a separate git process pays off. */
const fewTogether = 512
/** Limit of git crashes for one request. */
const mostAttempts = 2

interface Request {
  readonly oid: Oid
  readonly resolve: (object: GitObject) => void
  readonly reject: (error: Error) => void
  attempts: number
}

/**
 * Reads objects through one long-lived `git cat-file --batch`. The first read starts it, also after it has died. Git
 * lists the packs again only once for a missing object, so {@link whilePacksChange} repeats the read.
 * @param environment additional environment variables of git, such as further object folders
 * @param bounds of each git process
 * @see git-cat-file(1)
 */
export function openCatFileReader(
  git: string,
  gitDir: string,
  environment: NodeJS.ProcessEnv = {},
  bounds: GitBounds = {},
): ObjectReader {
  const reread = whilePacksChange(gitDir, environment)
  const waiting: Request[] = []
  let underWay: Request[] = []
  let child: ChildProcessWithoutNullStreams | undefined
  /** Processes of `stream`, one for each call. */
  const forMany = new Set<ChildProcessWithoutNullStreams>()
  let closed = false

  function pump(): void {
    if (closed || waiting.length === 0 || underWay.length >= mostUnderWay) return
    child ??= start()
    const next = waiting.splice(0, mostUnderWay - underWay.length)
    underWay.push(...next)
    child.stdin.write(next.map(request => `${request.oid}\n`).join(''))
  }

  function start(): ChildProcessWithoutNullStreams {
    const process = spawnGit(git, gitDir, ['cat-file', '--batch'], { environment, bounds })
    const parse = openCatFileParser(() => 'copy')
    let complaint = ''
    let fault: Error | undefined
    process.stdin.on('error', ignoreBrokenPipe)
    process.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-2000)
    })
    process.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const answer of parse(chunk)) settle(answer)
      } catch (error) {
        fault = error as Error
        process.kill()
      }
      pump()
    })
    process.on('error', error => {
      fault = gitUnavailable(error)
    })
    process.on('close', (code, signal) => {
      if (child !== process) return
      child = undefined
      const told = new Error(`git cat-file ended: ${complaint.trim() || signal || `exit code ${code}`}`)
      const isKilled = signal !== null && !crashSignals.has(signal)
      recover(oid => fault ?? (isKilled ? gitUnavailable(told) : new DamagedObject(oid, told)))
    })
    return process
  }

  function startForMany(): ChildProcessWithoutNullStreams {
    const process = spawnGit(git, gitDir, ['cat-file', '--batch', '--buffer'], { environment, bounds })
    forMany.add(process)
    process.on('close', () => forMany.delete(process))
    return process
  }

  function settle(answer: StreamedObject | undefined): void {
    const request = underWay.shift()
    if (!request) throw new Error('git cat-file sent an answer without a request.')
    if (answer && 'bytes' in answer) request.resolve(answer)
    else request.reject(new MissingObject(request.oid))
  }

  /** Repeats unanswered requests. Only the first one can have crashed git; git has not read the others yet. */
  function recover(errorOf: (oid: Oid) => Error): void {
    const unanswered = underWay
    underWay = []
    const first = unanswered[0]
    if (first) first.attempts++
    waiting.unshift(...unanswered)
    if (first && first.attempts >= mostAttempts) {
      waiting.shift()
      first.reject(errorOf(first.oid))
    }
    pump()
  }

  function look(oid: Oid): Promise<GitObject> {
    return new Promise((resolve, reject) => {
      if (closed) {
        reject(new Error('The object reader is closed.'))
        return
      }
      waiting.push({ oid, resolve, reject, attempts: 0 })
      // Deferred, so that all requests of this turn share one write.
      if (waiting.length === 1) process.nextTick(pump)
    })
  }

  const read = (oid: Oid) => reread(() => look(oid), isMissingOrDamaged)

  return {
    read,
    has: oid => hasObject(read, oid),
    stream: wanted =>
      closed || wanted.length < fewTogether
        ? streamOneByOne(read, wanted)
        : streamInBulk(startForMany, read, wanted),
    async close() {
      closed = true
      // Their consumers fall back to single objects and get the error of a closed reader.
      for (const process of forMany) process.kill()
      const left = [...underWay, ...waiting]
      underWay = []
      waiting.length = 0
      for (const request of left) request.reject(new Error('The object reader is closed.'))
      const process = child
      child = undefined
      if (!process || process.exitCode !== null || process.signalCode !== null) return
      const ended = once(process, 'close')
      process.kill()
      await ended
    },
  }
}
