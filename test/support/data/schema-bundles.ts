import { createHash } from 'node:crypto'
import { ProblemError } from '../../../src/core/problem.js'
import type { DocumentType } from '../../../src/core/records/collection.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { SchemaBundle } from '../../../src/validation/validator.js'

export type FileText = string | Uint8Array
export type Texts = Readonly<Record<string, FileText>>

export function utf8Bytes(text: FileText): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text
}

export function filesOf(files: Texts): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(files).map(([path, text]) => [path, utf8Bytes(text)]))
}

/** Makes a bundle whose key is a hash of its content. */
export function schemaBundle(
  type: DocumentType,
  document: FileText,
  files: Texts = {},
  registered: Readonly<Record<string, SchemaBundle>> = {},
): SchemaBundle {
  const hash = createHash('sha256').update(type).update(utf8Bytes(document))
  for (const [path, text] of Object.entries(files)) hash.update(`\n${path}\n`).update(utf8Bytes(text))
  for (const [name, other] of Object.entries(registered)) hash.update(`\n${name}\n${other.key}`)
  return {
    key: hash.digest('hex'),
    type,
    document: utf8Bytes(document),
    files: filesOf(files),
    registered: new Map(Object.entries(registered)),
  }
}

export const jsonSchemaBundle = (
  schema: unknown,
  files?: Texts,
  registered?: Readonly<Record<string, SchemaBundle>>,
) => schemaBundle('JSON', typeof schema === 'string' ? schema : JSON.stringify(schema), files, registered)

export const xsdBundle = (
  schema: FileText,
  files?: Texts,
  registered?: Readonly<Record<string, SchemaBundle>>,
) => schemaBundle('XML', schema, files, registered)

/** Wraps declarations in an XML Schema without a target namespace. */
export const xsd = (content: string, attributes = '') =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"${attributes ? ` ${attributes}` : ''}>${content}</xs:schema>`

/** The reason why the engine libxmljs2 cannot be tested on this machine; undefined if it can. */
export async function reasonWithoutLibxmljs2(): Promise<string | undefined> {
  try {
    const validator = openValidator({ xmlEngine: 'libxmljs2', workers: 1 })
    try {
      await validator.check(xsdBundle(xsd('<xs:element name="a"/>')))
      return undefined
    } finally {
      await validator.close()
    }
  } catch (error) {
    if (error instanceof ProblemError) return error.message
    throw error
  }
}

/** Encodes a text as UTF-16 with a byte order mark. */
export function utf16(text: string, bigEndian = false): Uint8Array {
  const encoded = Buffer.from(`\ufeff${text}`, 'utf16le')
  return bigEndian ? encoded.swap16() : encoded
}
