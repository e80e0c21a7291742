import type { Context } from 'koa'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { DescribedRecord } from '../../../exports/datacite/export-context.js'
import { describeRecord } from '../../../exports/datacite/record-to-datacite.js'
import type { ExportName } from '../../../exports/export-formats.js'
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

/** The record as the formats describe it. A long one is read in pieces, between which others have their turn. */
export async function describedRecord(
  ctx: Context,
  site: ExportSite,
  { revision, addresses, isPinned }: Pick<RequestedExport, 'revision' | 'addresses' | 'isPinned'>,
): Promise<DescribedRecord> {
  const { services, callerOf, publicCaller } = site
  const [internal, document] = await Promise.all([
    services.exports.internalRecords(callerOf(ctx), revision),
    services.readDocument(revision),
  ])
  await openEventLoopPauses().now()
  return describeRecord(revision, {
    urls: { page: addresses.page, document: addresses.download },
    isPinned,
    isPublic: isReadable(publicCaller, revision.record),
    documentSize: document.length,
    internalPage(name) {
      const named = internal.get(name)
      return named && addresses.page(named.kind, named.id)
    },
  })
}
