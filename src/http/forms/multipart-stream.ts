import { malformedRequest } from '../../core/problem.js'
import { mediaTypeIn } from '../media-types.js'

/** Headers of a part that busboy does not pass on. */
export interface PartHeaders {
  /** Undefined if the part has none. In that case, busboy reports `text/plain`. */
  readonly contentType?: string
  /** Charset of the content type, lower case. busboy decodes a field by it. */
  readonly charset?: string
}

/** Limit of the bytes of the headers of one part: busboy reads no longer ones. */
const maxBlockBytes = 16 * 1024

/**
 * Reads the headers of the parts of a multipart body. Pass every chunk to `watch` before busboy gets it: then the
 * headers of a part are in `seen` when busboy emits the part.
 * @param boundary of the request's content type
 * @returns `seen`: the headers of the parts so far, in order
 */
export function watchPartHeaders(boundary: string): {
  readonly watch: (chunk: Buffer) => void
  readonly seen: readonly PartHeaders[]
} {
  const delimiter = Buffer.from(`\r\n--${boundary}\r\n`, 'latin1')
  const seen: PartHeaders[] = []
  // the first delimiter may stand at the very beginning, without a line break before it
  let rest: Buffer = Buffer.from('\r\n')
  const watch = (chunk: Buffer) => {
    // Most chunks lie within one part. They are not copied.
    if (rest.length < delimiter.length && chunk.length >= delimiter.length && !chunk.includes(delimiter)) {
      const seam = Buffer.concat([rest, chunk.subarray(0, delimiter.length - 1)])
      if (!seam.includes(delimiter)) {
        rest = Buffer.from(chunk.subarray(1 - delimiter.length))
        return
      }
    }
    const bytes = Buffer.concat([rest, chunk])
    let offset = 0
    for (;;) {
      const start = bytes.indexOf(delimiter, offset)
      if (start < 0) {
        rest = bytes.subarray(Math.max(offset, bytes.length - delimiter.length + 1))
        return
      }
      const end = bytes.indexOf('\r\n\r\n', start + delimiter.length)
      if (end < 0) {
        rest = bytes.subarray(start).subarray(0, delimiter.length + maxBlockBytes)
        return
      }
      const headers = bytes.toString('latin1', start + delimiter.length, end)
      if (/^content-disposition:\s*form-data/im.test(headers)) seen.push(partHeaders(headers))
      offset = end + 2
    }
  }
  return { watch, seen }
}

function partHeaders(block: string): PartHeaders {
  const line = /^content-type:(.*)$/im.exec(block)?.[1]?.trim()
  if (line === undefined) return {}
  const contentType = mediaTypeIn(line)
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(line)?.[1]?.toLowerCase()
  return { ...(contentType === '' ? {} : { contentType }), ...(charset === undefined ? {} : { charset }) }
}

/** Limit of the blanks after a boundary: the longest line of a mail. @see RFC 5322 §2.1.1 */
const maxPadding = 998

const blanks = new Set(Buffer.from(' \t'))
const nothing = Buffer.alloc(0)

/** Removes what busboy cannot read from a multipart body, chunk by chunk. */
interface PaddingRemover {
  /**
   * The bytes to pass on for a chunk. Most chunks lie within one part, and are returned as they are.
   * @throws ProblemError `malformed-request` if blanks do not end
   */
  take(chunk: Buffer): Buffer
  /** The bytes at the end of the body that might have begun a delimiter; undefined if there are none. */
  end(): Buffer | undefined
}

/**
 * Removes the blanks and tabs between a boundary and its line break (transport padding), and everything after the
 * closing delimiter (epilogue).
 * @see RFC 2046 §5.1.1
 */
export function openPaddingRemover(boundary: string): PaddingRemover {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  // The first delimiter may stand at the very beginning, without a line break before it.
  let held = Buffer.from('\r\n')
  let isClosed = false

  /** Where a delimiter may begin that the next chunk completes; the length if there is none. */
  function unfinishedFrom(bytes: Buffer, from: number): number {
    let start = bytes.indexOf('\r', Math.max(from, bytes.length - delimiter.length + 1))
    while (start >= 0 && !delimiter.subarray(0, bytes.length - start).equals(bytes.subarray(start)))
      start = bytes.indexOf('\r', start + 1)
    return start < 0 ? bytes.length : start
  }

  function take(chunk: Buffer): Buffer {
    if (isClosed) return nothing
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const pieces: Buffer[] = []
    let from = 0
    let offset = 0
    for (;;) {
      const start = bytes.indexOf(delimiter, offset)
      const after = start + delimiter.length
      let next = start < 0 ? unfinishedFrom(bytes, offset) : after
      if (start >= 0) {
        while (blanks.has(bytes[next] ?? 0)) next++
        if (next - after > maxPadding)
          throw malformedRequest(`A boundary of the form is followed by more than ${maxPadding} blanks.`)
        if (bytes.length - next < 2) next = start
      }
      if (start < 0 || next === start) {
        held = Buffer.from(bytes.subarray(next))
        pieces.push(bytes.subarray(from, next))
        return pieces.length === 1 ? (pieces[0] ?? nothing) : Buffer.concat(pieces)
      }
      const follows = bytes.toString('latin1', next, next + 2)
      if (next === after && follows === '--') {
        isClosed = true
        held = nothing
        return Buffer.concat([...pieces, bytes.subarray(from, next + 2)])
      }
      if (next > after && follows === '\r\n') {
        pieces.push(bytes.subarray(from, after))
        from = next
      }
      offset = next
    }
  }

  return { take, end: () => (held.length > 0 ? held : undefined) }
}
