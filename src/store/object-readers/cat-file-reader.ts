import { createHash, type Hash, hash } from 'node:crypto'
import { crashSignals } from '../../core/child-processes.js'
import { isPlain } from '../../core/plain-mode.js'
import type { Oid, Sha1 } from '../../core/value-types.js'
import { type GitOptions, gitUnavailable, startGit, streamGitOutput } from '../git-commands/git-command.js'
import { whilePacksChange } from '../git-commands/retry-while-packs-change.js'
import { DamagedObject, isObjectDamage, MissingObject } from '../objects/object-errors.js'
import type {
  GitObject,
  ObjectReader,
  ObjectRequest,
  ObjectType,
  StreamedObject,
} from '../objects/object-reader.js'
import { prefetch } from '../process/prefetch.js'
import { ignoreBrokenPipe } from '../process/run-program.js'
import { readComplaint, type StartedProgram } from '../process/started-program.js'

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

/** Limit of unanswered requests sent to git. */
const maxSent = 512
/** Number of crashes of git after which a request fails. */
const maxCrashes = 2

interface ReadRequest {
  readonly oid: Oid
  readonly resolve: (object: GitObject) => void
  readonly reject: (error: Error) => void
  crashes: number
}

/** Requests to `git cat-file --batch`, which answers them in order. */
class ReadRequests {
  readonly #waiting: ReadRequest[] = []
  #sent: ReadRequest[] = []

  /** Number of requests that were not sent yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(oid: Oid): Promise<GitObject> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ oid, resolve, reject, crashes: 0 })
    })
  }

  /** Takes requests to send. @returns git's input; undefined if there are none, or if too many are unanswered */
  takeInput(): string | undefined {
    if (this.#waiting.length === 0 || this.#sent.length >= maxSent) return undefined
    const next = this.#waiting.splice(0, maxSent - this.#sent.length)
    this.#sent.push(...next)
    return next.map(({ oid }) => `${oid}\n`).join('')
  }

  /** Answers the oldest request that was sent. @param answer with bytes; undefined for a missing object */
  settleFirst(answer: StreamedObject | undefined): void {
    const request = this.#sent.shift()
    if (!request) throw new Error('git cat-file sent an answer without a request.')
    if (answer && 'bytes' in answer) request.resolve(answer)
    else request.reject(new MissingObject(request.oid))
  }

  /**
   * Repeats unanswered requests after a crash of git. Only the first of them can have caused it, because git has not
   * read the others yet.
   * @param errorOf the error for a request that has crashed git repeatedly
   */
  repeatAfterCrash(errorOf: (oid: Oid) => Error): void {
    const [first] = this.#sent
    this.#waiting.unshift(...this.#sent)
    this.#sent = []
    if (!first || ++first.crashes < maxCrashes) return
    this.#waiting.shift()
    first.reject(errorOf(first.oid))
  }

  rejectAll(error: Error): void {
    const all = [...this.#sent, ...this.#waiting]
    this.#sent = []
    this.#waiting.length = 0
    for (const { reject } of all) reject(error)
  }
}

/** Limit of concurrent reads of single objects. */
const maxUnderWay = 512

/** {@link ObjectReader.stream} that reads single objects. */
export async function* streamOneByOne(
  read: ObjectReader['read'],
  wanted: readonly ObjectRequest[],
): AsyncGenerator<readonly StreamedObject[]> {
  for await (const [{ as }, object] of prefetch(wanted, maxUnderWay, ({ oid }) => read(oid))) {
    yield [as === 'bytes' ? object : hashed(object)]
  }
}

/**
 * {@link ObjectReader.stream} through a git process of its own, which gets all names at once and buffers its output.
 * After a failure, reads the rest as single objects: the failed read is repeated, and an error is thrown there.
 *
 * Fast path. Benchmark "rebuild of the catalog", 600 documents of 1 MB: 4.5 s instead of 6.1 s of processor time, and
 * 226 MB of memory instead of 335 MB, because documents are hashed in pieces. Plain path: {@link streamOneByOne}.
 * @see docs/decisions/011-fast-paths.md
 * @param start starts `git cat-file --batch --buffer`
 * @see git-cat-file(1), `--buffer`
 */
async function* streamInBulk(
  start: () => Promise<StartedProgram>,
  read: ObjectReader['read'],
  wanted: readonly ObjectRequest[],
): AsyncGenerator<readonly StreamedObject[]> {
  let begun = 0
  const parse = openCatFileParser(() => (wanted[begun++]?.as === 'sha1' ? 'sha1' : 'view'))
  let answered = 0
  try {
    const names = wanted.map(({ oid }) => `${oid}\n`).join('')
    for await (const chunk of streamGitOutput(await start(), 'cat-file', names)) {
      const objects = parse(chunk)
      const present = objects.filter(object => object !== undefined)
      // `begun` does not count missing objects, so the form of an object after a missing one is unknown.
      if (present.length < objects.length) break
      answered += present.length
      if (present.length > 0) yield present
    }
  } catch {
    // The reader of single objects, below, will throw the error if it occurs again.
  }
  if (answered < wanted.length) yield* streamOneByOne(read, wanted.slice(answered))
}

/** What the parser returns of an object: a copy of the bytes, a view that shares memory with the chunk, or a hash. */
type ObjectForm = 'copy' | 'view' | 'sha1'

/** An object of which the output has only a part so far. */
interface PartialObject {
  readonly type: ObjectType
  readonly to: Hash | Buffer
  /** Number of bytes that are still to come, without the final newline. */
  left: number
}

const newline = 0x0a

/**
 * Parses the output of `git cat-file --batch`, in chunks of any size.
 * @param formOfNext called once for each object that exists
 * @returns a function that takes a chunk and returns the objects that it completes; undefined for a missing object
 * @see git-cat-file(1), "BATCH OUTPUT"
 * @throws Error if the output has another format
 */
function openCatFileParser(
  formOfNext: () => ObjectForm,
): (chunk: Buffer) => readonly (StreamedObject | undefined)[] {
  let header = ''
  let partial: PartialObject | undefined
  return chunk => {
    const objects: (StreamedObject | undefined)[] = []
    let offset = 0
    while (offset < chunk.length) {
      if (partial) {
        const part = chunk.subarray(offset, offset + partial.left)
        addPart(partial, part)
        offset += part.length
        if (offset === chunk.length) break
        objects.push(finished(partial))
        partial = undefined
        offset++
        continue
      }
      const lineEnd = chunk.indexOf(newline, offset)
      header += chunk.toString('latin1', offset, lineEnd < 0 ? chunk.length : lineEnd)
      if (lineEnd < 0) break
      const line = header
      header = ''
      offset = lineEnd + 1
      const [, type, length] = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(line) ?? []
      if (type === undefined) {
        if (!line.endsWith(' missing'))
          throw new Error(`Unexpected output of git cat-file: ${line.slice(0, 200)}`)
        objects.push(undefined)
        continue
      }
      const size = Number(length)
      const form = formOfNext()
      if (offset + size < chunk.length) {
        objects.push(inForm(form, type as ObjectType, chunk.subarray(offset, offset + size)))
        offset += size + 1
      } else {
        const to = form === 'sha1' ? createHash('sha1') : Buffer.allocUnsafe(size)
        partial = { type: type as ObjectType, to, left: size }
      }
    }
    return objects
  }
}

function addPart(partial: PartialObject, part: Buffer): void {
  if ('update' in partial.to) partial.to.update(part)
  else part.copy(partial.to, partial.to.length - partial.left)
  partial.left -= part.length
}

function finished({ type, to }: PartialObject): StreamedObject {
  return 'digest' in to ? { type, sha1: to.digest('hex') as Sha1 } : { type, bytes: to }
}

function inForm(form: ObjectForm, type: ObjectType, bytes: Buffer): StreamedObject {
  return form === 'sha1'
    ? hashed({ type, bytes })
    : { type, bytes: form === 'copy' ? Buffer.from(bytes) : bytes }
}

/** The object with the SHA-1 of its bytes instead of the bytes. */
function hashed({ type, bytes }: GitObject): StreamedObject {
  return { type, sha1: hash('sha1', bytes, 'hex') as Sha1 }
}
