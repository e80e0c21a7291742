import { type ObjectShape, recordJsonSchema, type SchemaNode } from '../../core/records/record-json-schema.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import { type Schema, schemaRef } from './specification-types.js'
import { closedObject, ignoredId, listOf, orNull, position, sentInstant } from './value-schemas.js'

/*
 * The record of interface version 2, derived from the JSON Schema of the stored record. Unlike the stored record, it
 * has derived members, and objects in its lists have their position as `id`.
 * @see docs/contract.md#record-members
 */

/** The schema of a value in responses, from the schema of the stored value. */
function responseSchema(shape: SchemaNode): Schema {
  switch (shape.type) {
    case 'object':
      return closedObject({ id: position, ...membersOf(shape, responseSchema) }, ['id', ...shape.required])
    case 'array':
      return listOf(responseSchema(shape.items), { minItems: 1 })
    case 'string': {
      if (shape.format === 'instant') return schemaRef('Second')
      const names = shape.enum?.filter(name => (shape.spellings?.get(name) ?? name) === name)
      return names ? { type: 'string', enum: names } : { type: 'string', minLength: 1 }
    }
    default:
      return { type: shape.type }
  }
}

/** The schema of a value in requests, from the schema of the stored value. */
function requestSchema(shape: SchemaNode): Schema {
  switch (shape.type) {
    case 'object': {
      const members = Object.entries(membersOf(shape, requestSchema)).map(([name, schema]) => [
        name,
        shape.required.includes(name) ? schema : orNull(schema),
      ])
      return {
        type: 'object',
        properties: { id: ignoredId, ...Object.fromEntries(members) },
        ...(shape.required.length === 0 ? {} : { required: shape.required }),
      }
    }
    case 'array':
      return listOf(requestSchema(shape.items))
    case 'string':
      if (shape.format === 'instant') return sentInstant
      return shape.enum ? { type: 'string', enum: shape.enum } : { type: 'string' }
    default:
      return { type: shape.type }
  }
}

function membersOf(shape: ObjectShape, as: (shape: SchemaNode) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(shape.properties).map(([name, inner]) => [name, as(inner)]))
}

const meanings: Readonly<Record<string, string>> = {
  identifier: 'The persistent identifier; `(:tba)` if there is none.',
  creators: 'The creators of the document.',
  titles: 'At least one title.',
  publicationYear: 'Four digits.',
  dates: 'The first date is `CREATED`, which never changes.',
  relatedIdentifiers:
    '`IS_METADATA_FOR` is the resource that a document describes, `HAS_METADATA` the schema version that it follows, ' +
    '`IS_NEW_VERSION_OF` the previous version.',
  descriptions:
    'In version 1, `OTHER` is the label, `TECHNICAL_INFO` the definition, `ABSTRACT` the comment.',
  alternateIdentifiers: 'Other names of the record. The first one is the id itself, as `INTERNAL`.',
  search:
    'Of a schema: the fields of its documents that have ranges, facets and an order in the search. Absent in a ' +
    'request: as before; empty: none.',
  rights: 'In version 1, the first one with an address is the licence.',
}

function described(members: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => {
      const description = meanings[name]
      return [name, description === undefined ? schema : { ...schema, description }]
    }),
  )
}

const { schema: _, doNotSync: __, ...responseMembers } = membersOf(recordJsonSchema, responseSchema)
const { schema: ___, doNotSync: ____, ...requestMembers } = membersOf(recordJsonSchema, requestSchema)
const versionText: Schema = { type: 'string', pattern: '^[1-9]\\d*$', description: 'Number of the version.' }

const record = closedObject(
  described({
    ...responseMembers,
    id: schemaRef('Id'),
    resourceType: closedObject({
      id: position,
      value: { type: 'string', enum: ['JSON_Schema', 'XML_Schema', 'JSON_Metadata', 'XML_Metadata'] },
      typeGeneral: { const: 'MODEL' },
    }),
    version: versionText,
    lastUpdate: {
      ...schemaRef('Instant'),
      description: 'Time of the last change. No two changes have the same time.',
    },
    acls: listOf(schemaRef('AclEntry'), { minItems: 1, description: 'Permissions on the record.' }),
  }),
  [
    ...['id', 'identifier', 'titles', 'resourceType', 'dates', 'alternateIdentifiers'],
    ...['version', 'lastUpdate', 'state'],
  ],
  { description: 'A version of a schema or a document.' },
)

const sentRecord: Schema = {
  type: 'object',
  description: 'A record in a request. Unknown members and members that the server sets are ignored.',
  properties: Object.fromEntries(
    Object.entries(
      described({
        ...requestMembers,
        id: {
          type: 'string',
          description:
            'Id of the record. A schema needs one, which is stored in lower case; for metadata, the server creates a UUID if it is absent. Ignored in a PUT.',
        },
        publicationYear: { type: ['string', 'integer'], pattern: '^\\d{4}$' },
        state: {
          type: 'string',
          enum: ['VOLATILE', 'FIXED', 'REVOKED', 'GONE'],
          description:
            'Callers with ADMINISTRATE may send VOLATILE or FIXED. Only DELETE sets the other states.',
        },
        acls: listOf(schemaRef('SentAclEntry'), {
          description: 'Permissions on the record. Absent, null or empty in a PUT: unchanged.',
        }),
        version: { type: ['integer', 'string'], readOnly: true },
        lastUpdate: { ...sentInstant, readOnly: true },
      }),
    ).map(([name, schema]) => [name, orNull(schema)]),
  ),
}

export const version2Schemas: Readonly<Record<string, Schema>> = {
  Record: record,
  SentRecord: sentRecord,
  ContentInformation: closedObject(
    {
      id: { const: 1 },
      parentResource: closedObject({
        id: schemaRef('Id'),
        identifier: responseMembers.identifier as Schema,
        alternateIdentifiers: responseMembers.alternateIdentifiers as Schema,
      }),
      version: {
        ...schemaRef('Version'),
        description: 'Increases by one with each change of the bytes of the document.',
      },
      fileVersion: versionText,
      depth: { const: 1 },
      contentUri: { type: 'string', format: 'uri', description: 'Address of the document.' },
      uploader: { type: 'string', minLength: 1 },
      mediaType: { type: 'string', enum: Object.values(mediaTypeOf) },
      hash: schemaRef('Hash'),
      size: { type: 'integer', minimum: 0, description: 'In bytes.' },
      metadata: {
        type: 'object',
        maxProperties: 0,
        description: 'Always empty.',
      },
      tags: { type: 'array', maxItems: 0 },
    },
    undefined,
    { description: 'Information about the bytes of a document.' },
  ),
  IndexEntry: closedObject(
    {
      id: schemaRef('Id'),
      pid: { type: 'string', minLength: 1 },
      created: { type: 'integer', description: 'Milliseconds since 1970.' },
      lastUpdate: { type: 'integer', description: 'Milliseconds since 1970.' },
      read: listOf({ type: 'string' }, { description: 'The callers who may read the record.' }),
      metadataRecord: schemaRef('Record'),
      metadataDocument: { description: 'A JSON document as a value, an XML document as a string.' },
    },
    ['id', 'created', 'lastUpdate', 'read', 'metadataRecord', 'metadataDocument'],
    { description: 'A record with its document, for search engines.' },
  ),
}

const host = 'http://localhost:8040'
const acls = [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }]

export const version2Examples = {
  schema: {
    id: 'measurement',
    identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
    creators: [{ id: 1, givenName: 'SELF' }],
    titles: [{ id: 1, value: 'Measurement' }],
    publisher: 'SELF',
    publicationYear: '2026',
    resourceType: { id: 1, value: 'JSON_Schema', typeGeneral: 'MODEL' },
    dates: [{ id: 1, value: '2026-03-14T09:26:53Z', type: 'CREATED' }],
    alternateIdentifiers: [{ id: 1, value: 'measurement', identifierType: 'INTERNAL' }],
    formats: ['JSON'],
    version: '1',
    lastUpdate: '2026-03-14T09:26:53.59Z',
    state: 'VOLATILE',
    acls,
  },
  // As in version 1, under other ids.
  sentSchema: { id: 'station-v2', titles: [{ value: 'Weather station' }] },
  metadata: {
    id: 'overview-7',
    identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
    creators: [{ id: 1, givenName: 'SELF' }],
    titles: [{ id: 1, value: 'Fracture surface' }],
    publisher: 'SELF',
    publicationYear: '2026',
    resourceType: { id: 1, value: 'JSON_Metadata', typeGeneral: 'MODEL' },
    dates: [{ id: 1, value: '2026-03-14T09:27:11Z', type: 'CREATED' }],
    relatedIdentifiers: [
      {
        id: 1,
        identifierType: 'URL',
        value: 'https://example.org/images/7',
        relationType: 'IS_METADATA_FOR',
      },
      {
        id: 2,
        identifierType: 'URL',
        value: `${host}/repository/api/v2/schemas/measurement?version=1`,
        relationType: 'HAS_METADATA',
      },
    ],
    alternateIdentifiers: [{ id: 1, value: 'overview-7', identifierType: 'INTERNAL' }],
    version: '1',
    lastUpdate: '2026-03-14T09:27:11.2Z',
    state: 'VOLATILE',
    acls,
  },
  sentMetadata: {
    id: 'reading-v2',
    titles: [{ value: 'Reading of a weather station' }],
    relatedIdentifiers: [
      { identifierType: 'URL', value: 'https://example.org/readings/2', relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: 'station-v2', relationType: 'HAS_METADATA' },
    ],
  },
  content: {
    id: 1,
    parentResource: {
      id: 'overview-7',
      identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
      alternateIdentifiers: [{ id: 1, value: 'overview-7', identifierType: 'INTERNAL' }],
    },
    version: 1,
    fileVersion: '1',
    depth: 1,
    contentUri: `${host}/repository/api/v2/metadata/overview-7?version=1`,
    uploader: 'SELF',
    mediaType: 'application/json',
    hash: 'sha1:2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
    size: 96,
    metadata: {},
    tags: [],
  },
}
