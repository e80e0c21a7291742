import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid, Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/**
 * Information about a document. It changes only if the bytes of the document change.
 * @see docs/contract.md#content-information
 */
export interface ContentInformation {
  /** Number of the document among those of the record, from 1. */
  readonly number: number
  /** The first version with the document. */
  readonly since: Version
  /** Author of the commit of that version. */
  readonly uploader: string
  /** Size of the document in bytes. */
  readonly size: number
}

export interface ContentOptions {
  readonly committed: CatalogQueries
  readonly blobSize: (blob: Oid) => Promise<number>
  readonly history: History
}

/** Reads the information about a revision's document. */
export function openContentInformation(
  options: ContentOptions,
): (revision: Revision) => Promise<ContentInformation> {
  const { committed, blobSize, history } = options
  return async revision => {
    const runs = committed.documentRuns(revision)
    const { version: since, commit } = runs[0]?.first ?? revision
    const [{ authorName: uploader }, size] = await Promise.all([
      history.commit(commit),
      blobSize(revision.document),
    ])
    return { number: runs.length, since, uploader, size }
  }
}
