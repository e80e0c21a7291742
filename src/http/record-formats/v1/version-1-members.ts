import type { Schema } from '../../openapi/specification-types.js'
import { compile } from './member.js'
import { metadataMembers } from './metadata-members.js'
import { schemaMembers } from './schema-members.js'

/*
 * The members of records of interface version 1. Each is declared once: its schemas in the OpenAPI description, its
 * value in responses, and how a request changes it. Where version 1 has one value and the stored record a list, the
 * first value that fits is rendered. Those of both kinds are in `shared-members`.
 */

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
