import type { HistoryRevision, RevisionCursor } from '../../catalog/revision-history/revision-cursor.js'
import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import { readFiles } from '../../service/rules/assemble-schema-bundle.js'
import { attachedFiles } from '../../service/rules/schema-source.js'
import { originalTimeOf } from '../../service/updates/commit-messages.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { prefetch } from '../../store/process/prefetch.js'
import type { InterchangeItem } from './interchange-format.js'

/** An item with its revision in this repository. */
export interface ExportedItem {
  readonly item: InterchangeItem
  /** Undefined for a removal. */
  readonly revision?: Revision
}

export interface ExportParts {
  readonly documents: BlobReader
  readonly history: History
}

/** Number of revisions that are read at once. */
const revisionsAtOnce = 64

/**
 * Exports the revisions that a cursor reads, in the same order. Items of schemas have a revision number, items of
 * metadata only with `all`.
 * @param all whether the cursor has all revisions of metadata
 */
export async function* exportItems(
  { documents, history }: ExportParts,
  cursor: RevisionCursor,
  all: boolean,
  kind?: Collection,
): AsyncGenerator<ExportedItem> {
  async function read(entry: HistoryRevision): Promise<ExportedItem> {
    const { id, number, revision, commit } = entry
    const [info, document, files] = await Promise.all([
      history.commit(commit),
      revision && documents.read(revision.document),
      revision && readFiles(documents, attachedFiles(revision)),
    ])
    const item: InterchangeItem = {
      kind: entry.kind,
      id,
      ...((all || entry.kind === 'schema') && { number }),
      time: originalTimeOf(info) ?? entry.time,
      author: { name: info.authorName, email: info.authorEmail },
      ...(revision && {
        state: {
          record: revision.record as unknown as Readonly<Record<string, unknown>>,
          document: document ?? Buffer.alloc(0),
          files: files ?? new Map(),
        },
      }),
    }
    return revision ? { item, revision } : { item }
  }

  for await (const [, one] of prefetch(cursor.entries(kind), revisionsAtOnce, read)) yield one
}
