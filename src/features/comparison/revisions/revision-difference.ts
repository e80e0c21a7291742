import type { Client } from '../../../core/access-control.js'
import { ProblemError, tooLarge } from '../../../core/problem.js'
import type { DocumentType } from '../../../core/records/collection.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { Provenance } from '../../../service/record-history/record-log.js'
import { attachedFiles } from '../../../service/rules/schema-source.js'
import type { BlobReader } from '../../../store/blobs/blob-reader.js'
import { recordDirectory } from '../../../store/records/repository-layout.js'
import {
  type Compatibility,
  type CompatibilityVerdict,
  overallCompatibility,
  undecided,
} from '../documents/schema-compatibility.js'
import type { Comparison, Sides } from '../processes/compare.js'
import { diffDirectory } from '../processes/text-diff.js'
import { type ComparisonSources, provenanceOf, readComparable } from './comparable-document.js'

/** The changes from one revision of a record to another one. */
export interface Difference {
  readonly from: Provenance
  readonly to: Provenance
  /** The effect of all changes on documents of the schema; schemas only. */
  readonly effect?: Compatibility
  /** Changes of the record as the caller sees it: a list of {@link JsonChange} as JSON. */
  readonly record: string
  readonly document: {
    readonly type: DocumentType
    /**
     * A list of {@link JsonChange} or {@link XmlChange} as JSON; of a schema each with its {@link
     * CompatibilityVerdict}. Undefined: the former document is of the other language (JSON or XML).
     */
    readonly changes?: string
  }
  /** Changes of the additional files; schemas only. */
  readonly files?: readonly FileChange[]
}

export interface FileChange extends CompatibilityVerdict {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
}

/** Compares two revisions of a record. */
export interface RevisionDifferences {
  /**
   * The changes of record, document and further files between two revisions.
   * @param shown the record of a revision as JSON, as the caller may see it
   * @param client undefined: a command, which compares in its own process
   * @throws ProblemError `too-large`, `unavailable`
   */
  difference(
    from: Revision,
    to: Revision,
    shown: (revision: Revision) => string,
    client?: Client,
  ): Promise<Difference>
  /**
   * A JSON Patch, as text, that turns the document of `from` into that of `to`.
   * @throws ProblemError `not-acceptable` for XML, `too-large`, `unavailable`
   */
  patch(from: Revision, to: Revision, client?: Client): Promise<string>
  /**
   * The changes of the stored record, document and files as a unified diff.
   * @throws ProblemError `too-large`, `unavailable`
   */
  text(from: Revision, to: Revision, client?: Client): Promise<string>
}

/** Limit in bytes of all files, before and after, that are compared as text. */
const maxTextBytes = 16 * 1024 * 1024

export function openDifferences({
  documents,
  repository,
  comparisons,
}: ComparisonSources): RevisionDifferences {
  function readSides(from: Revision, to: Revision, client: Client | undefined): Promise<Sides<Buffer>> {
    const sides = async () =>
      await Promise.all([readComparable(documents, from), readComparable(documents, to)])
    return comparisons.read(sides, client)
  }

  /** Reads the documents to compare; undefined if they are the same or of different languages. */
  async function documentsOf(
    from: Revision,
    to: Revision,
    client: Client | undefined,
  ): Promise<Extract<Comparison, { kind: 'difference' }>['document']> {
    const type = to.documentType
    if (from.documentType !== type || from.document === to.document) return undefined
    const sides = await readSides(from, to, client)
    return { type, isSchema: to.kind === 'schema', sides }
  }

  return {
    async difference(from, to, shown, client) {
      const [document, ...origins] = await Promise.all([
        documentsOf(from, to, client),
        provenanceOf(repository.history, from),
        provenanceOf(repository.history, to),
      ])
      const pauses = openEventLoopPauses()
      const before = shown(from)
      await pauses.ifDue()
      const record = [before, shown(to)] as const
      await pauses.ifDue()
      const comparison = { kind: 'difference', record, ...(document && { document }) } as const
      const result = await comparisons.compare(comparison, client)
      const [ofRecord = '', ofDocument = '', effect = ''] = result.split('\n')
      const isSame = from.documentType === to.documentType && from.document === to.document
      const changes = isSame ? '[]' : ofDocument
      const common = {
        from: origins[0],
        to: origins[1],
        record: ofRecord,
        document: { type: to.documentType, ...(changes !== '' && { changes }) },
      }
      if (to.kind === 'metadata') return common
      const files = fileChanges(from, to)
      const ofDocuments = isSame ? 'neutral' : effect === '' ? undecided.effect : (effect as Compatibility)
      return { ...common, effect: overallCompatibility([{ effect: ofDocuments }, ...files]), files }
    },

    async patch(from, to, client) {
      if (from.documentType !== 'JSON' || to.documentType !== 'JSON') {
        throw new ProblemError(
          'not-acceptable',
          'A JSON Patch needs two JSON documents, and one of these is XML. Ask for application/json or text/x-diff.',
        )
      }
      const sides = await readSides(from, to, client)
      return await comparisons.compare({ kind: 'patch', sides }, client)
    },

    async text(from, to, client) {
      return await diffDirectory(
        repository,
        recordDirectory(to.kind, to.id),
        from.commit,
        to.commit,
        comparisons,
        () => refuseLongText(documents, from, to),
        client,
      )
    },
  }
}

/** Checks the size of the files that are to be compared as text. @throws ProblemError `too-large` */
async function refuseLongText(documents: BlobReader, from: Revision, to: Revision): Promise<void> {
  const changed = [...from.files, ...to.files].filter(([path, oid]) => {
    return oid !== from.files.get(path) || oid !== to.files.get(path)
  })
  let length = 0
  for (const [, oid] of changed) length += (await documents.read(oid)).length
  if (length <= maxTextBytes) return
  throw tooLarge(
    `The files that differ have ${length} bytes; at most ${maxTextBytes} are compared. Clone the repository.`,
  )
}

/** The effect of a changed file on documents is not analysed, so it is undecided. */
function fileChanges(from: Revision, to: Revision): readonly FileChange[] {
  const [before, after] = [attachedFiles(from), attachedFiles(to)]
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1))
  return paths
    .filter(path => before.get(path) !== after.get(path))
    .map(path => ({
      op: after.has(path) ? (before.has(path) ? 'replace' : 'add') : 'remove',
      path,
      ...undecided,
    }))
}
