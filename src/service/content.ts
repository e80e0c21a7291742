import type { Queries, Revision } from '../catalog/catalog.js'
import type { History } from '../store/history.js'
import type { Documents } from './documents.js'
import type { ContentInformation } from './services.js'

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
    const { first, number } = committed.documentRun(revision)
    const [{ authorName: uploader }, { length: size }] = await Promise.all([
      history.commit(first.commit),
      documents.read(revision.document),
    ])
    return { number, since: first.version, uploader, size }
  }
}
