import { malformedRequest } from '../../core/problem.js'

/** Limit of the blanks after a boundary: the longest line of a mail. @see RFC 5322 §2.1.1 */
const maxPadding = 998

const blanks = new Set(Buffer.from(' \t'))
const nothing = Buffer.alloc(0)

/** Removes what busboy cannot read from a multipart body, chunk by chunk. */
export interface PaddingRemover {
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
