import type { Id, Version } from '../value-types.js'

/**
 * The content of `record.json`: the version 2 record without its derived members (`version`, `lastUpdate`, hashes,
 * URLs, ids of entries, IS_NEW_VERSION_OF, HAS_METADATA). Schemas and metadata have the same members. Absent members
 * have defaults: the state VOLATILE, the time of creation from history, the title "Metadata 4 metastore".
 * @see docs/contract.md#record-members
 */
export interface StoredRecord {
  readonly id: Id
  /** The schema version that the document of a metadata record follows. Rendered as HAS_METADATA. */
  readonly schema?: SchemaReference
  /** The persistent identifier. Without `identifierType` it is a string in requests and responses. */
  readonly identifier?: PrimaryIdentifier
  readonly creators?: readonly Agent[]
  readonly titles?: readonly Title[]
  readonly publisher?: string
  readonly publicationYear?: string
  readonly resourceType?: ResourceType
  readonly subjects?: readonly Subject[]
  readonly contributors?: readonly Contributor[]
  /** Times in seconds, ISO 8601 UTC. A CREATED entry takes precedence over the time of the first revision. */
  readonly dates?: readonly RecordDate[]
  readonly relatedIdentifiers?: readonly RelatedIdentifier[]
  readonly descriptions?: readonly Description[]
  readonly geoLocations?: readonly GeoLocation[]
  readonly language?: string
  readonly alternateIdentifiers?: readonly AlternateIdentifier[]
  readonly sizes?: readonly string[]
  readonly formats?: readonly string[]
  readonly rights?: readonly Scheme[]
  readonly fundingReferences?: readonly FundingReference[]
  /** Absent means VOLATILE. */
  readonly state?: State
  readonly embargoDate?: string
  readonly acls?: readonly AclEntry[]
  /** A member of schema records of version 1; only `false` is stored. */
  readonly doNotSync?: false
  /** Of schemas: fields of their documents with ranges, facets and an order in the search. */
  readonly search?: SearchDeclaration
}

/**
 * A handwritten `record.json`. Absent members are derived from the directory, the history, and the author of the
 * commit.
 */
export interface WrittenRecord extends Omit<StoredRecord, 'id' | 'schema'> {
  readonly id?: Id
  readonly schema?: { readonly schemaId: Id; readonly version?: Version }
}

export type State = 'VOLATILE' | 'FIXED' | 'REVOKED' | 'GONE'
export const permissions = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const
export type Permission = (typeof permissions)[number]

export interface SchemaReference {
  readonly schemaId: Id
  readonly version: Version
}
/** The fields that a schema declares for searches of its documents. @see docs/use/search.md#declared-fields */
export interface SearchDeclaration {
  readonly fields?: readonly DeclaredField[]
}
export interface DeclaredField {
  /** Members of JSON joined by dots; elements and `@attributes` of XML by local name. */
  readonly path: string
  readonly as: 'number' | 'keyword' | 'date'
  /** Counts of its values may be asked for. */
  readonly facet?: true
}

/** Limit of the path of a declared field, in characters. */
const maxDeclaredPathLength = 300

/** Whether a schema can declare a path. In queries an asterisk stands for any names, so it is no part of a path. */
export function isDeclarablePath(path: string): boolean {
  const hasOnlyNames = path.split('.').every(part => part.trim() !== '' && part.trim() !== '*')
  return path.length <= maxDeclaredPathLength && hasOnlyNames
}
export interface AclEntry {
  readonly sid: string
  readonly permission: Permission
}
export interface PrimaryIdentifier {
  readonly value: string
  readonly identifierType?: string
}
export interface Agent {
  readonly familyName?: string
  readonly givenName?: string
  readonly affiliations?: readonly string[]
}
export interface Title {
  readonly value: string
  readonly titleType?: string
  readonly lang?: string
}
interface ResourceType {
  readonly value: string
  readonly typeGeneral?: string
}
export interface Scheme {
  readonly schemeId?: string
  readonly schemeUri?: string
}
export interface Subject {
  readonly value?: string
  readonly scheme?: Scheme
  readonly valueUri?: string
  readonly lang?: string
}
interface Contributor {
  readonly user?: Agent
  readonly contributionType?: string
}
export interface RecordDate {
  readonly value: string
  readonly type: string
}
export interface RelatedIdentifier {
  readonly identifierType?: string
  readonly value: string
  readonly relationType: string
  readonly scheme?: Scheme
  readonly relatedMetadataScheme?: string
}
export interface Description {
  readonly description: string
  readonly type?: string
  readonly lang?: string
}
interface GeoPoint {
  readonly longitude: number
  readonly latitude: number
}
interface GeoLocation {
  readonly point?: GeoPoint
  readonly box?: {
    readonly westLongitude: number
    readonly eastLongitude: number
    readonly southLatitude: number
    readonly northLatitude: number
  }
  readonly polygon?: { readonly points: readonly GeoPoint[] }
  readonly place?: string
}
export interface AlternateIdentifier {
  readonly value: string
  readonly identifierType: string
}
interface FundingReference {
  readonly funderName?: string
  readonly funderIdentifier?: {
    readonly value?: string
    readonly identifierType?: string
    readonly type?: string
  }
  readonly awardNumber?: Scheme
  readonly awardUri?: string
  readonly awardTitle?: string
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
