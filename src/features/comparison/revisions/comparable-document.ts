import { tooLarge } from '../../../core/problem.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { Revision } from '../../../core/records/revision.js'
import type { Provenance } from '../../../service/record-history/record-log.js'
import type { BlobReader } from '../../../store/blobs/blob-reader.js'
import type { History } from '../../../store/commit-history/first-parent-history.js'
import type { Repository } from '../../../store/repository/open-repository.js'
import type { Comparisons } from '../processes/comparisons.js'

/** What comparisons of revisions need: readers of revisions, documents and commits, and `comparisons` to run them. */
export interface ComparisonSources {
  readonly committed: Pick<CatalogQueries, 'documentRuns'>
  readonly documents: BlobReader
  readonly repository: Repository
  readonly comparisons: Comparisons
}

/** Limit in bytes of a document that is compared part by part. */
export const maxComparedBytes = 512 * 1024

/** Reads a document that is compared part by part. @throws ProblemError `too-large` */
export async function readComparable(
  documents: BlobReader,
  { document }: Pick<Revision, 'document'>,
): Promise<Buffer> {
  const bytes = await documents.read(document)
  if (bytes.length <= maxComparedBytes) return bytes
  throw tooLarge(
    `The document has ${bytes.length} bytes; at most ${maxComparedBytes} are compared part by part. ` +
      'Ask diff for text/x-diff, or clone the repository.',
  )
}

/** Who made a revision, and when. @param revision the revision, or where a document came in */
export async function provenanceOf(
  history: Pick<History, 'commit'>,
  { version, commit, time }: Omit<Provenance, 'author'>,
): Promise<Provenance> {
  const { authorName } = await history.commit(commit)
  return { version, commit, time, author: authorName }
}
