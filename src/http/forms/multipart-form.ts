import type { IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import multer, { type StoredFile } from '@koa/multer'
import type { Context } from 'koa'
import { malformedRequest, ProblemError, tooLarge } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { countBody, watchBody } from '../bodies/receive-body.js'
import { contentCodings, parameterIn, partsOfElement } from '../list-header.js'
import { mediaTypeIn } from '../media-types.js'
import type { FormPart } from './form-parts.js'
import type { FormLimits } from './upload-limits.js'

/** Bytes that the headers of the parts and the boundaries may add to the size of the parts. */
const overhead = 16 * 1024

const noBytes = Buffer.alloc(0)

/**
 * Limit of the bytes of a form that is read before the request is checked for other faults: then problems of the form
 * come first, in the order that the contract states.
 */
const smallForm = 64 * 1024

/**
 * Reads a multipart form into memory.
 * @param admit refuses a request that fails anyway, as for lack of permission; not called for a body whose stated length
 *   is small
 * @throws ProblemError `unsupported-media-type` for another type of body; `too-large`; `malformed-request` for a form
 *   that is incomplete or unreadable; `unavailable` if other requests use up the memory
 * @see docs/contract.md#forms
 */
export async function receiveForm(
  ctx: Context,
  limits: FormLimits,
  admit?: () => Promise<void>,
): Promise<readonly FormPart[]> {
  const boundary = boundaryOf(ctx.req)
  const { document, parts: maxParts, memory, pace } = limits
  const count = countBody(ctx, 'The request', { maxBytes: limits.request + overhead, memory })
  const length = Number(ctx.req.headers['content-length'] ?? 0)
  if (length === 0 || length > smallForm) await admit?.()

  return await new Promise<readonly FormPart[]>((resolve, reject) => {
    const headers = watchPartHeaders(boundary)
    const padding = openPaddingRemover(boundary)
    const collected = openPartCollector(headers.seen, reject)
    const form = multer({
      storage: multer.memoryStorage(),
      limits: {
        fieldNameSize: 100,
        fieldSize: document,
        fileSize: document,
        parts: maxParts,
        headerPairs: 32,
      },
      preservePath: true,
      defParamCharset: 'utf8',
      // keeps all bytes of a field: `openPartCollector` turns the text of the field into these bytes again
      defCharset: 'latin1',
      streamHandler: (request, busboy) => {
        let cleaned: Buffer = noBytes
        function inspect(chunk: Buffer): void {
          cleaned = noBytes
          count(chunk.length)
          cleaned = padding.take(chunk)
          headers.watch(cleaned)
          pace.countBytes(request, busboy, chunk.length)
        }
        const write = busboy.write.bind(busboy) as (bytes: Buffer) => boolean
        const end = busboy.end.bind(busboy) as (bytes: Buffer | undefined) => Writable
        // `pipe` writes each chunk after the inspection of it.
        busboy.write = () => cleaned.length === 0 || write(cleaned)
        busboy.end = () => end(padding.end())
        watchBody(request, inspect, error => {
          request.unpipe(busboy)
          reject(error)
        })
        collected.listen(busboy)
        request.pipe(busboy)
      },
    })
    form
      .any()(ctx, async () => {
        const { files = [] } = ctx as Context & { readonly files?: readonly StoredFile[] }
        const parts = collected.partsWith(files)
        if (parts) resolve(parts)
      })
      .catch((error: unknown) => reject(problemOf(error)))
  })
}

/**
 * The text that separates the parts. Changes the content type so that busboy reads the same text.
 * @throws ProblemError `unsupported-media-type`, `malformed-request`
 */
function boundaryOf({ headers }: IncomingMessage): string {
  const { 'content-type': type = '', 'content-encoding': codings } = headers
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw new ProblemError(
      'unsupported-media-type',
      `Send the parts as multipart/form-data${type === '' ? '.' : `, not as ${truncate(type)}.`}`,
    )
  }
  if (contentCodings(codings).length > 0) {
    throw new ProblemError(
      'unsupported-media-type',
      `The form has the content coding ${truncate(String(codings))}: send it without one.`,
    )
  }
  const parameters = partsOfElement(type).flatMap(part => parameterIn(part) ?? [])
  // A boundary has no blanks at its end: there they are padding (RFC 2046 §5.1.1).
  const boundary = parameters.find(({ name }) => name === 'boundary')?.value.trimEnd()
  if (!boundary) throw malformedRequest('The content type of the form names no boundary.')
  headers['content-type'] = `multipart/form-data; boundary="${boundary.replace(/["\\]/g, '\\$&')}"`
  return boundary
}

const limitCodes = new Set(['LIMIT_FILE_SIZE', 'LIMIT_FIELD_VALUE', 'LIMIT_PART_COUNT'])
const cutShort = new Set(['Unexpected end of form', 'Unexpected end of file'])

/** The problem for an error of multer or busboy, which is a fault of the form: nothing is written to disk. */
function problemOf(error: unknown): ProblemError {
  const { code, field, message } = error as { code?: string; field?: string; message: string }
  const where = field === undefined ? '' : ` (part ${truncate(field)})`
  if (code !== undefined && limitCodes.has(code)) {
    return new ProblemError(
      'too-large',
      `The form is over a limit: ${message}${where}.`,
      {},
      { cause: error },
    )
  }
  const detail = cutShort.has(message) ? 'it ends before its closing boundary' : message
  return new ProblemError(
    'malformed-request',
    `The form cannot be read: ${detail}${where}.`,
    {},
    { cause: error },
  )
}

/**
 * Collects the parts of a form that multer leaves out: fields as bytes, and files without a file name.
 * @param seen headers of the parts so far
 * @param fail called with the problem of a part
 */
function openPartCollector(seen: readonly PartHeaders[], fail: (problem: ProblemError) => void) {
  const fields: FormPart[] = []
  const headersOfFiles: PartHeaders[] = []
  let count = 0

  function field(name: string | undefined, value: string | undefined): void {
    const bytes = bytesOf(value, seen[count++]?.charset)
    if (name === undefined) fail(malformedRequest('A part of the form has no name.'))
    else if (bytes) fields.push({ name, bytes })
    else fail(malformedRequest(`The field ${truncate(name)} has an unknown charset.`))
  }

  function file(name: string | undefined, stream: Readable, { filename }: { filename?: string }): void {
    const headers = seen[count++] ?? {}
    if (name === undefined) fail(malformedRequest('A part of the form has no name.'))
    else if (filename) headersOfFiles.push(headers)
    else collect(stream, bytes => fields.push({ name, bytes }), fail)
  }

  return {
    listen(busboy: Writable): void {
      busboy.on('field', field)
      busboy.on('file', file)
    },
    /** All parts of the form; undefined if a part is unreadable, after a call of `fail`. */
    partsWith(files: readonly StoredFile[]): readonly FormPart[] | undefined {
      // busboy skips a part whose Content-Disposition it cannot read, so the parts no longer match their headers
      if (count !== seen.length) {
        fail(malformedRequest('A part of the form has a Content-Disposition that cannot be read.'))
        return undefined
      }
      const stored = files.map(({ fieldname: name, buffer: bytes, originalname: fileName }, index) => {
        const contentType = headersOfFiles[index]?.contentType
        return { name, bytes, fileName, ...(contentType !== undefined && { contentType }) }
      })
      return [...stored, ...fields]
    },
  }
}

/** Reads a file without a name, which multer drops. To busboy, each part of `application/octet-stream` is a file. */
function collect(
  stream: Readable,
  done: (bytes: Buffer) => void,
  fail: (problem: ProblemError) => void,
): void {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => done(Buffer.concat(chunks)))
  stream.on('limit', () => fail(tooLarge('A part is larger than the limit for documents.')))
}

/** The bytes of a field, from the text that busboy has decoded; undefined for a charset that busboy cannot decode. */
function bytesOf(value: string | undefined, charset: string | undefined): Buffer | undefined {
  if (value === undefined) return undefined
  if (charset === 'utf-8' || charset === 'utf8') return Buffer.from(value)
  if (/^(?:utf-?16le|ucs-?2)$/.test(charset ?? '')) return Buffer.from(value, 'utf16le')
  if (charset === 'base64') return Buffer.from(value, 'base64')
  return Buffer.from(value, 'latin1')
}

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
