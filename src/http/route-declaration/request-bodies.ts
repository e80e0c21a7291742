import { type Collection, contentNames } from '../../core/records/collection.js'
import {
  type Content,
  contentOf,
  type RequestBody,
  type Schema,
  schemaRef,
} from '../openapi/specification-types.js'
import { listOf } from '../openapi/value-schemas.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import type { DescribedApiVersion } from './api-version.js'

function bytes(description: string): Schema {
  // `format` lets tools offer a file chooser
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description }
}

const include = listOf(bytes('A file; its file name is its path, relative to the schema.'), {
  description: 'Files that the schema refers to. In a PUT they replace all previous files.',
})

function form(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  types: Readonly<Record<string, string>> = {},
): Content {
  const encoding = Object.entries(types).map(([part, contentType]) => [part, { contentType }])
  return {
    'multipart/form-data': {
      schema: { type: 'object', properties, ...(required.length > 0 && { required }) },
      ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    },
  }
}

/** The form that creates or changes a record. */
export function recordBody(
  api: DescribedApiVersion,
  kind: Collection,
  change: 'new' | 'change',
): RequestBody {
  const { requestSchema, requestExample, required } = api.records[kind]
  const document = contentNames[kind]
  const record: Schema = {
    ...schemaRef(requestSchema),
    ...(change === 'new' && required.length > 0 ? { required } : {}),
    examples: [requestExample],
  }
  const mebibytes = (limit: number) => `${Math.round((limit / 2 ** 20) * 100) / 100} MiB`
  const parts = {
    record,
    [document]: bytes(
      kind === 'schema'
        ? 'The schema: a JSON Schema (draft-04, 06, 07, 2019-09, 2020-12) or an XML Schema (1.0).'
        : 'The document: JSON or XML, valid against the schema version that the record names.',
    ),
    ...(kind === 'schema' ? { include } : {}),
  }
  return {
    description:
      `Send the parts as files or as plain fields, in any order. \`record\` is JSON (at most ${mebibytes(api.limits.record)}). ` +
      `The server detects the language of \`${document}\` (at most ${mebibytes(api.limits.document)}) from its bytes and ` +
      'ignores the content type of the part. ' +
      (change === 'new'
        ? `\`record\` and \`${document}\` are required.`
        : 'At least one part is required; parts that are absent stay as they are.'),
    required: true,
    content: form(parts, change === 'new' ? ['record', document] : [], { record: 'application/json' }),
  }
}

/** The form of a request that validates a document and stores nothing. */
export const documentToValidate: RequestBody = {
  description: 'The part `document` is the document, as a file or a plain field.',
  required: true,
  content: form(
    {
      document: bytes('The document: JSON or XML.'),
      version: {
        type: 'string',
        pattern: '^\\s*\\d+\\s*$',
        description: 'Version of the schema; counts if the query has no `version`.',
      },
    },
    ['document'],
  ),
}

/** The parts of a schema in a PUT, without its record. */
export const changedSchema: RequestBody = {
  description: 'At least one part is required; parts that are absent stay as they are.',
  required: true,
  content: form({ schema: bytes('The new schema, in the same language.'), include }),
}

/** The content of a response with a stored document. */
export const storedDocument: Content = contentOf(Object.values(mediaTypeOf), {})
