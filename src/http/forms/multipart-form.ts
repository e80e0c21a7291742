import type { IncomingMessage } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import multer, { type StoredFile } from '@koa/multer'
import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { type MemoryBudget, openMemoryBudget } from '../limits/shared-memory-budget.js'
import { openUploadPace, type UploadPace } from '../limits/upload-pace.js'
import { type PartHeaders, watchPartHeaders } from './part-headers.js'
import { tooLarge, type UploadLimits } from './upload-limits.js'

/** Limits of each request, and what all requests share. */
export interface FormLimits extends UploadLimits {
  readonly memory: MemoryBudget
  readonly pace: UploadPace
}

/** Requests of the largest size that fit into memory at once. */
const maxLargestRequests = 4

/**
 * Adds what all requests share to the limits of each one.
 * @param limits rounded down to whole bytes: multer rejects fractions
 */
export function openFormLimits(limits: UploadLimits, clientOf: ClientOf): FormLimits {
  const { document, record, request, parts } = limits
  const floor = Math.floor
  return {
    document: floor(document),
    record: floor(record),
    request: floor(request),
    parts: floor(parts),
    memory: openMemoryBudget(maxLargestRequests * request, 'The memory for uploads is used up.', clientOf),
    pace: openUploadPace(),
  }
}

/** One part of a form, sent as a file or as a plain field. */
export interface FormPart {
  readonly name: string
  readonly bytes: Buffer
  /** Undefined: a plain field. */
  readonly fileName?: string
  readonly contentType?: string
}

/** Bytes for the headers of the parts and for the boundaries. */
const overhead = 16 * 1024

/**
 * Bytes of a form that is read before the caller is admitted, so that its errors come first, as the contract orders
 * them.
 */
const smallForm = 64 * 1024

/**
 * Reads a multipart form into memory.
 * @param admit may refuse the caller; called before the body is read, unless it is small
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
  const length = Number(ctx.req.headers['content-length'] ?? 0)
  const maxBytes = limits.request + overhead
  if (length > maxBytes) throw tooLarge(`The request has ${length} bytes; at most ${maxBytes} are taken.`)

  if (length === 0 || length > smallForm) await admit?.()

  return await new Promise<readonly FormPart[]>((resolve, reject) => {
    const headers = watchPartHeaders(boundary)
    const collected = openPartCollector(headers.seen, reject)
    const reserve = limits.memory.enter(ctx)
    const form = multer({
      storage: multer.memoryStorage(),
      limits: {
        fieldNameSize: 100,
        fieldSize: limits.document,
        fileSize: limits.document,
        parts: limits.parts,
        headerPairs: 32,
      },
      preservePath: true,
      defParamCharset: 'utf8',
      // keeps the bytes of a field: `bytesOf` converts its text back
      defCharset: 'latin1',
      streamHandler: (request, busboy) => {
        let received = 0
        const inspect = (chunk: Buffer) => {
          received += chunk.length
          try {
            if (received > maxBytes) throw tooLarge(`The request has more than ${maxBytes} bytes.`)
            reserve(chunk.length)
            headers.watch(chunk)
            limits.pace.passed(request, busboy, chunk.length)
          } catch (error) {
            // The problem is answered at once; the rest of the body is discarded.
            request.off('data', inspect)
            request.unpipe(busboy)
            request.resume()
            reject(error)
          }
        }
        request.on('data', inspect)
        collected.listen(busboy)
        request.pipe(busboy)
      },
    })
    form
      .any()(ctx, async () => {
        const { files = [] } = ctx as Context & { readonly files?: readonly StoredFile[] }
        const parts = collected.with(files)
        if (parts) resolve(parts)
      })
      .catch((error: unknown) => reject(problemOf(error)))
  })
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
    /** @returns all parts; undefined after `fail` */
    with(files: readonly StoredFile[]): readonly FormPart[] | undefined {
      // busboy skips a part whose Content-Disposition it cannot read, so the parts no longer match their headers
      if (count !== seen.length) {
        fail(malformedRequest('A part of the form has a Content-Disposition that cannot be read.'))
        return undefined
      }
      const stored = files.map(({ fieldname: name, buffer: bytes, originalname: fileName }, at) => {
        const contentType = headersOfFiles[at]?.contentType
        return { name, bytes, fileName, ...(contentType !== undefined && { contentType }) }
      })
      return [...stored, ...fields]
    },
  }
}

/** @throws ProblemError `unsupported-media-type`, `malformed-request` */
function boundaryOf(request: IncomingMessage): string {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw new ProblemError(
      'unsupported-media-type',
      `Send the parts as multipart/form-data${type === '' ? '.' : `, not as ${truncate(type)}.`}`,
    )
  }
  const found = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type)
  const boundary = found?.[1] ?? found?.[2]
  if (boundary === undefined) throw malformedRequest('The content type of the form names no boundary.')
  return boundary
}

/** Reads a file without a file name, which multer drops: to busboy, `application/octet-stream` is a file. */
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

/** The bytes of a field that busboy has decoded. Undefined for a charset that busboy cannot decode. */
function bytesOf(value: string | undefined, charset: string | undefined): Buffer | undefined {
  if (value === undefined) return undefined
  if (charset === 'utf-8' || charset === 'utf8') return Buffer.from(value)
  if (/^(?:utf-?16le|ucs-?2)$/.test(charset ?? '')) return Buffer.from(value, 'utf16le')
  if (charset === 'base64') return Buffer.from(value, 'base64')
  return Buffer.from(value, 'latin1')
}

const limitCodes = new Set(['LIMIT_FILE_SIZE', 'LIMIT_FIELD_VALUE', 'LIMIT_PART_COUNT'])
const cutShort = new Set(['Unexpected end of form', 'Unexpected end of file'])

/** The problem for an error of multer or busboy. Both fail only because of the form: nothing is written to disk. */
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
