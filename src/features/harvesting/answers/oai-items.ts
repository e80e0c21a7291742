import type { Principal } from '../../../core/access-control.js'
import { unlessDamaged } from '../../../core/problem.js'
import type { DescribedRevision } from '../../../core/records/document-description.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { isReadable } from '../../../service/rules/record-rules.js'
import type { Services } from '../../../service/services.js'
import { exportInput } from '../../exports/export-job.js'
import type { Exports } from '../../exports/exports.js'
import type { HarvestItem, Harvesting } from '../lists/harvest.js'
import { type BuiltInPrefix, renderingOf } from '../lists/harvest-formats.js'
import type { OaiOptions } from './oai-options.js'
import { headerElement, recordEnvelope, recordWithoutMetadata } from './oai-xml.js'

/** What is needed to write an item. */
export interface OaiItemContext {
  readonly options: OaiOptions
  readonly harvesting: Harvesting
  readonly caller: Principal
  /** A caller without a token. */
  readonly publicCaller: Principal
  readonly exports: Exports
  readonly blobSize: Services['blobSize']
  readonly urls: PageUrls
}

/** An item of an answer, before it is sent. */
export interface PreparedItem {
  /** Approximate number of characters. */
  readonly length: number
  readonly pieces: Iterable<string>
}

export function preparedHeader(options: OaiOptions, item: HarvestItem): PreparedItem {
  return preparedText(headerElement(options, item))
}

/** The element `record` without metadata. */
export function headerAlone({ options }: Pick<OaiItemContext, 'options'>, item: HarvestItem): PreparedItem {
  return preparedText(recordWithoutMetadata(headerElement(options, item)))
}

/** An item with what its document says about itself, if its format contains that. */
export interface DescribedItem {
  readonly item: HarvestItem
  readonly described?: DescribedRevision
}

/**
 * Describes the documents of items, in their order, for records in the metadata format with the prefix.
 * @param items they are taken when they are needed
 */
export async function* describedItems(
  { exports }: Pick<OaiItemContext, 'exports'>,
  items: Iterable<HarvestItem>,
  prefix: string,
): AsyncGenerator<DescribedItem, void> {
  const waiting: HarvestItem[] = []
  function* described(): Generator<Revision, void> {
    for (const item of items) {
      waiting.push(item)
      const { revision, placement } = item
      if (revision && renderingOf(prefix, placement.schema, placement.type) !== 'document') yield revision
    }
  }
  for await (const each of exports.describeEach(described())) {
    const index = waiting.findIndex(({ revision }) => revision === each.revision)
    for (const item of waiting.splice(0, index)) yield { item }
    for (const item of waiting.splice(0, 1)) yield { item, described: each }
  }
  for (const item of waiting) yield { item }
}

/**
 * The element `record` of an item, in the metadata format with the prefix. A deleted record has only a header.
 * @throws ProblemError `unavailable` if many long records wait for their export; `damaged` for a lost document
 */
export async function preparedRecord(
  context: OaiItemContext,
  { item, described }: DescribedItem,
  prefix: string,
): Promise<PreparedItem> {
  const { revision, placement } = item
  if (!revision) return headerAlone(context, item)
  const { start, end } = recordEnvelope(headerElement(context.options, item))
  const rendering = renderingOf(prefix, placement.schema, placement.type)
  if (rendering !== 'document')
    return preparedText(
      start + (await exportOf(context, described ?? { revision }, builtInFormats[rendering])) + end,
    )
  const { length, pieces } = await context.harvesting.embedded(revision)
  function* all(): Generator<string, void> {
    yield start
    yield* pieces()
    yield end
  }
  return { length: start.length + length + end.length, pieces: all() }
}

function preparedText(text: string): PreparedItem {
  return { length: text.length, pieces: piecesOf(text) }
}

/** Characters of a piece: the event loop encodes a whole piece without a pause. */
const pieceLength = 64 * 1024

/** Cuts a text into pieces. A piece does not end within a surrogate pair, because each piece is encoded alone. */
function* piecesOf(text: string): Generator<string, void> {
  for (let offset = 0; offset < text.length; ) {
    const last = text.charCodeAt(offset + pieceLength - 1)
    const end = offset + pieceLength + (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
    yield text.slice(offset, end)
    offset = end
  }
}

/** The export format for each built-in metadata format. */
const builtInFormats = { oai_dc: 'oai_dc', datacite: 'datacite-xml' } as const

/** The root element of an export in XML. A thread writes the exports of long records. */
async function exportOf(
  { caller, publicCaller, urls, exports, blobSize }: OaiItemContext,
  { revision, description, documentSize: known }: DescribedRevision,
  format: (typeof builtInFormats)[BuiltInPrefix],
): Promise<string> {
  const pauses = openEventLoopPauses()
  // This first access to the record parses it, which may take long.
  const isPublic = isReadable(publicCaller, revision.record)
  await pauses.ifDue()
  const internal = await exports.internalRecords(caller, revision)
  const pages = [...internal].map(([name, { kind, id }]) => [name, urls.page(kind, id)] as const)
  const documentSize = known ?? (await unlessDamaged(() => blobSize(revision.document)))
  await pauses.ifDue()
  const record = exportInput(revision, {
    ...(description && { description }),
    urls: { page: urls.page, document: urls.download },
    isPinned: false,
    isPublic,
    ...(documentSize !== undefined && { documentSize }),
    internalPages: new Map(pages),
  })
  const text = await exports.write({ write: format, record }, caller.client)
  return text.replace(/^<\?xml [^>]*\?>\n/, '').trimEnd()
}
