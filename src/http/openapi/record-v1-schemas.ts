import { identifierTypes } from '../../core/records/record-json-schema.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import { type Schema, schemaRef } from './specification-types.js'
import { closedObject, ignoredId, listOf, orNull, sentInstant } from './value-schemas.js'

/** A member of a record of interface version 1. */
interface Member {
  /** Schema of the member in responses. */
  readonly response: Schema
  /** Schema of the member in requests. Absent: the server sets the member, and ignores a sent value of its type. */
  readonly request?: Schema
  /** Every response has the member. */
  readonly isRequired?: true
}
type Members = Readonly<Record<string, Member>>

function withDescription(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

const identifierType: Schema = { type: 'string', enum: identifierTypes }
const acl = (by: string): Member => ({
  response: withDescription(listOf(schemaRef('AclEntry'), { minItems: 1 }), 'Permissions on the record.'),
  request: withDescription(
    listOf(schemaRef('SentAclEntry')),
    `Permissions on the record. ${by} gets ADMINISTRATE. Absent, null or empty in a PUT: unchanged.`,
  ),
})
const pid: Member = {
  response: {
    description: 'The persistent identifier, in the form in which it was sent.',
    anyOf: [
      { type: 'string', minLength: 1 },
      closedObject({ identifier: { type: 'string', minLength: 1 }, identifierType }),
    ],
  },
  request: {
    description: 'The persistent identifier, as a string or with its type.',
    anyOf: [{ type: 'string' }, reference(identifierType)],
  },
}
const declared = 'Fields of the documents that have ranges, facets and an order in the search.'
const declaration: Schema = {
  ...closedObject(
    {
      fields: listOf(
        closedObject(
          {
            path: { type: 'string', description: 'Names of members or elements, joined by dots.' },
            as: { type: 'string', enum: ['number', 'keyword', 'date'] },
            facet: { type: 'boolean', description: 'Counts of its values may be asked for.' },
          },
          ['path', 'as'],
        ),
      ),
    },
    [],
  ),
  description: declared,
}
const licenseUri: Member = {
  response: { type: 'string', minLength: 1, description: 'Address of the licence.' },
  request: { type: 'string', description: 'Address of the licence.' },
}
const createdAt: Member = {
  isRequired: true,
  response: withDescription(schemaRef('Second'), 'Time of the creation.'),
}
const lastUpdate: Member = {
  isRequired: true,
  response: withDescription(
    schemaRef('Instant'),
    'Time of the last change. No two changes have the same time.',
  ),
}

function documentUri(example: string): Member {
  return {
    isRequired: true,
    response: {
      type: 'string',
      format: 'uri',
      description: 'Address of this version of the document, under the mount of the request.',
      examples: [example],
    },
  }
}

const schemaMembers: Members = {
  schemaId: {
    isRequired: true,
    response: withDescription(
      schemaRef('Id'),
      'Id of the schema, chosen when it is registered; the same for all versions.',
    ),
    request: {
      type: 'string',
      description: 'Id of the schema, in lower case. Ignored in a PUT, because the path names the schema.',
      examples: ['measurement'],
    },
  },
  pid,
  schemaVersion: {
    isRequired: true,
    response: withDescription(
      schemaRef('Version'),
      'Increases by one with each change of the bytes of the schema or of its further files.',
    ),
  },
  label: described('A short name.'),
  definition: described('The purpose of the schema.'),
  comment: described('A comment.'),
  mimeType: {
    isRequired: true,
    response: {
      type: 'string',
      description: 'Derived from `type`.',
      enum: Object.values(mediaTypeOf),
    },
  },
  type: {
    isRequired: true,
    response: schemaRef('DocumentType'),
    request: {
      ...orNull({ type: 'string', enum: ['JSON', 'XML'] }),
      description:
        'Language of the schema. Absent: the server detects it. A schema in another language is refused.',
    },
  },
  createdAt,
  lastUpdate,
  acl: acl('The caller who registers the schema'),
  licenseUri,
  schemaDocumentUri: documentUri('http://localhost:8040/api/v1/schemas/measurement?version=1'),
  schemaHash: { isRequired: true, response: schemaRef('Hash') },
  doNotSync: {
    isRequired: true,
    response: { type: 'boolean', description: 'The sent value; default: true.' },
    request: { type: 'boolean' },
  },
  search: {
    response: declaration,
    request: { ...orNull(declaration), description: `${declared} Absent: as before; empty: none.` },
  },
}

const metadataMembers: Members = {
  id: {
    isRequired: true,
    response: withDescription(schemaRef('Id'), 'Id of the record: the sent id, else a UUID.'),
    request: {
      type: 'string',
      description: 'Id of the record. Absent: the server creates a UUID. Ignored in a PUT.',
    },
  },
  pid,
  relatedResource: {
    response: withDescription(
      closedObject({ identifier: { type: 'string', minLength: 1 }, identifierType }, ['identifier']),
      'The resource that the document describes, as sent.',
    ),
    request: withDescription(reference(identifierType), 'The resource that the document describes.'),
  },
  createdAt,
  lastUpdate,
  schema: {
    isRequired: true,
    response: withDescription(
      closedObject({ identifier: { type: 'string', format: 'uri' }, identifierType: { const: 'URL' } }),
      'Address of the schema version that the document follows, under the mount of the request.',
    ),
    request: withDescription(
      reference({ type: 'string', enum: ['INTERNAL', 'URL'] }),
      'The schema that the document follows: its `schemaId` with `INTERNAL`, or its address on this server with `URL`.',
    ),
  },
  schemaVersion: {
    isRequired: true,
    response: schemaRef('Version'),
    request: {
      type: ['integer', 'string'],
      pattern: '^-?\\d+$',
      description:
        'Version of the schema; takes precedence over the `version` in its address. Absent: the newest version; in a PUT with the same schema, the current one.',
    },
  },
  recordVersion: {
    isRequired: true,
    response: withDescription(
      schemaRef('Version'),
      'Increases by one with each change of the record or its document.',
    ),
  },
  acl: acl('The caller who creates the record'),
  licenseUri,
  metadataDocumentUri: documentUri('http://localhost:8040/api/v1/metadata/overview-7?version=1'),
  documentHash: { isRequired: true, response: schemaRef('Hash') },
}

function described(description: string): Member {
  return {
    response: { type: 'string', minLength: 1, description },
    request: { type: 'string', description: `${description} Absent or null in a PUT: removed.` },
  }
}

function reference(types: Schema): Schema {
  return {
    type: 'object',
    properties: {
      id: ignoredId,
      identifier: { type: 'string', minLength: 1 },
      identifierType: types,
    },
    required: ['identifier', 'identifierType'],
  }
}

function responseSchema(members: Members, description: string): Schema {
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, member.response]),
  )
  const required = Object.keys(members).filter(name => members[name]?.isRequired)
  return closedObject(properties, required, { description })
}

function requestSchema(members: Members, description: string): Schema {
  const properties = Object.entries(members).map(([name, { response, request }]) => [
    name,
    request ? orNull(request) : { ...serverSet(response), readOnly: true },
  ])
  return { type: 'object', description, properties: Object.fromEntries(properties) }
}

/** The schema of a member that the server sets: requests may contain any value of its type. */
function serverSet({ $ref }: Schema): Schema {
  if ($ref === '#/components/schemas/Version')
    return { type: ['integer', 'string', 'null'], pattern: '^-?\\d+$' }
  if ($ref === '#/components/schemas/Hash' || $ref === undefined) return { type: ['string', 'null'] }
  return orNull(sentInstant)
}

const unknown = 'Unknown members and members that the server sets are ignored.'

/** The components of the OpenAPI description for records of version 1. @see docs/contract.md#records-of-version-1 */
export const version1Schemas: Readonly<Record<string, Schema>> = {
  SchemaRecord: responseSchema(schemaMembers, 'A version of a schema.'),
  SentSchemaRecord: requestSchema(schemaMembers, `A schema record in a request. ${unknown}`),
  MetadataRecord: responseSchema(metadataMembers, 'A version of a metadata document.'),
  SentMetadataRecord: requestSchema(metadataMembers, `A metadata record in a request. ${unknown}`),
}
