import type { Context } from 'koa'
import type { Principal } from '../../../core/access-control.js'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { type Collection, contentNames, otherCollection } from '../../../core/records/collection.js'
import { pageWindow } from '../../../core/records/list-page.js'
import type { Revision } from '../../../core/records/revision.js'
import { linkHeader } from '../../../core/text/web-link.js'
import type { Id } from '../../../core/value-types.js'
import { type Headers, headerRef } from '../../../http/openapi/specification-types.js'
import { type ApiVersionNumber, addressesAt } from '../../../http/page-urls/page-urls.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { pageFrom1 } from '../../../http/parameters/page-parameters.js'
import { recordNamed, schemaNamed, schemaNamedById } from '../../../http/parameters/record-parameters.js'
import { versionOrNone } from '../../../http/parameters/version-parameters.js'
import { type RequestedVersion, readRequestedRevision } from '../../../http/request/read-requested.js'
import { htmlPage } from '../../../http/route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import { attachedFiles } from '../../../service/rules/schema-source.js'
import type { Services } from '../../../service/services.js'
import { recordWithDescription } from '../../exports/datacite/record-with-description.js'
import { adjacentVersionsOf, readableOrUndefined } from '../../exports/routes/adjacent-versions.js'
import { answerExport } from '../../exports/routes/answer-export.js'
import { describedRecord } from '../../exports/routes/described-record.js'
import { exportContent, formatHeaders } from '../../exports/routes/export-content.js'
import { chooseExport } from '../../exports/routes/export-negotiation.js'
import { maxLinkHeaderLength, signpostsOf } from '../../exports/routes/signposting.js'
import { maxPreviewBytes, readableText } from '../html/document-preview.js'
import type { RecordView } from '../html/record-details.js'
import { recordPage } from '../html/record-page.js'
import {
  aboutPage,
  addressesIn,
  frameOf,
  openPage,
  type PageContext,
  pageResponse,
  problemsAsPages,
  sendPage,
} from './page-responses.js'

/** Limit of the versions that the page of a record lists at once. */
const versionsPerPage = 100

const route = routesWith<PageContext>()
const versionParameters = { version: versionOrNone, at, page: pageFrom1 }

/** Headers of an export of a record. */
const negotiated: Headers = {
  ETag: { description: 'With a format: the state, and its name.', schema: { type: 'string' } },
  'Content-Location': {
    description: 'With a format: its own address.',
    schema: { type: 'string', format: 'uri' },
  },
}

/**
 * The page of each record. Pages with `-v2` in the path link to version 2 of the interface.
 * @see docs/contract.md#landing-pages
 */
export const landingPageRoutes: readonly Route<PageContext>[] = ([1, 2] as const).flatMap(apiVersion => [
  schemaLandingPage(apiVersion),
  metadataLandingPage(apiVersion),
])

function schemaLandingPage(apiVersion: ApiVersionNumber): Route<PageContext> {
  return route({
    ...aboutLandingPage('schema', apiVersion),
    parameters: { schemaNamed, schemaNamedById, ...versionParameters },
    handle(ctx, site, parameters) {
      const name = requiredName('schemaId', parameters.schemaNamed || parameters.schemaNamedById)
      return answerRecord(ctx, site, 'schema', apiVersion, name, parameters)
    },
  })
}

function metadataLandingPage(apiVersion: ApiVersionNumber): Route<PageContext> {
  return route({
    ...aboutLandingPage('metadata', apiVersion),
    parameters: { recordNamed, ...versionParameters },
    handle(ctx, site, parameters) {
      const name = requiredName('id', parameters.recordNamed)
      return answerRecord(ctx, site, 'metadata', apiVersion, name, parameters)
    },
  })
}

function aboutLandingPage(kind: Collection, version: ApiVersionNumber) {
  const what = contentNames[kind]
  return {
    ...aboutPage(
      `${kind}LandingPageV${version}`,
      `The page of a ${what}, version ${version}`,
      `Shows a ${what} with its record and links to all its versions; without \`version\` the newest. ` +
        '`Accept` chooses a format of others in place of the page. ' +
        `For programs the links stand in \`Link\` and in the head of the page (FAIR Signposting), and lead to version ${version} of the interface.`,
    ),
    method: 'get',
    path: `/${kind}-landing-page${version === 1 ? '' : '-v2'}`,
    access: 'READ',
    responses: {
      200: {
        ...pageResponse('The page, or the record in the format that `Accept` prefers.', {
          Link: headerRef('Signposts'),
          ...negotiated,
          ...formatHeaders,
        }),
        content: { ...htmlPage, ...exportContent },
      },
      304: {
        description: 'The client has this state of a format already.',
        headers: { 'Cache-Control': headerRef('CacheControl'), ...negotiated },
      },
    },
    problems: {
      'malformed-request':
        version === 1
          ? 'The request names no record, or a record of the other kind.'
          : 'The request names no record, or has an invalid parameter.',
      'not-found': 'There is no such record or version, or there was none at the point `at`.',
      'page-out-of-range': true,
    },
    problemsAs: problemsAsPages,
  } as const
}

interface AskedPage extends RequestedVersion {
  readonly page: number
}

/** Demands the parameter that names the record. @throws ProblemError `malformed-request` */
function requiredName(parameter: string, name: string | undefined): string {
  if (name) return name
  throw malformedRequest(`The parameter ${parameter} is missing: it names the record.`)
}

/** Answers with the page of a version, of a point of history, or of the newest version; or with an export. */
async function answerRecord(
  ctx: Context,
  site: PageContext,
  kind: Collection,
  apiVersion: ApiVersionNumber,
  nameAsked: string,
  { version, at: point, page }: AskedPage,
): Promise<void> {
  const { services } = site
  const caller = site.callerOf(ctx)
  const today = point ? undefined : await newestOf(site, caller, kind, apiVersion, nameAsked)
  const name = today?.id ?? nameAsked
  const revision =
    today && version === undefined
      ? today
      : await readRequestedRevision(ctx, site, kind, name, { version, at: point })
  const { id, unserved } = revision
  const newest =
    today ?? (await readableOrUndefined(() => services.collections[kind].read(caller, id))) ?? revision
  const neighbours = await adjacentVersionsOf(services, caller, revision, newest)
  const here = addressesIn(ctx, site, apiVersion)
  const all = unserved ? addressesAt(here, unserved.point) : here
  const isPinned = version !== undefined || point !== undefined
  const wanted = chooseExport(ctx.headers.accept)
  if (wanted) {
    const pinned = isPinned ? revision.version : undefined
    ctx.set('Content-Location', all.export(kind, id, wanted, pinned))
    const asked = { revision, format: wanted, addresses: all, isPinned, neighbours: async () => neighbours }
    await answerExport(ctx, site, asked)
    return
  }
  const size = await services.blobSize(revision.document)
  const described = await describedRecord(ctx, site, { revision, addresses: all, isPinned })
  const signposts = signpostsOf(revision, all, neighbours, described.document)
  const followed = revision.record.schema
  const schema =
    followed &&
    (await readableOrUndefined(() =>
      readRequestedRevision(ctx, site, 'schema', followed.schemaId, { version: followed.version, at: point }),
    ))
  const html = recordPage(frameOf(ctx, site), all, {
    revision,
    newest,
    neighbours,
    document: {
      size,
      text: await textOf(services, revision, size),
      drawn: await site.feature.shown.draw?.(revision, schema, caller.client),
    },
    files: [...attachedFiles(revision).keys()],
    ...(schema ? { schema } : {}),
    ...(today && kind === 'schema' ? { followers: followersOf(services, caller, id) } : {}),
    ...(point ? { at: point.text } : {}),
    ...(today && version === undefined ? { versions: await versionsOf(services, caller, today, page) } : {}),
    unserved: today && version === undefined ? await services.audit.unserved(kind, id, caller.client) : [],
    comparisonOf: site.feature.shown.comparisonOf,
    sections: await site.sectionsOf(revision, caller, point?.text),
    signposts,
    described,
    shown: recordWithDescription(revision.record, described),
    isPinned,
  })
  ctx.set('Link', linkHeader(signposts, maxLinkHeaderLength))
  sendPage(ctx, html)
}

/** The text of the document; undefined if it is too large for a page: then it is not read. */
async function textOf(services: Services, revision: Revision, size: number): Promise<string | undefined> {
  if (size > maxPreviewBytes) return undefined
  return readableText(await services.readDocument(revision), revision.documentType)
}

/**
 * The newest version of the record with this id or other name.
 * @throws ProblemError `not-found`, `forbidden`; `malformed-request` on pages of version 1 for a record of the other
 *   kind
 * @see docs/contract.md#landing-pages
 */
async function newestOf(
  { services }: PageContext,
  caller: Principal,
  kind: Collection,
  version: ApiVersionNumber,
  name: string,
): Promise<Revision> {
  try {
    return services.collections[kind].read(caller, name)
  } catch (error) {
    if (version !== 1 || !(error instanceof ProblemError) || error.kind !== 'not-found') throw error
    const other = otherCollection[kind]
    const misplaced = await readableOrUndefined(() => services.collections[other].read(caller, name))
    if (!misplaced) throw error
    const page = `/${other}-landing-page`
    throw malformedRequest(`"${misplaced.id}" is a ${other} record: its page is ${page}.`)
  }
}

function followersOf(services: Services, caller: Principal, schemaId: Id): number {
  const query = { schemaIds: [schemaId] }
  const { list, countRevoked } = services.collections.metadata
  return list(caller, query, pageWindow(0, 1)).total - countRevoked(caller, query)
}

async function versionsOf(
  services: Services,
  caller: Principal,
  { kind, id }: Revision,
  page: number,
): Promise<NonNullable<RecordView['versions']>> {
  const { window, view } = openPage({ page, at: undefined }, versionsPerPage)
  const { records, ...place } = view(services.collections[kind].versions(caller, id, window))
  const entries = await services.audit.versions(records.items, caller.client)
  return { listed: records, ...place, entries }
}
