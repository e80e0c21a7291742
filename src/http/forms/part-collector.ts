import type { Readable, Writable } from 'node:stream'
import type { StoredFile } from '@koa/multer'
import { malformedRequest, type ProblemError, tooLarge } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import type { FormPart } from './form-parts.js'
import type { PartHeaders } from './part-headers.js'

/**
 * Collects the parts of a form that multer leaves out: fields as bytes, and files without a file name.
 * @param seen headers of the parts so far
 * @param fail called with the problem of a part
 */
export function openPartCollector(seen: readonly PartHeaders[], fail: (problem: ProblemError) => void) {
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
