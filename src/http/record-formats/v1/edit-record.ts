import { mergeAcls } from '../../../core/access-control.js'
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

/*
 * What version 1 of the interface shows of a stored record, and how it changes it. What it does not show stays.
 */

export function set<K extends keyof StoredRecord>(
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

/** Replaces the first description of a type; null, undefined or an empty text removes all of this type. */
export function setDescription(
  record: StoredRecord,
  type: string,
  value: string | null | undefined,
): StoredRecord {
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

/** Replaces the first related identifier that names the described resource; adds one if there is none. */
export function setRelatedResource(
  record: StoredRecord,
  { identifier, identifierType }: { readonly identifier: string; readonly identifierType: string },
): StoredRecord {
  const all = record.relatedIdentifiers ?? []
  const at = all.findIndex(isRelatedResource)
  const related = { identifierType, value: identifier, relationType: 'IS_METADATA_FOR' }
  return setList(
    record,
    'relatedIdentifiers',
    at < 0 ? [...all, related] : all.map((other, index) => (index === at ? { ...other, ...related } : other)),
  )
}

/** Sets the persistent identifier. @param pid null removes it, undefined keeps it */
export function withPid(record: StoredRecord, pid: PrimaryIdentifier | null | undefined): StoredRecord {
  if (pid === undefined) return record
  const rendered = renderedPid(record)
  if (pid !== null && rendered?.value === pid.value && rendered.identifierType === pid.identifierType)
    return record
  if (pid !== null) return set(record, 'identifier', pid)
  // A placeholder such as `(:tba)` stays: it means that there is no identifier.
  return persistentIdentifier(record) ? set(record, 'identifier', undefined) : record
}

/**
 * Replaces the licence. Rights without an address stay, because version 1 does not show them.
 * @param uri null removes the licence, undefined keeps it
 */
export function withLicense(record: StoredRecord, uri: string | null | undefined): StoredRecord {
  const rights = record.rights ?? []
  const current = licenseOf(record)
  if (uri === undefined || uri === (current?.schemeUri ?? null)) return record
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
    current ? rights.map(right => (right === current ? license : right)) : [license, ...rights],
  )
}

/** Replaces the access list. Entries in both lists keep their order. @param acl null or undefined keeps the list */
export function withAcl(record: StoredRecord, acl: readonly AclEntry[] | null | undefined): StoredRecord {
  return acl ? setList(record, 'acls', mergeAcls(record.acls ?? [], acl)) : record
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
