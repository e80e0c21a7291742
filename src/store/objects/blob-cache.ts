import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { openAdmissionFilter } from '../../core/data-structures/admission-filter.js'
import { isPlain } from '../../core/plain-mode.js'
import { type Oid, type Sha1, toSha1 } from '../../core/value-types.js'
import { hashObject } from './hash-object.js'
import { isMissingOrDamaged, MissingObject, type ObjectReader } from './object-reader.js'

/** Reads blobs. */
export interface BlobReader {
  /**
   * @returns the bytes, shared between callers: do not modify them, and keep a {@link copyIfShared} for long use
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

/** Reads blobs through a cache and remembers unreadable ones. */
export interface BlobCache extends BlobReader {
  /** Requested blobs that are still missing or damaged; at most {@link mostLost}. */
  lost(): Promise<readonly Oid[]>
}

/** Limit of remembered lost blobs. */
const mostLost = 20

/**
 * Caches a blob when it is requested for the second time.
 *
 * Fast path. Row "GET of a document": 0.107 ms instead of 0.113 ms of processor time for documents that are requested
 * often; validation reads schemas through it, which has not been measured alone. Plain path: {@link
 * openDocumentReader}.
 * @see docs/decisions/011-fast-paths.md
 * @param capacity in bytes; a blob larger than an eighth of it is not cached
 */
export function openBlobCache(objects: ObjectReader, capacity = 32 * 1024 * 1024): BlobCache {
  const reader = openLostBlobs(openBlobReader(objects))
  const kept = new LRUCache<Oid, Buffer>({
    maxSize: capacity,
    maxEntrySize: Math.ceil(capacity / 8),
    // Adds the overhead of an entry. The library requires a size of at least 1, also for an empty file.
    sizeCalculation: bytes => bytes.length + 100,
  })
  const admissionFilter = openAdmissionFilter()

  return {
    async read(oid) {
      const found = kept.get(oid)
      if (found) return found
      const bytes = await reader.read(oid)
      if (!admissionFilter.seenBefore(oid)) return bytes
      const own = copyIfShared(bytes)
      kept.set(oid, own)
      return own
    },
    lost: reader.lost,
  }
}

/** Chooses the cache, or the plain path, which reads a blob whenever it is requested. */
export function openDocumentReader(objects: ObjectReader): BlobCache {
  return isPlain ? openLostBlobs(openBlobReader(objects)) : openBlobCache(objects)
}

/** Remembers unreadable blobs. */
function openLostBlobs({ read }: BlobReader): BlobCache {
  const lost = new Set<Oid>()

  async function look(oid: Oid): Promise<Buffer> {
    try {
      const bytes = await read(oid)
      lost.delete(oid)
      return bytes
    } catch (error) {
      if (isMissingOrDamaged(error) && lost.size < mostLost) lost.add(oid)
      throw error
    }
  }

  return {
    read: look,
    async lost() {
      await Promise.allSettled([...lost].map(look))
      return [...lost]
    },
  }
}

/** A copy of bytes that are a part of a larger allocation, so that keeping them does not keep the whole allocation. */
export function copyIfShared(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length + 16) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** The name of the blob with these bytes. @see gitformat-pack(5), "git hash-object" */
export function blobId(bytes: Uint8Array): Oid {
  return hashObject('blob', bytes)
}

/** The value of `documentHash` and `schemaHash`. */
export function sha1Of(bytes: Uint8Array): Sha1 {
  return toSha1(hash('sha1', bytes))
}
