import { ProblemError } from '../../../core/problem.js'
import { asVersion, isId, truncate, type Version } from '../../../core/value-types.js'
import { schemaRef } from '../../openapi/specification-types.js'
import { closedObject } from '../../openapi/value-schemas.js'
import { readInteger, readText } from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'
import { type ParsedSchemaUrl, parseSchemaUrl, recordUrl } from '../record-urls.js'
import { isRelatedResource, setRelatedResource } from './edit-record.js'
import { type Identifier, type Members, parseIdentifier, reference, withDescription } from './member.js'
import {
  aclOf,
  createdAtMember,
  documentHash,
  documentUri,
  identifierType,
  lastUpdate,
  licenseUri,
  pidMember,
} from './shared-members.js'

/** The members of records of metadata. */
export const metadataMembers: Members = {
  id: {
    isRequired: true,
    response: withDescription(schemaRef('Id'), 'Id of the record: the sent id, else a UUID.'),
    render: ({ id }) => id,
    request: {
      type: 'string',
      description: 'Id of the record. Absent: the server creates a UUID. Ignored in a PUT.',
    },
    read: json => void readText(json, 'id'),
  },
  pid: pidMember(undefined),
  relatedResource: {
    response: withDescription(
      closedObject({ identifier: { type: 'string', minLength: 1 }, identifierType }, ['identifier']),
      'The resource that the document describes, as sent.',
    ),
    render({ record }) {
      const related = record.relatedIdentifiers?.find(isRelatedResource)
      if (!related) return undefined
      const { value: identifier, identifierType: type } = related
      return { identifier, ...(type && { identifierType: type }) }
    },
    request: withDescription(reference(identifierType), 'The resource that the document describes.'),
    read(json) {
      const related = parseIdentifier(json, 'relatedResource')
      return related && { edit: record => setRelatedResource(record, related) }
    },
  },
  createdAt: createdAtMember,
  lastUpdate,
  schema: {
    isRequired: true,
    response: withDescription(
      closedObject({ identifier: { type: 'string', format: 'uri' }, identifierType: { const: 'URL' } }),
      'Address of the schema version that the document follows, under the mount of the request.',
    ),
    render({ record: { schema }, unserved }, root) {
      if (!schema) return undefined
      const identifier = recordUrl(root, 'schema', schema.schemaId, schema.version, unserved?.point)
      return { identifier, identifierType: 'URL' }
    },
    request: withDescription(
      reference({ type: 'string', enum: ['INTERNAL', 'URL'] }),
      'The schema that the document follows: its `schemaId` with `INTERNAL`, or its address on this server with `URL`.',
    ),
    read(json, bases) {
      const named = parseIdentifier(json, 'schema')
      return named && { schema: resolveSchema(named, bases) }
    },
  },
  // Overrides the version in the address of the schema. @see docs/contract.md#which-schema-version-a-document-follows
  schemaVersion: {
    isRequired: true,
    response: schemaRef('Version'),
    render: ({ record }) => record.schema?.version,
    request: {
      type: ['integer', 'string'],
      pattern: '^-?\\d+$',
      description:
        'Version of the schema; takes precedence over the `version` in its address. Absent: the newest version; in a PUT with the same schema, the current one.',
    },
    read(json) {
      const version = parseSchemaVersion(json)
      return version && { schema: { version } }
    },
  },
  recordVersion: {
    isRequired: true,
    response: withDescription(
      schemaRef('Version'),
      'Increases by one with each change of the record or its document.',
    ),
    render: ({ version }) => version,
  },
  acl: aclOf('The caller who creates the record'),
  licenseUri: licenseUri(undefined),
  metadataDocumentUri: documentUri('metadata', 'http://localhost:8040/api/v1/metadata/overview-7?version=1'),
  documentHash,
}

function parseSchemaVersion(json: JsonObject): Version | undefined {
  const number = readInteger(json, 'schemaVersion') ?? undefined
  if (number === undefined) return undefined
  if (number < 1)
    throw new ProblemError('unprocessable', `There is no schema version ${number}; they start at 1.`)
  return asVersion(Math.min(number, Number.MAX_SAFE_INTEGER))
}

/** The schema that a record names, by its id or by a URL of the service. */
function resolveSchema({ identifier, identifierType: type }: Identifier, bases: readonly string[]) {
  const byId: ParsedSchemaUrl | undefined =
    type === 'INTERNAL' && isId(identifier) ? { schemaId: identifier } : undefined
  const named = byId ?? (type === 'URL' ? parseSchemaUrl(identifier, bases) : undefined)
  if (named) return named
  throw new ProblemError(
    'unprocessable',
    `"${truncate(identifier)}" (${type}) names no schema of this service: use its schemaId with INTERNAL, or its address here with URL.`,
  )
}
