import { openRandom, type Random } from '../../bench/data/seeded-random.js'
import { methods, type OpenApiDocument } from '../../src/http/openapi/specification-types.js'
import { routesOf } from '../support/http/openapi-response-check.js'
import { longestHold } from '../support/program/event-loop-monitor.js'
import { type Model, openModel } from './expected-state.js'
import { type Answer, NoAnswer, type Target } from './fuzz-target.js'
import { mutate } from './mutate-request.js'
import { repetitionsOf } from './repetitive-requests.js'
import { openDescribed } from './requests-from-openapi.js'
import { asCurl, type Request, smaller } from './shrinkable-request.js'
import { openRecorder } from './valid-requests.js'

/*
 * Sends generated requests to a server, one after the other: first a valid one of each operation of the interface's
 * description, then one with a long, repetitive value at each place of each operation, then in turns recordings of valid requests, mutations of them, and requests made from the description.
 * Wrong is a status from 500 on (but a 503 that says when to come back), an answer that is not as described, a hang,
 * a crash, an event loop that was held too long and is held again by the same requests (a disk that stops for a moment
 * holds it too), or a change of what a writer was told.
 */

export interface FuzzOptions {
  readonly seconds: number
  readonly seed: number
  /** At most. */
  readonly requests: number
}

export interface Fuzzed {
  readonly count: number
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>
  /** What is wrong, with the smallest request that shows it as a line for a shell. */
  readonly wrong?: string
  /** Operations that were not answered with a success (2xx, 3xx) once. */
  readonly unsuccessful: readonly string[]
}

/** Requests between two looks at what must not have changed. */
const looked = 100
/** Requests made for an operation to begin with until it succeeds: some make first what it needs. */
const attempts = 10
/** Milliseconds in which a smaller request is looked for. */
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

/** Which operations have been answered with a success. */
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

/** Without end. */
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

/** A mutation may ask for an answer that is to come in a minute. */
function withoutWaiting(request: Request): Request {
  return { ...request, query: request.query.map(each => each.replace(/^(wait)=.*/s, '$1=1')) }
}

/**
 * Sends one request, and again with the one before it where the event loop was held.
 * @returns the answer, or what is wrong with it and with what it did
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

/** What a model complains about, or that it got no answer. */
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

/** Codes of what Node.js refuses to send as a client: it was never a request. */
const unsendable = new Set(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS', 'ERR_HTTP_INVALID_HEADER_VALUE'])

/** @returns the answer, or what is wrong with it */
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

/** @returns what is wrong, with the smallest request that is answered wrongly again */
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
