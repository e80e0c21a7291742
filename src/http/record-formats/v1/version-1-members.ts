import { malformedRequest, ProblemError } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import type { PrimaryIdentifier, StoredRecord } from '../../../core/records/record.js'
import {
  identifierTypes,
  type ObjectShape,
  recordJsonSchema,
} from '../../../core/records/record-json-schema.js'
import type { Revision } from '../../../core/records/revision.js'
import {
  asVersion,
  formatInstant,
  isId,
  parseInstant,
  truncate,
  type Version,
} from '../../../core/value-types.js'
import type { RecordDraft, RecordEdit } from '../../../service/updates/record-drafts.js'
import { componentName, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, ignoredId, listOf, orNull, sentInstant } from '../../openapi/value-schemas.js'
import { readAcl, readBoolean, readEnum, readInteger, readObject, readText } from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'
import { type ParsedSchemaUrl, parseSchemaUrl, recordUrl } from '../record-urls.js'
import { createdAt, mediaTypeOf, type RenderedMember, renderMembers } from '../render-json-properties.js'
import { readByShape } from '../v2/properties-by-record-schema.js'
import {
  firstDescription,
  isRelatedResource,
  licenseOf,
  renderedPid,
  set,
  setDescription,
  setRelatedResource,
  withAcl,
  withLicense,
  withPid,
} from './edit-record.js'

/*
 * The members of records of interface version 1. Each is declared once: its schemas in the OpenAPI description, its
 * value in responses, and how a request changes it. Where version 1 has one value and the stored record a list, the
 * first value that fits is rendered.
 */

/** What a member of a request says about the record. */
type Wanted = Partial<RecordDraft>

interface Member {
  /** Schema of the member in responses. */
  readonly response: Schema
  /** Every response has the member. */
  readonly isRequired?: true
  /** Its value in responses. It is absent if it is undefined, an empty text or an empty list. */
  render(revision: Revision, root: string): unknown
  /** Schema of the member in requests. Absent: the server sets the member, and ignores a sent value of its type. */
  readonly request?: Schema
  /**
   * Reads the member of a request, which may be absent or null.
   * @param bases base URLs with which a URL of this service may begin
   * @throws ProblemError `malformed-request`, `unprocessable`
   */
  read?(json: JsonObject, bases: readonly string[]): Wanted | undefined
}
type Members = Readonly<Record<string, Member>>

function withDescription(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

const identifierType: Schema = { type: 'string', enum: identifierTypes }

const createdAtMember: Member = {
  isRequired: true,
  response: withDescription(schemaRef('Second'), 'Time of the creation.'),
  render: createdAt,
}
const lastUpdate: Member = {
  isRequired: true,
  response: withDescription(
    schemaRef('Instant'),
    'Time of the last change. No two changes have the same time.',
  ),
  render: ({ time }) => formatInstant(time),
}

function aclOf(by: string): Member {
  return {
    response: withDescription(listOf(schemaRef('AclEntry'), { minItems: 1 }), 'Permissions on the record.'),
    render: ({ record: { acls = [] } }) =>
      acls.map(({ sid, permission }, index) => ({ id: index + 1, sid, permission })),
    request: withDescription(
      listOf(schemaRef('SentAclEntry')),
      `Permissions on the record. ${by} gets ADMINISTRATE. Absent, null or empty in a PUT: unchanged.`,
    ),
    read(json) {
      const acl = readAcl(json, 'acl')
      return { edit: record => withAcl(record, acl) }
    },
  }
}

/** @param absent what an absent member means: the identifier stays (undefined) or goes (null) */
function pidMember(absent: null | undefined): Member {
  return {
    response: {
      description: 'The persistent identifier, in the form in which it was sent.',
      anyOf: [
        { type: 'string', minLength: 1 },
        closedObject({ identifier: { type: 'string', minLength: 1 }, identifierType }),
      ],
    },
    // @see docs/contract.md#persistent-identifiers
    render({ record }) {
      const pid = renderedPid(record)
      if (pid?.identifierType === undefined) return pid?.value
      return { identifier: pid.value, identifierType: pid.identifierType }
    },
    request: {
      description: 'The persistent identifier, as a string or with its type.',
      anyOf: [{ type: 'string' }, reference(identifierType)],
    },
    read(json) {
      const pid = parsePid(json) ?? (json.pid === undefined ? absent : null)
      return { edit: record => withPid(record, pid) }
    },
  }
}

/** @param absent what an absent member means: the licence stays (undefined) or goes (null) */
function licenseUri(absent: null | undefined): Member {
  return {
    response: { type: 'string', minLength: 1, description: 'Address of the licence.' },
    render: ({ record }) => licenseOf(record)?.schemeUri,
    request: { type: 'string', description: 'Address of the licence.' },
    read(json) {
      const uri = readText(json, 'licenseUri')
      const wanted = uri === undefined ? absent : uri
      return { edit: record => withLicense(record, wanted) }
    },
  }
}

function documentUri(kind: Collection, example: string): Member {
  return {
    isRequired: true,
    response: {
      type: 'string',
      format: 'uri',
      description: 'Address of this version of the document, under the mount of the request.',
      examples: [example],
    },
    render: ({ id, version, unserved }, root) => recordUrl(root, kind, id, version, unserved?.point),
  }
}

const documentHash: Member = {
  isRequired: true,
  response: schemaRef('Hash'),
  render: revision => `sha1:${revision.documentHash}`,
}

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

const schemaMembers: Members = {
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

const metadataMembers: Members = {
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

interface Identifier {
  readonly identifier: string
  readonly identifierType: (typeof identifierTypes)[number]
}

/** Reads a member `{id, identifier, identifierType}`; undefined if the member is absent or null. */
function parseIdentifier(json: JsonObject, name: string): Identifier | undefined {
  const member = readObject(json, name)
  if (!member) return undefined
  readInteger(member, 'id')
  const identifier = readText(member, 'identifier')
  const type = readEnum(member, 'identifierType', identifierTypes)
  if (!identifier) throw malformedRequest(`${name} has no identifier.`)
  if (!type) throw malformedRequest(`${name} has no identifierType.`)
  return { identifier, identifierType: type }
}

/** Reads the member `pid`, a text or an object; undefined if there is no identifier in it. */
function parsePid(json: JsonObject): PrimaryIdentifier | undefined {
  if (typeof json.pid === 'string') return json.pid === '' ? undefined : { value: json.pid }
  const pid = parseIdentifier(json, 'pid')
  return pid && { value: pid.identifier, identifierType: pid.identifierType }
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

/** Component of the description for the type of a member that the server sets, and the check of a sent value. */
const serverSet: Readonly<
  Record<string, { readonly schema: Schema; check(json: JsonObject, name: string): void }>
> = {
  Version: { schema: { type: ['integer', 'string', 'null'], pattern: '^-?\\d+$' }, check: readInteger },
  Second: { schema: orNull(sentInstant), check: checkInstant },
  Instant: { schema: orNull(sentInstant), check: checkInstant },
}
const serverSetText = { schema: { type: ['string', 'null'] }, check: readText }

function checkInstant(json: JsonObject, name: string): void {
  if (json[name] !== undefined && json[name] !== null) parseInstant(json[name], name)
}

function serverSetAs({ $ref }: Schema) {
  return (typeof $ref === 'string' && serverSet[componentName($ref)]) || serverSetText
}

/** How records of one kind are described, rendered and read. */
function compile(members: Members) {
  const named = Object.entries(members)
  const readers = named.map(([name, { read, response }]): NonNullable<Member['read']> => {
    if (read) return read
    const { check } = serverSetAs(response)
    return json => void check(json, name)
  })
  const rendered = named.map(([name, { render }]): RenderedMember => [name, render])
  return {
    responseSchema(description: string): Schema {
      const properties = Object.fromEntries(named.map(([name, { response }]) => [name, response]))
      const required = named.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
      return closedObject(properties, required, { description })
    },
    requestSchema(description: string): Schema {
      const properties = named.map(([name, { response, request }]) => [
        name,
        request ? orNull(request) : { ...serverSetAs(response).schema, readOnly: true },
      ])
      return { type: 'object', description, properties: Object.fromEntries(properties) }
    },
    /** A revision as JSON. @param root beginning of URLs: `https://example.org/api/v1` */
    render(revision: Revision, root: string): JsonObject {
      return renderMembers(rendered, revision, root)
    },
    /**
     * Reads a record of a request.
     * @param bases base URLs with which a URL of this service may begin
     * @throws ProblemError `malformed-request`, `unprocessable`
     */
    read(json: JsonObject, bases: readonly string[]): RecordDraft {
      const edits: RecordEdit[] = []
      let draft: Wanted = {}
      for (const read of readers) {
        const { edit, schema, ...wanted } = read(json, bases) ?? {}
        if (edit) edits.push(edit)
        draft = { ...draft, ...wanted, ...(schema && { schema: { ...draft.schema, ...schema } }) }
      }
      return { ...draft, edit: base => edits.reduce((record, edit) => edit(record), base) }
    },
  }
}

/** The members of each kind of records. */
export const version1Members = { schema: compile(schemaMembers), metadata: compile(metadataMembers) }

const unknown = 'Unknown members and members that the server sets are ignored.'
const { schema, metadata } = version1Members

/** The components of the OpenAPI description for records of version 1. @see docs/contract.md#records-of-version-1 */
export const version1Schemas: Readonly<Record<string, Schema>> = {
  SchemaRecord: schema.responseSchema('A version of a schema.'),
  SentSchemaRecord: schema.requestSchema(`A schema record in a request. ${unknown}`),
  MetadataRecord: metadata.responseSchema('A version of a metadata document.'),
  SentMetadataRecord: metadata.requestSchema(`A metadata record in a request. ${unknown}`),
}
