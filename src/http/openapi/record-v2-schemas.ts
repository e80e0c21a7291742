import { type ObjectShape, recordJsonSchema, type SchemaNode } from '../../core/records/record-json-schema.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import { type Schema, schemaRef } from './specification-types.js'
import { closedObject, listOf, orNull, sentInstant } from './value-schemas.js'

/*
 * The record of version 2, made from the shape of the stored one: every object has its place in its list besides, and
 * the record what is derived.
 * @see docs/contract.md#record-members
 */

const place: Schema = { type: 'integer', minimum: 1, description: 'Place in the list, from 1.' }

/** As it is answered. */
function shown(shape: SchemaNode): Schema {
  switch (shape.type) {
    case 'object':
      return closedObject({ id: place, ...membersOf(shape, shown) }, ['id', ...shape.required])
    case 'array':
      return listOf(shown(shape.items), { minItems: 1 })
    case 'string': {
      if (shape.format === 'instant') return schemaRef('Second')
      const names = shape.enum?.filter(name => (shape.spellings?.get(name) ?? name) === name)
      return names ? { type: 'string', enum: names } : { type: 'string', minLength: 1 }
    }
    default:
      return { type: shape.type }
  }
}

/** As it may be sent. */
function sent(shape: SchemaNode): Schema {
  switch (shape.type) {
    case 'object': {
      const id: Schema = { type: ['integer', 'string', 'null'], description: 'Ignored.' }
      const members = Object.entries(membersOf(shape, sent)).map(([name, schema]) => [
        name,
        shape.required.includes(name) ? schema : orNull(schema),
      ])
      return {
        type: 'object',
        properties: { id, ...Object.fromEntries(members) },
        ...(shape.required.length === 0 ? {} : { required: shape.required }),
      }
    }
    case 'array':
      return listOf(sent(shape.items))
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
  identifier: 'The persistent identifier; `(:tba)` where there is none.',
  creators: 'Who made the document.',
  titles: 'At least one.',
  publicationYear: 'Four digits.',
  dates: 'The first is `CREATED`, which never changes.',
  relatedIdentifiers:
    '`IS_METADATA_FOR` is the resource a document describes, `HAS_METADATA` the schema version it follows, ' +
    '`IS_NEW_VERSION_OF` the version before.',
  descriptions: 'Version 1 shows `OTHER` as label, `TECHNICAL_INFO` as definition, `ABSTRACT` as comment.',
  alternateIdentifiers: 'Further names of the record. The first is the id itself, as `INTERNAL`.',
  search:
    'Of a schema: fields of its documents that have ranges, facets and an order in the search. Absent in a request: ' +
    'as before; empty: none.',
  rights: 'Version 1 shows the first with an address as licence.',
}

function described(members: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => {
      const description = meanings[name]
      return [name, description === undefined ? schema : { ...schema, description }]
    }),
  )
}

const { schema: _, doNotSync: __, ...shownMembers } = membersOf(recordJsonSchema, shown)
const { schema: ___, doNotSync: ____, ...sentMembers } = membersOf(recordJsonSchema, sent)
const versionText: Schema = { type: 'string', pattern: '^[1-9]\\d*$', description: 'Number of the version.' }

const record = closedObject(
  described({
    ...shownMembers,
    id: schemaRef('Id'),
    resourceType: closedObject({
      id: place,
      value: { type: 'string', enum: ['JSON_Schema', 'XML_Schema', 'JSON_Metadata', 'XML_Metadata'] },
      typeGeneral: { const: 'MODEL' },
    }),
    version: versionText,
    lastUpdate: {
      ...schemaRef('Instant'),
      description: 'When the record last changed; no two changes have the same time.',
    },
    acls: listOf(schemaRef('AclEntry'), { minItems: 1, description: 'Who may do what with the record.' }),
  }),
  [
    ...['id', 'identifier', 'titles', 'resourceType', 'dates', 'alternateIdentifiers'],
    ...['version', 'lastUpdate', 'state'],
  ],
  { description: 'What is said about one version of a schema or a document.' },
)

const sentRecord: Schema = {
  type: 'object',
  description:
    'A record in a request. Members that are not named here are ignored, and so is what the server sets.',
  properties: Object.fromEntries(
    Object.entries(
      described({
        ...sentMembers,
        id: {
          type: 'string',
          description:
            'Id of the record. Of a schema mandatory, and stored in lower case; of metadata a UUID is made where it is absent. Ignored in a PUT.',
        },
        publicationYear: { type: ['string', 'integer'], pattern: '^\\d{4}$' },
        state: {
          type: 'string',
          enum: ['VOLATILE', 'FIXED', 'REVOKED', 'GONE'],
          description: 'VOLATILE or FIXED, for callers with ADMINISTRATE; the others come from DELETE alone.',
        },
        acls: listOf(schemaRef('SentAclEntry'), {
          description: 'Who may do what with the record. Absent, null or empty in a PUT: stays as it is.',
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
        identifier: shownMembers.identifier as Schema,
        alternateIdentifiers: shownMembers.alternateIdentifiers as Schema,
      }),
      version: {
        ...schemaRef('Version'),
        description: 'Grows by one whenever the bytes of the document change, and by nothing else.',
      },
      fileVersion: versionText,
      depth: { const: 1 },
      contentUri: { type: 'string', format: 'uri', description: 'Address of the document.' },
      uploader: { type: 'string', minLength: 1 },
      mediaType: { type: 'string', enum: Object.values(mediaTypeOf) },
      hash: schemaRef('Hash'),
      size: { type: 'integer', minimum: 0, description: 'Bytes.' },
      metadata: {
        type: 'object',
        maxProperties: 0,
        description: 'Always empty: nothing but the bytes is described.',
      },
      tags: { type: 'array', maxItems: 0 },
    },
    undefined,
    { description: 'What is to be said about the bytes of a document.' },
  ),
  IndexEntry: closedObject(
    {
      id: schemaRef('Id'),
      pid: { type: 'string', minLength: 1 },
      created: { type: 'integer', description: 'Milliseconds since 1970.' },
      lastUpdate: { type: 'integer', description: 'Milliseconds since 1970.' },
      read: listOf({ type: 'string' }, { description: 'Who may read it.' }),
      metadataRecord: schemaRef('Record'),
      metadataDocument: { description: 'A JSON document as it is, an XML document as a text.' },
    },
    ['id', 'created', 'lastUpdate', 'read', 'metadataRecord', 'metadataDocument'],
    { description: 'A record with its document, as search engines read it.' },
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
  sentSchema: { id: 'measurement', titles: [{ value: 'Measurement' }] },
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
    id: 'overview-7',
    titles: [{ value: 'Fracture surface' }],
    relatedIdentifiers: [
      { identifierType: 'URL', value: 'https://example.org/images/7', relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: 'measurement/1', relationType: 'HAS_METADATA' },
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
