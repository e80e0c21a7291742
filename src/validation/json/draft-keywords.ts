/*
 * The drafts of JSON Schema and the keywords of each. What a draft does not define is an unknown keyword there: it is
 * ignored, and its value is not a schema.
 */

/** The supported drafts of JSON Schema, the oldest first. @see docs/contract.md#drafts-of-json-schema */
export const dialects = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const
export type Dialect = (typeof dialects)[number]

/**
 * What the value of a keyword is: data that is asserted, one schema, an array of schemas, an object of schemas or
 * lists of names, one schema or an array of schemas. `definitions` and `annotation` hold schemas that are not applied.
 */
export type KeywordKind =
  | 'assertion'
  | 'schema'
  | 'schemas'
  | 'map'
  | 'schema-or-schemas'
  | 'definitions'
  | 'annotation'

/** The kind of each keyword with its first draft and its last, by default the newest. */
const keywords: readonly (readonly [KeywordKind, first: Dialect, names: string, last?: Dialect])[] = [
  ['assertion', 'draft-04', 'type enum multipleOf maximum minimum exclusiveMaximum exclusiveMinimum'],
  ['assertion', 'draft-04', 'maxLength minLength pattern format maxItems minItems uniqueItems'],
  ['assertion', 'draft-04', 'maxProperties minProperties required'],
  ['assertion', 'draft-06', 'const'],
  ['assertion', '2019-09', 'minContains maxContains dependentRequired'],
  ['schema', 'draft-04', 'not additionalProperties'],
  ['schema', 'draft-04', 'additionalItems', '2019-09'],
  ['schema', 'draft-06', 'contains propertyNames'],
  ['schema', 'draft-07', 'if then else'],
  ['schema', '2019-09', 'unevaluatedItems unevaluatedProperties'],
  ['schema', '2020-12', 'items'],
  ['schema-or-schemas', 'draft-04', 'items', '2019-09'],
  ['schemas', 'draft-04', 'allOf anyOf oneOf'],
  ['schemas', '2020-12', 'prefixItems'],
  // The newer drafts keep `dependencies` and `definitions` for old schemas.
  ['map', 'draft-04', 'properties patternProperties dependencies'],
  ['map', '2019-09', 'dependentSchemas'],
  ['definitions', 'draft-04', 'definitions'],
  ['definitions', '2019-09', '$defs'],
  ['annotation', '2019-09', 'contentSchema'],
]

const tables = new Map(dialects.map((dialect, index) => [dialect, tableOf(index)]))

function tableOf(index: number): ReadonlyMap<string, KeywordKind> {
  const table = new Map<string, KeywordKind>()
  for (const [kind, first, names, last = '2020-12'] of keywords) {
    if (index < dialects.indexOf(first) || index > dialects.indexOf(last)) continue
    for (const name of names.split(' ')) table.set(name, kind)
  }
  return table
}

/** The keywords of a draft that assert or have schemas, except those that identify and refer to schemas. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, KeywordKind> {
  return tables.get(dialect) ?? new Map()
}

/** Whether keywords beside `$ref` count, as from 2019-09 on. @see https://json-schema.org/draft-07/draft-handrews-json-schema-01#rfc.section.8.3 */
export function hasRefSiblings(dialect: Dialect): boolean {
  return !dialect.startsWith('draft')
}

/** The keyword with the identifier of a schema. */
export function idKeywordOf(dialect: Dialect): 'id' | '$id' {
  return dialect === 'draft-04' ? 'id' : '$id'
}

/** The keywords that refer to another schema. */
export function referenceKeywordsOf(dialect: Dialect): readonly string[] {
  if (dialect === '2020-12') return ['$ref', '$dynamicRef']
  return dialect === '2019-09' ? ['$ref', '$recursiveRef'] : ['$ref']
}
