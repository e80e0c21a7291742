import type { StoredRecord } from '../../../core/records/record.js'
import { type ObjectShape, recordJsonSchema } from '../../../core/records/record-json-schema.js'
import { type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf, orNull } from '../../openapi/value-schemas.js'
import { readBoolean, readEnum, readObject, readText } from '../read-json-properties.js'
import { mediaTypeOf } from '../render-json-properties.js'
import { readByShape } from '../v2/properties-by-record-schema.js'
import { firstDescription, set, setDescription } from './edit-record.js'
import { type Member, type Members, withDescription } from './member.js'
import {
  aclOf,
  createdAtMember,
  documentHash,
  documentUri,
  lastUpdate,
  licenseUri,
  pidMember,
} from './shared-members.js'

/** @param type of the description in the stored record. @see docs/contract.md#one-record-two-views */
function descriptionMember(name: string, type: string, description: string): Member {
  return {
    response: { type: 'string', minLength: 1, description },
    render: ({ record }) => firstDescription(record, type)?.description,
    request: { type: 'string', description: `${description} Absent or null in a PUT: removed.` },
    read(json) {
      const value = readText(json, name)
      return { edit: record => setDescription(record, type, value) }
    },
  }
}

const searchShape: ObjectShape = {
  ...recordJsonSchema,
  properties: { search: recordJsonSchema.properties.search as ObjectShape },
  required: [],
}
const searchMeaning = 'Fields of the documents that have ranges, facets and an order in the search.'
const searchSchema: Schema = {
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
  description: searchMeaning,
}

const crosswalkMeaning =
  'Where the documents say who made them, what they are called, and so on: a rule for each property of DataCite.'
const crosswalkSchema: Schema = { type: 'object', description: crosswalkMeaning }

/** The members of records of schemas. */
export const schemaMembers: Members = {
  schemaId: {
    isRequired: true,
    response: withDescription(
      schemaRef('Id'),
      'Id of the schema, chosen when it is registered; the same for all versions.',
    ),
    render: ({ id }) => id,
    request: {
      type: 'string',
      description: 'Id of the schema, in lower case. Ignored in a PUT, because the path names the schema.',
      examples: ['measurement'],
    },
    read: json => void readText(json, 'schemaId'),
  },
  pid: pidMember(null),
  schemaVersion: {
    isRequired: true,
    response: withDescription(
      schemaRef('Version'),
      'Increases by one with each change of the bytes of the schema or of its further files.',
    ),
    render: ({ version }) => version,
  },
  label: descriptionMember('label', 'OTHER', 'A short name.'),
  definition: descriptionMember('definition', 'TECHNICAL_INFO', 'The purpose of the schema.'),
  comment: descriptionMember('comment', 'ABSTRACT', 'A comment.'),
  mimeType: {
    isRequired: true,
    response: {
      type: 'string',
      description: 'Derived from `type`.',
      enum: Object.values(mediaTypeOf),
    },
    render: ({ documentType }) => mediaTypeOf[documentType],
  },
  type: {
    isRequired: true,
    response: schemaRef('DocumentType'),
    render: ({ documentType }) => documentType,
    request: {
      ...orNull({ type: 'string', enum: ['JSON', 'XML'] }),
      description:
        'Language of the schema. Absent: the server detects it. A schema in another language is refused.',
    },
    read(json) {
      const type = readEnum(json, 'type', ['JSON', 'XML'])
      return type ? { type } : undefined
    },
  },
  createdAt: createdAtMember,
  lastUpdate,
  acl: aclOf('The caller who registers the schema'),
  licenseUri: licenseUri(null),
  schemaDocumentUri: documentUri('schema', 'http://localhost:8040/api/v1/schemas/measurement?version=1'),
  schemaHash: documentHash,
  doNotSync: {
    isRequired: true,
    response: { type: 'boolean', description: 'The sent value; default: true.' },
    render: ({ record }) => record.doNotSync ?? true,
    request: { type: 'boolean' },
    read(json) {
      const sync = readBoolean(json, 'doNotSync')
      return sync === undefined
        ? undefined
        : { edit: record => set(record, 'doNotSync', sync ? undefined : false) }
    },
  },
  search: {
    response: searchSchema,
    render: ({ record }) => record.search,
    request: { ...orNull(searchSchema), description: `${searchMeaning} Absent: as before; empty: none.` },
    read(json) {
      if (!('search' in json)) return undefined
      const { search } = readByShape(searchShape, json) as Pick<StoredRecord, 'search'>
      return { edit: record => set(record, 'search', search) }
    },
  },
  crosswalk: {
    response: crosswalkSchema,
    render: ({ record }) => record.crosswalk,
    request: {
      ...orNull(crosswalkSchema),
      description: `${crosswalkMeaning} Absent: as before; empty: none.`,
    },
    read(json) {
      if (!('crosswalk' in json)) return undefined
      const crosswalk = readObject(json, 'crosswalk') ?? undefined
      return { edit: record => set(record, 'crosswalk', crosswalk) }
    },
  },
}
