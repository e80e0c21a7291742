import type { CoreParts } from '../../compose/compose.js'
import type { Client } from '../../core/access-control.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Version } from '../../core/value-types.js'
import { unknownVersion } from '../../service/access/find-record.js'
import { revisionsOf } from '../../service/record-history/record-log.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import { type Impact, openImpact } from './impact/schema-impact.js'
import { openComparisons } from './processes/comparisons.js'
import { diffDirectory } from './processes/text-diff.js'
import { type Blame, openBlame } from './revisions/document-blame.js'
import { openDifferences, type RevisionDifferences } from './revisions/revision-difference.js'

/**
 * What changed between versions of a record, and who changed what. Callers pass revisions that their client may read.
 *
 * Long comparisons run in child processes, whose number is limited: beyond the limit, a client gets `unavailable`.
 * Documents that are compared part by part have a limit of size: beyond it, the client gets `too-large`.
 */
export interface DiffAndBlame extends RevisionDifferences {
  /** The version that last changed each part of a document. @throws ProblemError `too-large`, `unavailable` */
  blame(revision: Revision, client?: Client): Promise<Blame>
  /**
   * Compares two versions of a record, also of a GONE one, as a unified diff. For commands: it has no limits.
   * @throws ProblemError `not-found`
   */
  diff(id: Id, from: Version, to: Version): Promise<string>
}

export function openDiffAndBlame({ catalog, documents, repository, audit }: CoreParts): DiffAndBlame {
  const { committed } = catalog
  const comparisons = openComparisons(audit.readInTurn)
  const sources = { committed, documents, repository, comparisons }
  return {
    ...openDifferences(sources),
    blame: openBlame(sources),
    async diff(id, from, to) {
      const { kind, entries } = revisionsOf(committed, id)
      const commitOf = (version: Version) => {
        const found = entries.find(entry => entry.version === version && !entry.findings)
        if (!found) throw unknownVersion(committed, { kind, id }, id, version)
        return found.commit
      }
      const directory = recordDirectory(kind, id)
      return await diffDirectory(repository, directory, commitOf(from), commitOf(to), comparisons)
    },
  }
}

/** What the routes of the feature work with. */
export interface Comparison {
  readonly diffAndBlame: DiffAndBlame
  readonly impact: Impact
}

export function openComparison(parts: CoreParts): Comparison {
  return { diffAndBlame: openDiffAndBlame(parts), impact: openImpact(parts) }
}
