import type { Instant, Oid, Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/** Who made a revision of a record or its document, and when. */
export interface Provenance {
  readonly version: Version
  readonly commit: Oid
  readonly time: Instant
  /** Name of the commit's author. */
  readonly author: string
}

/** Adds the author of the commit. */
export async function provenanceOf(
  history: Pick<History, 'commit'>,
  { version, commit, time }: Omit<Provenance, 'author'>,
): Promise<Provenance> {
  const { authorName } = await history.commit(commit)
  return { version, commit, time, author: authorName }
}
