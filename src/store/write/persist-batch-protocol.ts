import type { Oid } from '../../core/value-types.js'
import type { ObjectType } from '../objects/object-reader.js'
import type { NewObject } from '../packs/pack-writer.js'

/** Objects in a message to a thread. */
export interface SentObjects {
  readonly list: readonly { readonly oid: Oid; readonly type: ObjectType; readonly size: number }[]
  /** Concatenated bytes of the objects, in a buffer that can be transferred. */
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

/** Copies the bytes of the objects. */
export function toSentObjects(objects: readonly NewObject[]): SentObjects {
  const bytes = Buffer.allocUnsafeSlow(objects.reduce((sum, object) => sum + object.bytes.length, 0))
  let end = 0
  const list = objects.map(object => {
    bytes.set(object.bytes, end)
    end += object.bytes.length
    return { oid: object.oid, type: object.type, size: object.bytes.length }
  })
  return { list, bytes: bytes.buffer as ArrayBuffer }
}

export function fromSentObjects({ list, bytes }: SentObjects): readonly NewObject[] {
  let end = 0
  return list.map(({ oid, type, size }) => {
    end += size
    return { oid, type, bytes: new Uint8Array(bytes, end - size, size) }
  })
}
