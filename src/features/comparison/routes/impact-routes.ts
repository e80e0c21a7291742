import { malformedRequest, ProblemError, shuttingDown } from '../../../core/problem.js'
import { namedDocument } from '../../../http/forms/form-parts.js'
import { prefersEventStream, requireJsonAccepted } from '../../../http/negotiation/content-negotiation.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, exampleCommit, listOf } from '../../../http/openapi/value-schemas.js'
import { limitParameter } from '../../../http/parameters/page-parameters.js'
import { schemaId } from '../../../http/parameters/record-parameters.js'
import { problemAnswer } from '../../../http/problems/problem-details.js'
import { recordUrl } from '../../../http/record-formats/record-urls.js'
import { sendJson } from '../../../http/response/send-body.js'
import { eventStreamHeaders, sendEvents, serverSentEvent } from '../../../http/response/server-sent-events.js'
import { apiRootUrl } from '../../../http/route-context.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { schemaWithoutRecord } from '../../../http/route-declaration/request-form.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import { maxConcurrentAssessments } from '../impact/assessment-slots.js'
import { type AffectedDocument, type Assessment, maxFindingsPerDocument } from '../impact/schema-impact.js'
import type { Comparison } from '../open-comparison.js'

/** Bounds of the parameter `limit`, in documents that a result lists. */
const documentLimits = { min: 0, usual: 100, max: 1000 }

const route = routesWith<FeatureApiContext<Comparison>>()

/** The effect of a new schema on the stored documents. @see docs/use/history.md */
export function impactRoutes(api: DescribedApiVersion): readonly Route<FeatureApiContext<Comparison>>[] {
  return [
    route({
      method: 'post',
      path: '/schemas/{id}/impact',
      ...operationIn(api, 'schema', 'impactOfSchema'),
      summary: 'Find what a change would break',
      description:
        'Validates every document that follows a version of the schema against a new schema, and stores nothing. It ' +
        'checks the newest version of each document that the caller may read, as of one commit. With ' +
        '`Accept: text/event-stream` the response is a stream of server-sent events: `progress` (`checked`, `total`, ' +
        '`breaking`, `invalidBefore`), `document` for every document that would not be valid, then `result`, with the ' +
        'body of the JSON response; or `problem`, with problem details. The work ends when the client disconnects.',
      access: 'WRITE',
      parameters: {
        id: schemaId,
        limit: limitParameter(
          'limit',
          `Documents that the result lists. More than ${documentLimits.max} count as ${documentLimits.max}. The numbers count all documents.`,
          documentLimits,
        ),
      },
      form: schemaWithoutRecord,
      schemas: impactSchemas,
      responses: {
        200: {
          description:
            'The number of documents that would not be valid, and the first ones with the reasons.',
          headers: { 'Cache-Control': headerRef('CacheControl'), ...eventStreamHeaders },
          content: {
            ...contentOf(['application/json'], schemaRef('Impact'), { one: example }),
            'text/event-stream': { schema: { type: 'string', pattern: '^event: progress\\n' } },
          },
        },
      },
      problems: {
        unauthenticated: true,
        forbidden: true,
        'not-found': 'There is no such schema, or it is REVOKED and the caller may not read it.',
        'not-acceptable': '`Accept` excludes JSON, and does not prefer an event stream.',
        'too-large': true,
        'unsupported-media-type': 'The body is not `multipart/form-data`.',
        unprocessable:
          'The new schema does not compile, is in the other language, refers to a missing file, or takes too long to compile.',
        unavailable: `This client has another assessment under way, or all clients have ${maxConcurrentAssessments}; or the server stops.`,
      },
      async handle(ctx, context, { id, limit }, readForm) {
        const { impact } = context.feature
        const caller = context.callerOf(ctx)
        ctx.vary('Accept')
        const asEvents = prefersEventStream(ctx.headers.accept)
        if (!asEvents) requireJsonAccepted(ctx.headers.accept)
        const { accepted: bases } = context.basesOf(ctx)
        const { schema, include } = await readForm(() => impact.demandAllowed(caller, id))
        if (!schema && !include)
          throw malformedRequest('The request has no schema: send a part schema or include.')
        const upload = { ...(schema && namedDocument(schema)), ...(include && { files: include }) }
        const signal = context.signals.of(ctx)
        const assessment = await impact.assess(caller, id, upload, { bases }, signal)
        const events = eventsOf(assessment, limit, apiRootUrl(context, ctx))
        if (asEvents) {
          sendEvents(ctx, textOf(events, ctx.path))
          return
        }
        let result: object = {}
        for await (const { data } of events) result = data
        ctx.set('Cache-Control', 'no-store')
        sendJson(ctx, result, 'application/json')
      },
    }),
  ]
}

interface ImpactEvent {
  readonly name: 'progress' | 'document' | 'result'
  readonly data: object
}

/**
 * The events of an assessment. The last one is the result.
 * @param limit of the documents that the result lists
 * @param root base URL and mount, with which URLs in the result begin
 * @throws ProblemError `unavailable` if the server stops
 */
async function* eventsOf(
  { steps, schema, commit }: Assessment,
  limit: number,
  root: string,
): AsyncGenerator<ImpactEvent, void> {
  const documents: object[] = []
  for await (const step of steps) {
    if (step.kind === 'progress') {
      yield { name: 'progress', data: step.tally }
    } else if (step.kind === 'document') {
      const document = renderDocument(step.document, root)
      if (documents.length < limit) documents.push(document)
      yield { name: 'document', data: document }
    } else {
      const { checked, breaking, invalidBefore } = step.tally
      const more = breaking + invalidBefore > documents.length
      yield { name: 'result', data: { schema, commit, checked, breaking, invalidBefore, documents, more } }
      return
    }
  }
  throw shuttingDown()
}

async function* textOf(events: AsyncGenerator<ImpactEvent>, path: string): AsyncGenerator<string> {
  try {
    for await (const { name, data } of events) yield serverSentEvent(name, JSON.stringify(data))
  } catch (error) {
    // The status is sent already, so the problem becomes an event.
    if (!(error instanceof ProblemError)) throw error
    yield serverSentEvent('problem', problemAnswer(error, path).body)
  }
}

function renderDocument(document: AffectedDocument, root: string): object {
  const { id, version } = document
  return { ...document, links: { version: recordUrl(root, 'metadata', id, version) } }
}

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

const impactSchemas: Readonly<Record<string, Schema>> = {
  Impact: closedObject({
    schema: closedObject({ id: schemaRef('Id'), version: schemaRef('Version') }, ['id', 'version'], {
      description: 'The stored schema.',
    }),
    commit: { ...schemaRef('Commit'), description: 'The documents are those of this commit.' },
    checked: count('Documents that follow a version of the schema and that the caller may read.'),
    breaking: count('Documents that are valid now, and are not valid against the new schema.'),
    invalidBefore: count('Documents that are valid neither now nor against the new schema.'),
    documents: listOf(schemaRef('AffectedDocument'), {
      description: 'The documents of `breaking` and `invalidBefore`, ordered by id, up to the limit.',
    }),
    more: { type: 'boolean', description: 'There are more documents than `documents` lists.' },
  }),
  AffectedDocument: closedObject({
    id: schemaRef('Id'),
    version: schemaRef('Version'),
    schemaVersion: {
      ...schemaRef('Version'),
      description: 'The version of the schema that the document follows.',
    },
    validBefore: { type: 'boolean', description: 'Whether the document is valid against that version.' },
    findings: listOf(schemaRef('Finding'), {
      description: `The first ${maxFindingsPerDocument} errors against the new schema.`,
    }),
    links: closedObject({
      version: { type: 'string', format: 'uri', description: 'The record and its document.' },
    }),
  }),
}

const example = {
  schema: { id: 'measurement', version: 1 },
  commit: exampleCommit,
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
