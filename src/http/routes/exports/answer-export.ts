import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formatInstant } from '../../../core/value-types.js'
import {
  type ExportFormat,
  type ExportName,
  exportFormat,
  isPlainExport,
} from '../../../exports/export-formats.js'
import { linksetJson, linksetText } from '../../../exports/formats/linkset.js'
import { provenanceTurtle } from '../../../exports/formats/prov-o.js'
import { linkHeader, mediaTypeWith } from '../../../exports/text/web-link.js'
import type { AdjacentVersions } from '../../html-pages/signposting.js'
import { matchesIfNoneMatch } from '../../request/conditional-headers.js'
import { sendLong } from '../../response/record-and-list-responses.js'
import { type ExportSite, inputOf, type RequestedExport } from './described-record.js'
import { crateArchive, crateOnTheWeb } from './record-crate.js'
import { linkContextsOf } from './record-linkset.js'

/** Answers a record in a format of others. @throws ProblemError `unavailable` */
export async function answerExport(ctx: Context, site: ExportSite, asked: RequestedExport): Promise<void> {
  const { revision, format: name, addresses, isPinned } = asked
  const { kind, id, version } = revision
  const format = exportFormat(name)
  const neighbours = name.startsWith('linkset') ? await asked.neighbours() : {}
  // A linkset names the version after this one, which comes without a commit of this one.
  const follower = neighbours.next === undefined ? '' : `-${neighbours.next}`
  const tag = `"${revision.commit}-${name}${follower}"`
  ctx.vary('Accept')
  ctx.set('ETag', tag)
  // The answer depends on what the caller may read.
  ctx.set('Cache-Control', 'no-cache')
  if (matchesIfNoneMatch(ctx.headers['if-none-match'], tag)) {
    ctx.status = 304
    return
  }
  const page = isPinned ? addresses.page(kind, id, version) : addresses.page(kind, id)
  ctx.set('Link', linkHeader([{ rel: 'describes', href: page, type: 'text/html' }]))
  if (downloads.has(name)) {
    ctx.set('Content-Disposition', `attachment; filename="${id}-v${version}.${format.ending}"`)
  }
  if (name === 'ro-crate-zip') {
    await sendArchive(ctx, site, asked, format)
    return
  }
  const text = await textOf(ctx, site, asked, neighbours)
  sendLong(ctx, site, text, mediaTypeWith(format.mediaType, format.profile))
}

/** Formats that reference managers and archivers open. */
const downloads: ReadonlySet<ExportName> = new Set(['bibtex', 'ris', 'ro-crate-zip'])

async function textOf(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  neighbours: AdjacentVersions,
): Promise<string> {
  const { revision, format, addresses } = asked
  if (format === 'prov') return await provenanceOf(site, asked)
  if (format === 'linkset' || format === 'linkset-text') {
    const contexts = linkContextsOf(revision, addresses, neighbours)
    return format === 'linkset' ? linksetJson(contexts) : linksetText(contexts)
  }
  if (!isPlainExport(format)) return await crateOnTheWeb(ctx, site, asked)
  const record = await inputOf(ctx, site, asked)
  return await site.services.exports.write({ write: format, record }, site.callerOf(ctx).client)
}

async function provenanceOf(
  { services }: ExportSite,
  { revision, addresses }: RequestedExport,
): Promise<string> {
  const { kind, id } = revision
  const [changes, about] = await Promise.all([services.exports.history(revision), services.exports.about()])
  const latest = changes.at(-1)
  return provenanceTurtle({
    page: addresses.page(kind, id),
    repository: about.name ?? '',
    service: 'git-metastore',
    revisions: changes.map(({ version, commit, time, author, subject, schema, revokes }) => ({
      version,
      page: addresses.page(kind, id, version),
      commit,
      time: formatInstant(time),
      author,
      subject,
      ...(schema && { schema: addresses.page('schema', schema.schemaId, schema.version) }),
      isEnd: revokes && commit === latest?.commit,
    })),
  })
}

async function sendArchive(
  ctx: Context,
  site: ExportSite,
  asked: RequestedExport,
  format: ExportFormat,
): Promise<void> {
  const { documentSize, pieces } = await crateArchive(ctx, site, asked)
  site.responseMemory.enter(ctx)(documentSize)
  ctx.status = 200
  ctx.set('Content-Type', format.mediaType)
  ctx.body = Readable.from(pieces, { objectMode: false })
}
