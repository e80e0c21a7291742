import type { Collection } from '../../../core/records/collection.js'
import type { PrimaryIdentifier } from '../../../core/records/record.js'
import { identifierTypes } from '../../../core/records/record-json-schema.js'
import { formatInstant } from '../../../core/value-types.js'
import { type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { readAcl, readText } from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'
import { recordUrl } from '../record-urls.js'
import { createdAt } from '../render-json-properties.js'
import { licenseOf, renderedPid, withAcl, withLicense, withPid } from './edit-record.js'
import { type Member, parseIdentifier, reference, withDescription } from './member.js'

/*
 * Members that records of schemas and of metadata have.
 */

export const identifierType: Schema = { type: 'string', enum: identifierTypes }

export const createdAtMember: Member = {
  isRequired: true,
  response: withDescription(schemaRef('Second'), 'Time of the creation.'),
  render: createdAt,
}
export const lastUpdate: Member = {
  isRequired: true,
  response: withDescription(
    schemaRef('Instant'),
    'Time of the last change. No two changes have the same time.',
  ),
  render: ({ time }) => formatInstant(time),
}

export function aclOf(by: string): Member {
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
export function pidMember(absent: null | undefined): Member {
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
export function licenseUri(absent: null | undefined): Member {
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

export function documentUri(kind: Collection, example: string): Member {
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

export const documentHash: Member = {
  isRequired: true,
  response: schemaRef('Hash'),
  render: revision => `sha1:${revision.documentHash}`,
}

/** Reads the member `pid`, a text or an object; undefined if there is no identifier in it. */
function parsePid(json: JsonObject): PrimaryIdentifier | undefined {
  if (typeof json.pid === 'string') return json.pid === '' ? undefined : { value: json.pid }
  const pid = parseIdentifier(json, 'pid')
  return pid && { value: pid.identifier, identifierType: pid.identifierType }
}
