import { LRUCache } from 'lru-cache'
import type { Finding } from '../../core/problem.js'
import { findingsOf, limitFindings } from '../findings.js'
import { compileJson, jsonReferences } from '../json/ajv-compiler.js'
import { forgetMetaSchemas } from '../json/schema-dialect.js'
import { bundleBytes } from '../reference-resolver.js'
import type { SchemaBundle } from '../validator.js'
import { compileXsd, xmlReferences } from '../xml/xsd-compiler.js'
import type { XmlEngine } from '../xml/xsd-engine.js'
import type { Answer, Job, Task, WorkerReport } from './task-protocol.js'
import { type TimeLimit, TimeLimitExceeded } from './time-limit.js'

/** Most compiled schemas of a worker, and most bytes of their source text. */
const maxSchemas = 64
const maxBytes = 16 * 2 ** 20

interface Compiled {
  readonly type: SchemaBundle['type']
  readonly validate: (document: Uint8Array) => readonly Finding[]
  readonly dispose: () => void
  readonly size: number
}

interface ExecutorState {
  readonly xml: () => XmlEngine
  /** Most levels of a JSON document or schema. */
  readonly deepest: number
  readonly cache: LRUCache<string, Compiled>
  /** Runs work under the time limit. */
  run<T>(type: SchemaBundle['type'], work: () => T): T
  /** Compilations of this job. */
  compilations: number
}

/** Work that gives an answer under the time limit. */
interface TimedWork {
  readonly type: SchemaBundle['type']
  readonly answer: () => Answer
}

/** The work whose state is unknown if the time limit stops it. */
interface Begun {
  key?: string
  isXml: boolean
}

type Answers = Extract<WorkerReport, { kind: 'answers' }>

/**
 * Carries out tasks one after the other, and keeps compiled schemas. If a job has several tasks, all of them validate
 * documents against compiled schemas.
 * @param xml returns the engine for a task about XML
 * @param deepest most levels of a JSON document or schema
 * @param send called once for each job
 */
export function openTaskExecutor(
  xml: () => XmlEngine,
  deepest: number,
  timeLimit: TimeLimit,
  send: (answers: Answers) => void,
): (job: Job) => void {
  const cache = openSchemaCache()
  const jobLimit = openJobTimeLimit(timeLimit)
  /** Whether a document was validated before. The first validation compiles code, so its time says little. */
  let isWarm = false
  const state: ExecutorState = { xml, deepest, cache, run: jobLimit.run, compilations: 0 }

  function report(answers: readonly Answer[], timePerAnswer: number | undefined, stopped?: Stopped): void {
    send({
      kind: 'answers',
      answers,
      isLate: stopped?.hadProcessor === true && answers.length === 0,
      timePerAnswer,
      compilations: state.compilations,
      isSpent: stopped?.isXml ?? false,
    })
  }

  /** Runs several tasks under one time limit, because its start takes longer than the check of a small document. */
  function carryOutTogether(tasks: readonly Task[]): void {
    const prepared = tasks.map(task =>
      task.kind === 'validate' ? { ...task, compiled: cache.get(task.key) } : undefined,
    )
    const answers: Answer[] = []
    let begun: Begun = { isXml: false }
    const time = measureTime()
    try {
      jobLimit.runValidations(() => {
        for (const task of prepared) {
          if (task?.compiled) {
            begun = { key: task.key, isXml: task.compiled.type === 'XML' }
            answers.push(validated(task.compiled, task.document))
          } else answers.push(unknown)
        }
      })
    } catch (error) {
      report(answers, 0, stoppedBy(error, begun))
      return
    }
    report(answers, isWarm ? time() / answers.length : undefined)
    isWarm = true
  }

  function carryOutAlone(task: Task): void {
    const begun: Begun = { isXml: false }
    let answer: Answer
    let used: number | undefined
    try {
      const next = carryOut(state, task, begun)
      const time = measureTime()
      answer = 'kind' in next ? next : jobLimit.run(next.type, next.answer)
      used = isWarm ? time() : undefined
      isWarm ||= task.kind === 'validate'
    } catch (error) {
      if (isStackOverflow(error) && begun.isXml) {
        // The engine, in the middle of its work, cannot be used again.
        report([tooDeep(task, begun)], 0, { isXml: true, hadProcessor: false })
      } else report([], 0, stoppedBy(error, begun))
      return
    }
    // After the time limit, so that it cannot stop the sending.
    report([answer], used)
  }

  function stoppedBy(error: unknown, begun: Begun): Stopped {
    if (!(error instanceof TimeLimitExceeded)) throw error
    if (begun.key !== undefined && !begun.isXml) cache.delete(begun.key)
    jobLimit.forgetMetaSchemas()
    return { isXml: begun.isXml, hadProcessor: error.hadProcessor }
  }

  return ({ tasks, stops }) => {
    state.compilations = 0
    jobLimit.begin(stops)
    const [only, second] = tasks
    if (only && !second) carryOutAlone(only)
    else carryOutTogether(tasks)
  }
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith('Maximum call stack')
}

/** The answer to a task of XML whose schema or document has chains that the engine cannot follow. */
function tooDeep(task: Task, { key }: Begun): Answer {
  return key === undefined
    ? answerUnusable(task, [{ message: 'It is nested too deeply to be compiled.' }])
    : { kind: 'findings', findings: [{ message: 'The schema recurses too deeply on this document.' }] }
}

/**
 * Measures processor time in milliseconds. It is at most the time that has passed, so that the threads in which V8
 * compiles and collects garbage do not add to it.
 */
function measureTime(): () => number {
  const before = process.cpuUsage()
  const began = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return Math.min((user + system) / 1000, performance.now() - began)
  }
}

function openSchemaCache(): LRUCache<string, Compiled> {
  return new LRUCache({
    max: maxSchemas,
    maxSize: maxBytes,
    sizeCalculation: ({ size }) => Math.min(Math.max(size, 1), maxBytes),
    dispose: ({ dispose }) => dispose(),
  })
}

/** Compiles the schema if it is not in the cache. @returns the answer, or the work that gives it */
function carryOut(state: ExecutorState, task: Task, begun: Begun): Answer | TimedWork {
  const { xml, deepest, cache, run } = state
  if (task.kind === 'references') {
    begun.isXml = task.type === 'XML'
    return { type: task.type, answer: () => referencesOf(xml, deepest, task) }
  }
  const key = task.kind === 'check' ? task.bundle.key : task.key
  let compiled = cache.get(key)
  if (!compiled) {
    const { bundle } = task
    if (!bundle) return unknown
    state.compilations++
    begun.isXml = bundle.type === 'XML'
    const made = run(bundle.type, () => attempt(() => compile(xml, deepest, bundle)))
    if ('findings' in made) return answerUnusable(task, made.findings)
    compiled = made
    cache.set(key, compiled)
  }
  if (task.kind === 'check') return { kind: 'findings', findings: [] }
  const schema = compiled
  begun.key = key
  begun.isXml = schema.type === 'XML'
  return { type: schema.type, answer: () => validated(schema, task.document) }
}

/** The main process has to send the schema again. */
const unknown: Answer = { kind: 'unknown' }

function validated({ validate }: Compiled, document: Uint8Array): Answer {
  return { kind: 'findings', findings: limitFindings(validate(document)) }
}

/** The answer to a task whose schema does not compile. @param findings why the schema does not compile */
function answerUnusable({ kind }: Task, findings: readonly Finding[]): Answer {
  return { kind: 'findings', findings: kind === 'check' ? findings : findings.map(ofSchema) }
}

function compile(xml: () => XmlEngine, deepest: number, bundle: SchemaBundle): Compiled {
  const { type } = bundle
  const size = bundleBytes(bundle)
  if (type === 'XML') return { type, size, ...compileXsd(xml(), bundle) }
  return { type, size, ...compileJson(bundle, deepest), dispose: () => undefined }
}

function referencesOf(
  xml: () => XmlEngine,
  deepest: number,
  { type, document, files }: Task & { kind: 'references' },
): Answer {
  const bundle: SchemaBundle = { key: '', type, document, files, registered: new Map() }
  const references = attempt(() =>
    type === 'JSON' ? jsonReferences(bundle, deepest) : xmlReferences(xml(), bundle),
  )
  if ('findings' in references) return { kind: 'findings', findings: references.findings }
  return { kind: 'references', references }
}

/** The task after the answered ones, if the time limit stopped it. */
interface Stopped {
  readonly isXml: boolean
  readonly hadProcessor: boolean
}

/** The result of the work, or the findings that it throws. */
function attempt<T>(work: () => T): T | { readonly findings: readonly Finding[] } {
  try {
    return work()
  } catch (thrown) {
    return { findings: limitFindings(findingsOf(thrown)) }
  }
}

/** Rewords a finding about the schema for a check of a document. */
function ofSchema({ message, path, file }: Finding): Finding {
  const schemaPath = path === undefined ? file : `${file === undefined ? '' : `${file}#`}${path}`
  return {
    message: `The schema cannot be used: ${message}`,
    ...(schemaPath === undefined ? {} : { schemaPath }),
  }
}

/** The time limit of the work of jobs. The first work with a schema language loads code, and gets more time. */
interface JobTimeLimit {
  /** Begins a job. @param stops how often it was stopped before because other processes had the processor */
  begin(stops: number): void
  /**
   * Runs work with one schema language. It must not change the cache, because the time limit may stop it at any point.
   * @throws TimeLimitExceeded
   */
  run<T>(type: SchemaBundle['type'], work: () => T): T
  /** Runs validations against compiled schemas, for which no code is loaded. @throws TimeLimitExceeded */
  runValidations(work: () => void): void
  /** Forgets the meta schemas, which stopped work may have left incomplete. */
  forgetMetaSchemas(): void
}

function openJobTimeLimit(timeLimit: TimeLimit): JobTimeLimit {
  const languagesBegun = new Set<SchemaBundle['type']>()
  let stopsOfJob = 0

  return {
    begin(stops) {
      stopsOfJob = stops
    },
    run(type, work) {
      const isFirst = !languagesBegun.has(type)
      languagesBegun.add(type)
      return timeLimit.run(work, isFirst, stopsOfJob)
    },
    runValidations: work => timeLimit.run(work, false, stopsOfJob),
    forgetMetaSchemas() {
      forgetMetaSchemas()
      // The next task gets more time, because it compiles the meta schemas again.
      languagesBegun.delete('JSON')
    },
  }
}
