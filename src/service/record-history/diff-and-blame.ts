import { LRUCache } from 'lru-cache'
import { ProblemError } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { DocumentSpan, Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Instant, Oid, Sha1, Version } from '../../core/value-types.js'
import type { BlamedPart } from '../../difference/blame.js'
import {
  type Compatibility,
  type CompatibilityVerdict,
  overallCompatibility,
  undecided,
} from '../../difference/schema-compatibility.js'
import { type BlobReader, sha1Of } from '../../store/objects/blob-cache.js'
import { recordDirectory, recordFile } from '../../store/records/repository-layout.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Requester } from '../comparisons/client-processes.js'
import type { Comparison, Traced } from '../comparisons/compare.js'
import type { Comparisons } from '../comparisons/comparisons.js'
import { diffDirectory } from '../comparisons/text-diff.js'
import { attachedFiles } from '../rules/assemble-schema-bundle.js'

/** Who made a state of a record or of its document, and when. */
export interface Provenance {
  readonly version: Version
  readonly commit: Oid
  readonly time: Instant
  /** Name of the commit's author. */
  readonly author: string
}

export interface VersionEntry extends Provenance {
  /** The version before it that can be read. */
  readonly previous?: Version
  /** First line of the commit's message. */
  readonly message: string
  /** Of `record.json`. */
  readonly recordHash: Sha1
  readonly documentHash: Sha1
}

/** What changed between two revisions of a record. */
export interface Difference {
  readonly from: Provenance
  readonly to: Provenance
  /** What the change means for documents of the schema, all in all; schemas only. */
  readonly effect?: Compatibility
  /** Changes of the record as it is shown: a list of {@link JsonChange} as JSON. */
  readonly record: string
  readonly document: {
    readonly type: DocumentType
    /**
     * As JSON, a list of {@link JsonChange} or {@link XmlChange}; of a schema each with its {@link
     * CompatibilityVerdict}. Undefined: the document before was of the other language.
     */
    readonly changes?: string
  }
  /** Files a schema comes with; schemas only. */
  readonly files?: readonly FileChange[]
}

export interface FileChange extends CompatibilityVerdict {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
}

/** Which state of a document changed each of its parts last. */
export interface Blame {
  readonly version: Version
  readonly type: DocumentType
  readonly members: readonly (Provenance & { readonly path: string })[]
  /** The oldest version that was looked at, where older ones were not: what is said to be of it may be older. */
  readonly cut?: Version
}

/**
 * What became of a record from version to version, for a caller who was given its revisions. Documents that are
 * compared part by part are refused with `too-large` where they are longer than `maxComparedBytes`.
 *
 * What takes long is done by child processes: `unavailable` where as many work for clients as may.
 */
export interface DiffAndBlame {
  versions(revisions: readonly Revision[], requester?: Requester): Promise<readonly VersionEntry[]>
  /**
   * @param shown the record of a revision as JSON, as the caller may see it
   * @param requester undefined: a command, which does the work itself
   * @throws ProblemError `too-large`, `unavailable`
   */
  difference(
    from: Revision,
    to: Revision,
    shown: (revision: Revision) => string,
    requester?: Requester,
  ): Promise<Difference>
  /**
   * What makes the one document of the other: a JSON Patch.
   * @throws ProblemError `not-acceptable` for XML, `too-large`, `unavailable`
   */
  patch(from: Revision, to: Revision, requester?: Requester): Promise<string>
  /**
   * The changes of record, document and files as they are stored, as unified text.
   * @throws ProblemError `too-large`, `unavailable`
   */
  text(from: Revision, to: Revision, requester?: Requester): Promise<string>
  /** @throws ProblemError `too-large`, `unavailable` */
  blame(revision: Revision, requester?: Requester): Promise<Blame>
}

export interface DiffAndBlameOptions {
  readonly committed: CatalogQueries
  readonly documents: BlobReader
  readonly repository: Repository
  readonly comparisons: Comparisons
}

/** Bytes of a document that is compared part by part. */
export const maxComparedBytes = 512 * 1024

/** Bytes of all files, before and after, that are compared as text. */
const longestText = 16 * 1024 * 1024

/** Former documents that {@link DiffAndBlame.blame} looks at, and their bytes in all. */
const most = { states: 1000, bytes: 8 * 1024 * 1024 }

/** Versions whose records are read at once. */
const readTogether = 20

/** Parts of documents that are remembered, in all. */
const remembered = 250_000

/** What is known of a list of documents, whoever made them. */
interface Findings {
  readonly blamed: readonly BlamedPart[]
  /** Documents that were looked at, where it was not all that mattered. */
  readonly cutAfter?: number
}

export function openDiffAndBlame({
  committed,
  documents,
  repository,
  comparisons,
}: DiffAndBlameOptions): DiffAndBlame {
  const known = new LRUCache<string, Findings>({
    maxSize: remembered,
    sizeCalculation: ({ blamed }) => blamed.length,
  })

  async function originOf({ version, commit, time }: Omit<Provenance, 'author'>): Promise<Provenance> {
    const { authorName } = await repository.history.commit(commit)
    return { version, commit, time, author: authorName }
  }

  async function documentOf({ document }: Pick<Revision, 'document'>): Promise<Buffer> {
    const bytes = await documents.read(document)
    if (bytes.length <= maxComparedBytes) return bytes
    throw new ProblemError(
      'too-large',
      `The document has ${bytes.length} bytes, and up to ${maxComparedBytes} are compared part by part. ` +
        'Ask diff for text/x-diff, or clone the repository.',
    )
  }

  function bothOf(
    from: Revision,
    to: Revision,
    requester: Requester | undefined,
  ): Promise<readonly [Buffer, Buffer]> {
    return comparisons.read(() => Promise.all([documentOf(from), documentOf(to)]), requester)
  }

  /** @returns undefined where there is nothing to compare */
  async function sidesOf(
    from: Revision,
    to: Revision,
    requester: Requester | undefined,
  ): Promise<Extract<Comparison, { kind: 'difference' }>['document']> {
    const type = to.documentType
    if (from.documentType !== type || from.document === to.document) return undefined
    const sides = await bothOf(from, to, requester)
    return { type, isSchema: to.kind === 'schema', sides }
  }

  async function entryOf(revision: Revision): Promise<VersionEntry> {
    const { version, previous, commit, time, documentHash, files } = revision
    const [{ authorName, subject }, recordHash] = await Promise.all([
      repository.history.commit(commit),
      documents.read(files.get(recordFile) as Oid).then(sha1Of),
    ])
    const origin = { version, commit, time, author: authorName }
    return { ...origin, ...(previous && { previous }), message: subject, recordHash, documentHash }
  }

  /** The documents of one language that are looked at, newest first. */
  async function statesOf(
    newest: DocumentSpan,
    former: readonly DocumentSpan[],
  ): Promise<{ readonly states: readonly Buffer[]; readonly isCut: boolean }> {
    const states = [await documentOf(newest)]
    let total = states[0]?.length ?? 0
    for (const run of former) {
      // All that is left came with the first document of this language.
      if (run.documentType !== newest.documentType) break
      const older = await documents.read(run.document)
      total += older.length
      if (states.length > most.states || total > most.bytes || older.length > maxComparedBytes)
        return { states, isCut: true }
      states.push(older)
    }
    return { states, isCut: false }
  }

  /** @param runs newest first */
  async function trace(runs: readonly DocumentSpan[], requester: Requester | undefined): Promise<Findings> {
    const [newest, ...former] = runs
    if (!newest) throw new Error('A revision has no document.')
    const type = newest.documentType
    const { states, isCut } = await comparisons.read(() => statesOf(newest, former), requester)
    const result = await comparisons.carryOut({ kind: 'blame', type, states }, requester)
    const { blamed, open } = JSON.parse(result) as Traced
    return { blamed, ...(isCut && open && { cutAfter: states.length }) }
  }

  return {
    async versions(revisions, requester) {
      const entries: VersionEntry[] = []
      for (let at = 0; at < revisions.length; at += readTogether) {
        const group = revisions.slice(at, at + readTogether)
        entries.push(...(await comparisons.read(() => Promise.all(group.map(entryOf)), requester)))
      }
      return entries
    },

    async difference(from, to, shown, requester) {
      const [document, ...origins] = await Promise.all([
        sidesOf(from, to, requester),
        originOf(from),
        originOf(to),
      ])
      const pauses = openEventLoopPauses()
      const before = shown(from)
      await pauses.ifDue()
      const record = [before, shown(to)] as const
      await pauses.ifDue()
      const result = await comparisons.carryOut(
        { kind: 'difference', record, ...(document && { document }) },
        requester,
      )
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
      const ofBoth = isSame ? 'neutral' : effect === '' ? undecided.effect : (effect as Compatibility)
      return { ...common, effect: overallCompatibility([{ effect: ofBoth }, ...files]), files }
    },

    async patch(from, to, requester) {
      if (from.documentType !== 'JSON' || to.documentType !== 'JSON') {
        throw new ProblemError(
          'not-acceptable',
          'A JSON Patch is of JSON documents, and this one is XML: ask for application/json or text/x-diff.',
        )
      }
      const sides = await bothOf(from, to, requester)
      return await comparisons.carryOut({ kind: 'patch', sides }, requester)
    },

    async text(from, to, requester) {
      const changed = [...from.files, ...to.files].filter(([path, oid]) => {
        return oid !== from.files.get(path) || oid !== to.files.get(path)
      })
      const check = async () => {
        let length = 0
        for (const [, oid] of changed) length += (await documents.read(oid)).length
        if (length <= longestText) return
        throw new ProblemError(
          'too-large',
          `The files that differ have ${length} bytes, and up to ${longestText} are compared. Clone the repository.`,
        )
      }
      return await diffDirectory(
        repository,
        recordDirectory(to.kind, to.id),
        from.commit,
        to.commit,
        comparisons,
        check,
        requester,
      )
    },

    async blame(revision, requester) {
      const runs = committed.documentRuns(revision)
      const key = sha1Of(Buffer.from(runs.map(run => run.documentType + run.document).join()))
      const found = known.get(key) ?? (await trace(runs, requester))
      known.set(key, found)
      const states = [...new Set(found.blamed.map(({ state }) => state))]
      const origins = new Map<number, Provenance>()
      await Promise.all(
        states.map(async state => origins.set(state, await originOf(runs[state]?.first ?? revision))),
      )
      const members = found.blamed.map(({ path, state }) => ({ path, ...(origins.get(state) as Provenance) }))
      const oldest = found.cutAfter === undefined ? undefined : runs[found.cutAfter - 1]
      return {
        version: revision.version,
        type: revision.documentType,
        members,
        ...(oldest && { cut: oldest.first.version }),
      }
    },
  }
}

/** What a file means for documents is not looked into. */
function fileChanges(from: Revision, to: Revision): readonly FileChange[] {
  const [before, after] = [attachedFiles(from.files), attachedFiles(to.files)]
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1))
  return paths
    .filter(path => before.get(path) !== after.get(path))
    .map(path => ({
      op: after.has(path) ? (before.has(path) ? 'replace' : 'add') : 'remove',
      path,
      ...undecided,
    }))
}
