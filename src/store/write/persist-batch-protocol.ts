import type { Oid } from '../../core/value-types.js'
import type { ObjectType } from '../objects/object-reader.js'
import type { NewObject } from '../packs/pack-writer.js'

/** Objects in columns for a message to a thread: cloning a few long values is cheaper than cloning many small ones. */
export interface ObjectColumns {
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
export function openConsent(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

export function decide(consent: Int32Array, allowed: boolean): void {
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
export function objectsToColumns(objects: readonly NewObject[]): ObjectColumns {
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
