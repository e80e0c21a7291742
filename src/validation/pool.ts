import { constants } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import { openLine } from '../core/line.js'
import { ProblemError } from '../core/problem.js'
import { sizeOf, sizeOfFiles } from './bundle-size.js'
import { openChildren } from './children.js'
import { fault } from './faults.js'
import { deepestJson } from './json-text.js'
import { type Limits, tooBig } from './limits.js'
import type { Answer, Task } from './protocol.js'
import { openThreads } from './threads.js'
import type { SchemaBundle, Validator, ValidatorOptions } from './validator.js'

/** Keys that are remembered as sent to some worker. */
const rememberedKeys = 10_000

/**
 * Bytes of a document, and of a schema with all it leads to, up to which they go to a thread. A thread that runs out of
 * memory while it makes one thing of many mebibytes takes the whole process down; what is small makes no such thing.
 */
const threadDocument = 2 ** 20
const threadSchema = 2 ** 17

/**
 * Workers start with the first call, and do not keep the process alive while they are idle.
 * @throws ProblemError `unusable-repository` where the engine `libxmljs2` is asked for and not installed
 */
export function openValidator(options: ValidatorOptions = {}): Validator {
  const { workers, timeLimit = 10_000, memoryLimit = 256, depthLimit = deepestJson, observer } = options
  const limits: Limits = { timeLimit, memoryLimit, depthLimit, ...(workers ? { workers } : {}) }
  // Text of that length alone is more than a worker may use, or than there can be.
  const longest = Math.min(memoryLimit * 2 ** 20, constants.MAX_STRING_LENGTH)
  const threads = openThreads(limits)
  const children = openChildren(limits, 'libxml2-wasm')
  const native = options.xmlEngine === 'libxmljs2' ? openChildren(limits, options.xmlEngine) : undefined
  const sent = new LRUCache<string, true>({ max: rememberedKeys })
  const running = openLine<Promise<unknown>>()
  let closed = false

  async function run(task: Task, type: SchemaBundle['type'], schemaSize: number): Promise<Answer> {
    const { byteLength } = task.kind === 'check' ? task.bundle.document : task.document
    if (byteLength > longest) return tooBig(limits)
    if (type === 'XML' && native) return await native.run(task)
    const isSmall = schemaSize <= threadSchema && (task.kind !== 'validate' || byteLength <= threadDocument)
    return await (isSmall ? threads : children).run(task)
  }

  /** Notes work as accepted until it ends, for a call may need two tasks. */
  function accept<T>(type: SchemaBundle['type'], work: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new ProblemError('unavailable', 'The validator is closed.'))
    const started = performance.now()
    const result = work()
    const settled: Promise<unknown> = result.then(ignore, ignore).then(() => {
      observer?.validated(type, performance.now() - started)
      leave()
    })
    const leave = running.join(settled)
    return result
  }

  return {
    references: (type, document, files) =>
      accept(type, async () => {
        const task: Task = { kind: 'references', type, document: plain(document), files: exactFiles(files) }
        const answer = await run(task, type, sizeOfFiles(document, files))
        if (answer.kind === 'references') return answer.references
        throw fault(...findingsIn(answer))
      }),
    check: bundle =>
      accept(bundle.type, async () => {
        sent.set(bundle.key, true)
        return findingsIn(
          await run({ kind: 'check', bundle: exactBundle(bundle) }, bundle.type, sizeOf(bundle)),
        )
      }),
    validate: (bundle, bytes) =>
      accept(bundle.type, async () => {
        const { key, type } = bundle
        const document = plain(bytes)
        const known = sent.has(key)
        sent.set(key, true)
        const size = sizeOf(bundle)
        const ask = (along?: SchemaBundle) =>
          run({ kind: 'validate', key, bundle: along, document }, type, size)
        const answer = await ask(known ? undefined : exactBundle(bundle))
        return findingsIn(answer.kind === 'unknown' ? await ask(exactBundle(bundle)) : answer)
      }),
    figures: () => ({
      validations: running.size,
      workers: threads.workers() + children.workers() + (native?.workers() ?? 0),
    }),
    async close() {
      closed = true
      await Promise.all(running)
      await Promise.all([threads.close(), children.close(), native?.close()])
    },
  }
}

function findingsIn(answer: Answer) {
  if (answer.kind === 'findings') return answer.findings
  if (answer.kind === 'unusable') throw new ProblemError('unusable-repository', answer.message)
  throw new RangeError(`a worker answered ${answer.kind}`)
}

// The caller of a task gets its failure; here it only matters that it ended.
function ignore(): void {}

/** No `Buffer`, which would come out as one in a child process and as an array in a thread. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Bytes alone in their buffer: a clone of a view would copy the whole buffer it looks into. */
function exact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

function exactFiles(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return new Map([...files].map(([path, bytes]) => [path, exact(bytes)]))
}

/**
 * A bundle that is reached by several references stays one: taken once for each way to it, schemas that name one
 * another twice would double with every step.
 */
function exactBundle(bundle: SchemaBundle, done = new Map<SchemaBundle, SchemaBundle>()): SchemaBundle {
  const known = done.get(bundle)
  if (known) return known
  const made: SchemaBundle = {
    key: bundle.key,
    type: bundle.type,
    document: exact(bundle.document),
    files: exactFiles(bundle.files),
    registered: new Map([...bundle.registered].map(([name, other]) => [name, exactBundle(other, done)])),
  }
  done.set(bundle, made)
  return made
}
