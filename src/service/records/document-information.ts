import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { BlobReader } from '../../store/objects/blob-cache.js'

/**
 * A document as an object of its own: only a change of its bytes makes another.
 * @see docs/contract.md#content-information
 */
export interface ContentInformation {
  /** Which of the record's documents it is, from 1. */
  readonly number: number
  /** The version of the record that brought it. */
  readonly since: Version
  /** Author of the commit that brought it. */
  readonly uploader: string
  /** In bytes. */
  readonly size: number
}

export interface ContentOptions {
  readonly committed: CatalogQueries
  readonly documents: BlobReader
  readonly history: History
}

/** What is known of a revision's document apart from its record. */
export function openContentInformation(
  options: ContentOptions,
): (revision: Revision) => Promise<ContentInformation> {
  const { committed, documents, history } = options
  return async revision => {
    const runs = committed.documentRuns(revision)
    const { version: since, commit } = runs[0]?.first ?? revision
    const [{ authorName: uploader }, { length: size }] = await Promise.all([
      history.commit(commit),
      documents.read(revision.document),
    ])
    return { number: runs.length, since, uploader, size }
  }
}
