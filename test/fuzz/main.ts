import { parseArgs } from 'node:util'
import { openRandom, type Random } from '../../bench/support/random.js'
import type { Description } from '../../src/http/openapi/types.js'
import { openDescribed } from './described.js'
import { type Model, openModel } from './model.js'
import { mutate } from './mutate.js'
import { openRecorder } from './recordings.js'
import { asCurl, type Request, smaller } from './request.js'
import { type Answer, startTarget, type Target } from './target.js'

/*
 * npm run fuzz -- --seconds 60 --seed 1 [--requests 100000]
 *
 * Sends generated requests, one after the other, to a server of its own on this machine: each operation of the interface's
 * description first, then in turns recordings of valid requests, mutations of them, and requests made from the description.
 * Ends with 1 at the first status from 500 on (but a 503 that says when to come back), answer that is not as described,
 * hang, crash, or change of what a writer was told; with the seed and the smallest request that still does it.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '1000000' },
  },
})
const [seconds, seed, most] = [values.seconds, values.seed, values.requests].map(Number)
if (![seconds, seed, most].every(Number.isFinite)) {
  process.stderr.write('npm run fuzz -- --seconds <number> --seed <number> --requests <number>\n')
  process.exitCode = 2
} else {
  process.exitCode = await run(Number(seconds), Number(seed), Number(most))
}

async function run(seconds: number, seed: number, most: number): Promise<number> {
  const target = await startTarget()
  const end = performance.now() + seconds * 1000
  const random = openRandom(seed)
  const model = openModel(target)
  const statuses = new Map<number, number>()
  let count = 0
  try {
    for (const request of requests(target, random, model, await describe(target))) {
      if (count >= most || performance.now() > end) break
      const wrong = await send(target, model, await request(), statuses)
      count++
      const changed = wrong ?? (count % 100 === 0 ? await compare(model, random) : undefined)
      if (changed !== undefined) {
        await tell(target, changed, `seed ${seed}, request ${count}`)
        return 1
      }
    }
    const wrong = [...(await model.check()), ...(await target.finish())]
    if (wrong.length > 0) {
      process.stderr.write(`At the end of seed ${seed}, after ${count} requests:\n  ${wrong.join('\n  ')}\n`)
      return 1
    }
    const told = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`)
    process.stdout.write(`Seed ${seed}: ${count} requests, nothing wrong. Statuses ${told.join(', ')}.\n`)
    return 0
  } finally {
    await target.remove()
  }
}

async function describe(target: Target): Promise<Description> {
  const { body } = await target.ask({ method: 'GET', path: '/v3/api-docs', query: [], headers: [] })
  return JSON.parse(body.toString()) as Description
}

/** Without end. */
function* requests(
  target: Target,
  random: Random,
  model: Model,
  description: Description,
): Generator<() => Request> {
  const recorder = openRecorder(random, model)
  const { routes } = openDescribed(description, random, model, recorder)
  process.stdout.write(`Fuzzing ${target.base}: ${routes.length} routes.\n`)
  for (let made = 0; made < 20; made++) yield () => recorder.record()
  for (const make of routes) yield () => make()
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

interface Wrong {
  readonly request: Request
  readonly what: string
}

/** Sends one request. @returns what is wrong with how it was answered */
async function send(
  target: Target,
  model: Model,
  request: Request,
  statuses: Map<number, number>,
): Promise<Wrong | undefined> {
  const before = target.head()
  const answered = await ask(target, request)
  if (typeof answered === 'string') return { request, what: answered }
  statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1)
  const told = await model.note(request, answered, target.head() !== before)
  return told.length === 0 ? undefined : { request, what: told.join('\n') }
}

/** @returns the answer, or what is wrong with it */
async function ask(target: Target, request: Request): Promise<Answer | string> {
  let answer: Answer
  try {
    answer = await target.ask(request)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // What Node.js refuses to send as a client was never a request.
    if (
      code === 'ERR_INVALID_CHAR' ||
      code === 'ERR_UNESCAPED_CHARACTERS' ||
      code === 'ERR_HTTP_INVALID_HEADER_VALUE'
    ) {
      return { status: 0, headers: {}, body: Buffer.alloc(0) }
    }
    return target.alive ? `There is no answer: ${message}` : `The server has ended: ${target.stderr()}`
  }
  const text = answer.body.toString().slice(0, 500)
  const isRefusal = answer.status === 503 && answer.headers['retry-after'] !== undefined
  if (answer.status >= 500 && !isRefusal)
    return `It is answered ${answer.status}: ${text}\n${target.stderr()}`
  const undescribed = target.undescribed()
  return undescribed === '' ? answer : `The answer is not as described: ${undescribed}`
}

async function compare(model: Model, random: Random): Promise<Wrong | undefined> {
  const wrong = await model.check(random)
  const request = { method: 'GET', path: '/', query: [], headers: [] }
  return wrong.length === 0 ? undefined : { request, what: wrong.join('\n') }
}

/** Says what is wrong, with the smallest request that is answered wrongly again. */
async function tell(target: Target, { request, what }: Wrong, where: string): Promise<void> {
  let least = request
  let tries = 0
  const failsAgain = async (smallest: Request) =>
    target.alive && typeof (await ask(target, smallest)) === 'string'
  if (await failsAgain(request)) {
    for (let shrunk = true; shrunk && tries < 300; ) {
      shrunk = false
      for (const candidate of smaller(least)) {
        if (++tries > 300) break
        if (await failsAgain(candidate)) {
          least = candidate
          shrunk = true
          break
        }
      }
    }
  }
  process.stderr.write(`${where}: ${what}\n\n${asCurl(least, target.base)}\n`)
}
