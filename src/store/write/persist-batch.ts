import type { Oid } from '../../core/value-types.js'
import type { ObjectType } from '../objects/object-reader.js'
import type { NewObject } from '../packs/pack-writer.js'
import type { BranchMove, BranchMoveOutcome } from '../refs/move-branch.js'
import { openWorkerThread } from '../workers/worker-thread.js'

/** Who else decides whether the branch moves. */
interface Decisions {
  /** Called while the objects are written. If it throws, nothing is stored. */
  readonly prepare?: (() => void) | undefined
  /** Called when the objects are durable and the branch is locked. If it returns false or throws, the branch stays. */
  readonly agree?: (() => Promise<boolean>) | undefined
}

/** Makes flushes durable in a worker thread, one after another. */
export class BatchPersister {
  readonly #place: { readonly gitDir: string; readonly stagingDir: string }
  readonly #thread = openWorkerThread<PersistJob, PersistOutcome>(
    new URL('./persist-batch-thread.js', import.meta.url),
  )

  constructor(gitDir: string, stagingDir: string) {
    this.#place = { gitDir, stagingDir }
  }

  /**
   * Writes the objects as one pack and moves the branch.
   * @returns `refused` if `agree` returns false
   * @throws the error of `prepare` or `agree`
   */
  async publish(
    objects: readonly NewObject[],
    move: BranchMove,
    { prepare, agree }: Decisions,
  ): Promise<BranchMoveOutcome | 'refused'> {
    const columns = objectsToColumns(objects)
    const consent = openConsent()
    const job = { ...this.#place, objects: columns, move, consent, hold: agree !== undefined }
    const published = this.#thread.run(job, [columns.bytes])
    // The thread gets the job in a microtask; it works while `prepare` runs.
    await undefined
    let failure: { readonly thrown: unknown } | undefined
    try {
      prepare?.()
    } catch (thrown) {
      failure = { thrown }
    }
    decide(consent, failure === undefined)
    const outcome = await published
    if (failure) throw failure.thrown
    if (!agree || outcome !== 'held') return outcome as BranchMoveOutcome | 'refused'
    let agreed = false
    try {
      agreed = await agree()
    } finally {
      await this.#thread.run({ install: agreed })
    }
    return agreed ? 'moved' : 'refused'
  }

  async close(): Promise<void> {
    await this.#thread.disconnect({ release: true })
    await this.#thread.close()
  }
}

/** Writes the objects and moves the branch. */
export interface FlushJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly objects: ObjectColumns
  readonly move: BranchMove
  /** Whether the pack may get its name. The thread waits for it when the bytes are durable. */
  readonly consent: Int32Array
  /** Keeps the `.keep` file and the lock of the branch until the next job, an {@link EndJob}. */
  readonly hold: boolean
}

/** Ends a flush that holds the branch. */
export interface EndJob {
  /** Whether to move the branch. */
  readonly install: boolean
}

/** Removes what the thread keeps for the next flush. */
interface ReleaseJob {
  readonly release: true
}

export type PersistJob = FlushJob | EndJob | ReleaseJob

export type PersistOutcome = BranchMoveOutcome | 'held' | 'refused' | 'released'

/** Objects in columns for a message to a thread: cloning a few long values is cheaper than cloning many small ones. */
interface ObjectColumns {
  /** Concatenated names of 40 digits. */
  readonly names: string
  /** Indexes in {@link types}. */
  readonly types: Uint8Array
  /** In bytes. */
  readonly sizes: Float64Array
  /** Concatenated bytes of the objects. */
  readonly bytes: ArrayBuffer
}

/** Values of a consent. */
const [undecided, given, refused] = [0, 1, 2]

/** What one thread allows another one while that one works: shared memory, so that it needs no message. */
function openConsent(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

function decide(consent: Int32Array, allowed: boolean): void {
  Atomics.store(consent, 0, allowed ? given : refused)
  Atomics.notify(consent, 0)
}

/** Waits in this thread until another one has decided. @returns whether it is allowed */
export function awaitConsent(consent: Int32Array): boolean {
  Atomics.wait(consent, 0, undecided)
  return Atomics.load(consent, 0) === given
}

const types: readonly ObjectType[] = ['commit', 'tree', 'blob', 'tag']
const nameLength = 40

/** Copies the bytes into a buffer that can be transferred. */
function objectsToColumns(objects: readonly NewObject[]): ObjectColumns {
  const bytes = Buffer.allocUnsafeSlow(objects.reduce((sum, object) => sum + object.bytes.length, 0))
  let at = 0
  for (const object of objects) {
    bytes.set(object.bytes, at)
    at += object.bytes.length
  }
  return {
    names: objects.map(({ oid }) => oid).join(''),
    types: Uint8Array.from(objects, ({ type }) => types.indexOf(type)),
    sizes: Float64Array.from(objects, object => object.bytes.length),
    bytes: bytes.buffer as ArrayBuffer,
  }
}

export function columnsToObjects({
  names,
  types: places,
  sizes,
  bytes,
}: ObjectColumns): readonly NewObject[] {
  const objects: NewObject[] = []
  let at = 0
  for (const [place, size] of sizes.entries()) {
    objects.push({
      oid: names.slice(place * nameLength, (place + 1) * nameLength) as Oid,
      type: types[places[place] as number] as ObjectType,
      bytes: new Uint8Array(bytes, at, size),
    })
    at += size
  }
  return objects
}
