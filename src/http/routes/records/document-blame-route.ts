import {
  type Collection,
  collectionLabels,
  collectionNames,
  contentNames,
} from '../../../core/records/collection.js'
import { contentOf, schemaRef } from '../../openapi/specification-types.js'
import { at } from '../../parameters/at-parameter.js'
import { recordIds } from '../../parameters/record-parameters.js'
import { version } from '../../parameters/version-parameters.js'
import { listBody } from '../../response/list-response.js'
import type { ApiContext } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import { type Route, routesWith } from '../../route-declaration/route.js'
import {
  exampleOrigin,
  notFoundMeaning,
  readRevision,
  renderOrigin,
  undecodableMeaning,
} from './history-of-record.js'

const route = routesWith<ApiContext>()

/** The route that tells who changed each part of a document last. */
export function documentBlameRoute(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
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
      const blame = await context.services.diffAndBlame.blame(revision, client)
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
