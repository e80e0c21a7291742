import type { Queries, Revision } from '../../catalog/catalog.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { Documents } from '../../store/objects/blob-cache.js'
import type { ContentInformation } from '../services.js'

export interface ContentOptions {
  readonly committed: Queries
  readonly documents: Documents
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
