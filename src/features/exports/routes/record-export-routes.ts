import { ProblemError } from '../../../core/problem.js'
import {
  type Collection,
  collectionLabels,
  collectionNames,
  collections,
} from '../../../core/records/collection.js'
import { truncate } from '../../../core/value-types.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { headerRef } from '../../../http/openapi/specification-types.js'
import { addressesAt, addressesBelow, type PageUrls } from '../../../http/page-urls/page-urls.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { recordIds } from '../../../http/parameters/record-parameters.js'
import { pathParameter } from '../../../http/parameters/request-parameter.js'
import { version } from '../../../http/parameters/version-parameters.js'
import { readConditions } from '../../../http/request/conditional-headers.js'
import { readRequestedRevision } from '../../../http/request/read-requested.js'
import { withNotFoundMessage } from '../../../http/response/record-response.js'
import type { ApiContext } from '../../../http/route-context.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import { type ExportName, exportFormats } from '../export-formats.js'
import type { ExportsState } from '../exports.js'
import { adjacentVersionsOf, readableOrUndefined } from './adjacent-versions.js'
import { answerExport } from './answer-export.js'
import { exportContent, formatHeaders } from './export-content.js'
import { chooseVariant } from './export-negotiation.js'

const route = routesWith<FeatureApiContext<ExportsState>>()

const names = exportFormats.map(({ name }) => name)

const format = pathParameter('format', {
  component: 'exportFormat',
  description: 'Name of the format.',
  schema: { type: 'string', enum: names },
  example: 'datacite-json',
})

/** Exports of records. @see docs/use/exports.md */
export function exportRoutes(api: DescribedApiVersion): readonly Route<FeatureApiContext<ExportsState>>[] {
  return collections.map(kind => exportRoute(api, kind))
}

function exportRoute(api: DescribedApiVersion, kind: Collection): Route<FeatureApiContext<ExportsState>> {
  return route({
    method: 'get',
    path: `/${collectionNames[kind]}/{id}/export/{format}`,
    ...operationIn(api, kind, `export${collectionLabels[kind]}`),
    summary: `Read a ${kind === 'schema' ? 'schema' : 'record'} in a format of others`,
    description:
      'The record as DataCite, schema.org, DCAT-AP, Dublin Core, a citation, an RO-Crate, provenance or a linkset. ' +
      '`Accept` chooses between the metadata file of an RO-Crate and a ZIP file with all files, and between a ' +
      'linkset as JSON and as text.',
    access: 'READ',
    parameters: { id: recordIds[kind], format, version, at, ...readConditions },
    responses: {
      200: {
        description: 'The record in the format.',
        headers: {
          ETag: headerRef('ExportTag'),
          'Cache-Control': headerRef('CacheControl'),
          Link: headerRef('Described'),
          ...formatHeaders,
        },
        content: exportContent,
      },
      304: {
        description: 'The client has this state already: `If-None-Match` has its ETag.',
        headers: { ETag: headerRef('ExportTag'), 'Cache-Control': headerRef('CacheControl') },
      },
    },
    problems: {
      'not-found':
        'There is no such format, record or version, or was none at the point `at`; or the record is REVOKED and the ' +
        'caller may not see it.',
    },
    async handle(ctx, context, parameters) {
      const { id: name, version: number, at: point } = parameters
      const wanted = formatNamed(parameters.format)
      const { services, callerOf } = context
      const revision = await withNotFoundMessage(context.recordFormat, 'record', () =>
        readRequestedRevision(ctx, context, kind, name, { version: number, at: point }),
      )
      const caller = callerOf(ctx)
      await answerExport(ctx, context, {
        revision,
        format: chooseVariant(wanted, ctx.headers.accept),
        addresses: addressesOfRequest(context, context.basesOf(ctx).canonical, revision.unserved?.point),
        isPinned: number !== undefined || point !== undefined,
        async neighbours() {
          const newest = await readableOrUndefined(() => services.collections[kind].read(caller, revision.id))
          return await adjacentVersionsOf(services, caller, revision, newest ?? revision)
        },
      })
    },
  })
}

/** The export format with this name. @throws ProblemError `not-found` */
function formatNamed(name: string): ExportName {
  const known = names.find(each => each === name)
  if (known) return known
  throw new ProblemError(
    'not-found',
    `There is no format "${truncate(name)}". The formats are ${names.join(', ')}.`,
  )
}

/** Addresses below the mount of the request. */
export function addressesOfRequest(
  { mount, recordFormat }: ApiContext,
  base: string,
  point: Parameters<typeof addressesAt>[1] | undefined,
): PageUrls {
  const pages = base + (mount.startsWith('/metastore/') ? '/metastore' : '')
  const here = addressesBelow(pages, base + mount, recordFormat.version)
  return point === undefined ? here : addressesAt(here, point)
}
