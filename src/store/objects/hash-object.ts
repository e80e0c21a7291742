import { createHash, hash } from 'node:crypto'
import { type Oid, type Sha1, toSha1 } from '../../core/value-types.js'
import type { ObjectType } from './object-reader.js'

/** A buffer for a small object and its header, which are then hashed by one call, without a new allocation. */
const scratch = Buffer.allocUnsafeSlow(8192)

/** The name of an object. @see git-hash-object(1) */
export function hashObject(type: ObjectType, bytes: Uint8Array): Oid {
  const header = `${type} ${bytes.length}\0`
  const end = header.length + bytes.length
  if (end > scratch.length) return createHash('sha1').update(header).update(bytes).digest('hex') as Oid
  scratch.write(header, 'latin1')
  scratch.set(bytes, header.length)
  return hash('sha1', scratch.subarray(0, end), 'hex') as Oid
}

/** The name of the blob with these bytes. */
export function blobId(bytes: Uint8Array): Oid {
  return hashObject('blob', bytes)
}

/** The value of `documentHash` and `schemaHash`. */
export function sha1Of(bytes: Uint8Array): Sha1 {
  return toSha1(hash('sha1', bytes))
}
