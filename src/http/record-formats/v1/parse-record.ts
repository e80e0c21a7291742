import { malformedRequest, ProblemError } from '../../../core/problem.js'
import type { DocumentType } from '../../../core/records/collection.js'
import type { PrimaryIdentifier, StoredRecord } from '../../../core/records/record.js'
import {
  identifierTypes,
  type ObjectShape,
  recordJsonSchema,
  type SchemaNode,
} from '../../../core/records/record-json-schema.js'
import { asVersion, isId, truncate, type Version } from '../../../core/value-types.js'
import type { RecordEdit } from '../../../service/updates/record-drafts.js'
import {
  checkReadOnlyMembers,
  readAcl,
  readBoolean,
  readEnum,
  readInteger,
  readObject,
  readText,
} from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'
import { type ParsedSchemaUrl, parseSchemaUrl } from '../record-urls.js'
import { readByShape } from '../v2/properties-by-record-schema.js'
import { set, setDescription, setRelatedResource, withAcl, withLicense, withPid } from './edit-record.js'

/*
 * Reads records of interface version 1 from requests.
 */

/**
 * Reads a schema record from a request as an edit of the stored record, and the type of its document.
 * @throws ProblemError `malformed-request`
 */
export function parseSchema(json: JsonObject): { readonly type?: DocumentType; readonly edit: RecordEdit } {
  checkReadOnlyMembers(json, {
    numbers: ['schemaVersion'],
    times: ['createdAt', 'lastUpdate'],
    texts: ['mimeType', 'schemaDocumentUri', 'schemaHash'],
  })
  const type = readEnum(json, 'type', ['JSON', 'XML'])
  const pid = parsePid(json)
  const license = readText(json, 'licenseUri')
  const acl = readAcl(json, 'acl')
  const doNotSync = readBoolean(json, 'doNotSync')
  const search = readSearch(json)
  const descriptions = [
    ['OTHER', readText(json, 'label')],
    ['TECHNICAL_INFO', readText(json, 'definition')],
    ['ABSTRACT', readText(json, 'comment')],
  ] as const
  const edit: RecordEdit = base => {
    const described = descriptions.reduce(
      (record, [name, value]) => setDescription(record, name, value),
      base,
    )
    const licensed = withLicense(withPid(described, pid ?? null), license ?? null)
    const edited = withAcl(search ? set(licensed, 'search', search.declared) : licensed, acl)
    return doNotSync === undefined ? edited : set(edited, 'doNotSync', doNotSync ? undefined : false)
  }
  return { ...(type ? { type } : {}), edit }
}

/**
 * Reads a metadata record from a request as an edit of the stored record.
 * @throws ProblemError `malformed-request`
 */
export function parseMetadata(json: JsonObject): RecordEdit {
  checkReadOnlyMembers(json, {
    numbers: ['recordVersion'],
    times: ['createdAt', 'lastUpdate'],
    texts: ['metadataDocumentUri', 'documentHash'],
  })
  const pid = parsePid(json)
  const license = readText(json, 'licenseUri')
  const acl = readAcl(json, 'acl')
  const related = parseIdentifier(json, 'relatedResource')
  return base => {
    const described = related ? setRelatedResource(base, related) : base
    return withAcl(withLicense(withPid(described, pid), license), acl)
  }
}

const searchShape: ObjectShape = {
  ...recordJsonSchema,
  properties: { search: recordJsonSchema.properties.search as SchemaNode },
  required: [],
}

/** What a schema declares for the search; undefined if the member is absent, which changes nothing. */
function readSearch(json: JsonObject): { readonly declared: StoredRecord['search'] } | undefined {
  if (!('search' in json)) return undefined
  const { search } = readByShape(searchShape, json) as Pick<StoredRecord, 'search'>
  return { declared: search }
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
  const identifierType = readEnum(member, 'identifierType', identifierTypes)
  if (!identifier) throw malformedRequest(`${name} has no identifier.`)
  if (!identifierType) throw malformedRequest(`${name} has no identifierType.`)
  return { identifier, identifierType }
}

/** Reads the member `pid`, a text or an object. @returns null to remove the identifier, undefined to keep it */
function parsePid(json: JsonObject): PrimaryIdentifier | null | undefined {
  if (typeof json.pid === 'string') {
    const value = readText(json, 'pid')
    return value ? { value } : null
  }
  const pid = parseIdentifier(json, 'pid')
  if (pid) return { value: pid.identifier, identifierType: pid.identifierType }
  return json.pid === undefined ? undefined : null
}

/**
 * The schema that a record names, by its id or by a URL of the service. `schemaVersion` overrides the version in the
 * URL.
 * @see docs/contract.md#which-schema-version-a-document-follows
 */
export function parseSchemaReference(json: JsonObject, bases: readonly string[]): Partial<ParsedSchemaUrl> {
  const version = parseSchemaVersion(json)
  const reference = parseIdentifier(json, 'schema')
  return { ...(reference && resolveSchema(reference, bases)), ...(version && { version }) }
}

function parseSchemaVersion(json: JsonObject): Version | undefined {
  const number = readInteger(json, 'schemaVersion') ?? undefined
  if (number === undefined) return undefined
  if (number < 1)
    throw new ProblemError('unprocessable', `There is no schema version ${number}; they start at 1.`)
  return asVersion(Math.min(number, Number.MAX_SAFE_INTEGER))
}

function resolveSchema(
  { identifier, identifierType }: Identifier,
  bases: readonly string[],
): ParsedSchemaUrl {
  if (identifierType === 'INTERNAL' && isId(identifier)) return { schemaId: identifier }
  const named = identifierType === 'URL' ? parseSchemaUrl(identifier, bases) : undefined
  if (named) return named
  throw new ProblemError(
    'unprocessable',
    `"${truncate(identifier)}" (${identifierType}) names no schema of this service: use its schemaId with INTERNAL, or its address here with URL.`,
  )
}
