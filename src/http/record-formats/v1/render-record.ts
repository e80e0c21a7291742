import {
  type AclEntry,
  type Description,
  type PrimaryIdentifier,
  persistentIdentifier,
  type RelatedIdentifier,
  type Scheme,
  type StoredRecord,
} from '../../../core/records/record.js'
import { identifierTypes } from '../../../core/records/record-json-schema.js'
import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import type { JsonObject } from '../record-format-interface.js'
import { recordUrl } from '../record-urls.js'
import { createdAt, mediaTypeOf, omitEmpty } from '../render-json-properties.js'

/*
 * Renders a stored record in interface version 1. Where version 1 has one value and the stored record a list, the first
 * value that fits is rendered.
 */

/** A revision as JSON of interface version 1. @param root beginning of URLs: `https://example.org/api/v1` */
export function renderRecord(revision: Revision, root: string): JsonObject {
  return revision.kind === 'schema' ? renderSchema(revision, root) : renderMetadata(revision, root)
}

function renderSchema(revision: Revision, root: string): JsonObject {
  const { record, id, version, documentType, unserved } = revision
  return omitEmpty({
    schemaId: id,
    pid: renderPid(record),
    schemaVersion: version,
    label: firstDescription(record, 'OTHER')?.description,
    definition: firstDescription(record, 'TECHNICAL_INFO')?.description,
    comment: firstDescription(record, 'ABSTRACT')?.description,
    mimeType: mediaTypeOf[documentType],
    type: documentType,
    createdAt: createdAt(revision),
    lastUpdate: formatInstant(revision.time),
    acl: renderAcl(record.acls),
    licenseUri: licenseOf(record)?.schemeUri,
    schemaDocumentUri: recordUrl(root, 'schema', id, version, unserved?.point),
    schemaHash: `sha1:${revision.documentHash}`,
    doNotSync: record.doNotSync ?? true,
    search: record.search,
  })
}

function renderMetadata(revision: Revision, root: string): JsonObject {
  const { record, id, version, unserved } = revision
  const related = record.relatedIdentifiers?.find(isRelatedResource)
  return omitEmpty({
    id,
    pid: renderPid(record),
    relatedResource:
      related && omitEmpty({ identifier: related.value, identifierType: related.identifierType }),
    createdAt: createdAt(revision),
    lastUpdate: formatInstant(revision.time),
    schema: record.schema && {
      identifier: recordUrl(root, 'schema', record.schema.schemaId, record.schema.version, unserved?.point),
      identifierType: 'URL',
    },
    schemaVersion: record.schema?.version,
    recordVersion: version,
    acl: renderAcl(record.acls),
    licenseUri: licenseOf(record)?.schemeUri,
    metadataDocumentUri: recordUrl(root, 'metadata', id, version, unserved?.point),
    documentHash: `sha1:${revision.documentHash}`,
  })
}

function renderAcl(acls: readonly AclEntry[] = []): JsonObject[] {
  return acls.map(({ sid, permission }, index) => ({ id: index + 1, sid, permission }))
}

/** The persistent identifier in the shape in which it was sent. @see docs/contract.md#persistent-identifiers */
function renderPid(record: StoredRecord): string | JsonObject | undefined {
  const pid = renderedPid(record)
  if (pid?.identifierType === undefined) return pid?.value
  return { identifier: pid.value, identifierType: pid.identifierType }
}

/** The persistent identifier, if there is one. A type that version 1 does not have is rendered as OTHER. */
export function renderedPid(record: StoredRecord): PrimaryIdentifier | undefined {
  const pid = persistentIdentifier(record)
  if (pid?.identifierType === undefined) return pid
  const type = identifierTypes.find(name => name === pid.identifierType) ?? 'OTHER'
  return { value: pid.value, identifierType: type }
}

/** Whether an identifier names the described resource. The first one of these is `relatedResource` in version 1. */
export function isRelatedResource({ relationType }: RelatedIdentifier): boolean {
  return relationType === 'IS_METADATA_FOR'
}

/**
 * The description that version 1 renders as label (OTHER), definition (TECHNICAL_INFO) or comment (ABSTRACT).
 * @see docs/contract.md#one-record-two-views
 */
export function firstDescription(record: StoredRecord, type: string): Description | undefined {
  return record.descriptions?.find(description => description.type === type)
}

/** The licence of version 1: the first that has an address. @see docs/contract.md#one-record-two-views */
export function licenseOf(record: StoredRecord): Scheme | undefined {
  return record.rights?.find(right => right.schemeUri)
}
