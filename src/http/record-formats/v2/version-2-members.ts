import { resourceTypeOf } from '../../../core/records/collection.js'
import {
  type AlternateIdentifier,
  defaultIdentifier,
  defaultTitles,
  type PrimaryIdentifier,
  type RecordDate,
  type RelatedIdentifier,
  type StoredRecord,
  stateOf,
} from '../../../core/records/record.js'
import { defaultPublicationYear } from '../../../core/records/record-defaults.js'
import {
  type ObjectShape,
  recordJsonSchema,
  type SchemaNode,
} from '../../../core/records/record-json-schema.js'
import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import type { ContentInformation } from '../../../service/records/document-information.js'
import { type Schema, schemaRef } from '../../openapi/specification-types.js'
import {
  closedObject,
  ignoredId,
  listOf,
  orNull,
  position,
  sentInstant,
} from '../../openapi/value-schemas.js'
import type { JsonObject } from '../record-format-interface.js'
import { recordUrl } from '../record-urls.js'
import { createdAt, mediaTypeOf, type RenderedMember, renderMembers } from '../render-json-properties.js'
import { withListPositions } from './properties-by-record-schema.js'

/*
 * The record of interface version 2. Its members follow from the declaration of the stored record. Declared here is what
 * differs: members that the server derives, defaults, and descriptions. Unlike in the stored record, objects in lists
 * have their position as `id`.
 * @see docs/contract.md#record-members
 */

interface Member {
  readonly description?: string
  /** Every response has the member. */
  readonly isRequired?: true
  /** Absent: its schemas and its value are those of the stored member. */
  readonly response?: Schema
  readonly request?: Schema
  render?(revision: Revision, root: string): unknown
}

const versionText: Schema = { type: 'string', pattern: '^[1-9]\\d*$', description: 'Number of the version.' }

const ownMembers: Readonly<Record<string, Member>> = {
  id: {
    isRequired: true,
    response: schemaRef('Id'),
    request: {
      type: 'string',
      description:
        'Id of the record. A schema needs one, which is stored in lower case; for metadata, the server creates a UUID if it is absent. Ignored in a PUT.',
    },
    render: ({ id }) => id,
  },
  identifier: {
    isRequired: true,
    description: 'The persistent identifier; `(:tba)` if there is none.',
    render: ({ record }) => renderedIdentifier(record),
  },
  creators: { description: 'The creators of the document.' },
  titles: {
    isRequired: true,
    description: 'At least one title.',
    render: ({ record }) => record.titles ?? defaultTitles,
  },
  publicationYear: {
    description: 'Four digits.',
    request: { type: ['string', 'integer'], pattern: '^\\d{4}$' },
    render: ({ record, createdAt: first }) => record.publicationYear ?? defaultPublicationYear(first),
  },
  resourceType: {
    isRequired: true,
    response: closedObject({
      id: position,
      value: { type: 'string', enum: ['JSON_Schema', 'XML_Schema', 'JSON_Metadata', 'XML_Metadata'] },
      typeGeneral: { const: 'MODEL' },
    }),
    render: ({ kind, documentType }) => ({ value: resourceTypeOf(kind, documentType), typeGeneral: 'MODEL' }),
  },
  dates: {
    isRequired: true,
    description: 'The first date is `CREATED`, which never changes.',
    render: revision => [
      { value: createdAt(revision), type: 'CREATED' },
      ...withoutCreated(revision.record.dates),
    ],
  },
  relatedIdentifiers: {
    description:
      '`IS_METADATA_FOR` is the resource that a document describes, `HAS_METADATA` the schema version that it follows, ' +
      '`IS_NEW_VERSION_OF` the previous version.',
    render: (revision, root) => [
      ...(revision.record.relatedIdentifiers ?? []),
      ...derivedRelations(revision, root),
    ],
  },
  descriptions: {
    description:
      'In version 1, `OTHER` is the label, `TECHNICAL_INFO` the definition, `ABSTRACT` the comment.',
  },
  alternateIdentifiers: {
    isRequired: true,
    description: 'Other names of the record. The first one is the id itself, as `INTERNAL`.',
    render: renderedAlternateIdentifiers,
  },
  version: {
    isRequired: true,
    response: versionText,
    request: { type: ['integer', 'string'], readOnly: true },
    render: ({ version }) => String(version),
  },
  rights: { description: 'In version 1, the first one with an address is the licence.' },
  lastUpdate: {
    isRequired: true,
    response: {
      ...schemaRef('Instant'),
      description: 'Time of the last change. No two changes have the same time.',
    },
    request: { ...sentInstant, readOnly: true },
    render: ({ time }) => formatInstant(time),
  },
  state: {
    isRequired: true,
    request: {
      type: 'string',
      enum: ['VOLATILE', 'FIXED', 'REVOKED', 'GONE'],
      description: 'Callers with ADMINISTRATE may send VOLATILE or FIXED. Only DELETE sets the other states.',
    },
    render: ({ record }) => stateOf(record),
  },
  acls: {
    response: listOf(schemaRef('AclEntry'), { minItems: 1, description: 'Permissions on the record.' }),
    request: listOf(schemaRef('SentAclEntry'), {
      description: 'Permissions on the record. Absent, null or empty in a PUT: unchanged.',
    }),
  },
  search: {
    description:
      'Of a schema: the fields of its documents that have ranges, facets and an order in the search. Absent in a ' +
      'request: as before; empty: none.',
  },
  crosswalk: {
    description:
      'Of a schema: where its documents say who made them, what they are called, when they were published, and under ' +
      'which licence: a rule for each property of DataCite. Absent in a request: as before; empty: none.',
  },
}

const { schema: _, doNotSync: __, ...storedMembers } = recordJsonSchema.properties

/** The names of the members in the order of responses: derived members come after the members that they belong to. */
const renderedNames = Object.keys(storedMembers).flatMap(name => {
  if (name === 'formats') return [name, 'version']
  return name === 'fundingReferences' ? [name, 'lastUpdate'] : [name]
})

const rendered = renderedNames.map((name): RenderedMember => {
  const { render = ({ record }: Revision) => record[name as keyof StoredRecord] } = ownMembers[name] ?? {}
  // Members of a crosswalk are rules: it has no ids of entries.
  if (name === 'crosswalk') return [name, render]
  return [name, (revision, root) => withListPositions(render(revision, root))]
})

/** A revision as JSON of interface version 2. @param root beginning of URLs: `https://example.org/api/v2` */
export function renderRecord(revision: Revision, root: string): JsonObject {
  return renderMembers(rendered, revision, root)
}

/** The persistent identifier, or a placeholder. The type is DOI if version 1 has stored the identifier without one. */
function renderedIdentifier({ identifier }: StoredRecord): PrimaryIdentifier {
  return identifier ? { identifierType: 'DOI', ...identifier } : defaultIdentifier
}

/** The id, and the stored alternate identifiers. */
function renderedAlternateIdentifiers({ id, record }: Revision): readonly AlternateIdentifier[] {
  return [{ value: id, identifierType: 'INTERNAL' }, ...(record.alternateIdentifiers ?? [])]
}

export function withoutCreated(dates: readonly RecordDate[] = []): readonly RecordDate[] {
  return dates.filter(({ type }) => type !== 'CREATED')
}

/** Relations to the followed schema and to the previous version. @see docs/contract.md#derived-members */
function derivedRelations(
  { record, kind, id, previous, unserved }: Revision,
  root: string,
): readonly RelatedIdentifier[] {
  const { schema } = record
  const toUrl = (value: string, relationType: string) => ({ identifierType: 'URL', value, relationType })
  return [
    ...(schema
      ? [toUrl(recordUrl(root, 'schema', schema.schemaId, schema.version, unserved?.point), 'HAS_METADATA')]
      : []),
    ...(previous ? [toUrl(recordUrl(root, kind, id, previous, unserved?.point), 'IS_NEW_VERSION_OF')] : []),
  ]
}

/** The schema of a value in responses, from the schema of the stored value. */
function responseSchema(shape: SchemaNode): Schema {
  switch (shape.type) {
    case 'object':
      if (shape.additionalProperties) return { type: 'object' }
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
      if (shape.additionalProperties) return { type: 'object' }
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

/** The schemas of all members. @param place the schemas that {@link ownMembers} has for this place */
function schemasOf(place: 'response' | 'request', as: (shape: SchemaNode) => Schema): Record<string, Schema> {
  const names = [...Object.keys(storedMembers), 'version', 'lastUpdate']
  return Object.fromEntries(
    names.map(name => {
      const { [place]: own, description } = ownMembers[name] ?? {}
      const schema = own ?? as(recordJsonSchema.properties[name] as SchemaNode)
      return [name, description === undefined ? schema : { ...schema, description }]
    }),
  )
}

const responseSchemas = schemasOf('response', responseSchema)
const requestSchemas = Object.entries(schemasOf('request', requestSchema))

/** The components of the OpenAPI description for records of version 2. */
export const version2Schemas: Readonly<Record<string, Schema>> = {
  Record: closedObject(
    responseSchemas,
    renderedNames.filter(name => ownMembers[name]?.isRequired),
    { description: 'A version of a schema or a document.' },
  ),
  SentRecord: {
    type: 'object',
    description: 'A record in a request. Unknown members and members that the server sets are ignored.',
    properties: Object.fromEntries(requestSchemas.map(([name, schema]) => [name, orNull(schema)])),
  },
  ContentInformation: closedObject(
    {
      id: { const: 1 },
      parentResource: closedObject({
        id: schemaRef('Id'),
        identifier: responseSchema(storedMembers.identifier as SchemaNode),
        alternateIdentifiers: responseSchema(storedMembers.alternateIdentifiers as SchemaNode),
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

/**
 * Content information as JSON: it describes the bytes of a document, without its place in the repository.
 * @param root beginning of URLs, such as `https://example.org/api/v2`
 * @see docs/contract.md#content-information
 */
export function renderContentInformation(
  revision: Revision,
  content: ContentInformation,
  root: string,
): JsonObject {
  const { kind, id, record, documentHash, documentType, unserved } = revision
  return {
    id: 1,
    parentResource: {
      id,
      identifier: withListPositions(renderedIdentifier(record)),
      alternateIdentifiers: withListPositions(renderedAlternateIdentifiers(revision)),
    },
    version: content.number,
    fileVersion: String(content.number),
    depth: 1,
    contentUri: recordUrl(root, kind, id, content.since, unserved?.point),
    uploader: content.uploader,
    mediaType: mediaTypeOf[documentType],
    hash: `sha1:${documentHash}`,
    size: content.size,
    metadata: {},
    tags: [],
  }
}
