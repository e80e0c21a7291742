import type { Context } from 'koa'
import type { PointExpression } from '../../../core/history-point.js'
import { entityTag } from '../../../core/precondition.js'
import { ProblemError } from '../../../core/problem.js'
import { type Collection, collectionLabels, collectionNames } from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Id } from '../../../core/value-types.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, exampleCommit } from '../../../http/openapi/value-schemas.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { recordIds } from '../../../http/parameters/record-parameters.js'
import { version } from '../../../http/parameters/version-parameters.js'
import { readRequestedRevision } from '../../../http/request/read-requested.js'
import { sendJson } from '../../../http/response/send-body.js'
import { apiRootUrl } from '../../../http/route-context.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'

const route = routesWith<FeatureApiContext<WebApi>>()

/**
 * A record with what pages call it. A page that shows a record needs one request for it in place of three: for the record,
 * for the title that stands in its document, and for the title of its schema.
 */
export function overviewRoute(api: DescribedApiVersion, kind: Collection): Route<FeatureApiContext<WebApi>> {
  const { responseSchema, responseExample } = api.records[kind]
  const component = `OverviewOf${responseSchema}`
  return route({
    method: 'get',
    path: `/${collectionNames[kind]}/{id}/overview`,
    ...operationIn(api, kind, `overviewOf${collectionLabels[kind]}`),
    summary: 'Read a record with the titles that pages show',
    description:
      'The record with its ETag, which stands in `If-Match` of a change; `title` of the document, if the record has none; ' +
      'and the record of the schema of a document, if the caller may read it.',
    answers: 'json',
    access: 'READ',
    parameters: { id: recordIds[kind], version, at },
    schemas: {
      [component]: closedObject(
        {
          record: schemaRef(responseSchema),
          etag: { type: 'string', description: 'The ETag of the record.' },
          title: { type: 'string', description: 'The title in the document of a record that has none.' },
          schema: schemaRef(api.records.schema.responseSchema),
        },
        ['record', 'etag'],
      ),
    },
    responses: {
      200: {
        description: 'The record and the titles.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: contentOf(['application/json'], schemaRef(component), {
          one: { record: responseExample, etag: `"${exampleCommit}"`, title: 'A rod' },
        }),
      },
    },
    problems: {
      'not-found': 'There is no such record or version, or the caller may not see it.',
      'not-acceptable': true,
    },
    async handle(ctx, context, { id, version: number, at: point }) {
      const revision = await readRequestedRevision(ctx, context, kind, id, { version: number, at: point })
      const schema = revision.record.schema?.schemaId
      const [title, ofSchema] = await Promise.all([
        context.feature.titleInDocument(revision),
        schema && readSchema(ctx, context, schema, point),
      ])
      const render = (each: Revision) => context.recordFormat.render(each, apiRootUrl(context, ctx))
      ctx.set('Cache-Control', 'no-store')
      sendJson(
        ctx,
        {
          record: render(revision),
          etag: entityTag(revision.commit),
          ...(title !== undefined && { title }),
          ...(ofSchema && { schema: render(ofSchema) }),
        },
        'application/json',
      )
    },
  })
}

/** The newest version of a schema at a point of history; undefined if the caller may not read it. */
async function readSchema(
  ctx: Context,
  context: FeatureApiContext<WebApi>,
  id: Id,
  at: PointExpression | undefined,
): Promise<Revision | undefined> {
  try {
    return await readRequestedRevision(ctx, context, 'schema', id, { version: undefined, at })
  } catch (error) {
    if (error instanceof ProblemError && ['not-found', 'forbidden'].includes(error.kind)) return undefined
    throw error
  }
}
