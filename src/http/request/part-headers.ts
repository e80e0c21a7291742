/** What busboy keeps to itself about a part. */
export interface PartHeaders {
  /** Undefined where the part has none: busboy says `text/plain` then, as it does where it was sent. */
  readonly contentType?: string
  /** Charset of the content type, lower case. busboy decodes a field by it and does not say so. */
  readonly charset?: string
}

/** Longest block of headers busboy reads. */
const longestBlock = 16 * 1024

/**
 * Reads the headers of the parts of a multipart body beside busboy: hand in every chunk before busboy gets it, and
 * the headers of a part are there when busboy tells of it.
 * @param boundary of the request's content type
 * @returns what takes a chunk, and the headers of the form's parts so far, in their order
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
    // Most chunks are all in one part: they are not copied.
    if (rest.length < delimiter.length && chunk.length >= delimiter.length && !chunk.includes(delimiter)) {
      const seam = Buffer.concat([rest, chunk.subarray(0, delimiter.length - 1)])
      if (!seam.includes(delimiter)) {
        rest = Buffer.from(chunk.subarray(1 - delimiter.length))
        return
      }
    }
    const bytes = Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      const start = bytes.indexOf(delimiter, at)
      if (start < 0) {
        rest = bytes.subarray(Math.max(at, bytes.length - delimiter.length + 1))
        return
      }
      const end = bytes.indexOf('\r\n\r\n', start + delimiter.length)
      if (end < 0) {
        rest = bytes.subarray(start).subarray(0, delimiter.length + longestBlock)
        return
      }
      const headers = bytes.toString('latin1', start + delimiter.length, end)
      if (/^content-disposition:\s*form-data/im.test(headers)) seen.push(partHeaders(headers))
      at = end + 2
    }
  }
  return { watch, seen }
}

function partHeaders(block: string): PartHeaders {
  const line = /^content-type:(.*)$/im.exec(block)?.[1]?.trim()
  if (line === undefined) return {}
  const contentType = line.split(';')[0]?.trim().toLowerCase() ?? ''
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(line)?.[1]?.toLowerCase()
  return { ...(contentType === '' ? {} : { contentType }), ...(charset === undefined ? {} : { charset }) }
}
