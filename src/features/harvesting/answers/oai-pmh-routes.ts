import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { ProblemError } from '../../../core/problem.js'
import { receiveBody } from '../../../http/bodies/receive-body.js'
import { contentCodings } from '../../../http/list-header.js'
import { mediaTypeIn } from '../../../http/media-types.js'
import {
  type Header,
  headerRef,
  type MediaType,
  type Schema,
} from '../../../http/openapi/specification-types.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { Harvesting } from '../lists/harvest.js'
import { HarvestError } from '../lists/harvest-error.js'
import { sendCompressed } from './gzip-body.js'
import { answerPartsOf, contentOf } from './oai-answers.js'
import { HarvestErrors, type OaiArguments, oaiVerbs, readOaiArguments } from './oai-arguments.js'
import type { HarvestingContext, OaiOptions } from './oai-options.js'
import { type Envelope, envelope, errorElement } from './oai-xml.js'

/** Limit of the body of a request, in bytes. */
const maxBodyBytes = 16 * 1024

/** Limit of the characters of an answer that is sent as a whole. */
const maxWholeLength = 64 * 1024

const descriptions: Readonly<Record<string, string>> = {
  verb: `The kind of request: ${oaiVerbs.join(', ')}.`,
  identifier: 'A record: `oai:<namespace>:<id>`, or its id alone.',
  metadataPrefix: 'The format: `oai_dc`, `datacite`, or the id of a schema for XML documents.',
  from: 'Only records with this datestamp or a later one: a day, or a time in seconds with `Z`.',
  until: 'Only records with this datestamp or an earlier one, in the granularity of `from`.',
  set: 'Only records of a set, such as `schema:<id>`, `type:xml`, or one that a search defines.',
  resumptionToken: 'The place where a list continues. It stays valid.',
}

const textSchema: Schema = { type: 'string' }

const parameters = Object.fromEntries(
  Object.entries(descriptions).map(([name, description]) => [
    name,
    queryParameter(name, { description, schema: textSchema }, query => query[name]),
  ]),
)

const formSchema: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, { ...textSchema, description }]),
  ),
}

const xml: MediaType = { schema: { type: 'string', pattern: '<OAI-PMH ' } }

const contentEncoding: Header = {
  description: 'The body is compressed: `Accept-Encoding` has gzip, and the body is not short.',
  schema: { const: 'gzip' },
}

const common = {
  path: '/oaipmh',
  tags: ['Harvesting'],
  access: 'readable-records',
  parameters,
  checksItsQuery: true,
  responses: {
    200: {
      description:
        'The answer in XML. It contains errors of the protocol: `badVerb`, `badArgument`, `noRecordsMatch` and others.',
      headers: {
        'Cache-Control': headerRef('CacheControl'),
        'Content-Encoding': contentEncoding,
      },
      content: { 'text/xml': xml },
    },
  },
} as const

const route = routesWith<HarvestingContext>()

/** OAI-PMH 2.0. @see docs/use/harvesting.md */
export const oaiPmhRoutes: readonly Route<HarvestingContext>[] = [
  route({
    ...common,
    method: 'get',
    operationId: 'oaiPmh',
    summary: 'Harvest metadata (OAI-PMH 2.0)',
    description:
      'All six verbs of the protocol. A list shows one state of the repository, from its first to its last part: a ' +
      'resumption token works after restarts, on every copy of the repository, and while others write. Records that ' +
      'the caller could read before are listed as deleted.',
    problems: { 'not-found': 'The server has no address of an administrator: see `--oai-admin`.' },
    handle: (ctx, context) => answerOai(ctx, context, new URLSearchParams(ctx.querystring)),
  }),
  route({
    ...common,
    method: 'post',
    operationId: 'oaiPmhForm',
    summary: 'Harvest metadata with the arguments in the body',
    description: 'As GET. The arguments are in the body.',
    body: {
      description: 'The arguments.',
      required: false,
      content: {
        'application/x-www-form-urlencoded': { schema: formSchema },
      },
    },
    problems: {
      'not-found': 'The server has no address of an administrator: see `--oai-admin`.',
      'malformed-request': 'The body ends early.',
      'too-large': `The body has more than ${maxBodyBytes} bytes.`,
      'unsupported-media-type': 'The body is of another type, or encoded.',
    },
    async handle(ctx, context) {
      requireSettings(context)
      const query = new URLSearchParams(ctx.querystring)
      for (const [name, value] of await readForm(ctx, context)) query.append(name, value)
      await answerOai(ctx, context, query)
    },
  }),
]

/** Services whose operator got the note that harvesting is off. */
const noted = new WeakSet<Harvesting>()

/** The settings for harvesters. @throws ProblemError `not-found` if harvesting is off */
function requireSettings({ feature: { harvesting, settings }, note }: HarvestingContext): OaiOptions {
  if (settings) return settings
  if (!noted.has(harvesting)) {
    noted.add(harvesting)
    note(
      'A client asked for /oaipmh and got 404: the protocol demands an e-mail address, which --oai-admin gives.',
    )
  }
  throw new ProblemError('not-found', 'Nothing can be harvested here: see the option --oai-admin.')
}

async function answerOai(ctx: Context, context: HarvestingContext, query: URLSearchParams): Promise<void> {
  const parts = answerPartsOf(ctx, context, requireSettings(context))
  // Harvesters ask for later changes from the date of an answer on.
  const date = await parts.harvesting.servedUntil()
  const frameFor = (given: Readonly<Record<string, string>>) => envelope(parts.baseUrl, date, given)
  let frame = frameFor({})
  try {
    const asked = readOaiArguments(query)
    frame = frameFor(attributesOf(asked))
    await send(ctx, frame, contentOf(parts, asked))
  } catch (error) {
    const errors =
      error instanceof HarvestErrors ? error.errors : error instanceof HarvestError ? [error] : undefined
    if (!errors) throw error
    // The protocol demands that an answer does not repeat the arguments if they are wrong.
    if (errors.some(({ code }) => code === 'badArgument')) frame = frameFor({})
    await answerXml(ctx, frame.start + errors.map(errorElement).join('') + frame.end)
  }
}

function attributesOf({ verb, given }: OaiArguments): Readonly<Record<string, string>> {
  return { verb, ...Object.fromEntries(given) }
}

/** Sends a short answer as a whole, so that an error can still replace it, and a long one piece by piece. */
async function send(ctx: Context, frame: Envelope, content: AsyncGenerator<string, void>): Promise<void> {
  let begun = frame.start
  while (begun.length <= maxWholeLength) {
    const next = await content.next()
    if (next.done) return await answerXml(ctx, begun + frame.end)
    begun += next.value
  }
  async function* all(): AsyncGenerator<string, void> {
    yield begun
    yield* content
    yield frame.end
  }
  await answerXml(ctx, Readable.from(all(), { objectMode: false }))
}

async function answerXml(ctx: Context, body: string | Readable): Promise<void> {
  ctx.status = 200
  ctx.set({ 'Content-Type': 'text/xml; charset=utf-8', 'Cache-Control': 'no-cache' })
  await sendCompressed(ctx, body)
}

/** Reads the body. @throws ProblemError `unsupported-media-type`, `too-large`, `malformed-request`, `unavailable` */
async function readForm(ctx: Context, { limits }: HarvestingContext): Promise<URLSearchParams> {
  const type = mediaTypeIn(ctx.get('Content-Type'))
  const isCoded = contentCodings(ctx.get('Content-Encoding')).length > 0
  const isEmpty =
    type === '' && (ctx.get('Content-Length') || '0') === '0' && ctx.get('Transfer-Encoding') === ''
  if (isEmpty) return new URLSearchParams()
  if (type !== 'application/x-www-form-urlencoded' || isCoded) {
    throw new ProblemError(
      'unsupported-media-type',
      'The body has to be application/x-www-form-urlencoded, without a Content-Encoding.',
    )
  }
  const body = await receiveBody(ctx, { maxBytes: maxBodyBytes, memory: limits.memory })
  return new URLSearchParams(body.toString())
}
