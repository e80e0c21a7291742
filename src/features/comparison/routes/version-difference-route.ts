import {
  type Collection,
  collectionLabels,
  collectionNames,
  contentNames,
} from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import { chooseMediaType } from '../../../http/negotiation/content-negotiation.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { schemaRef } from '../../../http/openapi/specification-types.js'
import { listOf } from '../../../http/openapi/value-schemas.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { recordIds } from '../../../http/parameters/record-parameters.js'
import { fromVersion, toVersion } from '../../../http/parameters/version-parameters.js'
import type { RequestedVersion } from '../../../http/request/read-requested.js'
import { sendLong } from '../../../http/response/send-body.js'
import { apiRootUrl } from '../../../http/route-context.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import {
  notFoundMeaning,
  readRevision,
  renderOrigin,
} from '../../../http/routes/records/history-of-record.js'
import type { Comparison } from '../open-comparison.js'
import type { Difference } from '../revisions/revision-difference.js'
import { differenceSchemas, undecodableMeaning } from './difference-schemas.js'

const route = routesWith<FeatureApiContext<Comparison>>()

/** The route that compares two versions of a record. */
export function versionDifferenceRoute(
  api: DescribedApiVersion,
  kind: Collection,
): Route<FeatureApiContext<Comparison>> {
  const document = contentNames[kind]
  return route({
    method: 'get',
    path: `/${collectionNames[kind]}/{id}/diff`,
    ...operationIn(api, kind, `diffOf${collectionLabels[kind]}`),
    summary: 'Compare two versions',
    description:
      `\`Accept\` chooses the format: \`application/json\` has the changes of the record and of each part of the ${document}; ` +
      `\`application/json-patch+json\` has the changes of the ${document} only, which must be JSON; \`text/x-diff\` has all ` +
      'files as a unified diff.' +
      (kind === 'schema' ? ' Each change of a schema has its effect on documents that follow it.' : ''),
    access: 'READ',
    parameters: { id: recordIds[kind], fromVersion, toVersion, at },
    schemas: differenceSchemas,
    responses: {
      200: {
        description: 'The changes; an empty list if the versions are equal.',
        content: {
          'application/json': { schema: schemaRef('Difference') },
          'application/json-patch+json': { schema: listOf(schemaRef('Operation')) },
          'text/x-diff': { schema: { type: 'string' } },
        },
      },
    },
    problems: {
      'not-found': notFoundMeaning,
      'not-acceptable':
        '`Accept` names none of the types, or it asks for a JSON Patch and the document is XML.',
      'too-large':
        'The document is too large for a comparison of its parts, or the files are too large for a diff.',
      unprocessable: undecodableMeaning,
    },
    async handle(ctx, context, parameters) {
      const { diffAndBlame } = context.feature
      ctx.vary('Accept')
      const type = chooseMediaType(ctx.headers.accept, [
        'application/json',
        'application/json-patch+json',
        'text/x-diff',
      ])
      const read = (version: RequestedVersion['version']) =>
        readRevision(ctx, context, kind, { id: parameters.id, at: parameters.at, version })
      const from = await read(parameters.fromVersion)
      const to = await read(parameters.toVersion)
      const client = context.signals.clientOf(ctx)
      const written = {
        'text/x-diff': () => diffAndBlame.text(from, to, client),
        'application/json-patch+json': () => diffAndBlame.patch(from, to, client),
        'application/json': async () => {
          const root = apiRootUrl(context, ctx)
          const render = (revision: Revision) => context.renderer.record(revision, root)
          return renderDifference(await diffAndBlame.difference(from, to, render, client))
        },
      }
      const text = await written[type]()
      sendLong(ctx, context.responseMemory, text, type === 'text/x-diff' ? `${type}; charset=utf-8` : type)
    },
  })
}

/** A difference as JSON text. Its changes are JSON text already: parsing and rendering many would take long. */
function renderDifference({ from, to, record, document, effect, files }: Difference): string {
  const { type, changes } = document
  const members = [
    `"from":${JSON.stringify(renderOrigin(from))}`,
    `"to":${JSON.stringify(renderOrigin(to))}`,
    `"record":${record}`,
    `"document":{"type":"${type}"${changes === undefined ? '' : `,"changes":${changes}`}}`,
    ...(effect === undefined ? [] : [`"effect":"${effect}"`]),
    ...(files === undefined ? [] : [`"files":${JSON.stringify(files)}`]),
  ]
  return `{${members.join()}}`
}
