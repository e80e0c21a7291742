import { constants } from 'node:buffer'
import { availableParallelism } from 'node:os'
import { openLinkedQueue } from '../core/data-structures/linked-queue.js'
import { ProblemError } from '../core/problem.js'
import { findingError } from './findings.js'
import { maxJsonDepth } from './json/document-parser.js'
import { ownWork, type SchemaBundle, type Validator, type ValidatorOptions, type Work } from './validator.js'
import { openTaskPools } from './workers/fast-and-slow-pools.js'
import { type Limits, tooBig } from './workers/task-limits.js'
import type { Answer, Task } from './workers/task-protocol.js'
import { requireLibxmljs2 } from './xml/xsd-engine.js'

/**
 * Opens a validator. Its workers start with the first call. Idle workers do not keep the process alive.
 * @throws ProblemError `unusable-repository` if the engine `libxmljs2` is requested and not installed
 */
export function openValidator(options: ValidatorOptions = {}): Validator {
  const { timeLimit = 10_000, memoryLimit = 256, depthLimit = maxJsonDepth, observer } = options
  const workers = options.workers ?? Math.max(1, availableParallelism())
  const limits: Limits = { timeLimit, memoryLimit, depthLimit }
  // A longer document would exceed the memory of a worker, or the longest string that Node.js can make.
  const longest = Math.min(memoryLimit * 2 ** 20, constants.MAX_STRING_LENGTH)
  if (options.xmlEngine === 'libxmljs2') requireLibxmljs2()
  const pools = openTaskPools({ limits, engine: 'libxml2-wasm', workers })
  const native =
    options.xmlEngine === 'libxmljs2' ? openTaskPools({ limits, engine: 'libxmljs2', workers }) : undefined
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
