import type { Precondition } from '../../../src/core/precondition.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Version } from '../../../src/core/value-types.js'
import type { OwnBaseUrls, RecordEdit } from '../../../src/service/updates/record-drafts.js'

/** The base URLs of the test services. */
export const testOrigins: OwnBaseUrls = { bases: ['http://localhost:8040'] }

export function parseTestId(text: string): Id {
  return text as Id
}

export function toTestVersion(number: number): Version {
  return asVersion(number)
}

export function toBuffer(content: string | object): Buffer {
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
}

/** The precondition of a client that has seen this revision. */
export function ifMatch(revision: Revision): Precondition {
  return { any: false, tags: [revision.commit] }
}

export const ifMatchAny: Precondition = { any: true }

/** An edit that does not change the record. */
export const keepRecord: RecordEdit = record => record

/** Makes an edit that sets the resources that the record describes. */
export function addResource(...resources: string[]): (record: StoredRecord) => StoredRecord {
  return record => ({
    ...record,
    relatedIdentifiers: resources.map(value => ({
      value,
      identifierType: 'URL',
      relationType: 'IS_METADATA_FOR',
    })),
  })
}

export function setTitle(value: string): (record: StoredRecord) => StoredRecord {
  return record => ({ ...record, titles: [{ value }] })
}

/** Makes a JSON Schema of objects with a string `title` that requires the title and these members. */
export function titleJsonSchema(...required: string[]): Buffer {
  return toBuffer({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title', ...required],
  })
}

/** Makes an XML Schema with an element `note` of this type in the namespace `urn:note`. */
export function noteXsd(type = 'xs:string', more = ''): Buffer {
  return toBuffer(
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:note" targetNamespace="urn:note" elementFormDefault="qualified">${more}<xs:element name="note" type="${type}"/></xs:schema>`,
  )
}
