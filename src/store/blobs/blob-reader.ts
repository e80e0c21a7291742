import type { Oid } from '../../core/value-types.js'
import { MissingObject } from '../objects/object-errors.js'
import type { ObjectReader } from '../objects/object-reader.js'

/** Reads blobs. */
export interface BlobReader {
  /**
   * @returns the bytes, which callers share: do not modify them, and keep them for long only by {@link copyIfShared}
   * @throws MissingObject if the repository has no such blob
   */
  read(oid: Oid): Promise<Buffer>
}

/** Reads blobs without a cache, for scans of the whole repository. */
export function openBlobReader(objects: ObjectReader): BlobReader {
  return {
    async read(oid) {
      const object = await objects.read(oid)
      if (object.type !== 'blob') throw new MissingObject(oid)
      return object.bytes
    },
  }
}

/** The bytes, copied if they are a part of a larger buffer: to keep them would keep the whole buffer in memory. */
export function copyIfShared(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length + 16) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
