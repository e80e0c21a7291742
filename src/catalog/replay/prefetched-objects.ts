import { type Finding, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { WrittenRecord } from '../../core/records/record.js'
import type { Oid, Sha1 } from '../../core/value-types.js'
import type { CommitChanges } from '../../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../../store/objects/commit-format.js'
import type { GitObject, ObjectReader, StreamedObject } from '../../store/objects/object-reader.js'
import { decodeHandwrittenRecord } from '../../store/records/record-json.js'
import { recordFile } from '../../store/records/repository-layout.js'
import { directoryChanges, type FileChanges } from './directory-changes.js'

/** Number of steps after which a portion ends. While it is replayed, git reads the objects of the next portion. */
const stepsPerPortion = 8192

/** The end of a commit, which follows the changes of all directories that the commit changes. */
interface CommitEnd {
  readonly commit: CommitInfo
  readonly sequence: number
}

type Step = FileChanges | CommitEnd

/** Steps with the stream of their objects, in their order. */
export interface Portion {
  readonly steps: readonly Step[]
  readonly objects: ObjectStream
}

/** Objects that were read ahead. */
export interface Prefetched {
  readonly record?: { readonly blob: Oid; readonly outcome: RecordOutcome } | undefined
  readonly hash?: { readonly blob: Oid; readonly hash: Sha1 | undefined } | undefined
}

type RecordOutcome = { readonly written: WrittenRecord } | { readonly findings: readonly Finding[] }

/**
 * Requests the next item before it is needed. An error does not count as an unhandled rejection, which would end the
 * process; it is thrown when the promise is awaited.
 */
export function requestNext<T>(items: AsyncIterator<T, void>): Promise<IteratorResult<T, void>> {
  const next = items.next()
  next.catch(() => undefined)
  return next
}

/** Divides a history into portions. Git starts to read the objects of a portion when the portion is yielded. */
export async function* portionsOf(
  objects: ObjectReader,
  walk: AsyncIterable<CommitChanges>,
  before: number,
): AsyncGenerator<Portion, void, void> {
  const portion = (steps: readonly Step[]) => {
    const wanted = steps.flatMap(step => ('kind' in step ? step.wanted : []))
    return { steps, objects: openObjectStream(objects.stream(wanted)) }
  }
  let sequence = before
  let steps: Step[] = []
  for await (const { commit, changes } of walk) {
    sequence++
    for (const step of directoryChanges(commit, sequence, changes)) steps.push(step)
    steps.push({ commit, sequence })
    if (steps.length < stepsPerPortion) continue
    yield portion(steps)
    steps = []
  }
  if (steps.length > 0) yield portion(steps)
}

interface ObjectStream {
  /** The next object; undefined if `wait` has to be called first. */
  next(): StreamedObject | undefined
  wait(): Promise<void>
  end(): Promise<void>
}

/** Gives the objects of a stream of pieces one by one. Requests the first piece at once. */
function openObjectStream(source: AsyncIterable<readonly StreamedObject[]>): ObjectStream {
  const pieces = source[Symbol.asyncIterator]()
  let coming = requestNext(pieces)
  let piece: readonly StreamedObject[] = []
  let index = 0
  return {
    next: () => piece[index++],
    async wait() {
      const { value, done } = await coming
      if (done) throw new Error('Fewer objects came than were asked for.')
      coming = requestNext(pieces)
      piece = value
      index = 0
    },
    async end() {
      await pieces.return?.()
    },
  }
}

export async function prefetched(objects: ObjectStream, { kind, wanted }: FileChanges): Promise<Prefetched> {
  let record: Prefetched['record']
  let hash: Prefetched['hash']
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

export function recordIn(kind: Collection, { type, bytes }: GitObject): RecordOutcome {
  if (type !== 'blob') return { findings: [{ message: 'It is not a file.', file: recordFile }] }
  try {
    return { written: decodeHandwrittenRecord(kind, bytes) }
  } catch (thrown) {
    if (!(thrown instanceof ProblemError)) throw thrown
    const findings = thrown.extra.findings ?? [{ message: thrown.message }]
    return { findings: findings.map(finding => ({ ...finding, file: recordFile })) }
  }
}
