import type { Context } from 'koa'
import type { DocumentDescription } from '../../../core/records/document-description.js'
import type { Revision } from '../../../core/records/revision.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { isReadable } from '../../../service/rules/record-rules.js'
import type { DescribedRecord, ExportedRevision } from '../datacite/export-context.js'
import type { SourcedDocument } from '../datacite/record-to-datacite.js'
import type { ExportName } from '../export-formats.js'
import {
  describeSources,
  type ExportInput,
  exportInput,
  shortenedDescription,
  shortenedRevision,
} from '../export-job.js'
import type { ExportsState } from '../exports.js'
import type { AdjacentVersions } from './signposting.js'

export type ExportSite = Pick<
  FeatureApiContext<ExportsState>,
  'services' | 'callerOf' | 'publicCaller' | 'responseMemory' | 'feature'
>

/** A revision, and the way in which the request names it. */
export interface RequestedExport {
  readonly revision: Revision
  readonly format: ExportName
  /** Addresses in the version of the interface that the request uses. */
  readonly addresses: PageUrls
  /** The request names a version or a point of history. */
  readonly isPinned: boolean
  /** Finds the versions before and after this one, for a linkset. */
  readonly neighbours: () => Promise<AdjacentVersions>
}

export type NamedRevision = Pick<RequestedExport, 'revision' | 'addresses' | 'isPinned'>

/** What the export of a record contains in addition to the record. */
export interface RecordContext {
  /** Landing pages of related records that the caller may read, by the name in the record. */
  readonly internalPages: ReadonlyMap<string, string>
  readonly isPublic: boolean
  /** What the document says about itself. */
  readonly description?: DocumentDescription
}

/**
 * Finds the related records that the caller may read, and whether the exported record is public.
 * @param shown the revision, or the revision with a shortened record
 */
export async function contextOf(
  ctx: Context,
  { feature, callerOf, publicCaller }: ExportSite,
  { revision, addresses }: NamedRevision,
  shown: ExportedRevision = revision,
): Promise<RecordContext> {
  const internal = await feature.exports.internalRecords(callerOf(ctx), shown)
  const pages = [...internal].map(([name, { kind, id }]) => [name, addresses.page(kind, id)] as const)
  const description = await feature.exports.describe(revision)
  return {
    internalPages: new Map(pages),
    isPublic: isReadable(publicCaller, revision.record),
    ...(description && { description }),
  }
}

/**
 * The input for the export of a record.
 * @param shown the revision, or the revision with a shortened record
 */
export async function inputOf(
  { services }: Pick<ExportSite, 'services'>,
  { revision, addresses, isPinned }: NamedRevision,
  context: RecordContext,
  shown: ExportedRevision = revision,
): Promise<ExportInput> {
  const { description } = context
  return exportInput(shown, {
    ...context,
    ...(description && shown !== revision && { description: shortenedDescription(description) }),
    urls: { page: addresses.page, document: addresses.download },
    isPinned,
    documentSize: await services.blobSize(revision.document),
  })
}

/** The record as its page describes it: long lists are shortened. */
export async function describedRecord(
  ctx: Context,
  site: ExportSite,
  asked: NamedRevision,
): Promise<DescribedRecord & SourcedDocument> {
  const shown = shortenedRevision(asked.revision)
  return describeSources(await inputOf(site, asked, await contextOf(ctx, site, asked, shown), shown))
}
