import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { contentCodings } from '../../http/list-header.js'
import type { FeatureContext } from '../../http/open-feature.js'
import { headerRef, type Schema } from '../../http/openapi/specification-types.js'
import { singleParameter } from '../../http/parameters/query-parameters.js'
import { queryParameter } from '../../http/parameters/request-parameter.js'
import { problemAnswer } from '../../http/problems/problem-details.js'
import { problemResponsesAlsoAs } from '../../http/route-declaration/problem-responses.js'
import { type ProblemRepresentation, type Route, routesWith } from '../../http/route-declaration/route.js'
import type { SmartHttp } from './smart-http.js'

/*
 * The smart HTTP protocol, for `git clone http://localhost:8040/repository.git`.
 * @see gitprotocol-http(5)
 */

/**
 * Milliseconds without a byte in either direction after which a client counts as gone. Git sends a keep-alive every
 * five seconds.
 */
const maxSilence = 120_000

type GitHttpContext = FeatureContext<SmartHttp>

const programs = ['upload-pack', 'receive-pack'] as const
type Program = (typeof programs)[number]

/** The schema of a body with data of the protocol. */
const bytes: Schema = { type: 'string', contentMediaType: 'application/octet-stream' }

/** The security scheme `password` of the OpenAPI description. */
export const passwordScheme: Schema = {
  type: 'http',
  scheme: 'basic',
  description: 'For git clients: any user name, and a token as the password.',
}

/** Git clients get problems as plain text, because git shows its user no other type. */
const problemsAsText: ProblemRepresentation<unknown> = {
  form: {
    header: 'User-Agent',
    isFor: ctx => /^git\//i.test(ctx.get('User-Agent')),
    answer(ctx, problem) {
      const { status, headers } = problemAnswer(problem, ctx.path)
      ctx.status = status
      ctx.set({ ...headers, 'Content-Type': 'text/plain; charset=utf-8' })
      ctx.body = `${problem.message}\n`
    },
  },
  responses: meanings =>
    problemResponsesAlsoAs({ 'text/plain': { schema: { type: 'string', minLength: 1 } } }, meanings),
}

const problems = {
  unauthenticated:
    'The repository has records that not every caller may read, or the request is a push. Both need the token of an administrator.',
  forbidden: 'The caller is not an administrator, or the server does not accept pushes.',
  unavailable:
    'Too many git requests are under way: try again after `Retry-After` seconds. Or the server has no git binary.',
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
    description:
      'The git program that answers: `git-upload-pack` for a fetch, `git-receive-pack` for a push.',
    required: true,
    schema: { enum: programs.map(name => `git-${name}`) },
  },
  (query, parameter): Program => {
    const text = singleParameter(query, parameter)
    const program = programs.find(name => text === `git-${name}`)
    if (program !== undefined) return program
    throw malformedRequest(
      text === undefined
        ? 'The parameter service is missing: clients of the smart protocol send service=git-upload-pack.'
        : `There is no service "${truncate(text)}", only git-upload-pack and git-receive-pack.`,
    )
  },
)

const route = routesWith<GitHttpContext>()

export const smartHttpRoutes: readonly Route<GitHttpContext>[] = [
  route({
    ...common,
    method: 'get',
    path: '/repository.git/info/refs',
    operationId: 'refs',
    summary: 'List branches and tags for git',
    description:
      'The first request of `git clone`, `git fetch` and `git push` (smart protocol; `Git-Protocol` chooses version 0, 1 ' +
      'or 2). `git clone <server>/repository.git` clones the whole repository; shallow (`--depth`) and partial clones ' +
      '(`--filter`) work too.',
    access: 'whole-repository',
    parameters: { service },
    responses: {
      200: {
        description: 'The list, in the format of the protocol.',
        headers,
        content: {
          'application/x-git-upload-pack-advertisement': { schema: bytes },
          'application/x-git-receive-pack-advertisement': { schema: bytes },
        },
      },
    },
    problems,
    async handle(ctx, { feature, callerOf, limits }, { service: program }) {
      limitSilence(ctx)
      const output = await feature.answer(callerOf(ctx), { program, ...protocolOf(ctx) }, limits)
      answer(ctx, `application/x-git-${program}-advertisement`, output)
    },
  }),
  packRoute(
    'upload-pack',
    'uploadPack',
    'Send objects for a clone or a fetch',
    'Runs `git upload-pack` with the body, and streams its output. The body may be compressed with gzip.',
  ),
  packRoute(
    'receive-pack',
    'receivePack',
    'Receive a push',
    'Works only if the server was started with `--allow-push`. Before the served branch moves, the server checks its new ' +
      'commits by the rules of a PUT. The response says, in the format of the protocol, whether the push was accepted, ' +
      'or what is wrong. When the response ends, the lists have the accepted changes.',
  ),
]

function packRoute(
  program: Program,
  operationId: string,
  summary: string,
  description: string,
): Route<GitHttpContext> {
  const requestType = `application/x-git-${program}-request`
  const resultType = `application/x-git-${program}-result`
  return route({
    ...common,
    method: 'post',
    path: `/repository.git/git-${program}`,
    operationId,
    summary,
    description,
    access: 'whole-repository',
    parameters: {},
    body: {
      description: 'The request, in the format of the protocol.',
      required: true,
      content: { [requestType]: { schema: bytes } },
    },
    responses: {
      200: {
        description: 'The output of git, in the format of the protocol.',
        headers,
        content: { [resultType]: { schema: bytes } },
      },
    },
    problems: {
      ...problems,
      'malformed-request': 'Git cannot read the body.',
      'unsupported-media-type': 'The body has another type, or another encoding than gzip.',
    },
    async handle(ctx, { feature, callerOf, limits }) {
      const input = bodyOf(ctx, requestType)
      limitSilence(ctx)
      const output = await feature.answer(callerOf(ctx), { program, input, ...protocolOf(ctx) }, limits)
      answer(ctx, resultType, output)
    },
  })
}

function protocolOf(ctx: Context): { readonly protocol?: string } {
  const protocol = ctx.get('Git-Protocol')
  return protocol === '' ? {} : { protocol }
}

/**
 * Closes the connection of a client that is gone. While output is waiting for the client, the usual time-out of a
 * response applies. While git prepares output, which may take time, the limit is {@link maxSilence}.
 */
function limitSilence({ req, res }: Context): void {
  const { socket } = req
  const interval = Math.min(socket.timeout || maxSilence, maxSilence)
  let [moved, quiet] = [0, 0]
  res.setTimeout(interval, () => {
    const before = moved
    moved = socket.bytesRead + socket.bytesWritten
    quiet = moved === before ? quiet + interval : interval
    if (socket.writableLength > 0 || quiet >= maxSilence) req.destroy()
    else res.setTimeout(interval)
  })
}

/** The body, decompressed: git compresses long bodies. */
function bodyOf(ctx: Context, type: string): Readable {
  if (ctx.get('Content-Type') !== type) {
    throw new ProblemError(
      'unsupported-media-type',
      `The content type of the body must be ${type}, as git sends it.`,
    )
  }
  const encoding = contentCodings(ctx.get('Content-Encoding')).join(', ')
  if (encoding === '') return ctx.req
  if (encoding === 'gzip' || encoding === 'x-gzip') {
    // The listener matters if the request is refused, because nothing reads the body then. A reader gets the error too.
    return ctx.req.pipe(createGunzip().on('error', () => undefined))
  }
  throw new ProblemError(
    'unsupported-media-type',
    `The body has the encoding "${truncate(encoding)}"; only gzip is supported.`,
  )
}

function answer(ctx: Context, type: string, output: Readable): void {
  ctx.set({ 'Content-Type': type, 'Cache-Control': 'no-cache' })
  ctx.body = output
}
