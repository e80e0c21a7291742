import { openRandom, type Random } from '../../bench/data/seeded-random.js'
import { methods, type OpenApiDocument } from '../../src/http/openapi/specification-types.js'
import { routesOf } from '../support/answer-checks/openapi-response-check.js'
import { longestHold } from '../support/program/event-loop-monitor.js'
import { type Model, openModel } from './expected-state.js'
import { type Answer, NoAnswer, type Target } from './fuzz-target.js'
import { mutate } from './mutate-request.js'
import { repetitionsOf } from './repetitive-requests.js'
import { openDescribed } from './requests-from-openapi.js'
import { asCurl, type Request, smaller } from './shrinkable-request.js'
import { openRecorder } from './valid-requests.js'

/*
 * Sends generated requests to a server, one after the other. It begins with a valid request of each operation of the
 * OpenAPI description. Then come requests with a long, repetitive value at each place of each operation. Then it
 * alternates between valid requests, mutations of them, and requests made from the description.
 * Errors are: a status of 500 or more (except 503 with Retry-After), an answer that differs from the description, a
 * hang, a crash, and a change without an acknowledged write. A held event loop is an error if the same requests hold it
 * again: a disk that stops for a moment holds it, too.
 */

export interface FuzzOptions {
  readonly seconds: number
  readonly seed: number
  /** Limit of the requests. */
  readonly requests: number
}

export interface Fuzzed {
  readonly count: number
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** A report of the error, with the smallest request that shows it as a shell command. */
  readonly wrong?: string
  /** Operations that never succeeded (2xx or 3xx). */
  readonly unsuccessful: readonly string[]
}

/** Number of requests between two checks of the state. */
const looked = 100
/** Limit of the requests of one operation before its first success. Some of them create the records that it needs. */
const attempts = 10
/** Milliseconds to search for a smaller request. */
const shrinking = 60_000

export async function fuzz(target: Target, { seconds, seed, requests: most }: FuzzOptions): Promise<Fuzzed> {
  const end = performance.now() + seconds * 1000
  const random = openRandom(seed)
  const model = await openModel(target)
  const description = await describe(target)
  const successes = openSuccesses(description)
  const statuses = new Map<number, number>()
  let count = 0
  let before: Request | undefined
  const found = (wrong?: string): Fuzzed => ({
    count,
    statuses,
    ...(wrong === undefined ? {} : { wrong }),
    unsuccessful: successes.missing(),
  })
  for (const make of requests(target, random, model, description, successes)) {
    if (count >= most || performance.now() > end) break
    const request = make()
    const sent = await send(target, model, before, request)
    before = request
    count++
    if (typeof sent === 'string') return found(await shrunk(target, request, sent))
    statuses.set(sent.status, (statuses.get(sent.status) ?? 0) + 1)
    successes.note(request, sent)
    const changed = count % looked === 0 ? await told(target, () => model.check(random)) : []
    if (changed.length > 0) return found(changed.join('\n'))
  }
  const wrong = [...(await told(target, () => model.check())), ...(await target.finish())]
  return found(wrong.length === 0 ? undefined : `At the end:\n  ${wrong.join('\n  ')}`)
}

async function describe(target: Target): Promise<OpenApiDocument> {
  const { body } = await target.ask({ method: 'GET', path: '/v3/api-docs', query: [], headers: [] })
  return JSON.parse(body.toString()) as OpenApiDocument
}

/** The operations that have succeeded. */
interface Successes {
  note(request: Request, answer: Answer): void
  has(operationId: string): boolean
  missing(): readonly string[]
}

function openSuccesses(description: OpenApiDocument): Successes {
  const routes = routesOf(description).flatMap(({ pattern, item }) =>
    methods.flatMap(method => {
      const name = item[method]?.operationId
      return name === undefined ? [] : [{ method: method.toUpperCase(), pattern, name }]
    }),
  )
  const seen = new Set<string>()
  return {
    note({ method, path }, { status }) {
      if (status < 200 || status >= 400) return
      for (const route of routes)
        if (route.method === method && route.pattern.test(path)) seen.add(route.name)
    },
    has: name => seen.has(name),
    missing: () => [...new Set(routes.map(({ name }) => name))].filter(name => !seen.has(name)),
  }
}

/** Yields requests without end. */
function* requests(
  target: Target,
  random: Random,
  model: Model,
  description: OpenApiDocument,
  successes: Successes,
): Generator<() => Request> {
  const recorder = openRecorder(random, model, () => target.head())
  const { routes } = openDescribed(description, random, model, recorder)
  for (const name of successes.missing())
    for (let left = attempts; left > 0 && !successes.has(name); left--) yield () => recorder.recordOf(name)
  for (const make of routes) yield () => withoutWaiting(make())
  for (const make of repetitionsOf(description, random, recorder)) yield () => withoutWaiting(make())
  for (;;) {
    yield () => {
      const choice = random.below(10)
      if (choice < 3) return recorder.record()
      const made = choice < 7 ? recorder.record() : random.pick(routes)()
      return choice === 9 ? made : withoutWaiting(mutate(made, random))
    }
  }
}

/** Shortens `wait`, because a mutation could ask the server to answer after a minute. */
function withoutWaiting(request: Request): Request {
  return { ...request, query: request.query.map(each => each.replace(/^(wait)=.*/s, '$1=1')) }
}

/**
 * Sends a request. If it holds the event loop, repeats it with the request before it.
 * @returns the answer, or a report of the error
 */
async function send(
  target: Target,
  model: Model,
  before: Request | undefined,
  request: Request,
): Promise<Answer | string> {
  const answered = await sendOnce(target, model, request)
  if (typeof answered === 'string' || target.longestHold() <= longestHold) return answered
  const pair = before === undefined ? [request] : [before, request]
  for (const again of [...pair, ...pair]) {
    const wrong = await sendOnce(target, model, again)
    if (typeof wrong === 'string') return wrong
    const held = Math.round(target.longestHold())
    if (held > longestHold) return `The event loop was held twice, now for ${held} ms.`
  }
  return answered
}

async function sendOnce(target: Target, model: Model, request: Request): Promise<Answer | string> {
  const head = target.head()
  const answered = await ask(target, request)
  if (typeof answered === 'string') return answered
  const wrong = await told(target, () => model.note(request, answered, target.head() !== head))
  return wrong.length === 0 ? answered : wrong.join('\n')
}

/** The complaints of the model; a missing answer is a complaint, too. */
async function told(target: Target, ask: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NoAnswer) return [unanswered(target, error)]
    throw error
  }
}

function unanswered(target: Target, { message }: NoAnswer): string {
  return target.alive ? `There is no answer: ${message}` : `The server has ended: ${target.stderr()}`
}

/** Error codes of requests that Node.js refuses to send. */
const unsendable = new Set(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS', 'ERR_HTTP_INVALID_HEADER_VALUE'])

/** @returns the answer, or a report of the error */
async function ask(target: Target, request: Request): Promise<Answer | string> {
  let answer: Answer
  try {
    answer = await target.ask(request)
  } catch (error) {
    if (error instanceof NoAnswer) return unanswered(target, error)
    if (!unsendable.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return { status: 0, headers: {}, body: Buffer.alloc(0) }
  }
  const text = answer.body.toString().slice(0, 500)
  const isRefusal = answer.status === 503 && answer.headers['retry-after'] !== undefined
  if (answer.status >= 500 && !isRefusal)
    return `It is answered ${answer.status}: ${text}\n${target.stderr()}`
  const undescribed = target.undescribed()
  return undescribed === '' ? answer : `The answer is not as described: ${undescribed}`
}

/** @returns the report, with the smallest request that causes an error again */
async function shrunk(target: Target, request: Request, what: string): Promise<string> {
  const until = performance.now() + shrinking
  const failsAgain = async (smallest: Request) =>
    target.alive &&
    performance.now() < until &&
    (typeof (await ask(target, smallest)) === 'string' || target.longestHold() > longestHold)
  let least = request
  if (await failsAgain(request)) {
    for (let found: Request | undefined = least; found; ) {
      found = undefined
      for (const candidate of smaller(least)) {
        if (!(await failsAgain(candidate))) continue
        found = candidate
        least = candidate
        break
      }
    }
  }
  return `${what}\n\n${asCurl(least, target.base)}`
}
