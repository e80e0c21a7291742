import { mergeAcls } from '../../core/access.js'
import { ProblemError } from '../../core/problem.js'
import {
  type AclEntry,
  type Description,
  type PrimaryIdentifier,
  persistentIdentifier,
  type Scheme,
  type StoredRecord,
} from '../../core/record.js'
import {
  clip,
  type DocumentType,
  formatInstant,
  isId,
  parseId,
  toVersion,
  type Version,
} from '../../core/values.js'
import type { Edit } from '../../service/services.js'
import { accessControl, checkServerSet, choice, flag, object, text, wholeNumber } from './members.js'
import { createdAt, mimeTypeOf, present } from './render.js'
import { itemUrl, type NamedSchema, schemaOfUrl, version1Mounts } from './urls.js'
import type { Json, MetadataChange, Wire } from './wire.js'

/*
 * Version 1 of the interface: two flat records, each a view of the stored one. What a view does not show (creators,
 * further titles, a second licence) stays as it is when it is sent back.
 * @see spec, "Resources and their fields"; contract, 2.1, 2.2, 2.5
 */

export const v1: Wire = {
  mounts: version1Mounts,
  recordTypes: {
    schema: [
      'application/vnd.repository.schema-record+json',
      'application/vnd.datamanager.schema-record+json',
    ],
    metadata: [
      'application/vnd.repository.metadata-record+json',
      'application/vnd.datamanager.metadata-record+json',
    ],
  },
  contentTypes: [],
  indexTypes: ['application/vnd.datamanager.acl+json'],
  onlyFittingDocuments: [],
  locatesDocuments: false,

  unknown(kind, id) {
    return `${kind === 'schema' ? 'Schema' : 'Metadata'} document with ID '${id}' doesn't exist!`
  },

  renderSchema(revision, root) {
    const { record, id, version, documentType } = revision
    return present({
      schemaId: id,
      pid: renderPid(record),
      schemaVersion: version,
      label: firstDescription(record, 'OTHER')?.description,
      definition: firstDescription(record, 'TECHNICAL_INFO')?.description,
      comment: firstDescription(record, 'ABSTRACT')?.description,
      mimeType: mimeTypeOf[documentType],
      type: documentType,
      createdAt: createdAt(revision),
      lastUpdate: formatInstant(revision.time),
      acl: renderAcl(record.acls),
      licenseUri: licenseOf(record)?.schemeUri,
      schemaDocumentUri: itemUrl(root, 'schema', id, version),
      schemaHash: `sha1:${revision.documentHash}`,
      doNotSync: record.doNotSync ?? true,
    })
  },

  renderMetadata(revision, root) {
    const { record, id, version } = revision
    const related = record.relatedIdentifiers?.find(isRelatedResource)
    return present({
      id,
      pid: renderPid(record),
      relatedResource:
        related && present({ identifier: related.value, identifierType: related.identifierType }),
      createdAt: createdAt(revision),
      lastUpdate: formatInstant(revision.time),
      schema: record.schema && {
        identifier: itemUrl(root, 'schema', record.schema.schemaId, record.schema.version),
        identifierType: 'URL',
      },
      schemaVersion: record.schema?.version,
      recordVersion: version,
      acl: renderAcl(record.acls),
      licenseUri: licenseOf(record)?.schemeUri,
      metadataDocumentUri: itemUrl(root, 'metadata', id, version),
      documentHash: `sha1:${revision.documentHash}`,
    })
  },

  parseNewSchema(json) {
    const draft = parseSchema(json)
    const id = parseId(text(json, 'schemaId') ?? null, 'schemaId')
    if (id !== id.toLowerCase()) {
      throw malformed(`schemaId "${id}" has upper case letters; schema ids of version 1 are all lower case.`)
    }
    return { ...draft, id }
  },

  parseSchemaChange(json) {
    text(json, 'schemaId')
    return parseSchema(json)
  },

  parseNewMetadata(json, bases) {
    const edit = parseMetadata(json)
    const { schemaId, schemaVersion } = parseSchemaReference(json, bases)
    if (!object(json, 'relatedResource')) throw malformed('The record has no relatedResource.')
    if (!schemaId) throw malformed('The record names no schema.')
    const id = text(json, 'id')
    return {
      ...(id ? { id: parseId(id, 'id') } : {}),
      schema: { schemaId, ...(schemaVersion === undefined ? {} : { version: schemaVersion }) },
      edit,
    }
  },

  parseMetadataChange(json, bases) {
    text(json, 'id')
    return { ...parseSchemaReference(json, bases), edit: parseMetadata(json) }
  },
}

/** Identifier types as version 1 spells them. @see contract, 2.2 */
export const identifierTypes = [
  'ARK',
  'AR_XIV',
  'BIBCODE',
  'DOI',
  'EAN_13',
  'EISSN',
  'HANDLE',
  'IGSN',
  'ISBN',
  'ISSN',
  'ISTC',
  'LISSN',
  'LSID',
  'PMID',
  'PURL',
  'UPC',
  'URL',
  'URN',
  'W_3_ID',
  'INTERNAL',
  // of version 2; taken here too, or a record made there could not be sent back
  'OTHER',
] as const

function renderAcl(acls: readonly AclEntry[] = []): Json[] {
  return acls.map(({ sid, permission }, at) => ({ id: at + 1, sid, permission }))
}

/** In the shape it was sent in. Version 2 has free texts for types; what is none of ours is shown as OTHER. @see contract, "Server-set members" */
function renderPid(record: StoredRecord): string | Json | undefined {
  const pid = shownPid(record)
  if (pid?.identifierType === undefined) return pid?.value
  return { identifier: pid.value, identifierType: pid.identifierType }
}

function shownPid(record: StoredRecord): PrimaryIdentifier | undefined {
  const pid = persistentIdentifier(record)
  if (pid?.identifierType === undefined) return pid
  const type = identifierTypes.find(name => name === pid.identifierType) ?? 'OTHER'
  return { value: pid.value, identifierType: type }
}

function isRelatedResource({ relationType }: { readonly relationType: string }): boolean {
  return relationType === 'IS_METADATA_FOR'
}

function firstDescription(record: StoredRecord, type: string): Description | undefined {
  return record.descriptions?.find(description => description.type === type)
}

function parseSchema(json: Json): { readonly type?: DocumentType; readonly edit: Edit } {
  checkServerSet(json, {
    numbers: ['schemaVersion'],
    times: ['createdAt', 'lastUpdate'],
    texts: ['mimeType', 'schemaDocumentUri', 'schemaHash'],
  })
  const type = choice(json, 'type', ['JSON', 'XML'])
  const pid = parsePid(json)
  const license = text(json, 'licenseUri')
  const acl = accessControl(json, 'acl')
  const doNotSync = flag(json, 'doNotSync')
  const descriptions = [
    ['OTHER', text(json, 'label')],
    ['TECHNICAL_INFO', text(json, 'definition')],
    ['ABSTRACT', text(json, 'comment')],
  ] as const
  const edit: Edit = base => {
    const described = descriptions.reduce((record, [name, value]) => describe(record, name, value), base)
    const edited = withAcl(withLicense(withPid(described, pid ?? null), license ?? null), acl)
    return doNotSync === undefined ? edited : set(edited, 'doNotSync', doNotSync ? undefined : false)
  }
  return { ...(type ? { type } : {}), edit }
}

function parseMetadata(json: Json): Edit {
  checkServerSet(json, {
    numbers: ['recordVersion'],
    times: ['createdAt', 'lastUpdate'],
    texts: ['metadataDocumentUri', 'documentHash'],
  })
  const pid = parsePid(json)
  const license = text(json, 'licenseUri')
  const acl = accessControl(json, 'acl')
  const related = parseIdentifier(json, 'relatedResource')
  return base => {
    const described = related ? relate(base, related) : base
    return withAcl(withLicense(withPid(described, pid), license), acl)
  }
}

interface Identifier {
  readonly identifier: string
  readonly identifierType: (typeof identifierTypes)[number]
}

/** `{id, identifier, identifierType}`; undefined where it is absent or null. */
function parseIdentifier(json: Json, name: string): Identifier | undefined {
  const member = object(json, name)
  if (!member) return undefined
  wholeNumber(member, 'id')
  const identifier = text(member, 'identifier')
  const identifierType = choice(member, 'identifierType', identifierTypes)
  if (!identifier) throw malformed(`${name} has no identifier.`)
  if (!identifierType) throw malformed(`${name} has no identifierType.`)
  return { identifier, identifierType }
}

/** A text or an object; null removes, undefined says nothing. */
function parsePid(json: Json): PrimaryIdentifier | null | undefined {
  if (typeof json.pid === 'string') {
    const value = text(json, 'pid')
    return value ? { value } : null
  }
  const pid = parseIdentifier(json, 'pid')
  if (pid) return { value: pid.identifier, identifierType: pid.identifierType }
  return json.pid === undefined ? undefined : null
}

/**
 * The schema a record names, by its id or by an URL of ours. `schemaVersion` wins over the URL's version.
 * @see contract, "Which schema version"
 */
function parseSchemaReference(json: Json, bases: readonly string[]): Omit<MetadataChange, 'edit'> {
  const version = parseSchemaVersion(json)
  const reference = parseIdentifier(json, 'schema')
  const named = reference && resolveSchema(reference, bases)
  const schemaVersion = version ?? named?.version
  return {
    ...(named ? { schemaId: named.schemaId } : {}),
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
  }
}

function parseSchemaVersion(json: Json): Version | undefined {
  const number = wholeNumber(json, 'schemaVersion') ?? undefined
  if (number === undefined) return undefined
  if (number < 1)
    throw new ProblemError('unprocessable', `There is no schema version ${number}; they start at 1.`)
  return toVersion(Math.min(number, Number.MAX_SAFE_INTEGER))
}

function resolveSchema({ identifier, identifierType }: Identifier, bases: readonly string[]): NamedSchema {
  if (identifierType === 'INTERNAL' && isId(identifier)) return { schemaId: identifier }
  const named = identifierType === 'URL' ? schemaOfUrl(identifier, bases) : undefined
  if (named) return named
  throw new ProblemError(
    'unprocessable',
    `"${clip(identifier)}" (${identifierType}) names no schema of this service: use its schemaId with INTERNAL, or its address here with URL.`,
  )
}

function set<K extends keyof StoredRecord>(
  record: StoredRecord,
  name: K,
  value: StoredRecord[K] | undefined,
): StoredRecord {
  const { [name]: _, ...others } = record
  return (value === undefined ? others : { ...others, [name]: value }) as StoredRecord
}

function setList<K extends 'descriptions' | 'relatedIdentifiers' | 'acls' | 'rights'>(
  record: StoredRecord,
  name: K,
  list: StoredRecord[K] & readonly unknown[],
): StoredRecord {
  return set(record, name, list.length === 0 ? undefined : list)
}

/** Puts the text where the first description of the type is; null or undefined removes all of the type. */
function describe(record: StoredRecord, type: string, value: string | null | undefined): StoredRecord {
  const all = record.descriptions ?? []
  if (!value) {
    return setList(
      record,
      'descriptions',
      all.filter(other => other.type !== type),
    )
  }
  const first = firstDescription(record, type)
  if (first?.description === value) return record
  const described: Description = { ...first, description: value, type }
  return setList(
    record,
    'descriptions',
    first ? all.map(other => (other === first ? described : other)) : [...all, described],
  )
}

function relate(record: StoredRecord, { identifier, identifierType }: Identifier): StoredRecord {
  const all = record.relatedIdentifiers ?? []
  const at = all.findIndex(isRelatedResource)
  const related = { identifierType, value: identifier, relationType: 'IS_METADATA_FOR' }
  return setList(
    record,
    'relatedIdentifiers',
    at < 0 ? [...all, related] : all.map((other, index) => (index === at ? { ...other, ...related } : other)),
  )
}

function withPid(record: StoredRecord, pid: PrimaryIdentifier | null | undefined): StoredRecord {
  if (pid === undefined) return record
  const shown = shownPid(record)
  if (pid !== null && shown?.value === pid.value && shown.identifierType === pid.identifierType) return record
  if (pid !== null) return set(record, 'identifier', pid)
  // a placeholder already says that there is none
  return persistentIdentifier(record) ? set(record, 'identifier', undefined) : record
}

/** The licence version 1 shows: the first that has an address. @see contract, 2.5 */
function licenseOf(record: StoredRecord): Scheme | undefined {
  return record.rights?.find(right => right.schemeUri)
}

/** Rights without an address are none that version 1 can see or take away. */
function withLicense(record: StoredRecord, uri: string | null | undefined): StoredRecord {
  const rights = record.rights ?? []
  const shown = licenseOf(record)
  if (uri === undefined || uri === (shown?.schemeUri ?? null)) return record
  if (uri === null) {
    return setList(
      record,
      'rights',
      rights.filter(right => !right.schemeUri),
    )
  }
  const license = { schemeId: uri.slice(Math.max(0, uri.lastIndexOf('/'))), schemeUri: uri }
  return set(
    record,
    'rights',
    shown ? rights.map(right => (right === shown ? license : right)) : [license, ...rights],
  )
}

function withAcl(record: StoredRecord, acl: readonly AclEntry[] | null | undefined): StoredRecord {
  return acl ? setList(record, 'acls', mergeAcls(record.acls ?? [], acl)) : record
}

function malformed(message: string): ProblemError {
  return new ProblemError('malformed-request', message)
}
