import type { Id, Version } from '../value-types.js'

/*
 * The one declaration of a record. Its JSON Schema (draft-07) defines valid records, the order of members in canonical
 * JSON (the order of `properties`), and the values that canonical JSON leaves out (`default`). The types of records, the
 * reader and the writer of `record.json`, version 2 of the interface and its OpenAPI description are derived from it.
 */

export interface TextShape {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly format?: 'id' | 'instant'
  readonly default?: string
  /** Other spellings, mapped to the values of `enum` that are stored for them. */
  readonly spellings?: ReadonlyMap<string, string>
}
interface NumberShape {
  readonly type: 'number' | 'integer'
  readonly minimum?: number
  readonly maximum?: number
}
interface FlagShape {
  readonly type: 'boolean'
  readonly default: boolean
}
interface ListShape {
  readonly type: 'array'
  readonly items: SchemaNode
}
export interface ObjectShape {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, SchemaNode>>
  readonly required: readonly string[]
  /** True: an object of any JSON, which is stored as it is sent. */
  readonly additionalProperties: boolean
}
export type SchemaNode = TextShape | NumberShape | FlagShape | ListShape | ObjectShape

declare const typeOfValue: unique symbol
/** A shape with the type of its values, which exists for the compiler only. */
type Typed<T, S extends SchemaNode = SchemaNode> = S & { readonly [typeOfValue]?: T }

/** The type of the values of a shape. */
export type ValueOf<S> = S extends { readonly [typeOfValue]?: infer T } ? T : never

/** The type of an object, some of whose members are required. */
type Members<P, R extends keyof P> = {
  readonly [K in keyof P as K extends R ? K : never]: ValueOf<P[K]>
} & { readonly [K in keyof P as K extends R ? never : K]?: ValueOf<P[K]> }

const text: Typed<string> = { type: 'string' }
const id: Typed<Id> = { type: 'string', format: 'id' }
/** A time in seconds, ISO 8601 UTC. */
const instant: Typed<string> = { type: 'string', format: 'instant' }

function list<T>(items: Typed<T>): Typed<readonly T[]> {
  return { type: 'array', items }
}

/** An object that permits no other members: the next update through the server would drop an unknown member. */
function members<P extends Readonly<Record<string, SchemaNode>>, R extends keyof P & string = never>(
  properties: P,
  required: readonly R[] = [],
): Typed<Members<P, R>, ObjectShape> {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** An object of any JSON. */
const anyObject: Typed<Readonly<Record<string, unknown>>, ObjectShape> = {
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: true,
}

/** An object of numbers, all of which are required. */
function numbers<N extends string>(...names: readonly N[]): Typed<{ readonly [K in N]: number }> {
  const properties = Object.fromEntries(names.map(name => [name, { type: 'number' } as const]))
  return { type: 'object', properties, required: names, additionalProperties: false }
}

/** A flag. Canonical JSON leaves out the default, so that only the other value is stored. */
function flag<D extends boolean>(usual: D): Typed<D extends true ? false : true> {
  return { type: 'boolean', default: usual }
}

function oneOf(names: string): Typed<string> {
  return { type: 'string', enum: names.split(/\s+/) }
}

/** As {@link oneOf}, with the names as the type of the values. */
function oneOfNames<N extends string>(names: readonly N[], usual?: N): Typed<N> {
  return { type: 'string', enum: names, ...(usual !== undefined && { default: usual }) }
}

export const permissions = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const

/**
 * Types of alternate and related identifiers. OTHER is a type of version 2; version 1 accepts it so that its clients
 * can send back a record that they read. @see docs/contract.md#types-of-identifiers
 */
export const identifierTypes = [
  'ARK',
  'AR_XIV',
  'BIBCODE',
  'DOI',
  'EAN_13',
  'EISSN',
  'HANDLE',
  'IGSN',
  'ISBN',
  'ISSN',
  'ISTC',
  'LISSN',
  'LSID',
  'PMID',
  'PURL',
  'UPC',
  'URL',
  'URN',
  'W_3_ID',
  'INTERNAL',
  'OTHER',
] as const

const relations = (
  'IS_CITED_BY CITES IS_SUPPLEMENT_TO IS_SUPPLEMENTED_BY IS_CONTINUED_BY CONTINUES IS_NEW_VERSION_OF ' +
  'IS_PREVIOUS_VERSION_OF IS_PART_OF HAS_PART IS_REFERENCED_BY REFERENCES IS_DOCUMENTED_BY DOCUMENTS ' +
  'IS_COMPILED_BY COMPILES IS_VARIANT_FORM_OF IS_ORIGINAL_FORM_OF IS_IDENTICAL_TO HAS_METADATA IS_METADATA_FOR ' +
  'REVIEWS IS_REVIEWED_BY IS_DERIVED_FROM IS_SOURCE_OF IS_VERSION_OF HAS_VERSION'
).split(' ')

// The interface also accepts every relation without underscores.
const relationSpellings = new Map(relations.map(name => [name.replaceAll('_', ''), name]))

const relationType: Typed<string> = {
  type: 'string',
  enum: [...new Set([...relations, ...relationSpellings.keys()])],
  spellings: relationSpellings,
}

const identifierType: Typed<string> = { type: 'string', enum: identifierTypes }
const scheme = members({ schemeId: text, schemeUri: text })
const agent = members({ familyName: text, givenName: text, affiliations: list(text) })
const point = numbers('longitude', 'latitude')

const schemaReference = members(
  {
    schemaId: id,
    version: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as Typed<Version>,
  },
  ['schemaId', 'version'],
)
const title = members(
  { value: text, titleType: oneOf('ALTERNATIVE_TITLE SUBTITLE TRANSLATED_TITLE OTHER'), lang: text },
  ['value'],
)
const declaredField = members(
  {
    /** Members of JSON joined by dots; elements and `@attributes` of XML by local name. */
    path: text,
    as: oneOfNames(['number', 'keyword', 'date']),
    /** Counts of its values may be asked for. */
    facet: flag(false),
  },
  ['path', 'as'],
)

/**
 * The content of `record.json`: the version 2 record without its derived members (`version`, `lastUpdate`, hashes,
 * URLs, ids of entries, IS_NEW_VERSION_OF, HAS_METADATA). Schemas and metadata have the same members. Absent members
 * have defaults: the state VOLATILE, the time of creation from history, the title "Metadata 4 metastore".
 * @see docs/contract.md#record-members
 */
export const recordJsonSchema = members(
  {
    id,
    /** The schema version that the document of a metadata record follows. Rendered as HAS_METADATA. */
    schema: schemaReference,
    /** The persistent identifier. Without `identifierType` it is a string in requests and responses. */
    identifier: members({ value: text, identifierType: text }, ['value']),
    creators: list(agent),
    titles: list(title),
    publisher: text,
    publicationYear: text,
    resourceType: members(
      {
        value: text,
        typeGeneral: oneOf(
          'AUDIOVISUAL COLLECTION DATASET EVENT IMAGE INTERACTIVE_RESOURCE MODEL PHYSICAL_OBJECT SERVICE SOFTWARE ' +
            'SOUND TEXT WORKFLOW OTHER',
        ),
      },
      ['value'],
    ),
    subjects: list(members({ value: text, scheme, valueUri: text, lang: text })),
    contributors: list(
      members({
        user: agent,
        contributionType: oneOf(
          'CONTACT_PERSON DATA_COLLECTOR DATA_CURATOR DATA_MANAGER DISTRIBUTOR EDITOR HOSTING_INSTITUTION OTHER ' +
            'PRODUCER PROJECT_LEADER PROJECT_MANAGER PROJECT_MEMBER REGISTRATION_AGENCY REGISTRATION_AUTHORITY ' +
            'RELATED_PERSON RESEARCH_GROUP RIGHTS_HOLDER RESEARCHER SPONSOR SUPERVISOR WORK_PACKAGE_LEADER',
        ),
      }),
    ),
    /** A CREATED entry takes precedence over the time of the first revision. */
    dates: list(
      members(
        {
          value: instant,
          type: oneOf(
            'ACCEPTED AVAILABLE COLLECTED COPYRIGHTED CREATED ISSUED SUBMITTED UPDATED VALID REVOKED',
          ),
        },
        ['value', 'type'],
      ),
    ),
    relatedIdentifiers: list(
      members({ identifierType, value: text, relationType, scheme, relatedMetadataScheme: text }, [
        'value',
        'relationType',
      ]),
    ),
    descriptions: list(
      members(
        {
          description: text,
          type: oneOf('ABSTRACT METHODS SERIES_INFORMATION TABLE_OF_CONTENTS TECHNICAL_INFO OTHER'),
          lang: text,
        },
        ['description'],
      ),
    ),
    geoLocations: list(
      members({
        point,
        box: numbers('westLongitude', 'eastLongitude', 'southLatitude', 'northLatitude'),
        polygon: members({ points: list(point) }, ['points']),
        place: text,
      }),
    ),
    language: text,
    alternateIdentifiers: list(members({ value: text, identifierType }, ['value', 'identifierType'])),
    sizes: list(text),
    formats: list(text),
    rights: list(scheme),
    fundingReferences: list(
      members({
        funderName: text,
        funderIdentifier: members({
          value: text,
          identifierType: text,
          type: oneOf('ISNI GRID CROSSREF_FUNDER_ID OTHER'),
        }),
        awardNumber: scheme,
        awardUri: text,
        awardTitle: text,
      }),
    ),
    /** Absent means VOLATILE. */
    state: oneOfNames(['VOLATILE', 'FIXED', 'REVOKED', 'GONE'], 'VOLATILE'),
    embargoDate: instant,
    acls: list(members({ sid: text, permission: oneOfNames(permissions) }, ['sid', 'permission'])),
    /** A member of schema records of version 1; only `false` is stored. */
    doNotSync: flag(true),
    /** Of schemas: fields of their documents with ranges, facets and an order in the search. */
    search: members({ fields: list(declaredField) }),
    /** Of schemas: where the documents say who made them, what they are called, and so on. A feature reads it. */
    crosswalk: anyObject,
  },
  ['id'],
)
