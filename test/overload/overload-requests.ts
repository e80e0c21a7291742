import { documentOf as measurementOf, schemaDocument } from '../../bench/data/generated-records.js'
import { xmlOf, xmlSchema } from '../../bench/data/generated-xml.js'
import { form, requestBytes } from '../../bench/load/http-connection.js'
import { asVersion } from '../../src/core/value-types.js'
import { noteJsonSchema } from '../support/repository/note-records.js'

/*
 * Requests of the clients. The number of a record decides its schema. The number and the version decide its document.
 * The check after the load can therefore compute the bytes of every document.
 */

/** Schemas by their ids. Validation of a document of `slow` takes about fifty milliseconds. */
export const schemas = {
  note: { type: 'JSON', document: noteJsonSchema },
  measurement: { type: 'JSON', document: schemaDocument(0) },
  xml: { type: 'XML', document: xmlSchema },
  slow: {
    type: 'JSON',
    document: Buffer.from(
      JSON.stringify({ type: 'array', items: { type: 'string', pattern: '^(?!x*x*x*y)x+$' } }),
    ),
  },
} as const

const forms = ['note', 'measurement', 'xml'] as const

function formOf(number: number): (typeof forms)[number] {
  return forms[number % forms.length] as (typeof forms)[number]
}

export function idOf(number: number): string {
  return `${formOf(number)}-${number}`
}

export function typeOf(number: number): 'JSON' | 'XML' {
  return schemas[formOf(number)].type
}

const measurement = measurementOf('overload', 1, asVersion(1), 0)
const members = JSON.parse(measurement.toString()) as object
const [beforeTitle = '', afterTitle = ''] = xmlOf(measurement)
  .toString()
  .split(/(?<=<title>).*(?=<\/title>)/)

/** A document of about 50 bytes (`note`) or about 2 KB (the others). */
export function documentFor(number: number, version: number): string {
  const title = `${idOf(number)}, version ${version}`
  if (formOf(number) === 'note') return JSON.stringify({ title, pages: version })
  if (formOf(number) === 'measurement') return JSON.stringify({ ...members, title })
  return beforeTitle + title + afterTitle
}

const slowDocument = Buffer.from(JSON.stringify(['x'.repeat(300)]))

export function registration(id: keyof typeof schemas): Buffer {
  const { type, document } = schemas[id]
  const record = Buffer.from(JSON.stringify({ schemaId: id, type }))
  return requestBytes({ method: 'POST', path: '/api/v1/schemas', ...form({ record, schema: document }) })
}

export function creation(number: number): Buffer {
  const record = JSON.stringify({
    id: idOf(number),
    schema: { identifier: formOf(number), identifierType: 'INTERNAL' },
    relatedResource: { identifier: `https://example.org/${number}`, identifierType: 'URL' },
  })
  const parts = form({ record: Buffer.from(record), document: Buffer.from(documentFor(number, 1)) })
  return requestBytes({ method: 'POST', path: '/api/v1/metadata', ...parts })
}

export function revision(number: number, version: number, etag: string): Buffer {
  const { headers, body } = form({ document: Buffer.from(documentFor(number, version)) })
  const path = `/api/v1/metadata/${idOf(number)}`
  return requestBytes({ method: 'PUT', path, headers: { ...headers, 'if-match': etag }, body })
}

/** A request to validate a document without storing it. */
export function validation(number: number): Buffer {
  return checking(formOf(number), Buffer.from(documentFor(number, 1)))
}

export function slowValidation(): Buffer {
  return checking('slow', slowDocument)
}

function checking(schema: string, document: Buffer): Buffer {
  const path = `/api/v1/schemas/${schema}/validate`
  return requestBytes({ method: 'POST', path, ...form({ document }) })
}

export function reading(number: number): Buffer {
  return requestBytes({ method: 'GET', path: `/api/v1/metadata/${idOf(number)}` })
}

export function listing(): Buffer {
  return requestBytes({ method: 'GET', path: '/api/v1/metadata?size=20' })
}
