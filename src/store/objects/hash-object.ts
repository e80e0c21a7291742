import { createHash, hash } from 'node:crypto'
import { type Oid, type Sha1, toSha1 } from '../../core/value-types.js'
import type { ObjectType } from './object-reader.js'

/** The name of an object. @see git-hash-object(1) */
export function hashObject(type: ObjectType, bytes: Uint8Array): Oid {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex') as Oid
}

/** The name of the blob with these bytes. */
export function blobId(bytes: Uint8Array): Oid {
  return hashObject('blob', bytes)
}

/** The value of `documentHash` and `schemaHash`. */
export function sha1Of(bytes: Uint8Array): Sha1 {
  return toSha1(hash('sha1', bytes))
}
