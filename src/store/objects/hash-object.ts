import { createHash, hash } from 'node:crypto'
import type { Oid } from '../../core/value-types.js'
import type { ObjectType } from './object-reader.js'

/** Buffer for a small object with its header, which is hashed in one call without garbage. */
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
