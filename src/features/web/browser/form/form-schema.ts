import { type Schema as CheckedSchema, dereference, type SchemaDraft, validate } from '@cfworker/json-schema'

/** A JSON Schema that is an object. Its keywords are whatever somebody wrote. */
export type Schema = Readonly<Record<string, unknown>>

/** Keywords whose members are names that the author chose, with a schema each. */
const mapsOfSchemas = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
/** Keywords with values of documents, in which nothing is a keyword. */
const valueKeywords = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'])
/**
 * Keywords that do not tell which branch of a choice a value belongs to. A pattern could also hold the page for minutes:
 * only the server, which limits their time, applies patterns.
 */
const ignoredKeywords = new Set(['pattern', 'format', '$vocabulary'])
/**
 * Other names of keywords beside `patternProperties`, so that no branch is chosen by patterns of names: a member that a
 * pattern describes would count as an additional one.
 */
const renamed: Readonly<Record<string, string>> = {
  patternProperties: 'patternMembers',
  additionalProperties: 'otherMembers',
  unevaluatedProperties: 'unevaluatedMembers',
}

const drafts: readonly (readonly [part: string, draft: SchemaDraft])[] = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
]

/** A JSON Schema for forms: finds what references lead to, and which branches fit a value. */
export class FormSchema {
  readonly root: Schema
  readonly #draft: SchemaDraft
  readonly #lookup: Record<string, CheckedSchema | boolean>

  /**
   * @param schema a parsed JSON Schema
   * @throws Error if an identifier or a reference in it is no URI
   */
  constructor(schema: unknown) {
    const own = withoutIgnored(schema, 'schema')
    this.root = isSchema(own) ? own : {}
    const dialect = typeof this.root.$schema === 'string' ? this.root.$schema : ''
    this.#draft = drafts.find(([part]) => dialect.includes(part))?.[1] ?? '2020-12'
    this.#lookup = dereference(this.root as CheckedSchema)
  }

  /** What a `$ref` leads to; undefined if that is in another file. */
  resolve(schema: Schema): Schema | boolean | undefined {
    const target = (schema as CheckedSchema).__absolute_ref__
    const found = target === undefined ? undefined : this.#lookup[target]
    return typeof found === 'boolean' ? found : (found as Schema | undefined)
  }

  /** Whether a value fits a schema, apart from patterns and formats. */
  fits(value: unknown, schema: unknown): boolean {
    if (value === undefined) return false
    if (!isSchema(schema)) return schema !== false
    try {
      return validate(value, schema as CheckedSchema, this.#draft, this.#lookup).valid
    } catch {
      // The schema refers to another file, or is not one of its dialect. The server tells what is wrong with it.
      return false
    }
  }
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Copies a schema without the keywords that forms ignore. */
function withoutIgnored(value: unknown, role: 'schema' | 'map'): unknown {
  if (Array.isArray(value)) return value.map(item => withoutIgnored(item, role))
  if (!isSchema(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([keyword]) => role === 'map' || !ignoredKeywords.has(keyword))
      .map(([keyword, inner]) => {
        if (role === 'map') return [keyword, withoutIgnored(inner, 'schema')]
        if (valueKeywords.has(keyword)) return [keyword, inner]
        const name = ('patternProperties' in value && renamed[keyword]) || keyword
        return [name, withoutIgnored(inner, mapsOfSchemas.has(keyword) ? 'map' : 'schema')]
      }),
  )
}
