import { constants } from 'node:buffer'
import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import { openLinkedQueue } from '../core/data-structures/linked-queue.js'
import { ProblemError } from '../core/problem.js'
import { findingError } from './findings.js'
import { maxJsonDepth } from './json/document-parser.js'
import { ownWork, type SchemaBundle, type Validator, type ValidatorOptions, type Work } from './validator.js'
import { openProcessPool } from './workers/process-pool.js'
import { type Answer, type Limits, type Task, timeLimitAnswer, tooBig } from './workers/task-protocol.js'
import { requireLibxmljs2, type XmlEngineName } from './xml/xsd-engine.js'

/** Default of {@link ValidatorOptions.idleTime}. */
const usualIdleTime = 10 * 60 * 1000

/**
 * Opens a validator. Its workers start with the first call. Idle workers do not keep the process alive.
 * @throws ProblemError `unusable-repository` if the engine `libxmljs2` is requested and not installed
 */
export function openValidator(options: ValidatorOptions = {}): Validator {
  const { timeLimit = 10_000, memoryLimit = 256, depthLimit = maxJsonDepth, observer } = options
  const workers = options.workers ?? Math.max(1, availableParallelism())
  const idleTime = options.idleTime ?? usualIdleTime
  const limits: Limits = { timeLimit, memoryLimit, depthLimit }
  // A longer document would exceed the memory of a worker, or the longest string that Node.js can make.
  const longest = Math.min(memoryLimit * 2 ** 20, constants.MAX_STRING_LENGTH)
  if (options.xmlEngine === 'libxmljs2') requireLibxmljs2()
  const pools = openTaskPools({ limits, engine: 'libxml2-wasm', workers, idleTime })
  const native =
    options.xmlEngine === 'libxmljs2'
      ? openTaskPools({ limits, engine: 'libxmljs2', workers, idleTime })
      : undefined
  const running = openLinkedQueue<Promise<unknown>>()
  let closed = false

  async function run(task: Task, type: SchemaBundle['type'], key: string, work: Work): Promise<Answer> {
    const { byteLength } = task.kind === 'check' ? task.bundle.document : task.document
    if (byteLength > longest) return tooBig(limits)
    return await (type === 'XML' && native ? native : pools).run(task, key, work)
  }

  /** Counts a call as running until it ends. */
  function accept<T>(type: SchemaBundle['type'], call: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new ProblemError('unavailable', 'The validator is closed.'))
    const started = performance.now()
    const result = call()
    const settled: Promise<unknown> = result.then(ignore, ignore).then(() => {
      observer?.validated(type, performance.now() - started)
      leave()
    })
    const leave = running.join(settled)
    return result
  }

  return {
    references: (type, document, files, work = ownWork) =>
      accept(type, async () => {
        const answer = await run({ kind: 'references', type, document, files }, type, '', work)
        if (answer.kind === 'references') return answer.references
        throw findingError(...findingsIn(answer))
      }),
    check: (bundle, work = ownWork) =>
      accept(bundle.type, async () => {
        return findingsIn(await run({ kind: 'check', bundle }, bundle.type, bundle.key, work))
      }),
    validate: (bundle, document, work = ownWork) =>
      accept(bundle.type, async () => {
        const { key, type } = bundle
        return findingsIn(await run({ kind: 'validate', key, bundle, document }, type, key, work))
      }),
    engineOf: type => (type === 'JSON' ? 'ajv' : (options.xmlEngine ?? 'libxml2-wasm')),
    prepare() {
      if (!closed) pools.prepare()
    },
    figures: () => ({
      validations: running.size,
      workers: pools.workers() + (native?.workers() ?? 0),
    }),
    async close() {
      closed = true
      await Promise.all(running)
      await Promise.all([pools.close(), native?.close()])
    },
  }
}

function findingsIn(answer: Answer) {
  if (answer.kind === 'findings') return answer.findings
  throw new RangeError(`a worker answered ${answer.kind}`)
}

// The caller gets the error of a call. `accept` only waits for its end.
function ignore(): void {}

/** Milliseconds of processor time after which a task is slow. */
const quickLimit = 100
/** Milliseconds of processor time of an answered task after which the next tasks of its kind go to the slow pool. */
const costlyAnswer = 25
/** Milliseconds for which a client's tasks with a schema go to the slow pool after one of them was slow. */
const slowMemory = 60_000
/** Limit of the pairs of client and schema that are remembered as slow, and of the schemas remembered as quick. */
const maxRemembered = 10_000
/** Added to the niceness of the workers for slow tasks, so that quick tasks and the server go first. */
const slowNiceness = 10

interface TaskPoolsOptions {
  readonly limits: Limits
  readonly engine: XmlEngineName
  /** Limit of the workers for quick tasks. */
  readonly workers: number
  readonly idleTime: number
}

/**
 * Runs tasks in worker processes. Slow tasks have separate workers. A task that is not known as slow is usually tried
 * with the quick workers first, so quick tasks wait for slow ones only for the short time of such trials.
 */
interface TaskPools {
  /**
   * Runs a task with the workers for quick tasks or, if tasks of its kind were slow, with those for slow ones.
   * @param key key of the schema
   * @returns a finding if a limit was exceeded
   * @throws ProblemError as {@link ProcessPool.run}
   */
  run(task: Task, key: string, work: Work): Promise<Answer>
  /** Starts a worker for quick tasks if none runs. */
  prepare(): void
  /** Number of worker processes. */
  workers(): number
  /** Ends the workers. Call it only when no task is running. */
  close(): Promise<void>
}

/**
 * Tries every task in the quick pool, and starts it again in the slow pool if it takes longer than {@link quickLimit}.
 * An answer that took longer than {@link costlyAnswer} is given, and the next ones are left to the slow pool. The trial
 * is skipped if the schema was slow or costly for the client a short time ago, or if the schema is not known as quick
 * and other tasks of the client wait in the slow pool.
 */
function openTaskPools({ limits, engine, workers, idleTime }: TaskPoolsOptions): TaskPools {
  const { timeLimit } = limits
  const slowWorkers = Math.max(1, workers - 1)
  const quick = openProcessPool({
    limits,
    engine,
    workers,
    timeLimit: Math.min(quickLimit, timeLimit),
    niceness: 0,
    idleTime,
  })
  const slow = openProcessPool({
    limits,
    engine,
    workers: slowWorkers,
    timeLimit,
    niceness: slowNiceness,
    idleTime,
  })
  const slowBefore = new LRUCache<string, true>({ max: maxRemembered, ttl: slowMemory })
  const knownQuick = new LRUCache<string, true>({ max: maxRemembered })

  function isTried(key: string, pair: string, client: string): boolean {
    if (slowBefore.has(pair)) return false
    return knownQuick.has(key) || slow.waiting(client) < slowWorkers + slow.starting()
  }

  return {
    async run(task, key, work) {
      const pair = `${work.client}\n${key}`
      if (isTried(key, pair, work.client)) {
        const result = await quick.run(task, work, !knownQuick.has(key))
        if (result !== 'late') {
          if (result.time === undefined) return result.answer
          if (result.time > costlyAnswer) slowBefore.set(pair, true)
          // Quick compilation does not mean that validation is quick.
          else if (task.kind === 'validate') knownQuick.set(key, true)
          return result.answer
        }
        knownQuick.delete(key)
        if (timeLimit <= quickLimit) return timeLimitAnswer(limits)
        slowBefore.set(pair, true)
      }
      const result = await slow.run(task, work, false)
      return result === 'late' ? timeLimitAnswer(limits) : result.answer
    },
    prepare: quick.prepare,
    workers: () => quick.workers() + slow.workers(),
    async close() {
      await Promise.all([quick.close(), slow.close()])
    },
  }
}
