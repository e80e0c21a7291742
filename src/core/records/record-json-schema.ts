/*
 * The JSON Schema (draft-07) of `record.json`. It defines three things: valid records, the order of members in
 * canonical JSON (the order of `properties`), and the values that canonical JSON leaves out (`default`).
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
  readonly additionalProperties: false
}
export type SchemaNode = TextShape | NumberShape | FlagShape | ListShape | ObjectShape

const text: SchemaNode = { type: 'string' }

function list(items: SchemaNode): SchemaNode {
  return { type: 'array', items }
}

/** An object that permits no other members: the next update through the server would drop an unknown member. */
function members(
  properties: Readonly<Record<string, SchemaNode>>,
  required: readonly string[] = [],
): ObjectShape {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** An object of numbers, all of which are required. */
function numbers(names: string): ObjectShape {
  const required = names.split(' ')
  return members(Object.fromEntries(required.map(name => [name, { type: 'number' }])), required)
}

function oneOf(names: string): SchemaNode {
  return { type: 'string', enum: names.split(/\s+/) }
}

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

const relationType: SchemaNode = {
  type: 'string',
  enum: [...new Set([...relations, ...relationSpellings.keys()])],
  spellings: relationSpellings,
}

const identifierType: SchemaNode = { type: 'string', enum: identifierTypes }
const scheme = members({ schemeId: text, schemeUri: text })
const agent = members({ familyName: text, givenName: text, affiliations: list(text) })
const point = numbers('longitude latitude')

/**
 * The shape of a record. The reader and the writer of `record.json`, version 2 of the interface and the OpenAPI
 * description are derived from it.
 * @see docs/contract.md#record-members
 */
export const recordJsonSchema: ObjectShape = members(
  {
    id: { type: 'string', format: 'id' },
    schema: members(
      {
        schemaId: { type: 'string', format: 'id' },
        version: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      },
      ['schemaId', 'version'],
    ),
    identifier: members({ value: text, identifierType: text }, ['value']),
    creators: list(agent),
    titles: list(
      members(
        {
          value: text,
          titleType: oneOf('ALTERNATIVE_TITLE SUBTITLE TRANSLATED_TITLE OTHER'),
          lang: text,
        },
        ['value'],
      ),
    ),
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
    dates: list(
      members(
        {
          value: { type: 'string', format: 'instant' },
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
        box: numbers('westLongitude eastLongitude southLatitude northLatitude'),
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
    state: { type: 'string', enum: ['VOLATILE', 'FIXED', 'REVOKED', 'GONE'], default: 'VOLATILE' },
    embargoDate: { type: 'string', format: 'instant' },
    acls: list(
      members({ sid: text, permission: oneOf('NONE READ WRITE ADMINISTRATE') }, ['sid', 'permission']),
    ),
    doNotSync: { type: 'boolean', default: true },
    search: members({
      fields: list(
        members(
          { path: text, as: oneOf('number keyword date'), facet: { type: 'boolean', default: false } },
          ['path', 'as'],
        ),
      ),
    }),
  },
  ['id'],
)
