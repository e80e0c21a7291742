import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Revision } from '../../catalog/catalog.js'
import type { Caller } from '../../core/access.js'
import { windowOf } from '../../core/page.js'
import { ProblemError } from '../../core/problem.js'
import { type Id, type Kind, toVersion } from '../../core/values.js'
import { furtherFiles } from '../../service/references.js'
import type { Services } from '../../service/services.js'
import type { Interface } from '../pages/addresses.js'
import { addressesIn, frameOf, readable, recordsOf, send, versionAsked, windowIn } from '../pages/answer.js'
import { readableText } from '../pages/document.js'
import { type RecordView, recordPage } from '../pages/record-page.js'
import { linkHeader, type Neighbours, signpostsOf } from '../pages/signposting.js'
import { single } from '../query.js'
import type { Site } from '../site.js'

/** Versions of a record that its page lists at once. */
const versionsListed = 100

/** The page of every record for people; those ending in `-v2` lead to version 2 of the interface. @see contract, 7 */
export function landingPageRoutes(router: Router, site: Site): void {
  for (const version of [1, 2] as const) {
    const suffix = version === 1 ? '' : '-v2'
    for (const kind of ['schema', 'metadata'] as const) {
      router.get(`/${kind}-landing-page${suffix}`, readable(site), ctx =>
        answerRecord(ctx, site, kind, version),
      )
    }
  }
}

/** The page of a record: of one version, or of the newest with a list of all. */
async function answerRecord(ctx: Context, site: Site, kind: Kind, version: Interface): Promise<void> {
  const { services } = site
  const records = recordsOf(services, kind)
  const caller = site.identify(ctx)
  const newest = newestAsked(ctx, site, caller, kind, version)
  const { id } = newest
  const asked = versionAsked(ctx)
  const revision = asked === undefined ? newest : records.read(caller, id, asked)
  const neighbours = neighboursOf(services, caller, revision, newest)
  const all = addressesIn(ctx, site, version)
  const bytes = await services.document(revision)
  const signposts = signpostsOf(revision, all, neighbours)
  const followed = revision.record.schema
  const schema = followed && found(() => services.schemas.read(caller, followed.schemaId, followed.version))
  const page = recordPage(frameOf(ctx, site), all, {
    revision,
    newest,
    neighbours,
    document: { size: bytes.length, text: readableText(bytes, revision.documentType) },
    files: kind === 'schema' ? [...furtherFiles(revision.files).keys()] : [],
    ...(schema ? { schema } : {}),
    ...(kind === 'schema' ? { followers: followersOf(services, caller, id) } : {}),
    ...(asked === undefined ? { versions: await versionsOf(ctx, services, caller, newest) } : {}),
    signposts,
  })
  ctx.set('Link', linkHeader(signposts))
  send(ctx, page)
}

/**
 * The record a landing page is asked for, by whatever name, as it is today.
 * @throws ProblemError `not-found`, `forbidden`; `malformed-request` without a name, and on pages of version 1 for a
 *   record of the other kind
 * @see contract, "Errors"
 */
function newestAsked(
  ctx: Context,
  { services }: Site,
  caller: Caller,
  kind: Kind,
  version: Interface,
): Revision {
  const parameter = kind === 'schema' ? 'schemaId' : 'id'
  const name = single(ctx.query, parameter) || single(ctx.query, 'id')
  if (!name) throw new ProblemError('malformed-request', `Say which record by the parameter ${parameter}.`)
  try {
    return recordsOf(services, kind).read(caller, name)
  } catch (error) {
    if (version !== 1 || !(error instanceof ProblemError) || error.kind !== 'not-found') throw error
    const other = kind === 'schema' ? 'metadata' : 'schema'
    const misplaced = found(() => recordsOf(services, other).read(caller, name))
    if (!misplaced) throw error
    const page = `/${other}-landing-page`
    throw new ProblemError(
      'malformed-request',
      `"${misplaced.id}" is a ${other} record: its page is ${page}.`,
    )
  }
}

/** What a service finds; undefined for what is not there or not the caller's to read. */
function found<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof ProblemError && (error.kind === 'not-found' || error.kind === 'forbidden'))
      return undefined
    throw error
  }
}

/** The versions next to one; those that cannot be read are passed over. */
function neighboursOf(services: Services, caller: Caller, revision: Revision, newest: Revision): Neighbours {
  const { kind, id, version, previous } = revision
  let next: Revision | undefined
  for (let number = version + 1; !next && number <= newest.version; number++)
    next = found(() => recordsOf(services, kind).read(caller, id, toVersion(number)))
  return { ...(previous ? { previous } : {}), ...(next ? { next: next.version } : {}) }
}

function followersOf(services: Services, caller: Caller, schemaId: Id): number {
  return services.metadata.list(caller, { schemaIds: [schemaId] }, windowOf(0, 1)).total
}

async function versionsOf(
  ctx: Context,
  services: Services,
  caller: Caller,
  { kind, id }: Revision,
): Promise<NonNullable<RecordView['versions']>> {
  const { window, view } = windowIn(ctx, versionsListed)
  const { records, ...place } = view(recordsOf(services, kind).versions(caller, id, window))
  const authors = await services.audit.authors(records.items.map(({ commit }) => commit))
  return { listed: records, ...place, authors }
}
