import { LRUCache } from 'lru-cache'
import { openAdmissionFilter } from '../../core/data-structures/admission-filter.js'
import { isPlain } from '../../core/plain-mode.js'
import type { Oid } from '../../core/value-types.js'
import { isObjectDamage, MissingObject } from '../objects/object-errors.js'
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

/** Reads blobs through a cache and remembers unreadable ones. */
export interface BlobCache extends BlobReader {
  /** Requested blobs that are still missing or damaged now; at most {@link maxLost} of them. */
  lost(): Promise<readonly Oid[]>
}

/** Limit of remembered lost blobs. */
const maxLost = 20

/**
 * Caches a blob when it is requested for the second time.
 *
 * Fast path. Benchmark "GET of a document" of 200 KB: 0.56 ms instead of 1.65 ms of processor time, git's included.
 * Most documents up to 32 KB do not come from this cache, but from the thread of the batch reader, and validation keeps
 * its own schemas. Plain path: {@link openDocumentReader}.
 * @see docs/decisions/011-fast-paths.md
 * @param capacity in bytes; a blob larger than an eighth of it is not cached
 */
export function openBlobCache(objects: ObjectReader, capacity = 32 * 1024 * 1024): BlobCache {
  const reader = openLostBlobs(openBlobReader(objects))
  const kept = new LRUCache<Oid, Buffer>({
    maxSize: capacity,
    maxEntrySize: Math.ceil(capacity / 8),
    // An entry takes some memory itself. The library also requires a size of at least 1, even for an empty file.
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

/** Reads blobs without a cache, and remembers unreadable ones. */
function openLostBlobs({ read }: BlobReader): BlobCache {
  const lost = new Set<Oid>()

  async function readAndNote(oid: Oid): Promise<Buffer> {
    try {
      const bytes = await read(oid)
      lost.delete(oid)
      return bytes
    } catch (error) {
      if (isObjectDamage(error) && lost.size < maxLost) lost.add(oid)
      throw error
    }
  }

  return {
    read: readAndNote,
    async lost() {
      await Promise.allSettled([...lost].map(readAndNote))
      return [...lost]
    },
  }
}
