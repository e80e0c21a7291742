import { malformedRequest, ProblemError, shuttingDown } from '../../../core/problem.js'
import { maxConcurrentAssessments } from '../../../service/records/assessment-slots.js'
import {
  type AffectedDocument,
  type Assessment,
  type ImpactCounts,
  type ImpactStep,
  maxFindingsPerDocument,
} from '../../../service/records/schema-impact.js'
import { schemaParts } from '../../forms/form-parts.js'
import { headerRef, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import { prefersEventStream, requireJsonAccepted } from '../../request/content-negotiation.js'
import { limitParameter } from '../../request/paging.js'
import { schemaId } from '../../request/record-parameters.js'
import { problemAnswer } from '../../response/problem-details.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import { eventStreamHeaders, sendEvents } from '../../response/server-sent-events.js'
import type { DescribedApiVersion } from '../../route/api-version.js'
import { changedSchema } from '../../route/request-bodies.js'
import { type Route, routesWith } from '../../route/route.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'

/** Documents that a result lists. */
const listed = { least: 0, usual: 100, most: 1000 }

/** How a result and a listed document are told. */
interface Shown {
  readonly limit: number
  /** What URLs begin with. */
  readonly root: string
}

const route = routesWith<ApiContext>()

/** What a change of a schema would break. @see docs/history.md */
export function impactRoutes({ version }: DescribedApiVersion): readonly Route<ApiContext>[] {
  return [
    route({
      method: 'post',
      path: '/schemas/{id}/impact',
      tags: [`Schemas, version ${version}`],
      operationId: `impactOfSchemaV${version}`,
      summary: 'Ask what a change would break',
      description:
        'Checks every document that follows the schema, in whatever version, against a new schema, and stores nothing: the ' +
        'newest version of each that the caller may read, as of one commit. With `Accept: text/event-stream` the ' +
        'answer is a stream of server-sent events: `progress` (`checked`, `total`, `breaking`, `invalidBefore`), ' +
        '`document` for every document that would not be valid, then `result`, which is what is answered otherwise; or ' +
        '`problem`, with problem details. It ends when the client goes.',
      parameters: {
        id: schemaId,
        limit: limitParameter(
          'limit',
          `Documents that the result lists. More than ${listed.most} are taken as ${listed.most}; the numbers are right in any case.`,
          listed,
        ),
      },
      body: changedSchema,
      schemas: impactSchemas,
      responses: {
        200: {
          description: 'How many documents it would break, which, and why.',
          headers: { 'Cache-Control': headerRef('CacheControl'), ...eventStreamHeaders },
          content: {
            'application/json': { schema: schemaRef('Impact'), examples: { one: { value: example } } },
            'text/event-stream': { schema: { type: 'string', pattern: '^event: progress\\n' } },
          },
        },
      },
      problems: {
        unauthenticated: true,
        forbidden: true,
        'not-found': 'There is no such schema, or it is REVOKED and the caller may not see it.',
        'not-acceptable': '`Accept` excludes JSON, and prefers no stream of events.',
        'too-large': true,
        'unsupported-media-type': 'The body is no `multipart/form-data`.',
        unprocessable:
          'The new schema does not compile, is of the other language, refers to what is not there, or takes too long to check.',
        unavailable: `An assessment for this client is under way, or ${maxConcurrentAssessments} of all clients; or the server stops.`,
      },
      async handle(ctx, context, { id, limit }, readForm) {
        const { impact } = context.services
        const caller = context.callerOf(ctx)
        ctx.vary('Accept')
        const asEvents = prefersEventStream(ctx.headers.accept)
        if (!asEvents) requireJsonAccepted(ctx.headers.accept)
        const { accepted: bases } = context.basesOf(ctx)
        const parts = await readForm(() => impact.demandAllowed(caller, id))
        const upload = schemaParts(parts)
        if (!upload) throw malformedRequest('There is no schema to look at: send a part schema or include.')
        const signal = context.longLived.track(ctx)
        const assessment = await impact.assess(caller, id, upload, { bases }, signal)
        const shown: Shown = { limit, root: apiRootUrl(context, ctx) }
        if (asEvents) {
          sendEvents(ctx, eventsOf(assessment, shown, ctx.path))
          return
        }
        const result = await resultOf(assessment, shown)
        ctx.set('Cache-Control', 'no-store')
        sendJson(ctx, result, 'application/json')
      },
    }),
  ]
}

/** @throws ProblemError `unavailable` where the server stops */
async function resultOf({ steps, ...about }: Assessment, shown: Shown): Promise<object> {
  const result = openResult(about, shown)
  for await (const step of steps) {
    if (step.kind === 'document') result.add(step.document)
    if (step.kind === 'end') return result.end(step.tally)
  }
  throw shuttingDown()
}

async function* eventsOf(
  { steps, ...about }: Assessment,
  shown: Shown,
  path: string,
): AsyncGenerator<string> {
  const result = openResult(about, shown)
  try {
    for await (const step of steps) {
      if (step.kind === 'document') result.add(step.document)
      yield step.kind === 'end' ? event('result', result.end(step.tally)) : eventOf(step, shown.root)
      if (step.kind === 'end') return
    }
    throw shuttingDown()
  } catch (error) {
    // The answer has begun: what is wrong is told in it.
    if (!(error instanceof ProblemError)) throw error
    yield `event: problem\ndata: ${problemAnswer(error, path).body}\n\n`
  }
}

function eventOf(step: Exclude<ImpactStep, { kind: 'end' }>, root: string): string {
  return step.kind === 'progress'
    ? event('progress', step.tally)
    : event('document', shownDocument(step.document, root))
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Gathers the documents that are listed, and no more than those. */
function openResult({ schema, commit }: Omit<Assessment, 'steps'>, { limit, root }: Shown) {
  const documents: object[] = []
  return {
    add(document: AffectedDocument): void {
      if (documents.length < limit) documents.push(shownDocument(document, root))
    },
    end({ checked, breaking, invalidBefore }: ImpactCounts): object {
      const more = breaking + invalidBefore > documents.length
      return { schema, commit, checked, breaking, invalidBefore, documents, more }
    },
  }
}

function shownDocument(document: AffectedDocument, root: string): object {
  const { id, version } = document
  return { ...document, links: { version: recordUrl(root, 'metadata', id, version) } }
}

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

const impactSchemas: Readonly<Record<string, Schema>> = {
  Impact: closedObject({
    schema: closedObject({ id: schemaRef('Id'), version: schemaRef('Version') }, ['id', 'version'], {
      description: 'The schema as it is.',
    }),
    commit: { ...schemaRef('Commit'), description: 'The documents are those of this commit.' },
    checked: count('Documents that follow the schema, in whatever version, and that the caller may read.'),
    breaking: count('Those that are valid, and would not be.'),
    invalidBefore: count('Those that would not be valid, and are not valid as it is.'),
    documents: listOf(schemaRef('AffectedDocument'), {
      description: 'What is counted in `breaking` and `invalidBefore`, by id, up to the limit.',
    }),
    more: { type: 'boolean', description: 'There are more than are listed.' },
  }),
  AffectedDocument: closedObject({
    id: schemaRef('Id'),
    version: schemaRef('Version'),
    schemaVersion: { ...schemaRef('Version'), description: 'The version of the schema it follows.' },
    validBefore: { type: 'boolean', description: 'It is valid against that version.' },
    findings: listOf(schemaRef('Finding'), {
      description: `What the new schema finds wrong: the first ${maxFindingsPerDocument}.`,
    }),
    links: closedObject({
      version: { type: 'string', format: 'uri', description: 'The record and its document.' },
    }),
  }),
}

const example = {
  schema: { id: 'measurement', version: 1 },
  commit: '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
  checked: 420,
  breaking: 1,
  invalidBefore: 0,
  documents: [
    {
      id: 'overview-7',
      version: 2,
      schemaVersion: 1,
      validBefore: true,
      findings: [{ message: 'must have the member "operator"', path: '', schemaPath: '#/required' }],
      links: { version: 'http://localhost:8040/api/v1/metadata/overview-7?version=2' },
    },
  ],
  more: false,
}
