import { type Collection, collectionLabels, collectionNames } from '../../../core/records/collection.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import { recordIds } from '../../../http/parameters/record-parameters.js'
import { sendJson } from '../../../http/response/send-body.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'

const route = routesWith<FeatureApiContext<WebApi>>()

/**
 * What the caller may do with a record. It is an address of its own, because the answers of others stay as existing
 * clients know them: a member of the record would be in each record of each list, be sent back by clients in a PUT, and
 * make the same ETag name different bodies. `OPTIONS` of the record says which methods the address has, to everybody
 * alike, as browsers send it without a token before a request to another origin.
 */
export function permissionsRoute(
  api: DescribedApiVersion,
  kind: Collection,
): Route<FeatureApiContext<WebApi>> {
  return route({
    method: 'get',
    path: `/${collectionNames[kind]}/{id}/may`,
    ...operationIn(api, kind, `permissionsOn${collectionLabels[kind]}`),
    summary: 'Read what you may do with a record',
    description:
      'The permissions with which requests of this caller are not refused now: READ always, WRITE for a PUT, ' +
      'ADMINISTRATE for the access list, the state and a DELETE. Without a token, on a server that follows another one, ' +
      'and for WRITE alone on a FIXED record, only READ is left.',
    answers: 'json',
    access: 'READ',
    parameters: { id: recordIds[kind] },
    schemas: { May: closedObject({ may: listOf(schemaRef('Permission')) }) },
    responses: {
      200: {
        description: 'The permissions.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: contentOf(['application/json'], schemaRef('May'), { one: { may: ['READ', 'WRITE'] } }),
      },
    },
    problems: {
      'not-found': 'There is no such record, or the caller may not see it.',
      'not-acceptable': true,
    },
    async handle(ctx, { feature, callerOf }, { id }) {
      const may = await feature.permissions(callerOf(ctx), kind, id)
      ctx.set('Cache-Control', 'no-store')
      sendJson(ctx, { may }, 'application/json')
    },
  })
}
