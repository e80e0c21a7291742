import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import multer, { type StoredFile } from '@koa/multer'
import type { Context } from 'koa'
import { jsonSize } from '../../core/json/json-size.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { openRoom, type Room } from '../limits/shared-memory-budget.js'
import { openUploadPace, type UploadPace } from '../limits/upload-pace.js'
import { type PartHeaders, watchPartHeaders } from './part-headers.js'

/** Limits of what a request may send, in bytes. */
export interface UploadLimits {
  /** A document, a schema document or one of its further files. */
  readonly document: number
  /** A record. */
  readonly record: number
  /** All parts of one request together: it is held in memory. */
  readonly request: number
  /** Number of parts. */
  readonly parts: number
}

/** Limits of each request, and what all of them share. */
export interface FormLimits extends UploadLimits {
  readonly room: Room
  readonly pace: UploadPace
}

/** Largest requests that may be under way at once. */
const requestsAtOnce = 4

const mebibyte = 1024 * 1024
export const defaultUploadLimits: UploadLimits = {
  document: 64 * mebibyte,
  record: mebibyte,
  request: 128 * mebibyte,
  parts: 1000,
}

/** @param limits in bytes, of which half ones are none: multer insists */
export function openFormLimits(limits: UploadLimits, clientOf: ClientOf): FormLimits {
  const { document, record, request, parts } = limits
  const floor = Math.floor
  return {
    document: floor(document),
    record: floor(record),
    request: floor(request),
    parts: floor(parts),
    room: openRoom(
      requestsAtOnce * request,
      'The server has as much to receive as it has room for.',
      clientOf,
    ),
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

/** Room for the headers of parts and what stands between them. */
const overhead = 16 * 1024

/** Bytes up to which a form is read before it is known whether the caller may send it, in the order of the contract. */
const smallForm = 64 * 1024

/**
 * Reads a multipart form into memory.
 * @param admit refuses the caller; called before a form is read that is not small
 * @throws ProblemError `unsupported-media-type` where it is no such form; `too-large`; `malformed-request` for a form
 *   that is cut short or not readable; `unavailable` where other requests have taken the room for it
 * @see docs/contract.md#forms
 */
export async function receiveForm(
  ctx: Context,
  limits: FormLimits,
  admit?: () => Promise<void>,
): Promise<readonly FormPart[]> {
  const boundary = boundaryOf(ctx.req)
  const length = Number(ctx.req.headers['content-length'] ?? 0)
  const most = limits.request + overhead
  if (length > most) throw tooLarge(`The request has ${length} bytes; at most ${most} are taken.`)

  if (length === 0 || length > smallForm) await admit?.()

  return await new Promise<readonly FormPart[]>((resolve, reject) => {
    const fields: FormPart[] = []
    const files: PartHeaders[] = []
    const headers = watchPartHeaders(boundary)
    const takeRoom = limits.room.enter(ctx)
    let part = 0
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
      // bytes stay bytes: `bytesOf` takes the text of a field back to them
      defCharset: 'latin1',
      streamHandler: (request, busboy) => {
        let received = 0
        const look = (chunk: Buffer) => {
          received += chunk.length
          try {
            if (received > most) throw tooLarge(`The request has more than ${most} bytes.`)
            takeRoom(chunk.length)
            headers.watch(chunk)
            limits.pace.passed(request, busboy, chunk.length)
          } catch (error) {
            // answered at once; what still comes is read and dropped
            request.off('data', look)
            request.unpipe(busboy)
            request.resume()
            reject(error)
          }
        }
        request.on('data', look)
        busboy.on('field', (name: string | undefined, value: string | undefined) => {
          const bytes = bytesOf(value, headers.seen[part++]?.charset)
          if (name === undefined) reject(malformedRequest('A part of the form has no name.'))
          else if (bytes) fields.push({ name, bytes })
          else reject(malformedRequest(`The field ${truncate(name)} has a charset that is not known here.`))
        })
        busboy.on('file', (name: string | undefined, stream: Readable, info: { filename?: string }) => {
          const about = headers.seen[part++] ?? {}
          if (name === undefined) reject(malformedRequest('A part of the form has no name.'))
          else if (info.filename) files.push(about)
          else collect(stream, bytes => fields.push({ name, bytes }), reject)
        })
        request.pipe(busboy)
      },
    })
    form
      .any()(ctx, async () => {
        // busboy leaves out a part whose Content-Disposition it cannot read, and what follows would be taken for another
        if (part !== headers.seen.length) {
          return reject(malformedRequest('A part of the form has a Content-Disposition that cannot be read.'))
        }
        const stored = (ctx as Context & { readonly files?: readonly StoredFile[] }).files ?? []
        resolve([
          ...stored.map(({ fieldname: name, buffer: bytes, originalname: fileName }, at) => {
            return { name, bytes, fileName, ...contentTypeOf(files[at]) }
          }),
          ...fields,
        ])
      })
      .catch((error: unknown) => reject(translated(error)))
  })
}

function contentTypeOf(headers: PartHeaders | undefined): Pick<FormPart, 'contentType'> {
  return headers?.contentType === undefined ? {} : { contentType: headers.contentType }
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

/** multer drops what has no file name, and busboy takes such an `application/octet-stream` for a file. */
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

/** The bytes busboy made the text of a field from. Undefined for a charset it cannot decode either. */
function bytesOf(value: string | undefined, charset: string | undefined): Buffer | undefined {
  if (value === undefined) return undefined
  if (charset === 'utf-8' || charset === 'utf8') return Buffer.from(value)
  if (/^(?:utf-?16le|ucs-?2)$/.test(charset ?? '')) return Buffer.from(value, 'utf16le')
  if (charset === 'base64') return Buffer.from(value, 'base64')
  return Buffer.from(value, 'latin1')
}

const limitCodes = new Set(['LIMIT_FILE_SIZE', 'LIMIT_FIELD_VALUE', 'LIMIT_PART_COUNT'])
const endings = new Set(['Unexpected end of form', 'Unexpected end of file'])

/** What multer and busboy say about a form; they fail for nothing else, as nothing is written anywhere. */
function translated(error: unknown): ProblemError {
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
  const detail = endings.has(message) ? 'it ends before its closing boundary' : message
  return new ProblemError(
    'malformed-request',
    `The form cannot be read: ${detail}${where}.`,
    {},
    { cause: error },
  )
}

/**
 * The bytes of a part that may be there once.
 * @throws ProblemError `malformed-request` where it is there twice, or empty
 */
export function optionalPart(parts: readonly FormPart[], name: string): FormPart | undefined {
  const [part, second] = parts.filter(other => other.name === name)
  if (second) throw malformedRequest(`The part ${name} may be sent once only.`)
  if (part?.bytes.length === 0) throw malformedRequest(`The part ${name} is empty.`)
  return part
}

/** @throws ProblemError `malformed-request` where it is missing, there twice, or empty */
export function requiredPart(parts: readonly FormPart[], name: string): FormPart {
  const part = optionalPart(parts, name)
  if (part) return part
  const sent = truncate([...new Set(parts.map(other => other.name))].join(', '), 200)
  throw malformedRequest(
    `The part ${name} is missing; ${sent ? `what was sent is: ${sent}` : 'nothing was sent'}.`,
  )
}

/**
 * The further files of a schema: the parts `include`, whose file names are their paths.
 * @returns undefined where there are none
 * @throws ProblemError `malformed-request`
 */
export function includedFiles(parts: readonly FormPart[]): ReadonlyMap<string, Buffer> | undefined {
  const files = new Map<string, Buffer>()
  for (const { fileName, bytes } of parts.filter(part => part.name === 'include')) {
    if (fileName === undefined)
      throw malformedRequest('A part include has no file name: it is the path of the file.')
    if (bytes.length === 0) throw malformedRequest(`The part include for ${truncate(fileName)} is empty.`)
    if (files.has(fileName))
      throw malformedRequest(`Two parts include have the file name ${truncate(fileName)}.`)
    files.set(fileName, bytes)
  }
  return files.size === 0 ? undefined : files
}

/**
 * The parts of a changed schema: `schema`, `include` or both.
 * @returns undefined where there is none of them
 * @throws ProblemError `malformed-request`
 */
export function schemaParts(
  parts: readonly FormPart[],
): { readonly document?: Buffer; readonly files?: ReadonlyMap<string, Buffer> } | undefined {
  const document = optionalPart(parts, 'schema')?.bytes
  const files = includedFiles(parts)
  if (!document && !files) return undefined
  return { ...(document && { document }), ...(files && { files }) }
}

const recordType = /^application\/(?:json|octet-stream|.+\+json)$/

/** Room for all JSON parts of one request together: they are read and planned at once. */
export interface JsonRoom {
  /** @throws ProblemError `too-large` */
  take(name: string, bytes: number, values: number): void
}

/** @param mostBytes of all parts together */
export function openJsonRoom(mostBytes: number): JsonRoom {
  let bytesLeft = mostBytes
  let valuesLeft = mostValues
  return {
    take(name, bytes, values) {
      bytesLeft -= bytes
      valuesLeft -= values
      if (valuesLeft < 0) {
        throw tooLarge(
          `With the part ${name} the JSON parts have more than ${mostValues} values; send them in several requests.`,
        )
      }
      if (bytesLeft < 0) {
        throw tooLarge(
          `With the part ${name} the JSON parts have more than ${mostBytes} bytes; send them in several requests.`,
        )
      }
    },
  }
}

export interface JsonPartOptions {
  /** Of all JSON parts of the request; default: the part is the only one. */
  readonly room?: JsonRoom
  /** Default: the part is a record. */
  readonly isRecord?: boolean
}

/**
 * The JSON object of a part such as `record`.
 * @throws ProblemError `unsupported-media-type`, `too-large`, `malformed-request`
 * @see docs/contract.md#the-record-part
 */
export function parseRecordPart(
  part: FormPart,
  limits: Pick<UploadLimits, 'record'>,
  { room = openJsonRoom(limits.record), isRecord = true }: JsonPartOptions = {},
): Readonly<Record<string, unknown>> {
  const { name, bytes, contentType } = part
  if (part.fileName !== undefined && contentType !== undefined && !recordType.test(contentType)) {
    throw new ProblemError(
      'unsupported-media-type',
      `The part ${name} is JSON; send it as application/json, not as ${truncate(contentType)}.`,
    )
  }
  if (bytes.length > limits.record) {
    throw tooLarge(`The part ${name} has ${bytes.length} bytes; at most ${limits.record} are taken.`)
  }
  const record = parseJson(bytes, name, room, isRecord)
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) {
    return record as Readonly<Record<string, unknown>>
  }
  throw malformedRequest(`The part ${name} is not a JSON object.`)
}

/** Levels of arrays and objects of a record: several times what any has, and far from exhausting a stack. */
const deepestRecord = 100
/** Values of a record: to check and store them takes about 0.1 s, and nothing else is served meanwhile. */
const mostRecordValues = 50_000
/** Values of all JSON parts of a request; JSON.parse takes about 0.1 s for them. */
const mostValues = 200_000

/** @param values of the record, as {@link jsonSize} counts them @throws ProblemError `too-large` */
export function refuseLargeRecord(values: number): void {
  if (values <= mostRecordValues) return
  throw tooLarge(`The record has more than ${mostRecordValues} values.`)
}

/** @throws ProblemError `malformed-request`, `too-large` */
function parseJson(bytes: Buffer, name: string, room: JsonRoom, isRecord: boolean): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const { depth, values } = jsonSize(text)
    if (depth > deepestRecord)
      throw malformedRequest(`The part ${name} has more than ${deepestRecord} levels of arrays and objects.`)
    if (isRecord) refuseLargeRecord(values)
    room.take(name, bytes.length, values)
    return JSON.parse(text)
  } catch (error) {
    // TypeError: bytes that are no UTF-8
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
    throw new ProblemError(
      'malformed-request',
      `The part ${name} is not JSON: ${error.message}.`,
      {},
      { cause: error },
    )
  }
}

function tooLarge(message: string): ProblemError {
  return new ProblemError('too-large', message)
}
