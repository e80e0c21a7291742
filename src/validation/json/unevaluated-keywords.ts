import type { Ajv, AnySchema, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import { maxCounted } from '../findings.js'
import type { Dialect } from './draft-keywords.js'
import { isNode, type Node } from './schema-location.js'
import { callKeyword, falseKeyword, type Unit } from './schema-units.js'

/*
 * The keywords that depend on what other keywords evaluated, in the place of ajv's, which count what a failed `if`
 * evaluates, and do not count what `contains` does. For a value they follow the schema once more, and ask ajv which of
 * its alternatives are valid.
 */

/** The units of a schema, and the instances of ajv that compile them. */
export interface UnitCompilers {
  unit(uri: string): Unit
  ajv(dialect: Dialect): Ajv
}

/** A keyword of a schema that a value is validated against. */
interface Check {
  readonly compilers: UnitCompilers
  readonly dialect: Dialect
  /** The value of the keyword. */
  readonly schema: AnySchema
  readonly parentSchema: Node
  readonly context: DataValidationCxt
}

type Errors = readonly ErrorObject[]

/** Adds the keywords of units to an instance of ajv. */
export function useUnitKeywords(ajv: Ajv, dialect: Dialect, compilers: UnitCompilers): void {
  // The keywords below need nothing of what ajv tracks for its own.
  ajv.opts.unevaluated = false
  ajv.addKeyword({
    keyword: falseKeyword,
    error: { message: 'boolean schema is false' },
    code: cxt => cxt.fail(),
  })
  const add = (
    keyword: string,
    type: FuncKeywordDefinition['type'],
    test: (check: Check, value: unknown) => Errors,
  ) => {
    function validate(
      schema: AnySchema,
      value: unknown,
      parent?: object,
      context?: DataValidationCxt,
    ): boolean {
      const check: Check = {
        compilers,
        dialect,
        schema,
        parentSchema: parent as Node,
        context: context as DataValidationCxt,
      }
      // A copy, because ajv adds further errors.
      validate.errors = [...test(check, value)]
      return validate.errors.length === 0
    }
    validate.errors = [] as ErrorObject[]
    ajv.removeKeyword(keyword)
    ajv.addKeyword({ keyword, ...(type && { type }), errors: 'full', validate })
  }
  add(callKeyword, undefined, openCalls())
  if (dialect.startsWith('draft')) return
  add('unevaluatedProperties', 'object', (check, value) => checkProperties(check, value as Node))
  add('unevaluatedItems', 'array', (check, value) => checkItems(check, value as readonly unknown[]))
}

/**
 * The keyword that calls another unit. It validates each object and array once, because {@link isValid} asks again: else
 * the time would double with each level of a document.
 */
function openCalls(): (check: Check, value: unknown) => Errors {
  const results = new WeakMap<object, Map<unknown, Errors>>()
  return ({ compilers, schema: uri, context }, value) => {
    const known = typeof value === 'object' && value !== null ? (results.get(value) ?? new Map()) : undefined
    const before = known?.get(uri)
    if (before) return before
    const unit = compilers.unit(uri as unknown as string)
    const validate = compilers.ajv(unit.dialect).getSchema(unit.uri) as ValidateFunction
    const errors = validate(value, context) ? [] : (validate.errors ?? [])
    validate.errors = null
    if (known) results.set(value as object, known.set(uri, errors))
    return errors
  }
}

function checkProperties(check: Check, value: Node): Errors {
  const evaluated = new Set<string>()
  if (addProperties(check, check.parentSchema, check.dialect, value, evaluated, true)) return []
  const left = Object.keys(value).filter(name => !evaluated.has(name))
  return firstErrors(left, name =>
    check.schema === false
      ? [
          errorOf(check, 'unevaluatedProperties', 'must NOT have unevaluated properties', {
            unevaluatedProperty: name,
          }),
        ]
      : memberErrors(check, value, name),
  )
}

/** The errors of members or items, until there are more than are counted. */
function firstErrors<T>(members: readonly T[], errorsOf: (member: T) => Errors): Errors {
  const errors: ErrorObject[] = []
  for (const member of members) {
    errors.push(...errorsOf(member))
    if (errors.length > maxCounted) break
  }
  return errors
}

function checkItems(check: Check, value: readonly unknown[]): Errors {
  const evaluated = new Set<number>()
  if (addItems(check, check.parentSchema, check.dialect, value, evaluated, true)) return []
  const left = [...value.keys()].filter(index => !evaluated.has(index))
  if (check.schema !== false) return firstErrors(left, index => memberErrors(check, value, index))
  if (left.length === 0) return []
  const isTail = left[0] === value.length - left.length
  const message = isTail ? `must NOT have more than ${left[0]} items` : 'must NOT have unevaluated items'
  return [
    errorOf(check, 'unevaluatedItems', message, isTail ? { limit: left[0] } : { unevaluatedItems: left }),
  ]
}

function errorOf(
  { context, parentSchema }: Check,
  keyword: string,
  message: string,
  params: object,
): ErrorObject {
  return {
    keyword,
    message,
    params,
    parentSchema,
    instancePath: context.instancePath,
    schemaPath: `#/${keyword}`,
  }
}

/** The errors of a member or item against the value of the keyword. */
function memberErrors(check: Check, holder: object, name: string | number): Errors {
  const { compilers, dialect, schema, context } = check
  if (schema === true) return []
  const validate = compilers.ajv(dialect).compile(schema)
  const token = String(name).replace(/~/g, '~0').replace(/\//g, '~1')
  const isValid = validate((holder as Node)[name], {
    ...context,
    instancePath: `${context.instancePath}/${token}`,
    parentData: holder,
    parentDataProperty: name,
  })
  const errors = isValid ? [] : (validate.errors ?? [])
  validate.errors = null
  return errors
}

/** Adds the names that a schema evaluates. @param isOwn whether it has the keyword itself @returns whether it evaluates all */
function addProperties(
  check: Check,
  schema: unknown,
  dialect: Dialect,
  value: Node,
  evaluated: Set<string>,
  isOwn = false,
): boolean {
  if (!isNode(schema)) return false
  if (schema.additionalProperties !== undefined) return true
  if (!isOwn && schema.unevaluatedProperties !== undefined) return true
  for (const name of Object.keys(isNode(schema.properties) ? schema.properties : {})) evaluated.add(name)
  for (const pattern of Object.keys(isNode(schema.patternProperties) ? schema.patternProperties : {})) {
    const compiled = check.compilers.ajv(dialect).opts.code.regExp(pattern, 'u')
    for (const name of Object.keys(value)) if (compiled.test(name)) evaluated.add(name)
  }
  return applied(check, schema, dialect, value).some(([inner, own]) =>
    addProperties(check, inner, own, value, evaluated),
  )
}

/** Adds the indexes that a schema evaluates. @param isOwn whether it has the keyword itself @returns whether it evaluates all */
function addItems(
  check: Check,
  schema: unknown,
  dialect: Dialect,
  value: readonly unknown[],
  evaluated: Set<number>,
  isOwn = false,
): boolean {
  if (!isNode(schema)) return false
  const { items, prefixItems = items, additionalItems, contains } = schema
  if (items !== undefined && !(Array.isArray(items) && additionalItems === undefined)) return true
  if (!isOwn && schema.unevaluatedItems !== undefined) return true
  const prefix = Array.isArray(prefixItems) ? prefixItems.length : 0
  for (let index = 0; index < prefix; index++) evaluated.add(index)
  if (contains !== undefined && dialect === '2020-12') {
    for (const [index, item] of value.entries())
      if (isValid(check, contains, dialect, item)) evaluated.add(index)
  }
  return applied(check, schema, dialect, value).some(([inner, own]) =>
    addItems(check, inner, own, value, evaluated),
  )
}

type Applied = readonly [schema: unknown, dialect: Dialect]

/** The subschemas that a schema applies to the value itself, except those against which the value is not valid. */
function applied(check: Check, schema: Node, dialect: Dialect, value: object): readonly Applied[] {
  const found: unknown[] = []
  const valid = (inner: unknown) => isValid(check, inner, dialect, value)
  const list = (keyword: string) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : [])
  found.push(...list('allOf'), ...[...list('anyOf'), ...list('oneOf')].filter(valid))
  if (schema.if !== undefined) {
    const isMet = valid(schema.if)
    if (isMet) found.push(schema.if)
    found.push(isMet ? schema.then : schema.else)
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    const dependent = isNode(schema[keyword]) ? schema[keyword] : {}
    for (const [name, inner] of Object.entries(dependent)) if (Object.hasOwn(value, name)) found.push(inner)
  }
  const own = found.map(inner => [inner, dialect] as const)
  const uri = schema.$ref ?? schema[callKeyword]
  if (typeof uri !== 'string') return own
  const unit = check.compilers.unit(uri)
  return [...own, [unit.schema, unit.dialect]]
}

function isValid({ compilers, context }: Check, schema: unknown, dialect: Dialect, value: unknown): boolean {
  if (typeof schema === 'boolean') return schema
  const validate = compilers.ajv(dialect).compile(schema as AnySchema)
  const verdict = validate(value, context)
  validate.errors = null
  return verdict === true
}
