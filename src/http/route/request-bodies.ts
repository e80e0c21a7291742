import type { Collection } from '../../core/records/collection.js'
import { type Content, type RequestBody, type Schema, schemaRef } from '../openapi/specification-types.js'
import { listOf } from '../openapi/value-schemas.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import type { DescribedApiVersion } from './api-version.js'

function bytes(description: string): Schema {
  // `format` is for tools that offer a file chooser by it
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description }
}

const include = listOf(bytes('A file; its file name is its path, relative to the schema.'), {
  description: 'Files the schema refers to. In a PUT they replace all files it had.',
})

function form(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  record?: { readonly of: string; readonly example: unknown },
): Content {
  return {
    'multipart/form-data': {
      schema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
      ...(record ? { encoding: { record: { contentType: 'application/json' } } } : {}),
    },
  }
}

/** The parts of a request that makes a record or changes one. */
export function recordBody(
  api: DescribedApiVersion,
  kind: Collection,
  change: 'new' | 'change',
): RequestBody {
  const { sent, sentExample, required } = api.records[kind]
  const document = kind === 'schema' ? 'schema' : 'document'
  const record: Schema = {
    ...schemaRef(sent),
    ...(change === 'new' && required.length > 0 ? { required } : {}),
    examples: [sentExample],
  }
  const mebibytes = (limit: number) => `${Math.round((limit / 2 ** 20) * 100) / 100} MiB`
  const parts = {
    record,
    [document]: bytes(
      kind === 'schema'
        ? 'The schema: a JSON Schema (draft-04, 06, 07, 2019-09, 2020-12) or an XML Schema (1.0).'
        : 'The document: JSON or XML, valid against the schema version the record names.',
    ),
    ...(kind === 'schema' ? { include } : {}),
  }
  return {
    description:
      `Parts may be sent as files or as plain fields, in any order. \`record\` is JSON (at most ${mebibytes(api.limits.record)}); ` +
      `of \`${document}\` (at most ${mebibytes(api.limits.document)}) the bytes decide, not the content type of the part. ` +
      (change === 'new'
        ? `\`record\` and \`${document}\` must be there.`
        : 'At least one part must be there; what is not sent stays as it is.'),
    required: true,
    content: form(parts, change === 'new' ? ['record', document] : [], { of: sent, example: sentExample }),
  }
}

export const documentToValidate: RequestBody = {
  description: 'The document as the part `document`, as a file or a plain field.',
  required: true,
  content: form(
    {
      document: bytes('The document: JSON or XML.'),
      version: {
        type: 'string',
        pattern: '^\\s*\\d+\\s*$',
        description: 'Version of the schema, where the query has none.',
      },
    },
    ['document'],
  ),
}

/** A schema as a PUT of it would bring it. */
export const changedSchema: RequestBody = {
  description: 'At least one part must be there; what is not sent is as it is.',
  required: true,
  content: form({ schema: bytes('The new schema, of the language it has.'), include }, []),
}

/** A stored document: whatever somebody uploaded. */
export const storedDocument: Content = Object.fromEntries(
  Object.values(mediaTypeOf).map(type => [type, { schema: {} }]),
)
