import { crashSignals } from '../../core/crash-signals.js'
import { isPlain } from '../../core/plain-mode.js'
import type { Oid } from '../../core/value-types.js'
import { type GitOptions, gitUnavailable, startGit } from '../git-commands/git-command.js'
import { whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { DamagedObject, isObjectDamage } from '../objects/object-errors.js'
import type { GitObject, ObjectReader, StreamedObject } from '../objects/object-reader.js'
import { ignoreBrokenPipe } from '../process/run-program.js'
import { readComplaint, type StartedProgram } from '../process/started-program.js'
import { streamInBulk, streamOneByOne } from './bulk-reader.js'
import { openCatFileParser } from './cat-file-output.js'
import { ReadRequests } from './read-requests.js'

/** Number of objects from which on a separate git process costs less. */
const minBulkSize = 512

/**
 * Reads objects through one long-lived `git cat-file --batch`. A read starts that process if it is not running. For a
 * missing object, git lists the packs again only once, so {@link whilePacksChange} repeats the read.
 * @param options of each git process
 * @see git-cat-file(1)
 */
export function openCatFileReader(git: string, gitDir: string, options: GitOptions = {}): ObjectReader {
  const reread = whilePacksChange(gitDir, options.environment)
  const requests = new ReadRequests()
  /** The running `git cat-file --batch`. */
  let batch: Promise<StartedProgram> | undefined
  /** Processes of `stream`, one for each call. */
  const bulkProcesses = new Set<StartedProgram>()
  let closed = false

  function pump(): void {
    const input = closed ? undefined : requests.takeInput()
    if (input === undefined) return
    batch ??= start()
    batch.then(
      ({ stdin }) => stdin.write(input),
      // `startBatch` has passed the error to the requests.
      () => undefined,
    )
  }

  function start(): Promise<StartedProgram> {
    const onObjects = (objects: readonly (StreamedObject | undefined)[]) => {
      for (const object of objects) requests.settleFirst(object)
      pump()
    }
    const started = startBatch(git, gitDir, options, onObjects, errorOf => {
      if (batch !== started) return
      batch = undefined
      requests.repeatAfterCrash(errorOf)
      pump()
    })
    return started
  }

  async function startBulk(): Promise<StartedProgram> {
    const program = await startGit(git, gitDir, ['cat-file', '--batch', '--buffer'], options)
    bulkProcesses.add(program)
    const forget = () => bulkProcesses.delete(program)
    program.closed.then(forget, forget)
    if (closed) program.kill()
    return program
  }

  function readOnce(oid: Oid): Promise<GitObject> {
    if (closed) return Promise.reject(new Error('The object reader is closed.'))
    const object = requests.add(oid)
    // The input is written later, so that all requests of this iteration of the event loop share one write.
    if (requests.waiting === 1) process.nextTick(pump)
    return object
  }

  const read = (oid: Oid) => reread(() => readOnce(oid), isObjectDamage)

  return {
    read,
    stream: wanted =>
      closed || isPlain || wanted.length < minBulkSize
        ? streamOneByOne(read, wanted)
        : streamInBulk(startBulk, read, wanted),
    async close() {
      closed = true
      // The callers of `stream` then read single objects, which fails because the reader is closed.
      for (const program of bulkProcesses) program.kill()
      requests.rejectAll(new Error('The object reader is closed.'))
      const last = batch
      batch = undefined
      const program = await last?.catch(() => undefined)
      program?.kill()
      await program?.closed.catch(() => undefined)
    },
  }
}

/**
 * Starts `git cat-file --batch`.
 * @param onEnd called when git has ended, with a function that makes the error for a request that has often crashed git
 */
async function startBatch(
  git: string,
  gitDir: string,
  options: GitOptions,
  onObjects: (objects: readonly (StreamedObject | undefined)[]) => void,
  onEnd: (errorOf: (oid: Oid) => Error) => void,
): Promise<StartedProgram> {
  const program = await startGit(git, gitDir, ['cat-file', '--batch'], options).catch((error: Error) => {
    onEnd(() => error)
    throw error
  })
  const parse = openCatFileParser(() => 'copy')
  const complaint = readComplaint(program.stderr)
  let fault: Error | undefined
  program.stdin.on('error', ignoreBrokenPipe)
  program.stdout.on('data', (chunk: Buffer) => {
    try {
      onObjects(parse(chunk))
    } catch (error) {
      fault = error as Error
      program.kill()
    }
  })
  program.closed.then(
    ({ code, signal }) => {
      const ended = new Error(`git cat-file ended: ${complaint() || signal || `exit code ${code}`}`)
      const isKilled = signal !== undefined && !crashSignals.has(signal)
      onEnd(oid => fault ?? (isKilled ? gitUnavailable(ended) : new DamagedObject(oid, ended)))
    },
    (error: Error) => onEnd(() => fault ?? error),
  )
  return program
}
