import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'
import { refuseAtOnCurrentOnly } from '../../request/at-parameter.js'
import { singleParameter } from '../../request/query-parameters.js'
import { problemAnswer } from '../../response/problem-details.js'
import type { UnversionedContext } from '../../route-context.js'

/** Milliseconds without a byte from either side after which a client counts as gone: git says something every five. */
const silence = 120_000

/**
 * The repository as git clients see it, `git clone http://localhost:8040/repository.git`, by the smart protocol.
 * @see gitprotocol-http(5)
 */
export function smartHttpRoutes(router: Router, { services, callerOf, limits }: UnversionedContext): void {
  router.get('/repository.git/info/refs', inWords, refuseAtOnCurrentOnly, async ctx => {
    const program = programAsked(ctx)
    endWhereNobodyIsThere(ctx)
    const output = await services.smartHttp(callerOf(ctx), { program, ...protocolOf(ctx) }, limits)
    answer(ctx, `application/x-git-${program}-advertisement`, output)
  })

  for (const program of programs) {
    router.post(`/repository.git/git-${program}`, inWords, refuseAtOnCurrentOnly, async ctx => {
      const input = bodyOf(ctx, `application/x-git-${program}-request`)
      endWhereNobodyIsThere(ctx)
      const output = await services.smartHttp(callerOf(ctx), { program, input, ...protocolOf(ctx) }, limits)
      answer(ctx, `application/x-git-${program}-result`, output)
    })
  }
}

const programs = ['upload-pack', 'receive-pack'] as const

function programAsked(ctx: Context): (typeof programs)[number] {
  const service = singleParameter(ctx.query, 'service')
  const program = programs.find(name => service === `git-${name}`)
  if (program !== undefined) return program
  throw malformedRequest(
    service === undefined
      ? 'The parameter service is missing: a client that speaks the smart protocol says service=git-upload-pack.'
      : `There is no service "${truncate(service)}", only git-upload-pack and git-receive-pack.`,
  )
}

function protocolOf(ctx: Context): { readonly protocol?: string } {
  const protocol = ctx.get('Git-Protocol')
  return protocol === '' ? {} : { protocol }
}

/** A client has as long as any to take what there is; git, which may have nothing to say yet, has `silence`. */
function endWhereNobodyIsThere({ req, res }: Context): void {
  const { socket } = req
  const interval = Math.min(socket.timeout || silence, silence)
  let [moved, quiet] = [0, 0]
  res.setTimeout(interval, () => {
    const before = moved
    moved = socket.bytesRead + socket.bytesWritten
    quiet = moved === before ? quiet + interval : interval
    if (socket.writableLength > 0 || quiet >= silence) req.destroy()
    else res.setTimeout(interval)
  })
}

/** The body as it was before it was compressed: git compresses what is long. */
function bodyOf(ctx: Context, type: string): Readable {
  if (ctx.get('Content-Type') !== type) {
    throw new ProblemError('unsupported-media-type', `The body has to be ${type}, as git sends it.`)
  }
  const encoding = ctx.get('Content-Encoding').toLowerCase()
  if (encoding === '' || encoding === 'identity') return ctx.req
  if (encoding === 'gzip' || encoding === 'x-gzip') {
    // Whoever reads it hears of an error too; nobody does where the request is refused.
    return ctx.req.pipe(createGunzip().on('error', () => undefined))
  }
  throw new ProblemError(
    'unsupported-media-type',
    `The body is encoded as "${truncate(encoding)}", not as gzip.`,
  )
}

function answer(ctx: Context, type: string, output: Readable): void {
  ctx.set({ 'Content-Type': type, 'Cache-Control': 'no-cache' })
  ctx.body = output
}

/** Git shows a person what is wrong where it is plain text. */
const inWords: Middleware = async (ctx, next) => {
  ctx.vary('User-Agent')
  try {
    await next()
  } catch (error) {
    if (!(error instanceof ProblemError) || !/^git\//i.test(ctx.get('User-Agent'))) throw error
    const { status, headers } = problemAnswer(error, ctx.path)
    ctx.status = status
    ctx.set({ ...headers, 'Content-Type': 'text/plain; charset=utf-8' })
    ctx.body = `${error.message}\n`
  }
}
