/* What is wrong with the member `schema` of a record: texts for requests, imports and commits. */

export const schemaUnnamed = 'The record names no schema to follow.'

export const schemaMisplaced = 'Only metadata records follow a schema.'

export function unknownSchemaText(schemaId: string): string {
  return `There is no schema with the id "${schemaId}" to follow.`
}
