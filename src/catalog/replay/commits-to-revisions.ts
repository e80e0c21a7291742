import { type Finding, ProblemError, type ProblemKind } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { StoredRecord, WrittenRecord } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Id, Instant, Oid, Sha1 } from '../../core/value-types.js'
import type { CommitChanges, History, PathChange } from '../../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../../store/objects/commit-and-tree-parser.js'
import type {
  GitObject,
  ObjectReader,
  ObjectRequest,
  StreamedObject,
} from '../../store/objects/object-reader.js'
import { decodeHandwrittenRecord } from '../../store/records/record-json.js'
import {
  documentTypeOfFile,
  idOfDirectory,
  parseRecordPath,
  recordFile,
} from '../../store/records/repository-layout.js'
import type { RuleCheck } from '../catalog.js'
import type { DirectoryFiles, FileEntry } from '../database/directory-files.js'
import { completeRecord } from './complete-record.js'
import { withLineNumbers } from './lines-of-findings.js'
import { findRecordFiles, isPlain, placementFindings } from './record-directory.js'
import type { DirectoryState, RecordContent, RecordRows, RevisionInput } from './revision-rows.js'

/** Steps whose objects are asked for at once; while they are taken over, git tells of as many more. */
const mostSteps = 8192

export interface ReadOptions {
  readonly rows: RecordRows
  /** The state so far. */
  view(): CatalogQueries
  readonly objects: ObjectReader
  readonly history: History
  readonly judge: RuleCheck
  /** Judges also what says that a server made it: whoever sends it may have written that. */
  readonly checksEverything?: boolean
  readonly from: Oid | undefined
  readonly to: Oid
  /** Position of `from` on the first-parent chain; 0 where there is none. */
  readonly sequence: number
  /** A commit has been taken over whole. */
  commitDone(commit: CommitInfo, sequence: number): void
}

/** A commit that changes the directory of a record. */
export interface DirectoryChange {
  readonly commit: CommitInfo
  readonly sequence: number
  readonly kind: Collection
  readonly directory: string
}

/** What one commit does to the directory of one record. */
interface Touched extends DirectoryChange {
  readonly changes: ReadonlyMap<string, PathChange>
  readonly wanted: readonly ObjectRequest[]
}

/** The end of a commit: its directories have all come. */
interface End {
  readonly commit: CommitInfo
  readonly sequence: number
}

type Step = Touched | End

/** Steps, and the objects they want, in their order. */
interface Portion {
  readonly steps: readonly Step[]
  readonly objects: Streams
}

/** What reading ahead brought, by blob. */
interface Fetched {
  readonly record?: { readonly blob: Oid; readonly outcome: RecordOutcome } | undefined
  readonly hash?: { readonly blob: Oid; readonly hash: Sha1 | undefined } | undefined
}

type RecordOutcome = { readonly written: WrittenRecord } | { readonly findings: readonly Finding[] }

/**
 * Takes over the commits after `from` up to `to`. Whatever people committed becomes revisions, good or bad.
 * @throws MissingObject where the repository lacks an object of its own history
 */
export async function replayHistory(options: ReadOptions): Promise<void> {
  const { objects, history, from, to, sequence } = options
  const portions = portionsOf(objects, history.walk(from, to), sequence)
  let next = begin(portions)
  try {
    for (;;) {
      const { value: portion, done } = await next
      if (done) return
      next = begin(portions)
      try {
        await takeOverAll(options, portion)
      } finally {
        await portion.objects.end()
      }
    }
  } finally {
    await (await next.catch(() => undefined))?.value?.objects.end()
    await portions.return()
  }
}

async function takeOverAll(options: ReadOptions, { steps, objects }: Portion): Promise<void> {
  for (const step of steps) {
    if ('kind' in step) await takeOver(options, step, await fetch(objects, step))
    else options.commitDone(step.commit, step.sequence)
  }
}

/** What it throws is met when its turn comes; should another failure come first, it is nobody's. */
function begin<T>(items: AsyncIterator<T, void>): Promise<IteratorResult<T, void>> {
  const next = items.next()
  next.catch(() => undefined)
  return next
}

/** Git is at work on a portion as soon as the portion is there, before its turn comes. */
async function* portionsOf(
  objects: ObjectReader,
  walk: AsyncIterable<CommitChanges>,
  before: number,
): AsyncGenerator<Portion, void, void> {
  const portion = (steps: readonly Step[]) => {
    const wanted = steps.flatMap(step => ('kind' in step ? step.wanted : []))
    return { steps, objects: openStreamed(objects.stream(wanted)) }
  }
  let sequence = before
  let steps: Step[] = []
  for await (const { commit, changes } of walk) {
    sequence++
    for (const step of directoryChanges(commit, sequence, changes)) steps.push(step)
    steps.push({ commit, sequence })
    if (steps.length < mostSteps) continue
    yield portion(steps)
    steps = []
  }
  if (steps.length > 0) yield portion(steps)
}

/**
 * The record directories of a commit. What leaves comes first, so that a record moved by a person does not stand in
 * its own way; schemas come before the metadata that may follow them.
 */
export function directoryChanges(
  commit: CommitInfo,
  sequence: number,
  changes: readonly PathChange[],
): readonly Touched[] {
  const found = new Map<string, { kind: Collection; directory: string; changes: Map<string, PathChange> }>()
  for (const change of changes) {
    const place = parseRecordPath(change.path)
    if (!place) continue
    let entry = found.get(place.directory)
    if (!entry) {
      entry = { kind: place.kind, directory: place.directory, changes: new Map() }
      found.set(place.directory, entry)
    }
    entry.changes.set(place.file, change)
  }
  return [...found.values()]
    .map(entry => ({ entry, rank: rankOf(entry.kind, entry.changes) }))
    .sort((a, b) => a.rank - b.rank || (a.entry.directory < b.entry.directory ? -1 : 1))
    .map(({ entry: { kind, directory, changes } }) => {
      return { commit, sequence, kind, directory, changes, wanted: wantedBy(kind, changes) }
    })
}

function rankOf(kind: Collection, changes: ReadonlyMap<string, PathChange>): number {
  const leaves = [...changes.values()].every(change => change.after === undefined)
  if (leaves) return kind === 'metadata' ? 0 : 1
  return kind === 'schema' ? 2 : 3
}

/** The record, and the document to be hashed, where the commit changes them. */
function wantedBy(kind: Collection, changes: ReadonlyMap<string, PathChange>): readonly ObjectRequest[] {
  const wanted: ObjectRequest[] = []
  for (const [file, { after, mode }] of changes) {
    if (after === undefined || !isPlain(mode)) continue
    if (file === recordFile) wanted.push({ oid: after, as: 'bytes' })
    else if (documentTypeOfFile(kind, file)) wanted.push({ oid: after, as: 'sha1' })
  }
  return wanted
}

interface Streams {
  /** Undefined: wait for the next piece, and ask again. */
  next(): StreamedObject | undefined
  wait(): Promise<void>
  end(): Promise<void>
}

/** Hands over one by one what comes in pieces, the first of which is asked for at once. */
function openStreamed(source: AsyncIterable<readonly StreamedObject[]>): Streams {
  const pieces = source[Symbol.asyncIterator]()
  let coming = begin(pieces)
  let piece: readonly StreamedObject[] = []
  let at = 0
  return {
    next: () => piece[at++],
    async wait() {
      const { value, done } = await coming
      if (done) throw new Error('Fewer objects came than were asked for.')
      coming = begin(pieces)
      piece = value
      at = 0
    },
    async end() {
      await pieces.return?.()
    },
  }
}

async function fetch(objects: Streams, { kind, wanted }: Touched): Promise<Fetched> {
  let record: Fetched['record']
  let hash: Fetched['hash']
  for (const { oid } of wanted) {
    let object = objects.next()
    while (!object) {
      await objects.wait()
      object = objects.next()
    }
    if ('bytes' in object) record = { blob: oid, outcome: recordIn(kind, object) }
    else hash = { blob: oid, hash: object.type === 'blob' ? object.sha1 : undefined }
  }
  return { record, hash }
}

async function readRecord(objects: ObjectReader, kind: Collection, blob: Oid): Promise<RecordOutcome> {
  return recordIn(kind, await objects.read(blob))
}

function recordIn(kind: Collection, { type, bytes }: GitObject): RecordOutcome {
  if (type !== 'blob') return { findings: [{ message: 'It is no file.', file: recordFile }] }
  try {
    return { written: decodeHandwrittenRecord(kind, bytes) }
  } catch (thrown) {
    if (!(thrown instanceof ProblemError)) throw thrown
    const findings = thrown.extra.findings ?? [{ message: thrown.message }]
    return { findings: findings.map(finding => ({ ...finding, file: recordFile })) }
  }
}

/** @returns undefined for what is no file */
async function hashOf(objects: ObjectReader, blob: Oid): Promise<Sha1 | undefined> {
  for await (const [object] of objects.stream([{ oid: blob, as: 'sha1' }])) {
    if (object?.type === 'blob' && 'sha1' in object) return object.sha1
  }
  return undefined
}

async function takeOver(options: ReadOptions, step: Touched, fetched: Fetched): Promise<void> {
  const { kind, directory, commit, sequence } = step
  const before = options.rows.before(directory)
  const files = filesAfter(before?.files, step.changes)
  const read = files.size === 0 ? undefined : await contentOf(options, step, files, before, fetched)
  const content = read && 'record' in read ? read : undefined
  const id = idOfDirectory(kind, directory) ?? before?.id ?? content?.record.id
  const entry: RevisionInput = {
    kind,
    directory,
    id,
    commit: commit.oid,
    time: timeOf(commit),
    sequence,
    files,
    ...(content && { content }),
    findings: read && !('record' in read) ? read : [],
  }
  const verdict = isJudged(options, entry, commit, before)
    ? await judged(options, step, entry)
    : entry.findings
  const { objects } = options
  const findings = verdict.length > 0 ? await withLineNumbers(verdict, { kind, files, objects }) : verdict
  options.rows.apply({ ...entry, findings }, before)
}

function filesAfter(
  before: DirectoryFiles | undefined,
  changes: ReadonlyMap<string, PathChange>,
): DirectoryFiles {
  const files = new Map(before)
  for (const [file, { after, mode }] of changes) {
    if (after === undefined) files.delete(file)
    else files.set(file, fileEntry(after, mode))
  }
  return files
}

function fileEntry(oid: Oid, mode: string | undefined): FileEntry {
  return mode === undefined || mode === '100644' ? { oid } : { oid, mode }
}

/** What of a directory's past its next state may depend on. */
type Former = Pick<DirectoryState, 'first'> & Partial<Pick<DirectoryState, 'good'>>

/** The state a directory holds, or what is wrong with it. Reads only what is neither fetched nor known already. */
export async function contentOf(
  options: Pick<ReadOptions, 'objects' | 'history' | 'view'>,
  step: DirectoryChange,
  files: DirectoryFiles,
  before: Former | undefined,
  fetched: Fetched = {},
): Promise<RecordContent | readonly Finding[]> {
  const { objects } = options
  const { kind, directory } = step
  const parts = findRecordFiles(kind, files)
  if (!('record' in parts)) return parts
  const known = before?.good
  const record =
    known?.recordBlob === parts.record
      ? known.record
      : await recordOf(options, step, parts.record, before, fetched)
  if (!('id' in record)) return record
  const faults = placementFindings(kind, directory, record)
  if (faults.length > 0) return faults
  const hash =
    fetched.hash?.blob === parts.document
      ? fetched.hash.hash
      : known?.document === parts.document
        ? known.documentHash
        : await hashOf(objects, parts.document)
  if (hash === undefined) return [{ message: 'The document is no file.' }]
  return {
    record,
    recordBlob: parts.record,
    documentType: parts.documentType,
    document: parts.document,
    documentHash: hash,
  }
}

/** The record of a blob as it is meant in this place of the history. */
async function recordOf(
  options: Pick<ReadOptions, 'objects' | 'history' | 'view'>,
  step: DirectoryChange,
  blob: Oid,
  before: Former | undefined,
  fetched: Fetched,
): Promise<StoredRecord | readonly Finding[]> {
  const { kind, directory, commit } = step
  const outcome =
    fetched.record?.blob === blob ? fetched.record.outcome : await readRecord(options.objects, kind, blob)
  if ('findings' in outcome) return outcome.findings
  const made = async () => {
    const first = before ? await options.history.commit(before.first.commit) : commit
    return { author: authorOf(first), year: yearOf(before?.first.time ?? timeOf(commit)) }
  }
  return await completeRecord(outcome.written, {
    kind,
    directory,
    before: before?.good?.record,
    newestSchema: id => options.view().newest('schema', id)?.version,
    made: isByPeople(commit) ? made : undefined,
  })
}

/** A merge takes over what was done elsewhere, whoever made it. */
function isByPeople({ recordedAt, parents }: CommitInfo): boolean {
  return recordedAt === undefined || parents.length >= 2
}

export function timeOf({ recordedAt, committedAt }: CommitInfo): Instant {
  return recordedAt ?? committedAt
}

function yearOf(time: Instant): number {
  return new Date(time).getUTCFullYear()
}

/** A name that is not UTF-8 has characters that no JSON text can have. */
function authorOf({ authorName, authorEmail }: CommitInfo): string {
  return (authorName || authorEmail).replace(/\p{Surrogate}/gu, '\ufffd')
}

/** Whether there is something to be judged, and a reason to. */
function isJudged(
  { checksEverything }: ReadOptions,
  { findings, id, content }: RevisionInput,
  commit: CommitInfo,
  before: DirectoryState | undefined,
): boolean {
  if (findings.length > 0 || id === undefined) return false
  if (!checksEverything && !isByPeople(commit)) return false
  // What was never served can leave without harm.
  return content !== undefined || before?.served === true
}

/** Problems that say nothing of a document. */
const ofTheMachine: ReadonlySet<ProblemKind> = new Set(['internal', 'unavailable', 'damaged'])

async function judged(
  options: ReadOptions,
  { commit }: Touched,
  entry: RevisionInput,
): Promise<readonly Finding[]> {
  const { content } = entry
  const candidate = {
    kind: entry.kind,
    id: entry.id as Id,
    commit,
    sequence: entry.sequence,
    ...(content && {
      state: {
        record: content.record,
        documentType: content.documentType,
        document: content.document,
        files: new Map([...entry.files].map(([file, { oid }]) => [file, oid])),
      },
    }),
  }
  try {
    return await options.judge(candidate, options.view())
  } catch (thrown) {
    // The verdict is that there can be none; a failing machine is another matter.
    if (thrown instanceof ProblemError && !ofTheMachine.has(thrown.kind))
      return thrown.extra.findings ?? [{ message: thrown.message }]
    throw thrown
  }
}
