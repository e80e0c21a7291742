import { malformed, ProblemError } from '../../../core/problem.js'
import type { PrimaryIdentifier } from '../../../core/records/record.js'
import { identifierTypes } from '../../../core/records/record-json-schema.js'
import type { DocumentType } from '../../../core/records/record-kind.js'
import { clip, isId, toVersion, type Version } from '../../../core/value-types.js'
import type { Edit } from '../../../service/updates/record-drafts.js'
import {
  accessControl,
  checkServerSet,
  choice,
  flag,
  object,
  text,
  wholeNumber,
} from '../read-json-properties.js'
import type { Json, MetadataChange } from '../record-format-interface.js'
import { type NamedSchema, schemaOfUrl } from '../record-urls.js'
import { describe, relate, set, withAcl, withLicense, withPid } from './edit-record.js'

/*
 * A version 1 record as it comes from a client.
 */

/** @throws ProblemError `malformed-request` */
export function parseSchema(json: Json): { readonly type?: DocumentType; readonly edit: Edit } {
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

/** @throws ProblemError `malformed-request` */
export function parseMetadata(json: Json): Edit {
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
export function parseSchemaReference(json: Json, bases: readonly string[]): Omit<MetadataChange, 'edit'> {
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
