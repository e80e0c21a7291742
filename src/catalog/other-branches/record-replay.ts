import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { DocumentSpan, Revision, RevisionLogEntry } from '../../core/records/revision.js'
import type { ClientWork } from '../../core/scheduling/client-work.js'
import { asVersion, type Id, type Oid, type Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { readDirectory } from '../../store/objects/tree-format.js'
import { recordDirectory, recordFile } from '../../store/records/repository-layout.js'
import type { RuleCheck } from '../catalog.js'
import { type DirectoryFiles, documentsDiffer } from '../database/directory-files.js'
import type { DirectoryChange } from '../replay/directory-changes.js'
import { contentOf, timeOf } from '../replay/directory-content.js'
import type { ReplayedRecord } from '../replay/revision-rows.js'
import type { FirstParentChain } from '../revision-history/first-parent-chain.js'

/** One record as it is after commits outside the served history. The base is the last served commit before them. */
export interface RecordAtPoint {
  readonly kind: Collection
  readonly id: Id
  /** The first revision, valid or not; undefined if there is none. */
  readonly first: Pick<RevisionLogEntry, 'commit' | 'time'> | undefined
  /** The served revision at the base. */
  readonly start: Revision | undefined
  /** Valid revisions since the base, oldest first. */
  readonly revisions: readonly Revision[]
  /** The newest valid revision; undefined if there is none, or if the record is removed. */
  readonly newest: Revision | undefined
  /** Files after the last commit, valid or not. */
  readonly files: DirectoryFiles
  /** Version number of the last revision, valid or not; 0 if there is none. */
  readonly version: number
  /** The successive documents of the valid revisions, newest first. */
  readonly runs: readonly DocumentSpan[]
}

export interface PointReaderParts {
  readonly objects: ObjectReader
  readonly history: History
  readonly committed: CatalogQueries
  readonly checkRules: RuleCheck
  readonly chain: FirstParentChain
}

/**
 * Reads a record at the base: the newest commit that another branch shares with the served history. There the replay of
 * the branch begins. Invalid revisions count for `first`, `version` and `files`, but not for `newest`.
 */
export async function beginRecord(
  { objects, history, committed, chain }: PointReaderParts,
  kind: Collection,
  id: Id,
  base: Oid,
): Promise<RecordAtPoint> {
  const start = committed.asOf(kind, id, { commit: base })
  const position = chain.positionOf(base) ?? 0
  const before = committed
    .revisions(kind, id)
    .filter(({ commit }) => (chain.positionOf(commit) ?? Number.POSITIVE_INFINITY) <= position)
  const { tree } = await history.commit(base)
  return {
    kind,
    id,
    first: before.at(-1),
    start,
    revisions: [],
    newest: start,
    files: await readDirectory(objects, tree, recordDirectory(kind, id)),
    version: Math.max(0, ...before.map(({ version }) => version ?? 0)),
    runs: start ? committed.documentRuns(start) : [],
  }
}

/**
 * The record after the next commit that changes it. If that commit makes it unreadable or invalid, `newest` stays.
 * @param point the commit that the client asked for
 * @param view queries for what schemas and records were before the next commit
 * @param merged the revisions of the record at those parents of a merge that are served
 * @param work the work of the client that reads the point
 */
export async function advanceRecord(
  parts: PointReaderParts,
  record: RecordAtPoint,
  touch: DirectoryChange,
  point: Oid,
  view: CatalogQueries,
  merged: readonly Revision[],
  work: ClientWork | undefined,
): Promise<RecordAtPoint> {
  work?.signal.throwIfAborted()
  const { kind, id } = record
  const { commit, sequence } = touch
  const files = await readDirectory(parts.objects, commit.tree, touch.directory)
  if (files.size === 0) return { ...record, files, newest: undefined }
  const same = merged.find(revision => !differ(filesOf(revision), files))
  if (same) return withState(record, files, same, parts.committed.documentRuns(same))
  const version =
    kind === 'metadata' || record.version === 0 || documentsDiffer(record.files, files)
      ? asVersion(record.version + 1)
      : asVersion(record.version)
  const first = record.first ?? { commit: commit.oid, time: timeOf(commit) }
  const bad = { ...record, first, files, version }
  const before = beforeOf(record)
  const content = await contentOf({ ...parts, view: () => view }, touch, files, before)
  if (!('record' in content)) return bad
  const { documentType, document } = content
  const oids = new Map([...files].map(([file, { oid }]) => [file, oid]))
  const state = { record: content.record, documentType, document, files: oids }
  const findings = await parts.checkRules({ kind, id, commit, sequence, state }, view, work)
  if (findings.length > 0) return bad
  const time = timeOf(commit)
  const run = { document, documentType, first: { version, commit: commit.oid, time } }
  const runs = record.runs[0]?.document === document ? record.runs : [run, ...record.runs]
  const previous = previousOf(record, version)
  return withState(
    bad,
    files,
    {
      kind,
      id,
      version,
      ...(previous !== undefined && { previous }),
      commit: commit.oid,
      time,
      createdAt: first.time,
      ...state,
      documentHash: content.documentHash,
      sequence,
      unserved: { point, runs },
    },
    runs,
  )
}

function withState(
  record: RecordAtPoint,
  files: DirectoryFiles,
  newest: Revision,
  runs: readonly DocumentSpan[],
): RecordAtPoint {
  return {
    ...record,
    files,
    newest,
    version: newest.version,
    revisions: [...record.revisions, newest],
    runs,
  }
}

function previousOf({ revisions, start }: RecordAtPoint, version: Version): Version | undefined {
  return [start, ...revisions].findLast(revision => revision && revision.version < version)?.version
}

/** The record before a commit, in the form that {@link contentOf} takes. */
function beforeOf({ first, newest }: RecordAtPoint) {
  const good = newest && contentIn(newest)
  return first && { first, ...(good && { good }) }
}

function contentIn({
  record,
  files,
  documentType,
  document,
  documentHash,
}: Revision): ReplayedRecord | undefined {
  const recordBlob = files.get(recordFile)
  return recordBlob && { record, recordBlob, documentType, document, documentHash }
}

function filesOf({ files }: Revision): DirectoryFiles {
  return new Map([...files].map(([file, oid]) => [file, { oid }]))
}

function differ(a: DirectoryFiles, b: DirectoryFiles): boolean {
  return documentsDiffer(a, b) || a.get(recordFile)?.oid !== b.get(recordFile)?.oid
}
