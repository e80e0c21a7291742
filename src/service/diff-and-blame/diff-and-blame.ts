import type { Client } from '../../core/access-control.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid, Sha1, Version } from '../../core/value-types.js'
import { sha1Of } from '../../store/objects/hash-object.js'
import { recordFile } from '../../store/records/repository-layout.js'
import type { ComparisonSources } from './comparable-document.js'
import { type Blame, openBlame } from './document-blame.js'
import type { Provenance } from './provenance.js'
import { openDifferences, type RevisionDifferences } from './revision-difference.js'

/** A version in the list of a record's versions. */
export interface VersionEntry extends Provenance {
  /** The previous version that can be read. */
  readonly previous?: Version
  /** First line of the commit message. */
  readonly message: string
  /** SHA-1 of `record.json`. */
  readonly recordHash: Sha1
  readonly documentHash: Sha1
}

/**
 * The versions of a record, what changed between them, and who changed what. Callers pass revisions that their client
 * may read.
 *
 * Long comparisons run in child processes, whose number is limited: beyond the limit, a client gets `unavailable`.
 * Documents that are compared part by part have a limit of size: beyond it, the client gets `too-large`.
 */
export interface DiffAndBlame extends RevisionDifferences {
  versions(revisions: readonly Revision[], client?: Client): Promise<readonly VersionEntry[]>
  /** The version that last changed each part of a document. @throws ProblemError `too-large`, `unavailable` */
  blame(revision: Revision, client?: Client): Promise<Blame>
}

/** Number of versions whose records are read at once. */
const groupSize = 20

export function openDiffAndBlame(options: ComparisonSources): DiffAndBlame {
  const { documents, repository, comparisons } = options

  async function entryOf(revision: Revision): Promise<VersionEntry> {
    const { version, previous, commit, time, documentHash, files } = revision
    const [{ authorName, subject }, recordHash] = await Promise.all([
      repository.history.commit(commit),
      documents.read(files.get(recordFile) as Oid).then(sha1Of),
    ])
    const origin = { version, commit, time, author: authorName }
    return { ...origin, ...(previous && { previous }), message: subject, recordHash, documentHash }
  }

  return {
    async versions(revisions, client) {
      const entries: VersionEntry[] = []
      for (let index = 0; index < revisions.length; index += groupSize) {
        const group = revisions.slice(index, index + groupSize)
        entries.push(...(await comparisons.read(() => Promise.all(group.map(entryOf)), client)))
      }
      return entries
    },
    ...openDifferences(options),
    blame: openBlame(options),
  }
}
