import { type FormPart, includedFiles, optionalPart, requiredPart } from '../forms/form-parts.js'
import type { Content, RequestBody, Schema } from '../openapi/specification-types.js'

/** The form of a route: its description, and its parts as the handler gets them. */
export interface RequestForm<F> {
  readonly described: RequestBody
  /** @throws ProblemError `malformed-request` for a part that is missing, repeated or empty */
  read(parts: readonly FormPart[]): F
}

/** A part of a form: its description, and its value for the handler. */
export interface DeclaredPart<T> {
  readonly schema: Schema
  /** The media type of the part in the description; undefined for the one that OpenAPI derives from the schema. */
  readonly mediaType?: string
  readonly isRequired: boolean
  /** @throws ProblemError `malformed-request` */
  read(parts: readonly FormPart[], name: string): T
}

type DeclaredParts = Readonly<Record<string, DeclaredPart<unknown>>>

/** The values of the parts of a form, by name. */
type PartValues<P extends DeclaredParts> = {
  readonly [K in keyof P]: P[K] extends DeclaredPart<infer T> ? T : never
}

/** A part with JSON, which the handler parses. */
export function jsonPart(schema: Schema): DeclaredPart<FormPart> {
  return { schema, mediaType: 'application/json', isRequired: true, read: requiredPart }
}

/** A part whose bytes the handler gets. */
export function bytesPart(schema: Schema): DeclaredPart<Buffer> {
  return { schema, isRequired: true, read: (parts, name) => requiredPart(parts, name).bytes }
}

/** A part whose bytes and file name the handler gets. */
export function filePart(schema: Schema): DeclaredPart<FormPart> {
  return { schema, isRequired: true, read: requiredPart }
}

/** As {@link filePart}, for a part that may be absent. */
export function optionalFilePart(schema: Schema): DeclaredPart<FormPart | undefined> {
  return { schema, isRequired: false, read: optionalPart }
}

/** As {@link jsonPart}, for a part that may be absent. */
export function optionalJsonPart(schema: Schema): DeclaredPart<FormPart | undefined> {
  return { ...jsonPart(schema), isRequired: false, read: optionalPart }
}

/** As {@link bytesPart}, for a part that may be absent. */
export function optionalBytesPart(schema: Schema): DeclaredPart<Buffer | undefined> {
  return { schema, isRequired: false, read: (parts, name) => optionalPart(parts, name)?.bytes }
}

/** The parts with the further files of a schema. @see includedFiles */
export function includedFilesPart(schema: Schema): DeclaredPart<ReadonlyMap<string, Buffer> | undefined> {
  return { schema, isRequired: false, read: includedFiles }
}

/** A form with these parts. The server reads them in this order, so that the first wrong one is the problem. */
export function formOf<P extends DeclaredParts>(description: string, parts: P): RequestForm<PartValues<P>> {
  const declared = Object.entries(parts)
  return {
    described: { description, required: true, content: formContent(declared) },
    read: sent =>
      Object.fromEntries(declared.map(([name, part]) => [name, part.read(sent, name)])) as PartValues<P>,
  }
}

function formContent(declared: readonly (readonly [string, DeclaredPart<unknown>])[]): Content {
  const required = declared.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
  const encoding = declared.flatMap(([name, { mediaType }]) =>
    mediaType === undefined ? [] : [[name, { contentType: mediaType }] as const],
  )
  const properties = Object.fromEntries(declared.map(([name, { schema }]) => [name, schema]))
  return {
    'multipart/form-data': {
      schema: { type: 'object', properties, ...(required.length > 0 && { required }) },
      ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    },
  }
}
