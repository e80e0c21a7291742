import { type Collection, contentNames } from '../../core/records/collection.js'
import { type FormPart, includedFiles, optionalPart, requiredPart } from '../forms/form-parts.js'
import { type Content, type RequestBody, type Schema, schemaRef } from '../openapi/specification-types.js'
import { listOf } from '../openapi/value-schemas.js'
import type { DescribedApiVersion } from './api-version.js'

/** The form of a route: its description, and its parts as the handler gets them. */
export interface RequestForm<F> {
  readonly described: RequestBody
  /** @throws ProblemError `malformed-request` for a part that is missing, repeated or empty */
  read(parts: readonly FormPart[]): F
}

/** A part of a form: its description, and its value for the handler. */
interface DeclaredPart<T> {
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
function jsonPart(schema: Schema): DeclaredPart<FormPart> {
  return { schema, mediaType: 'application/json', isRequired: true, read: requiredPart }
}

/** A part whose bytes the handler gets. */
function bytesPart(schema: Schema): DeclaredPart<Buffer> {
  return { schema, isRequired: true, read: (parts, name) => requiredPart(parts, name).bytes }
}

/** A part whose bytes and file name the handler gets. */
function filePart(schema: Schema): DeclaredPart<FormPart> {
  return { schema, isRequired: true, read: requiredPart }
}

/** As {@link filePart}, for a part that may be absent. */
function optionalFilePart(schema: Schema): DeclaredPart<FormPart | undefined> {
  return { schema, isRequired: false, read: optionalPart }
}

/** As {@link jsonPart}, for a part that may be absent. */
function optionalJsonPart(schema: Schema): DeclaredPart<FormPart | undefined> {
  return { ...jsonPart(schema), isRequired: false, read: optionalPart }
}

/** As {@link bytesPart}, for a part that may be absent. */
function optionalBytesPart(schema: Schema): DeclaredPart<Buffer | undefined> {
  return { schema, isRequired: false, read: (parts, name) => optionalPart(parts, name)?.bytes }
}

/** The parts with the further files of a schema. @see includedFiles */
function includedFilesPart(schema: Schema): DeclaredPart<ReadonlyMap<string, Buffer> | undefined> {
  return { schema, isRequired: false, read: includedFiles }
}

/** A form with these parts. The server reads them in this order, so that the first wrong one is the problem. */
function formOf<P extends DeclaredParts>(description: string, parts: P): RequestForm<PartValues<P>> {
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

function bytes(description: string): Schema {
  // `format` lets tools offer a file chooser.
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description }
}

/** The rule for the parts of a request that changes a record. */
const partsOfChange = 'At least one part is required; parts that are absent stay as they are.'

const include = includedFilesPart(
  listOf(bytes('A file; its file name is its path, relative to the schema.'), {
    description: 'Files that the schema refers to. In a PUT they replace all previous files.',
    // Without it, pages that offer requests would send a part without a file.
    examples: [[]],
  }),
)

const contents: Readonly<Record<Collection, Schema>> = {
  schema: bytes('The schema: a JSON Schema (draft-04, 06, 07, 2019-09, 2020-12) or an XML Schema (1.0).'),
  metadata: bytes('The document: JSON or XML, valid against the schema version that the record names.'),
}

/** The parts of a form with a record. */
interface RecordParts<T> {
  readonly record: T
  /** The part `schema` or `document`. */
  readonly content: T
  /** The further files of a schema. */
  readonly include: ReadonlyMap<string, Buffer> | undefined
}

/** The form that creates a record. */
export function newRecordForm(
  api: DescribedApiVersion,
  kind: Collection,
): RequestForm<RecordParts<FormPart>> {
  return recordForm(kind, describeForm(api, kind, 'new'), {
    record: jsonPart(recordSchema(api, kind, 'new')),
    content: filePart(contents[kind]),
  })
}

/** The form that changes a record or its content. */
export function changedRecordForm(
  api: DescribedApiVersion,
  kind: Collection,
): RequestForm<RecordParts<FormPart | undefined>> {
  return recordForm(kind, describeForm(api, kind, 'change'), {
    record: optionalJsonPart(recordSchema(api, kind, 'change')),
    content: optionalFilePart(contents[kind]),
  })
}

function recordForm<T>(
  kind: Collection,
  description: string,
  parts: { readonly record: DeclaredPart<T>; readonly content: DeclaredPart<T> },
): RequestForm<RecordParts<T>> {
  const further = kind === 'schema' ? { include } : {}
  const declared: Readonly<Record<string, DeclaredPart<unknown>>> = {
    record: parts.record,
    [contentNames[kind]]: parts.content,
    ...further,
  }
  const { described, read } = formOf(description, declared)
  return {
    described,
    read(sent) {
      const { record, [contentNames[kind]]: content, include: files } = read(sent)
      return { record, content, include: files } as RecordParts<T>
    },
  }
}

/** The form of a request that validates a document and stores nothing. */
export const documentToValidate = formOf('The part `document` is the document, as a file or a plain field.', {
  document: bytesPart(bytes('The document: JSON or XML.')),
  version: optionalBytesPart({
    type: 'string',
    pattern: '^\\s*\\d+\\s*$',
    description: 'Version of the schema; counts if the query has no `version`.',
  }),
})

/** The parts of a schema in a PUT, without its record. */
export const schemaWithoutRecord = formOf(partsOfChange, {
  schema: optionalFilePart(bytes('The new schema, in the same language.')),
  include,
})

/** The parts of a request that tries a schema that is not stored. */
export const schemaAndDocument = formOf('Send the parts as files or as plain fields, in any order.', {
  schema: filePart(contents.schema),
  include,
  document: bytesPart(bytes('The document: JSON or XML.')),
})

/** The parts of a request that tries a crosswalk. */
export const crosswalkToTry = formOf('Parts that are absent are those that are stored.', {
  crosswalk: optionalJsonPart({
    type: 'object',
    description: 'The crosswalk.',
    examples: [{ titles: 'title' }],
  }),
  document: optionalBytesPart(bytes('A document that follows the schema: JSON or XML.')),
})

function recordSchema(api: DescribedApiVersion, kind: Collection, change: 'new' | 'change'): Schema {
  const { requestSchema, requestExample, required } = api.records[kind]
  // The path has the id of a record that is changed.
  const { id, schemaId, ...withoutId } = requestExample
  return {
    ...schemaRef(requestSchema),
    ...(change === 'new' && required.length > 0 ? { required } : {}),
    examples: [change === 'new' ? requestExample : withoutId],
  }
}

function describeForm({ limits }: DescribedApiVersion, kind: Collection, change: 'new' | 'change'): string {
  const document = contentNames[kind]
  const mebibytes = (limit: number) => `${Math.round((limit / 2 ** 20) * 100) / 100} MiB`
  return (
    `Send the parts as files or as plain fields, in any order. \`record\` is JSON (at most ${mebibytes(limits.record)}). ` +
    `The server detects the language of \`${document}\` (at most ${mebibytes(limits.document)}) from its bytes and ` +
    'ignores the content type of the part. ' +
    (change === 'new' ? `\`record\` and \`${document}\` are required.` : partsOfChange)
  )
}
