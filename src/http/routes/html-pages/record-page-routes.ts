import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import { pageWindow } from '../../../core/records/list-page.js'
import type { Revision } from '../../../core/records/revision.js'
import { asVersion, type Id } from '../../../core/value-types.js'
import { attachedFiles } from '../../../service/rules/assemble-schema-bundle.js'
import type { Services } from '../../../service/services.js'
import { readableText } from '../../html-pages/document-preview.js'
import { type ApiVersionNumber, addressesAt } from '../../html-pages/page-urls.js'
import type { RecordView } from '../../html-pages/record-details.js'
import { recordPage } from '../../html-pages/record-page.js'
import { type AdjacentVersions, linkHeader, signpostsOf } from '../../html-pages/signposting.js'
import { atParameter, readRequestedRevision } from '../../request/at-parameter.js'
import { singleParameter } from '../../request/query-parameters.js'
import type { UnversionedContext } from '../../route-context.js'
import {
  addressesIn,
  frameOf,
  pageParameter,
  problemsAsPages,
  recordsOf,
  sendPage,
  versionAsked,
} from './page-responses.js'

/** Versions of a record that its page lists at once. */
const versionsListed = 100

/** The page of every record for people; those ending in `-v2` lead to version 2 of the interface. @see contract, 7 */
export function landingPageRoutes(router: Router, site: UnversionedContext): void {
  for (const version of [1, 2] as const) {
    const suffix = version === 1 ? '' : '-v2'
    for (const kind of ['schema', 'metadata'] as const) {
      router.get(`/${kind}-landing-page${suffix}`, problemsAsPages(site), ctx =>
        answerRecord(ctx, site, kind, version),
      )
    }
  }
}

/** The page of a record: of one version, of its state at a point of history, or of the newest version with a list of all. */
async function answerRecord(
  ctx: Context,
  site: UnversionedContext,
  kind: Collection,
  version: ApiVersionNumber,
): Promise<void> {
  const { services } = site
  const caller = site.callerOf(ctx)
  const asked = versionAsked(ctx)
  const at = atParameter(ctx.query)
  const today = at ? undefined : await newestAsked(ctx, site, caller, kind, version)
  const name = today?.id ?? nameAsked(ctx, kind)
  const revision =
    today && asked === undefined ? today : await readRequestedRevision(ctx, site, kind, name, asked)
  const { id, aside } = revision
  const newest = today ?? (await found(() => recordsOf(services, kind).read(caller, id))) ?? revision
  const neighbours = await neighboursOf(services, caller, revision, newest)
  const here = addressesIn(ctx, site, version)
  const all = aside ? addressesAt(here, aside.point) : here
  const bytes = await services.readDocument(revision)
  const signposts = signpostsOf(revision, all, neighbours)
  const followed = revision.record.schema
  const schema =
    followed &&
    (await found(() => readRequestedRevision(ctx, site, 'schema', followed.schemaId, followed.version)))
  const page = recordPage(frameOf(ctx, site), all, {
    revision,
    newest,
    neighbours,
    document: { size: bytes.length, text: readableText(bytes, revision.documentType) },
    files: kind === 'schema' ? [...attachedFiles(revision.files).keys()] : [],
    ...(schema ? { schema } : {}),
    ...(today && kind === 'schema' ? { followers: followersOf(services, caller, id) } : {}),
    ...(at ? { at: at.text } : {}),
    ...(today && asked === undefined ? { versions: await versionsOf(ctx, services, caller, today) } : {}),
    signposts,
  })
  ctx.set('Link', linkHeader(signposts))
  sendPage(ctx, page)
}

/** @throws ProblemError `malformed-request` */
function nameAsked(ctx: Context, kind: Collection): string {
  const parameter = kind === 'schema' ? 'schemaId' : 'id'
  const name = singleParameter(ctx.query, parameter) || singleParameter(ctx.query, 'id')
  if (name) return name
  throw new ProblemError('malformed-request', `Say which record by the parameter ${parameter}.`)
}

/**
 * The record a landing page is asked for, by whatever name, as it is today.
 * @throws ProblemError `not-found`, `forbidden`; `malformed-request` without a name, and on pages of version 1 for a
 *   record of the other kind
 * @see contract, "Errors"
 */
async function newestAsked(
  ctx: Context,
  { services }: UnversionedContext,
  caller: Principal,
  kind: Collection,
  version: ApiVersionNumber,
): Promise<Revision> {
  const name = nameAsked(ctx, kind)
  try {
    return recordsOf(services, kind).read(caller, name)
  } catch (error) {
    if (version !== 1 || !(error instanceof ProblemError) || error.kind !== 'not-found') throw error
    const other = kind === 'schema' ? 'metadata' : 'schema'
    const misplaced = await found(() => recordsOf(services, other).read(caller, name))
    if (!misplaced) throw error
    const page = `/${other}-landing-page`
    throw new ProblemError(
      'malformed-request',
      `"${misplaced.id}" is a ${other} record: its page is ${page}.`,
    )
  }
}

/** What a service finds; undefined for what is not there or not the caller's to read. */
async function found<T>(look: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof ProblemError && (error.kind === 'not-found' || error.kind === 'forbidden'))
      return undefined
    throw error
  }
}

/** The versions next to one; those that cannot be read are passed over. */
async function neighboursOf(
  services: Services,
  caller: Principal,
  revision: Revision,
  newest: Revision,
): Promise<AdjacentVersions> {
  const { kind, id, version, previous } = revision
  let next: Revision | undefined
  for (let number = version + 1; !revision.aside && !next && number <= newest.version; number++)
    next = await found(() => recordsOf(services, kind).read(caller, id, asVersion(number)))
  return { ...(previous ? { previous } : {}), ...(next ? { next: next.version } : {}) }
}

function followersOf(services: Services, caller: Principal, schemaId: Id): number {
  return services.metadata.list(caller, { schemaIds: [schemaId] }, pageWindow(0, 1)).total
}

async function versionsOf(
  ctx: Context,
  services: Services,
  caller: Principal,
  { kind, id }: Revision,
): Promise<NonNullable<RecordView['versions']>> {
  const { window, view } = pageParameter(ctx, versionsListed)
  const { records, ...place } = view(recordsOf(services, kind).versions(caller, id, window))
  const authors = await services.audit.authors(records.items.map(({ commit }) => commit))
  return { listed: records, ...place, authors }
}
