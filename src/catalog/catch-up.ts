import { createHash } from 'node:crypto'
import { type Finding, ProblemError } from '../core/problem.js'
import type { StoredRecord, WrittenRecord } from '../core/record.js'
import { type Id, type Instant, type Kind, type Oid, type Sha1, toSha1 } from '../core/values.js'
import { decodeWritten } from '../store/codec.js'
import type { CommitChanges, CommitInfo, History, PathChange } from '../store/history.js'
import { documentType, idOf, locate, recordFile } from '../store/layout.js'
import type { ObjectReader } from '../store/objects.js'
import { readAhead } from '../store/read-ahead.js'
import type { Judge, Queries } from './catalog.js'
import { completeRecord } from './completion.js'
import { withLines } from './fault-lines.js'
import type { Before, Content, Entry, Rows } from './rows.js'
import { type FileEntry, type Files, isPlain, misplaced, partsOf } from './structure.js'

/** Steps whose objects are asked for at once. */
const mostUnderWay = 512

export interface ReadOptions {
  readonly rows: Rows
  /** The state so far. */
  view(): Queries
  readonly objects: ObjectReader
  readonly history: History
  readonly judge: Judge
  /** Judges also what says that a server made it: whoever sends it may have written that. */
  readonly trustsNobody?: boolean
  readonly from: Oid | undefined
  readonly to: Oid
  /** Position of `from` on the first-parent chain; 0 where there is none. */
  readonly sequence: number
  /** A commit has been taken over whole. */
  passed(commit: CommitInfo, sequence: number): void
}

/** A commit that changes the directory of a record. */
export interface Touch {
  readonly commit: CommitInfo
  readonly sequence: number
  readonly kind: Kind
  readonly directory: string
}

/** What one commit does to the directory of one record. */
interface Touched extends Touch {
  readonly changes: ReadonlyMap<string, PathChange>
}

/** The end of a commit: its directories have all come. */
interface End {
  readonly commit: CommitInfo
  readonly sequence: number
}

type Step = Touched | End

/** What reading ahead brought, by blob. */
interface Fetched {
  readonly record?: { readonly blob: Oid; readonly outcome: RecordOutcome }
  readonly hash?: { readonly blob: Oid; readonly hash: Sha1 | undefined }
}

type RecordOutcome = { readonly written: WrittenRecord } | { readonly findings: readonly Finding[] }

/**
 * Takes over the commits after `from` up to `to`. Whatever people committed becomes revisions, good or bad.
 * @throws MissingObject where the repository lacks an object of its own history
 */
export async function readHistory(options: ReadOptions): Promise<void> {
  const steps = stepsOf(options.history.walk(options.from, options.to), options.sequence)
  const start = (step: Step) => ('kind' in step ? fetch(options.objects, step) : Promise.resolve({}))
  for await (const [step, fetched] of readAhead(steps, mostUnderWay, start)) {
    if ('kind' in step) await takeOver(options, step, fetched)
    else options.passed(step.commit, step.sequence)
  }
}

async function* stepsOf(walk: AsyncIterable<CommitChanges>, before: number): AsyncGenerator<Step> {
  let sequence = before
  for await (const { commit, changes } of walk) {
    sequence++
    yield* touchedBy(commit, sequence, changes)
    yield { commit, sequence }
  }
}

/**
 * The record directories of a commit. What leaves comes first, so that a record moved by a person does not stand in
 * its own way; schemas come before the metadata that may follow them.
 */
export function touchedBy(
  commit: CommitInfo,
  sequence: number,
  changes: readonly PathChange[],
): readonly Touched[] {
  const found = new Map<string, { kind: Kind; directory: string; changes: Map<string, PathChange> }>()
  for (const change of changes) {
    const place = locate(change.path)
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
    .map(({ entry }) => ({ commit, sequence, ...entry }))
}

function rankOf(kind: Kind, changes: ReadonlyMap<string, PathChange>): number {
  const leaves = [...changes.values()].every(change => change.after === undefined)
  if (leaves) return kind === 'metadata' ? 0 : 1
  return kind === 'schema' ? 2 : 3
}

/** Reads the record and hashes the document, where the commit changes them. */
async function fetch(objects: ObjectReader, { kind, changes }: Touched): Promise<Fetched> {
  const record = changes.get(recordFile)
  const [, document] =
    [...changes].find(
      ([file, { after, mode }]) => after !== undefined && isPlain(mode) && documentType(kind, file),
    ) ?? []
  const [outcome, hash] = await Promise.all([
    record?.after !== undefined && isPlain(record.mode) ? readRecord(objects, kind, record.after) : undefined,
    document?.after !== undefined ? hashOf(objects, document.after) : undefined,
  ])
  return {
    ...(record?.after !== undefined && outcome && { record: { blob: record.after, outcome } }),
    ...(document?.after !== undefined && { hash: { blob: document.after, hash } }),
  }
}

async function readRecord(objects: ObjectReader, kind: Kind, blob: Oid): Promise<RecordOutcome> {
  const { type, bytes } = await objects.read(blob)
  if (type !== 'blob') return { findings: [{ message: 'It is no file.', file: recordFile }] }
  try {
    return { written: decodeWritten(kind, bytes) }
  } catch (thrown) {
    if (!(thrown instanceof ProblemError)) throw thrown
    const findings = thrown.extra.findings ?? [{ message: thrown.message }]
    return { findings: findings.map(finding => ({ ...finding, file: recordFile })) }
  }
}

/** @returns undefined for what is no file */
async function hashOf(objects: ObjectReader, blob: Oid): Promise<Sha1 | undefined> {
  const { type, bytes } = await objects.read(blob)
  return type === 'blob' ? toSha1(createHash('sha1').update(bytes).digest('hex')) : undefined
}

async function takeOver(options: ReadOptions, step: Touched, fetched: Fetched): Promise<void> {
  const { kind, directory, commit, sequence } = step
  const before = options.rows.before(directory)
  const files = filesAfter(before?.files, step.changes)
  const read = files.size === 0 ? undefined : await contentOf(options, step, files, before, fetched)
  const content = read && 'record' in read ? read : undefined
  const id = idOf(kind, directory) ?? before?.id ?? content?.record.id
  const entry: Entry = {
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
  const findings = await judged(options, step, entry, before)
  const { objects } = options
  options.rows.apply({ ...entry, findings: await withLines(findings, { kind, files, objects }) })
}

function filesAfter(before: Files | undefined, changes: ReadonlyMap<string, PathChange>): Files {
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

/** The state a directory holds, or what is wrong with it. Reads only what is neither fetched nor known already. */
export async function contentOf(
  options: Pick<ReadOptions, 'objects' | 'history' | 'view'>,
  step: Touch,
  files: Files,
  before: Pick<Before, 'first' | 'good'> | undefined,
  fetched: Fetched = {},
): Promise<Content | readonly Finding[]> {
  const { objects } = options
  const { kind, directory } = step
  const parts = partsOf(kind, files)
  if (!('record' in parts)) return parts
  const known = before?.good
  const record =
    known?.recordBlob === parts.record
      ? known.record
      : await recordOf(options, step, parts.record, before, fetched)
  if (!('id' in record)) return record
  const faults = misplaced(kind, directory, record)
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
  step: Touch,
  blob: Oid,
  before: Pick<Before, 'first' | 'good'> | undefined,
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

/** The findings of a revision: those of its structure, else those of the judge where people made it. */
async function judged(
  options: ReadOptions,
  { commit }: Touched,
  entry: Entry,
  before: Before | undefined,
): Promise<readonly Finding[]> {
  const { content } = entry
  if (entry.findings.length > 0 || entry.id === undefined) return entry.findings
  if (!options.trustsNobody && !isByPeople(commit)) return []
  // What was never served can leave without harm.
  if (!content && !before?.served) return []
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
    if (thrown instanceof ProblemError && thrown.kind !== 'internal' && thrown.kind !== 'unavailable')
      return thrown.extra.findings ?? [{ message: thrown.message }]
    throw thrown
  }
}
