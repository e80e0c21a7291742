import {
  type Collection,
  collectionLabels,
  collectionNames,
  contentNames,
} from '../../../core/records/collection.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, schemaRef } from '../../../http/openapi/specification-types.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { recordIds } from '../../../http/parameters/record-parameters.js'
import { version } from '../../../http/parameters/version-parameters.js'
import { listBody } from '../../../http/response/list-response.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import {
  exampleOrigin,
  notFoundMeaning,
  readRevision,
  renderOrigin,
} from '../../../http/routes/records/history-of-record.js'
import type { Comparison } from '../open-comparison.js'
import { undecodableMeaning } from './difference-schemas.js'

const route = routesWith<FeatureApiContext<Comparison>>()

/** The route that tells who changed each part of a document last. */
export function documentBlameRoute(
  api: DescribedApiVersion,
  kind: Collection,
): Route<FeatureApiContext<Comparison>> {
  return route({
    method: 'get',
    path: `/${collectionNames[kind]}/{id}/blame`,
    ...operationIn(api, kind, `blameOf${collectionLabels[kind]}`),
    summary: 'Find who changed each part last',
    description: `For each member of the ${contentNames[kind]}: the version that changed it last, its commit, time and author.`,
    answers: 'json',
    access: 'READ',
    parameters: { id: recordIds[kind], version, at },
    responses: {
      200: {
        description: 'The members in the order of the document.',
        content: contentOf(['application/json'], schemaRef('Blame'), {
          one: { version: 2, type: 'JSON', members: [{ path: '/title', ...exampleOrigin }] },
        }),
      },
    },
    problems: {
      'not-found': notFoundMeaning,
      'not-acceptable': true,
      'too-large': 'The document is too large, or has too many parts.',
      unprocessable: undecodableMeaning,
    },
    async handle(ctx, context, parameters) {
      const revision = await readRevision(ctx, context, kind, parameters)
      const client = context.signals.clientOf(ctx)
      const blame = await context.feature.diffAndBlame.blame(revision, client)
      const start = JSON.stringify({ version: blame.version, type: blame.type }).replace(
        /\}$/,
        ',"members":[',
      )
      const end = blame.cut === undefined ? ']}' : `],"cut":${JSON.stringify(blame.cut)}}`
      const body = await listBody(
        ctx,
        context,
        blame.members,
        ({ path: member, ...origin }) => JSON.stringify({ path: member, ...renderOrigin(origin) }),
        [start, end],
      )
      ctx.set('Content-Type', 'application/json')
      ctx.body = body
    },
  })
}
