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
