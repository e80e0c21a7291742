import type { IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import multer, { type StoredFile } from '@koa/multer'
import type { Context } from 'koa'
import { malformedRequest, ProblemError, tooLarge } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { countBody, watchBody } from '../bodies/receive-body.js'
import { contentCodings, parameterIn, partsOfElement } from '../list-header.js'
import type { FormPart } from './form-parts.js'
import { openPaddingRemover, type PartHeaders, watchPartHeaders } from './multipart-stream.js'
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
 * @param admit refuses a request that fails anyway, as for lack of permission; not called if the body is small
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
