import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { linkHeader, mediaTypeWith } from '../../../core/text/web-link.js'
import { answerRevalidated, sendLong } from '../../../http/response/send-body.js'
import {
  type ExportFormat,
  type ExportName,
  exportFormat,
  isPlainExport,
  type PlainExportName,
} from '../export-formats.js'
import { linksetJson, linksetText } from '../formats/linkset.js'
import {
  contextOf,
  describedRecord,
  type ExportSite,
  inputOf,
  type RecordContext,
  type RequestedExport,
} from './described-record.js'
import { type CrateArchive, crateArchive, crateOnTheWeb, crateParts } from './record-crate.js'
import { linkContextsOf } from './record-linkset.js'
import { provenanceOf } from './record-provenance.js'

/** An export before it is written. */
interface PreparedExport {
  /**
   * The other data that the bytes depend on, next to revision and format: related records that the caller may read.
   * Empty for most exports.
   */
  readonly sources: readonly string[]
  write(): Promise<string | CrateArchive>
}

/** Answers with an export of a record. @throws ProblemError `unavailable` */
export async function answerExport(ctx: Context, site: ExportSite, asked: RequestedExport): Promise<void> {
  const { revision, format: name, addresses, isPinned } = asked
  const { kind, id, version } = revision
  const format = exportFormat(name)
  const { sources, write } = await prepare(ctx, site, asked)
  const tag = `"${[revision.commit, name, ...digestOf(sources)].join('-')}"`
  ctx.vary('Accept')
  // Caches must ask again: the answer depends on the records that the caller may read.
  if (answerRevalidated(ctx, tag)) return
  const page = isPinned ? addresses.page(kind, id, version) : addresses.page(kind, id)
  ctx.set('Link', linkHeader([{ rel: 'describes', href: page, type: 'text/html' }]))
  if (downloads.has(name)) {
    ctx.set('Content-Disposition', `attachment; filename="${id}-v${version}.${format.ending}"`)
  }
  const written = await write()
  if (typeof written === 'string')
    sendLong(ctx, site.responseMemory, written, mediaTypeWith(format.mediaType, format.profile))
  else sendArchive(ctx, site, written, format)
}

/** Formats that browsers save as a file, because reference managers and archivers open them. */
const downloads: ReadonlySet<ExportName> = new Set(['bibtex', 'ris', 'ro-crate-zip'])

/** A digest of the sources of an answer, for its ETag; none without sources. */
export function digestOf(sources: readonly string[]): readonly string[] {
  if (sources.length === 0) return []
  return [createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16)]
}

async function prepare(ctx: Context, site: ExportSite, asked: RequestedExport): Promise<PreparedExport> {
  const { format, revision, addresses } = asked
  if (format === 'prov') {
    const { name } = await site.services.about()
    return {
      sources: name === undefined ? [] : [name],
      write: () => provenanceOf(site.feature, revision, addresses, name),
    }
  }
  if (format === 'linkset' || format === 'linkset-text') return await preparedLinkset(ctx, site, asked)
  if (isPlainExport(format)) return await preparedPlain(ctx, site, asked, format)
  const parts = await crateParts(ctx, site, asked)
  const { context, schema } = parts
  return {
    sources: [
      ...sourcesIn(context),
      ...(revision.record.schema ? [`schema ${schema?.revision.commit ?? ''}`] : []),
      ...(schema ? sourcesIn(schema.context) : []),
    ],
    write: () =>
      format === 'ro-crate' ? crateOnTheWeb(ctx, site, asked, parts) : crateArchive(ctx, site, asked, parts),
  }
}

async function preparedLinkset(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
): Promise<PreparedExport> {
  const { format, revision, addresses, neighbours: find } = asked
  const neighbours = await find()
  const { document } = await describedRecord(ctx, site, asked)
  const contexts = () => linkContextsOf(revision, addresses, neighbours, document)
  const { creators, rightsList } = document
  return {
    // A next version changes the linkset, and so does another crosswalk, but not the commit in its ETag.
    sources: [
      ...(neighbours.next === undefined ? [] : [`next ${neighbours.next}`]),
      JSON.stringify([creators, rightsList]),
    ],
    write: async () => (format === 'linkset' ? linksetJson(contexts()) : linksetText(contexts())),
  }
}

async function preparedPlain(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  format: PlainExportName,
): Promise<PreparedExport> {
  const context = await contextOf(ctx, site, asked)
  return {
    sources: sourcesIn(context),
    async write() {
      const record = await inputOf(site, asked, context)
      return await site.feature.exports.write({ write: format, record }, site.callerOf(ctx).client)
    },
  }
}

function sourcesIn({ internalPages, isPublic, description }: RecordContext): readonly string[] {
  // Another crosswalk of the schema changes the description, but not the commit of the record.
  const described = description ? [JSON.stringify(description)] : []
  return [...[...internalPages].flat(), ...(isPublic ? [] : ['not public']), ...described]
}

function sendArchive(
  ctx: Context,
  site: ExportSite,
  { largestFileBytes, pieces }: CrateArchive,
  format: ExportFormat,
): void {
  site.responseMemory.enter(ctx)(largestFileBytes)
  ctx.status = 200
  ctx.set('Content-Type', format.mediaType)
  ctx.body = Readable.from(pieces, { objectMode: false })
}
