import { createHash, type Hash, hash } from 'node:crypto'
import type { Sha1 } from '../../core/value-types.js'
import type { GitObject, ObjectType, StreamedObject } from '../objects/object-reader.js'

/** What the parser returns of an object: a copy of the bytes, a view that shares memory with the chunk, or a hash. */
type ObjectForm = 'copy' | 'view' | 'sha1'

/** An object of which the output has only a part so far. */
interface PartialObject {
  readonly type: ObjectType
  readonly to: Hash | Buffer
  /** Number of bytes that are still to come, without the final newline. */
  left: number
}

const newline = 0x0a

/**
 * Parses the output of `git cat-file --batch`, in chunks of any size.
 * @param formOfNext called once for each object that exists
 * @returns a function that takes a chunk and returns the objects that it completes; undefined for a missing object
 * @see git-cat-file(1), "BATCH OUTPUT"
 * @throws Error if the output has another format
 */
export function openCatFileParser(
  formOfNext: () => ObjectForm,
): (chunk: Buffer) => readonly (StreamedObject | undefined)[] {
  let header = ''
  let partial: PartialObject | undefined
  return chunk => {
    const objects: (StreamedObject | undefined)[] = []
    let offset = 0
    while (offset < chunk.length) {
      if (partial) {
        const part = chunk.subarray(offset, offset + partial.left)
        addPart(partial, part)
        offset += part.length
        if (offset === chunk.length) break
        objects.push(finished(partial))
        partial = undefined
        offset++
        continue
      }
      const lineEnd = chunk.indexOf(newline, offset)
      header += chunk.toString('latin1', offset, lineEnd < 0 ? chunk.length : lineEnd)
      if (lineEnd < 0) break
      const line = header
      header = ''
      offset = lineEnd + 1
      const [, type, length] = /^[0-9a-f]{40} (blob|tree|commit|tag) (\d+)$/.exec(line) ?? []
      if (type === undefined) {
        if (!line.endsWith(' missing'))
          throw new Error(`Unexpected output of git cat-file: ${line.slice(0, 200)}`)
        objects.push(undefined)
        continue
      }
      const size = Number(length)
      const form = formOfNext()
      if (offset + size < chunk.length) {
        objects.push(inForm(form, type as ObjectType, chunk.subarray(offset, offset + size)))
        offset += size + 1
      } else {
        const to = form === 'sha1' ? createHash('sha1') : Buffer.allocUnsafe(size)
        partial = { type: type as ObjectType, to, left: size }
      }
    }
    return objects
  }
}

function addPart(partial: PartialObject, part: Buffer): void {
  if ('update' in partial.to) partial.to.update(part)
  else part.copy(partial.to, partial.to.length - partial.left)
  partial.left -= part.length
}

function finished({ type, to }: PartialObject): StreamedObject {
  return 'digest' in to ? { type, sha1: to.digest('hex') as Sha1 } : { type, bytes: to }
}

function inForm(form: ObjectForm, type: ObjectType, bytes: Buffer): StreamedObject {
  return form === 'sha1'
    ? hashed({ type, bytes })
    : { type, bytes: form === 'copy' ? Buffer.from(bytes) : bytes }
}

/** The object with the SHA-1 of its bytes instead of the bytes. */
export function hashed({ type, bytes }: GitObject): StreamedObject {
  return { type, sha1: hash('sha1', bytes, 'hex') as Sha1 }
}
