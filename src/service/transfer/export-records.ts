import type { ChronicleEntry, OpenChronicle } from '../../catalog/revision-history/revision-cursor.js'
import type { Kind } from '../../core/records/record-kind.js'
import type { Revision } from '../../core/records/revision.js'
import { type Instant, parseInstant } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { Documents } from '../../store/objects/blob-cache.js'
import type { CommitInfo } from '../../store/objects/commit-and-tree-parser.js'
import { readAhead } from '../../store/process/prefetch.js'
import { furtherFiles, readFiles } from '../rules/assemble-schema-bundle.js'
import type { Item } from './interchange-format.js'
import { originalTimeTrailer } from './prepare-import.js'

/** An item with what it was here. */
export interface Exported {
  readonly item: Item
  /** Undefined for a removal. */
  readonly revision?: Revision
}

export interface ExportParts {
  readonly documents: Documents
  readonly history: History
}

/** Revisions that are read at once. */
const mostUnderWay = 64

// regexp-time: linear, as a line has to begin with the trailer.
const originalTime = new RegExp(`^${originalTimeTrailer}: (\\S+)$`, 'm')

/** Items of a chronicle, in its order. Metadata has a revision number where its whole history is told, schemas always. */
export async function* exported(
  { documents, history }: ExportParts,
  chronicle: OpenChronicle,
  all: boolean,
  kind?: Kind,
): AsyncGenerator<Exported> {
  async function read(entry: ChronicleEntry): Promise<Exported> {
    const { id, number, revision, commit } = entry
    const [info, document, files] = await Promise.all([
      history.commit(commit),
      revision && documents.read(revision.document),
      revision && readFiles(documents, revision.kind === 'schema' ? furtherFiles(revision.files) : new Map()),
    ])
    const item: Item = {
      kind: entry.kind,
      id,
      ...((all || entry.kind === 'schema') && { number }),
      time: timeOf(info, entry.time),
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

  for await (const [, one] of readAhead(chronicle.entries(kind), mostUnderWay, read)) yield one
}

/** When it was made, where it was made first. */
function timeOf(info: CommitInfo, here: Instant): Instant {
  const told = originalTime.exec(info.body)?.[1]
  return told === undefined || Number.isNaN(Date.parse(told)) ? here : parseInstant(told, originalTimeTrailer)
}
