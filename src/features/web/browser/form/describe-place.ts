import { type FormSchema, isSchema, type Schema } from './form-schema.js'

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'

/** A branch of a choice. */
export interface Option {
  readonly label: string
  readonly schema: Schema
}

/** A `oneOf` or `anyOf` whose branches look different, or several types. */
export interface Choice {
  /** Tells the choices of one place apart. */
  readonly key: string
  readonly options: readonly Option[]
  readonly selected: number
}

/** A value that a place may have, with its label. */
export interface Listed {
  readonly value: unknown
  readonly label: string
  readonly description?: string | undefined
}

/** What the schema says of one place of a document, all of its applying parts together. */
export interface PlaceDescription {
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** The types that a value may have; empty: any. */
  readonly types: readonly JsonType[]
  /** The only values that are allowed; undefined: any of the types. */
  readonly values?: readonly Listed[] | undefined
  readonly choices: readonly Choice[]
  /** Hints below a field, such as a smallest number. */
  readonly schemas: readonly Schema[]
  /** A reference that leads to another file. */
  readonly unresolved?: string | undefined
}

/** A member of an object that its schema or the document has. */
export interface Member {
  readonly name: string
  readonly schemas: readonly (Schema | boolean)[]
  readonly isRequired: boolean
}

/** Which option a person has chosen; undefined: nobody has. */
export type Chosen = (key: string) => number | undefined

/** Limit of the schemas that apply to one place. */
const maxSchemas = 200

/**
 * Describes a place.
 * @param schemas all schemas that apply there
 * @param value undefined: the document does not have it
 */
export function describePlace(
  form: FormSchema,
  schemas: readonly (Schema | boolean)[],
  value: unknown,
  chosen: Chosen = () => undefined,
): PlaceDescription {
  const parts: Schema[] = []
  const choices: Choice[] = []
  const values: (readonly Listed[])[] = []
  let unresolved: string | undefined
  const open = [...schemas].reverse()
  const seen = new Set<Schema>()
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isSchema(schema) || seen.has(schema) || seen.size >= maxSchemas) continue
    seen.add(schema)
    parts.push(schema)
    const further: (Schema | boolean)[] = []
    if (schema.$ref !== undefined) {
      const target = form.resolve(schema)
      if (target === undefined) unresolved = String(schema.$ref)
      else further.push(target)
    }
    further.push(...listOf(schema.allOf), ...conditional(form, schema, value))
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const options = listOf(schema[keyword]).filter(isSchema)
      const listed = options.map(option => listedValues(form, option))
      if (options.length > 0 && listed.every(one => one !== undefined)) values.push(listed.flat())
      else if (options.some(isDrawn)) {
        const choice = choiceOf(form, options, value, `${keyword} ${choices.length}`, chosen)
        choices.push(choice)
        const branch = choice.options[choice.selected]
        if (branch) further.push(branch.schema)
      }
    }
    open.push(...further.reverse())
  }
  for (const part of parts) {
    const own = Array.isArray(part.enum) ? part.enum : 'const' in part ? [part.const] : undefined
    if (own) values.push(own.map(one => ({ value: one, label: labelOf(one) })))
  }
  return {
    title: firstText(parts, 'title'),
    description: firstText(parts, 'description'),
    types: typesOf(parts),
    values: commonValues(values),
    choices,
    schemas: parts,
    unresolved,
  }
}

/** The members of an object: those of the schema in its order, then the others that the document has. */
export function membersOf({ schemas }: PlaceDescription, value: unknown): readonly Member[] {
  const present = isSchema(value) ? Object.keys(value) : []
  const declared = schemas.flatMap(schema => Object.keys(mapOf(schema.properties)))
  const required = new Set(
    schemas.flatMap(schema => [
      ...textsOf(schema.required),
      ...present.flatMap(name => textsOf(mapOf(schema.dependentRequired)[name])),
      ...present.flatMap(name => textsOf(mapOf(schema.dependencies)[name])),
    ]),
  )
  const names = new Set([...declared, ...required, ...present])
  return [...names].map(name => ({
    name,
    schemas: schemas.flatMap(schema => schemasOfMember(schema, name)),
    isRequired: required.has(name),
  }))
}

/** The schemas of an item of a list. */
export function schemasOfItem({ schemas }: PlaceDescription, index: number): readonly (Schema | boolean)[] {
  return schemas.flatMap(schema => {
    const { items, prefixItems, additionalItems } = schema
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? additionalItems : items
    return [index < tuple.length ? tuple[index] : rest].filter(isSchemaOrBoolean)
  })
}

function schemasOfMember(schema: Schema, name: string): readonly (Schema | boolean)[] {
  const own = mapOf(schema.properties)[name]
  const patterned = Object.entries(mapOf(schema.patternMembers))
    .filter(([pattern]) => matches(pattern, name))
    .map(([, inner]) => inner)
  const found = [...(own === undefined ? [] : [own]), ...patterned]
  const { additionalProperties, otherMembers = additionalProperties } = schema
  return (found.length > 0 ? found : [otherMembers]).filter(isSchemaOrBoolean)
}

/** Limit of the characters of names that are compared with patterns. */
const maxName = 40
/** Matches patterns without groups and with at most three quantifiers. */
const simplePattern = /^(?:[^()*+?{]*[*+?{]){0,3}[^()*+?{]*$/

/** Whether a name matches a pattern of the schema. Complicated patterns match nothing: they could hold the page. */
function matches(pattern: string, name: string): boolean {
  if (name.length > maxName || !simplePattern.test(pattern)) return false
  try {
    // regexp-time: without groups and with three quantifiers, at most the cube of a short name.
    return new RegExp(pattern, 'u').test(name)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** The schemas of conditions that hold for a value. */
function conditional(form: FormSchema, schema: Schema, value: unknown): readonly (Schema | boolean)[] {
  const found: unknown[] = []
  if (schema.if !== undefined && value !== undefined)
    found.push(form.fits(value, schema.if) ? schema.then : schema.else)
  if (isSchema(value))
    for (const keyword of ['dependentSchemas', 'dependencies'])
      for (const [name, inner] of Object.entries(mapOf(schema[keyword])))
        if (Object.hasOwn(value, name) && !Array.isArray(inner)) found.push(inner)
  return found.filter(isSchemaOrBoolean)
}

function choiceOf(
  form: FormSchema,
  branches: readonly Schema[],
  value: unknown,
  key: string,
  chosen: Chosen,
): Choice {
  const options = branches.map((schema, at) => ({ schema, label: branchLabel(form, schema, at) }))
  const fitting = branches.findIndex(branch => form.fits(value, branch))
  const similar = branches.findIndex(branch => hasType(form, branch, value))
  return { key, options, selected: chosen(key) ?? Math.max(0, fitting >= 0 ? fitting : similar) }
}

/** Whether a value that does not fit a branch yet has the type of the branch at least. */
function hasType(form: FormSchema, branch: Schema, value: unknown): boolean {
  if (value === undefined) return false
  const types = typesOf([branch, ...[form.resolve(branch)].filter(isSchema)])
  return types.includes(typeOf(value)) || (typeOf(value) === 'number' && types.includes('integer'))
}

function branchLabel(form: FormSchema, schema: Schema, at: number): string {
  const parts = [schema, ...[form.resolve(schema)].filter(isSchema)]
  const title = firstText(parts, 'title')
  if (title) return title
  const required = parts.flatMap(part => textsOf(part.required))
  const types = typesOf(parts)
  if (types[0] === 'object' && required.length > 0) return required.join(', ')
  return types.length > 0 ? types.join(' or ') : `${at + 1}`
}

/** The values of a branch that allows only some; undefined if it describes more. */
function listedValues(form: FormSchema, branch: Schema): readonly Listed[] | undefined {
  const target = form.resolve(branch)
  const schema = isSchema(target) ? target : branch
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (!Array.isArray(values)) return undefined
  const title = values.length === 1 ? firstText([branch, schema], 'title') : undefined
  const description = firstText([branch, schema], 'description')
  return values.map(value => ({ value, label: title ?? labelOf(value), description }))
}

/** The values that all lists have. */
function commonValues(lists: readonly (readonly Listed[])[]): readonly Listed[] | undefined {
  const [first, ...rest] = lists
  const isIn = (list: readonly Listed[], { value }: Listed) =>
    list.some(other => JSON.stringify(other.value) === JSON.stringify(value))
  return first?.filter(one => rest.every(list => isIn(list, one)))
}

/** Whether a branch shows fields, rather than only which of them are needed. */
function isDrawn(branch: Schema): boolean {
  return ['$ref', 'type', 'properties', 'items', 'enum', 'const', 'allOf', 'oneOf', 'anyOf'].some(
    keyword => keyword in branch,
  )
}

/** The types that all schemas allow, in the order of the first one. */
function typesOf(schemas: readonly Schema[]): readonly JsonType[] {
  const declared = schemas
    .map(({ type }) => (typeof type === 'string' ? [type] : textsOf(type)) as JsonType[])
    .filter(types => types.length > 0)
  const [first, ...rest] = declared
  if (first) return first.filter(type => rest.every(types => types.includes(type) || isInteger(type, types)))
  if (schemas.some(schema => 'properties' in schema || 'required' in schema)) return ['object']
  return schemas.some(schema => 'items' in schema || 'prefixItems' in schema) ? ['array'] : []
}

function isInteger(type: JsonType, types: readonly JsonType[]): boolean {
  return type === 'integer' && types.includes('number')
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as JsonType
}

export function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function firstText(schemas: readonly Schema[], keyword: string): string | undefined {
  const found = schemas.map(schema => schema[keyword]).find(text => typeof text === 'string' && text.trim())
  return found as string | undefined
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return isSchema(value) ? value : {}
}

function listOf(value: unknown): readonly (Schema | boolean)[] {
  return Array.isArray(value) ? value.filter(isSchemaOrBoolean) : []
}

function isSchemaOrBoolean(value: unknown): value is Schema | boolean {
  return typeof value === 'boolean' || isSchema(value)
}
