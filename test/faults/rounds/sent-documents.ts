import type { DocumentType } from '../../../src/core/records/collection.js'
import { noteJsonSchema } from '../../support/repository/note-records.js'
import type { RecordLog } from './acknowledged-updates.js'

/*
 * Documents and records that clients send. Every version of a schema accepts every document of its type, so a client
 * can ignore which version a document follows.
 */

/** The schemas that are registered first, by their type. */
export const firstSchemas: Readonly<Record<DocumentType, string>> = { JSON: 'note', XML: 'letter' }

/** The document of a version of a record. */
export function bytesOf({ kind, type, id }: RecordLog, version: number): string {
  const title = `${id}, version ${version}`
  if (kind === 'schema') return type === 'JSON' ? jsonSchema(title) : xmlSchema(title)
  return type === 'JSON'
    ? JSON.stringify({ title, pages: version })
    : `<letter><title>${title}</title><pages>${version}</pages></letter>\n`
}

function jsonSchema(title: string): string {
  return JSON.stringify({ ...JSON.parse(noteJsonSchema.toString()), $comment: title })
}

function xmlSchema(title: string): string {
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <!-- ${title} -->
  <xs:element name="letter">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="title" type="xs:string"/>
        <xs:element name="pages" type="xs:positiveInteger"/>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
</xs:schema>
`
}

/** The record of a new schema, in version 1 of the interface. */
export function schemaRecord({ id, type }: RecordLog): object {
  return { schemaId: id, type }
}

/** The record of new metadata, in version 1 of the interface. */
export function metadataRecord({ id }: RecordLog, schemaId: string): object {
  return {
    id,
    schema: { identifier: schemaId, identifierType: 'INTERNAL' },
    relatedResource: { identifier: `https://example.org/${id}`, identifierType: 'URL' },
  }
}
