import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'
import { headerRef, type Schema } from '../../openapi/specification-types.js'
import { singleParameter } from '../../request/query-parameters.js'
import { queryParameter } from '../../request/request-parameter.js'
import { problemAnswer } from '../../response/problem-details.js'
import { problemResponsesAlsoAs } from '../../route/problem-responses.js'
import { type ProblemRepresentation, type Route, routesWith } from '../../route/route.js'
import type { UnversionedContext } from '../../route-context.js'

/*
 * The repository as git clients see it, `git clone http://localhost:8040/repository.git`, by the smart protocol.
 * @see gitprotocol-http(5)
 */

/** Milliseconds without a byte from either side after which a client counts as gone: git says something every five. */
const silence = 120_000

const programs = ['upload-pack', 'receive-pack'] as const
type Program = (typeof programs)[number]

/** What git says to git. */
const bytes: Schema = { type: 'string', contentMediaType: 'application/octet-stream' }

/** Problems as plain text where a git client asks, which shows a person no other. */
const problemsAsText: ProblemRepresentation<unknown> = {
  openMiddleware: () => async (ctx, next) => {
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
  },
  responses: meanings =>
    problemResponsesAlsoAs({ 'text/plain': { schema: { type: 'string', minLength: 1 } } }, meanings),
}

const problems = {
  unauthenticated:
    'The repository has records that not every caller may read, or the request is a push. Both need the token of an administrator.',
  forbidden: 'The caller is no administrator; or it wants to push, and the server takes no pushes.',
  unavailable:
    'Too many clients are answered already: try again after `Retry-After` seconds. Or the server has no git binary.',
}

const common = {
  tags: ['Git'],
  security: [{}, { bearer: [] }, { password: [] }],
  problemsAs: problemsAsText,
} as const

const headers = { 'Cache-Control': headerRef('CacheControl') }

const service = queryParameter(
  'service',
  {
    description: 'What the client is going to do.',
    required: true,
    schema: { enum: programs.map(name => `git-${name}`) },
  },
  (query, parameter): Program => {
    const text = singleParameter(query, parameter)
    const program = programs.find(name => text === `git-${name}`)
    if (program !== undefined) return program
    throw malformedRequest(
      text === undefined
        ? 'The parameter service is missing: a client that speaks the smart protocol says service=git-upload-pack.'
        : `There is no service "${truncate(text)}", only git-upload-pack and git-receive-pack.`,
    )
  },
)

const route = routesWith<UnversionedContext>()

export const smartHttpRoutes: readonly Route<UnversionedContext>[] = [
  route({
    ...common,
    method: 'get',
    path: '/repository.git/info/refs',
    operationId: 'refs',
    summary: 'The branches and tags there are',
    description:
      'What `git clone`, `git fetch` and `git push` ask first (smart protocol, versions 0 to 2, by `Git-Protocol`). Everything can ' +
      'be cloned with `git clone <server>/repository.git`, also shallow (`--depth`) and in part (`--filter`).',
    parameters: { service },
    responses: {
      200: {
        description: 'In the words of the protocol.',
        headers,
        content: {
          'application/x-git-upload-pack-advertisement': { schema: bytes },
          'application/x-git-receive-pack-advertisement': { schema: bytes },
        },
      },
    },
    problems,
    async handle(ctx, { services, callerOf, limits }, { service: program }) {
      endWhereNobodyIsThere(ctx)
      const output = await services.smartHttp(callerOf(ctx), { program, ...protocolOf(ctx) }, limits)
      answer(ctx, `application/x-git-${program}-advertisement`, output)
    },
  }),
  conversation(
    'upload-pack',
    'uploadPack',
    'The objects a clone or a fetch wants',
    'What `git upload-pack` of the server makes of the body, as it makes it. The body may be gzipped.',
  ),
  conversation(
    'receive-pack',
    'receivePack',
    'Objects and branches that are pushed',
    'Off unless the server was started with `--allow-push`. What is pushed to the served branch is checked before the ' +
      'branch moves, by the rules of a PUT; the answer says, in the words of the protocol, whether it was accepted, and ' +
      'what is wrong otherwise. What was accepted is in all lists when the answer ends.',
  ),
]

function conversation(
  program: Program,
  operationId: string,
  summary: string,
  description: string,
): Route<UnversionedContext> {
  const requestType = `application/x-git-${program}-request`
  const resultType = `application/x-git-${program}-result`
  return route({
    ...common,
    method: 'post',
    path: `/repository.git/git-${program}`,
    operationId,
    summary,
    description,
    parameters: {},
    body: {
      description: 'What the client says.',
      required: true,
      content: { [requestType]: { schema: bytes } },
    },
    responses: {
      200: {
        description: 'What git says, in the words of the protocol.',
        headers,
        content: { [resultType]: { schema: bytes } },
      },
    },
    problems: {
      ...problems,
      'malformed-request': 'Git can make nothing of the body.',
      'unsupported-media-type': 'The body is of another type, or encoded other than by gzip.',
    },
    async handle(ctx, { services, callerOf, limits }) {
      const input = bodyOf(ctx, requestType)
      endWhereNobodyIsThere(ctx)
      const output = await services.smartHttp(callerOf(ctx), { program, input, ...protocolOf(ctx) }, limits)
      answer(ctx, resultType, output)
    },
  })
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
