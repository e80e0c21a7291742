import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { ProblemError } from '../../../core/problem.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { cleanText } from '../../../core/text/clean-text.js'
import type { FeatureContext } from '../../../http/open-feature.js'
import { addressesOf } from '../../../http/page-urls/page-urls.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { pageFrom1 } from '../../../http/parameters/page-parameters.js'
import { readConditions } from '../../../http/request/conditional-headers.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import { describeRecord } from '../datacite/record-to-datacite.js'
import { shortenedDescription, shortenedRevision } from '../export-job.js'
import type { ExportsState } from '../exports.js'
import { dcatDataset } from '../formats/dcat.js'
import {
  type CatalogPage,
  type DcatCatalogWriter,
  jsonLdCatalog,
  turtleCatalog,
} from '../formats/dcat-catalog.js'
import type { WalkedPage } from '../public-records.js'
import { answerUnchangedSince, publicHeaders } from './public-responses.js'

const route = routesWith<FeatureContext<ExportsState>>()

/** Number of records on one page of the catalogue. */
const itemsPerPage = 100

/** The catalogue of all public records, for harvesters of data portals. @see docs/use/exports.md#catalogue */
export const catalogRoutes: readonly Route<FeatureContext<ExportsState>>[] = [
  catalogRoute('/catalog.ttl', 'Turtle', turtleCatalog),
  catalogRoute('/catalog.jsonld', 'JSON-LD', jsonLdCatalog),
]

function catalogRoute(
  path: string,
  name: string,
  writer: DcatCatalogWriter,
): Route<FeatureContext<ExportsState>> {
  return route({
    method: 'get',
    path,
    tags: ['Pages'],
    operationId: `catalog${name.replace('-', '')}`,
    summary: `All public records as DCAT-AP, in ${name}`,
    description:
      'The records that callers without a token may read, schemas and then metadata by id, in pages of ' +
      `${itemsPerPage}. \`hydra:next\` leads to the next page of the same state.`,
    access: 'public-records',
    parameters: { page: pageFrom1, at, ...readConditions },
    responses: {
      200: {
        description: 'A page of the catalogue.',
        headers: publicHeaders,
        content: {
          [writer.mediaType]: { schema: name === 'Turtle' ? { type: 'string' } : {} },
        },
      },
      304: { description: 'The client has this state already.', headers: publicHeaders },
    },
    problems: { 'not-found': 'There is no point of history `at`.', 'page-out-of-range': true },
    async handle(ctx, site, { page: number, at: point }) {
      const { feature, publicCaller } = site
      const found = await feature.exports.walk.page(
        publicCaller,
        (number - 1) * itemsPerPage,
        itemsPerPage,
        point,
      )
      if (found.items.length === 0 && number > 1) {
        throw new ProblemError('page-out-of-range', `The catalogue ends before page ${number}.`, {
          total: found.total,
        })
      }
      const page = await catalogPage(ctx, site, path, number, found)
      // Another crosswalk of a schema changes its documents' entries, also if the schema is not public.
      const schemas = feature.exports.stateOfSchemas(found.items)
      if (answerUnchangedSince(ctx, found.state, schemas, page.title, page.description)) return
      site.responseMemory.enter(ctx)(maxPieceBytes)
      ctx.status = 200
      ctx.set('Content-Type', writer.mediaType)
      ctx.body = Readable.from(pieces(ctx, site, page, writer, found.items), { objectMode: false })
    },
  })
}

/** Approximate bytes of the texts of two records: one is sent while the next one is written. */
const maxPieceBytes = 4 * 2 ** 20

async function* pieces(
  ctx: Context,
  site: FeatureContext<ExportsState>,
  page: CatalogPage,
  writer: DcatCatalogWriter,
  revisions: readonly Revision[],
): AsyncGenerator<string, void> {
  const { feature, publicCaller } = site
  const { page: pageUrl, download } = addressesOf(site.basesOf(ctx).canonical, site.mount, 1)
  const pauses = openEventLoopPauses()
  yield writer.begin(page)
  for await (const { revision, description } of feature.exports.describeEach(revisions)) {
    await pauses.ifDue()
    const shown = shortenedRevision(revision)
    const internal = await feature.exports.internalRecords(publicCaller, shown)
    const described = describeRecord(shown, {
      ...(description && { description: shortenedDescription(description) }),
      urls: { page: pageUrl, document: download },
      isPinned: false,
      isPublic: true,
      internalPage(name) {
        const named = internal.get(name)
        return named && pageUrl(named.kind, named.id)
      },
    })
    yield writer.dataset(page, dcatDataset(described))
  }
  if (writer.end !== '') yield writer.end
}

async function catalogPage(
  ctx: Context,
  site: FeatureContext<ExportsState>,
  path: string,
  number: number,
  { total, commit }: WalkedPage,
): Promise<CatalogPage> {
  const { name, description } = await site.services.about()
  const root = site.basesOf(ctx).canonical + site.mount
  const last = Math.max(1, Math.ceil(total / itemsPerPage))
  const urlOf = (wanted: number) =>
    `${root}${path}?page=${wanted}${commit === undefined ? '' : `&at=${commit}`}`
  return {
    iri: `${root}/#catalog`,
    title: cleanText(name?.trim() || site.build.name),
    description: cleanText(description?.trim() || 'Schemas, and metadata documents that conform to them.'),
    homepage: `${root}/`,
    page: urlOf(number),
    first: urlOf(1),
    last: urlOf(last),
    ...(number > 1 && { previous: urlOf(number - 1) }),
    ...(number < last && { next: urlOf(number + 1) }),
    totalItems: total,
    itemsPerPage,
  }
}
