import type { Context } from 'koa'
import type { Revision } from '../../../core/records/revision.js'
import type { DescribedRecord, ExportedRevision } from '../../../exports/datacite/export-context.js'
import type { ExportName } from '../../../exports/export-formats.js'
import {
  describeInput,
  type ExportInput,
  exportInput,
  shortenedRevision,
} from '../../../exports/export-job.js'
import { isReadable } from '../../../service/rules/visibility.js'
import type { PageUrls } from '../../html-pages/page-urls.js'
import type { AdjacentVersions } from '../../html-pages/signposting.js'
import type { ApiContext } from '../../route-context.js'

export type ExportSite = Pick<ApiContext, 'services' | 'callerOf' | 'publicCaller' | 'responseMemory'>

/** A revision, and how the request names it. */
export interface RequestedExport {
  readonly revision: Revision
  readonly format: ExportName
  /** Those of the version of the interface that the request came to. */
  readonly addresses: PageUrls
  /** The request names a version or a point of history. */
  readonly isPinned: boolean
  /** For a linkset. */
  readonly neighbours: () => Promise<AdjacentVersions>
}

type NamedRevision = Pick<RequestedExport, 'revision' | 'addresses' | 'isPinned'>

/**
 * What the export of a record is written from.
 * @param shown the revision, or a shortened one
 */
export async function inputOf(
  ctx: Context,
  site: ExportSite,
  asked: NamedRevision,
  shown: ExportedRevision = asked.revision,
): Promise<ExportInput> {
  const { services, callerOf, publicCaller } = site
  const { revision, addresses, isPinned } = asked
  const [internal, document] = await Promise.all([
    services.exports.internalRecords(callerOf(ctx), shown),
    services.readDocument(revision),
  ])
  const internalPages = [...internal].map(([name, { kind, id }]) => [name, addresses.page(kind, id)] as const)
  return exportInput(shown, {
    urls: { page: addresses.page, document: addresses.download },
    isPinned,
    isPublic: isReadable(publicCaller, revision.record),
    documentSize: document.length,
    internalPages: new Map(internalPages),
  })
}

/** The record as its page describes it: of long lists the first entries. */
export async function describedRecord(
  ctx: Context,
  site: ExportSite,
  asked: NamedRevision,
): Promise<DescribedRecord> {
  return describeInput(await inputOf(ctx, site, asked, shortenedRevision(asked.revision)))
}
