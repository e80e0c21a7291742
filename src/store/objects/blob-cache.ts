import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { openDoorkeeper } from '../../core/data-structures/admission-filter.js'
import { type Oid, type Sha1, toSha1 } from '../../core/value-types.js'
import { hashObject } from './hash-object.js'
import { isMissingOrDamaged, MissingObject, type ObjectReader } from './object-reader.js'

/** Bytes of files by the name of their blob. */
export interface BlobReader {
  /**
   * @returns the bytes; shared by everybody who reads the same blob, so nobody may write into them. Whoever keeps them for
   *   long keeps {@link copyIfShared}
   * @throws MissingObject where the repository has no such blob
   */
  read(oid: Oid): Promise<Buffer>
}

/** Without a cache: for whoever reads everything once, which would drive out what others read again. */
export function openBlobReader(objects: ObjectReader): BlobReader {
  return {
    async read(oid) {
      const object = await objects.read(oid)
      if (object.type !== 'blob') throw new MissingObject(oid)
      return object.bytes
    },
  }
}

/** Documents through a cache, which remembers what could not be read. */
export interface BlobCache extends BlobReader {
  /** Blobs that were asked for and are missing or damaged, as far as they still are: some of them, where they are many. */
  lost(): Promise<readonly Oid[]>
}

/** Lost blobs that are remembered. */
const mostLost = 20

/**
 * Keeps what is asked for a second time.
 * @param capacity bytes it holds at most; a blob larger than an eighth of it is not kept
 */
export function openBlobCache(objects: ObjectReader, capacity = 32 * 1024 * 1024): BlobCache {
  const kept = new LRUCache<Oid, Buffer>({
    maxSize: capacity,
    maxEntrySize: Math.ceil(capacity / 8),
    // An empty file has a place in the cache too, and the cache wants every size to be at least 1.
    sizeCalculation: bytes => bytes.length + 100,
  })
  const doorkeeper = openDoorkeeper()
  const lost = new Set<Oid>()
  const { read } = openBlobReader(objects)

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
    async read(oid) {
      const found = kept.get(oid)
      if (found) return found
      const bytes = await look(oid)
      if (!doorkeeper.seenBefore(oid)) return bytes
      const own = copyIfShared(bytes)
      kept.set(oid, own)
      return own
    },
    async lost() {
      await Promise.allSettled([...lost].map(look))
      return [...lost]
    },
  }
}

/** Small buffers share memory that is freed with the last of them: what is kept for long must not keep the others. */
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

/** What `documentHash` and `schemaHash` say of these bytes. */
export function sha1Of(bytes: Uint8Array): Sha1 {
  return toSha1(createHash('sha1').update(bytes).digest('hex'))
}
