import { namedDocument } from '../../../http/forms/form-parts.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import { sendJson } from '../../../http/response/send-body.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { schemaAndDocument } from '../../../http/route-declaration/request-form.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'

const route = routesWith<FeatureApiContext<WebApi>>()

/** Tries a schema that is not stored on a document. @see docs/use/interface.md#for-applications */
export function trialRoute(api: DescribedApiVersion): Route<FeatureApiContext<WebApi>> {
  return route({
    method: 'post',
    path: '/trials',
    ...operationIn(api, 'schema', 'tryDocument'),
    summary: 'Try a schema on a document',
    description:
      'Validates a document against a schema that is not stored, as a document is validated before it is stored. Stores nothing.',
    answers: 'json',
    access: 'create-role',
    parameters: {},
    form: schemaAndDocument,
    responses: {
      200: {
        description: 'What is wrong with the document. It is valid if there is nothing.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: contentOf(
          ['application/json'],
          closedObject({ findings: listOf(schemaRef('Finding')) }, ['findings']),
          {
            one: {
              findings: [
                { message: 'must be number', path: '/width', schemaPath: '#/properties/width/type' },
              ],
            },
          },
        ),
      },
    },
    problems: {
      unauthenticated: true,
      forbidden: true,
      'not-acceptable': true,
      'too-large': true,
      'unsupported-media-type': 'The body is not `multipart/form-data`.',
      unprocessable: 'The schema does not compile, or refers to a missing file.',
      unavailable: 'Many documents are waiting to be validated.',
    },
    async handle(ctx, { feature, callerOf, basesOf }, _, readForm) {
      const { schema, include, document } = await readForm()
      const upload = { ...namedDocument(schema), ...(include && { files: include }) }
      const origins = { bases: basesOf(ctx).accepted }
      const findings = await feature.tryDocument(callerOf(ctx), upload, document, origins)
      ctx.set('Cache-Control', 'no-store')
      sendJson(ctx, { findings }, 'application/json')
    },
  })
}
