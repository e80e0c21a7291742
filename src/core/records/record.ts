import type { Id, Version } from '../value-types.js'
import type { recordJsonSchema, ValueOf } from './record-json-schema.js'

/*
 * The types of a record and of its members, from its declaration, and the values that follow from a record.
 */

/** The content of `record.json`. @see recordJsonSchema */
export type StoredRecord = ValueOf<typeof recordJsonSchema>

/**
 * A handwritten `record.json`. Absent members are derived from the directory, the history, and the author of the
 * commit.
 */
export interface WrittenRecord extends Omit<StoredRecord, 'id' | 'schema'> {
  readonly id?: Id
  readonly schema?: { readonly schemaId: Id; readonly version?: Version }
}

type Member<K extends keyof StoredRecord> = NonNullable<StoredRecord[K]>
/** An entry of a list in a record. */
type Entry<K extends keyof StoredRecord> = Member<K> extends readonly (infer T)[] ? T : never

export type State = Member<'state'>
export type SchemaReference = Member<'schema'>
export type PrimaryIdentifier = Member<'identifier'>
export type Agent = Entry<'creators'>
export type Title = Entry<'titles'>
export type Subject = Entry<'subjects'>
export type RecordDate = Entry<'dates'>
export type RelatedIdentifier = Entry<'relatedIdentifiers'>
export type Description = Entry<'descriptions'>
export type AlternateIdentifier = Entry<'alternateIdentifiers'>
export type Scheme = Entry<'rights'>
export type AclEntry = Entry<'acls'>
export type Permission = AclEntry['permission']
/** The fields that a schema declares for searches of its documents. @see docs/use/search.md#declared-fields */
export type SearchDeclaration = Member<'search'>
export type DeclaredField = NonNullable<SearchDeclaration['fields']>[number]

/** Limit of the path of a declared field, in characters. */
const maxDeclaredPathLength = 300

/** Whether a schema can declare a path. In queries an asterisk stands for any names, so it is no part of a path. */
export function isDeclarablePath(path: string): boolean {
  const hasOnlyNames = path.split('.').every(part => part.trim() !== '' && part.trim() !== '*')
  return path.length <= maxDeclaredPathLength && hasOnlyNames
}

/** The titles of a record without a title. */
export const defaultTitles: readonly Title[] = [{ value: 'Metadata 4 metastore' }]
/** The identifier that version 2 shows for a record without a persistent identifier. */
export const defaultIdentifier: PrimaryIdentifier = { value: '(:tba)', identifierType: 'DOI' }

/** The type of a related identifier, with its default. */
export function identifierTypeOf({
  identifierType,
  value,
}: Pick<RelatedIdentifier, 'identifierType' | 'value'>): string {
  return identifierType ?? (/^https?:\/\//i.test(value) ? 'URL' : 'INTERNAL')
}

/** The state, with its default. */
export function stateOf(record: StoredRecord): State {
  return record.state ?? 'VOLATILE'
}

/** The name of a record: its main title, or else a schema's label, or else its id. */
export function titleOf(record: StoredRecord): string {
  const { titles = [], descriptions = [] } = record
  const title = titles.find(({ titleType }) => titleType === undefined) ?? titles[0]
  const label = descriptions.find(({ type }) => type === 'OTHER')
  return [title?.value, label?.description].find(text => text?.trim()) ?? record.id
}

/**
 * Identifiers of the resources that a metadata record describes, in stored order.
 * @see docs/contract.md#one-document-per-resource-and-schema
 */
export function relatedResources(record: StoredRecord): readonly string[] {
  return (record.relatedIdentifiers ?? [])
    .filter(related => related.relationType === 'IS_METADATA_FOR')
    .map(related => related.value)
}

/** Values of `identifier` that mean "no persistent identifier". @see docs/contract.md#persistent-identifiers */
const placeholders = /^\(:(unac|unal|unap|unas|unav|unkn|none|null|tba|etal)\)$/

/** The persistent identifier; undefined if there is none, or only a placeholder. */
export function persistentIdentifier(record: StoredRecord): PrimaryIdentifier | undefined {
  return record.identifier && !placeholders.test(record.identifier.value) ? record.identifier : undefined
}

/** Blanks, control characters and other invisible characters. */
const unseen = /^[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** The first identifier without a visible character, as a path such as `alternateIdentifiers[0].value`. */
export function blankIdentifier(record: StoredRecord): string | undefined {
  const isBlank = ({ value }: { readonly value: string }) => unseen.test(value)
  if (record.identifier && isBlank(record.identifier)) return 'identifier.value'
  for (const name of ['alternateIdentifiers', 'relatedIdentifiers'] as const) {
    const index = (record[name] ?? []).findIndex(isBlank)
    if (index >= 0) return `${name}[${index}].value`
  }
  return undefined
}

/** Names that must be unique among all schemas and metadata: id, persistent identifier, alternate identifiers. */
export function uniqueNamesOf(record: StoredRecord): readonly string[] {
  const pid = persistentIdentifier(record)
  const others = (record.alternateIdentifiers ?? []).map(other => other.value)
  return [...new Set<string>([record.id, ...(pid ? [pid.value] : []), ...others])]
}

/* What is wrong with the member `schema` of a record: texts for requests, imports and commits. */

export const schemaUnnamed = 'The record names no schema to follow.'

export const schemaMisplaced = 'Only metadata records follow a schema.'

export function unknownSchemaText(schemaId: string): string {
  return `There is no schema with the id "${schemaId}" to follow.`
}
