import { placesOfPointers } from '../../core/json/source-locations.js'
import { type Finding, ProblemError, type ProblemKind } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Id, Oid } from '../../core/value-types.js'
import type { History, PathChange } from '../../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../../store/objects/commit-format.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { documentTypeOfFile, idOfDirectory } from '../../store/records/repository-layout.js'
import type { RuleCheck } from '../catalog.js'
import type { DirectoryFiles, FileEntry } from '../database/directory-files.js'
import type { FileChanges } from './directory-changes.js'
import { contentOf, mayBreakRules, timeOf } from './directory-content.js'
import { type Portion, type Prefetched, portionsOf, prefetched, requestNext } from './prefetched-objects.js'
import { isPlain } from './record-directory.js'
import type { DirectoryState, RecordRows, RevisionInput } from './revision-rows.js'

interface ReplayOptions {
  readonly rows: RecordRows
  /** Queries on the history that has been replayed so far. */
  view(): CatalogQueries
  readonly objects: ObjectReader
  readonly history: History
  readonly checkRules: RuleCheck
  /** Also checks commits that claim to be by a server: a client may have forged them. */
  readonly checksEverything?: boolean
  readonly from: Oid | undefined
  readonly to: Oid
  /** Position of `from` on the first-parent chain; 0 if it is undefined. */
  readonly sequence: number
  /** Called after all revisions of a commit. */
  commitDone(commit: CommitInfo, sequence: number): void
}

/**
 * Writes a revision, valid or not, for each record that a commit changes: of the commits after `from`, up to `to`.
 * @throws MissingObject if the repository lacks an object of its own history
 */
export async function replayHistory(options: ReplayOptions): Promise<void> {
  const { objects, history, from, to, sequence } = options
  const portions = portionsOf(objects, history.walk(from, to), sequence)
  let next = requestNext(portions)
  try {
    for (;;) {
      const { value: portion, done } = await next
      if (done) return
      next = requestNext(portions)
      try {
        await replayPortion(options, portion)
      } finally {
        await portion.objects.end()
      }
    }
  } finally {
    await (await next.catch(() => undefined))?.value?.objects.end()
    await portions.return()
  }
}

async function replayPortion(options: ReplayOptions, { steps, objects }: Portion): Promise<void> {
  for (const step of steps) {
    if ('kind' in step) await replayStep(options, step, await prefetched(objects, step))
    else options.commitDone(step.commit, step.sequence)
  }
}

async function replayStep(options: ReplayOptions, step: FileChanges, fetched: Prefetched): Promise<void> {
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
  const verdict = needsRuleCheck(options, entry, commit, before)
    ? await ruleFindings(options, step, entry)
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

/** Says whether the revision is readable and has to be checked. */
function needsRuleCheck(
  { checksEverything }: ReplayOptions,
  { findings, id, content }: RevisionInput,
  commit: CommitInfo,
  before: DirectoryState | undefined,
): boolean {
  if (findings.length > 0 || id === undefined) return false
  if (!checksEverything && !mayBreakRules(commit)) return false
  // The removal of a record that was not served breaks no rule.
  return content !== undefined || before?.served === true
}

/** Problems with the machine, not with a revision. */
const machineProblems: ReadonlySet<ProblemKind> = new Set(['internal', 'unavailable', 'damaged'])

async function ruleFindings(
  options: ReplayOptions,
  { commit }: FileChanges,
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
    return await options.checkRules(candidate, options.view())
  } catch (thrown) {
    // A revision that cannot be checked is invalid, unless the machine failed.
    if (thrown instanceof ProblemError && !machineProblems.has(thrown.kind))
      return thrown.extra.findings ?? [{ message: thrown.message }]
    throw thrown
  }
}

/** Limit of a file that is searched for line numbers, in bytes, because the search blocks the event loop. */
const maxSearchedBytes = 4 * 2 ** 20

/**
 * Adds line numbers to findings with a JSON Pointer into a JSON file. Other findings, and those in files above 4 MiB,
 * stay unchanged.
 */
async function withLineNumbers(
  findings: readonly Finding[],
  {
    kind,
    files,
    objects,
  }: { readonly kind: Collection; readonly files: DirectoryFiles; readonly objects: ObjectReader },
): Promise<readonly Finding[]> {
  const document = [...files.keys()].find(file => documentTypeOfFile(kind, file))
  let left = findings
  for (const file of new Set(findings.map(finding => finding.file ?? document))) {
    const text = file?.endsWith('.json') ? await textOf(file, files, objects) : undefined
    if (text === undefined) continue
    const isHere = (finding: Finding) => (finding.file ?? document) === file && finding.line === undefined
    const pointers = left.flatMap(finding => (isHere(finding) ? (finding.path ?? []) : []))
    const places = placesOfPointers(text, pointers)
    left = left.map(finding => {
      const place = isHere(finding) && finding.path !== undefined ? places.get(finding.path) : undefined
      return place === undefined ? finding : { ...finding, ...place }
    })
  }
  return left
}

async function textOf(
  file: string,
  files: DirectoryFiles,
  objects: ObjectReader,
): Promise<string | undefined> {
  const entry = files.get(file)
  if (!entry || !isPlain(entry.mode)) return undefined
  const { type, bytes } = await objects.read(entry.oid)
  return type === 'blob' && bytes.byteLength <= maxSearchedBytes ? new TextDecoder().decode(bytes) : undefined
}
