import { createRequire } from 'node:module'
import { Ajv, type AnySchemaObject, type CodeKeywordDefinition, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvContains from 'ajv/dist/vocabularies/applicator/contains.js'
import ajvDraft04 from 'ajv-draft-04'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { Finding } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { findingError, maxCounted } from '../findings.js'
import { shownText } from './compared-values.js'
import { type Dialect, dialects } from './draft-keywords.js'
import { compilePattern, type Pattern } from './linear-patterns.js'
import { assertsFormat, formatsOf } from './schema-formats.js'
import { useValueKeywords } from './value-keywords.js'

const written = /^https?:\/\/json-schema\.org\/(?:(draft-0[467])|draft\/(2019-09|2020-12))\/schema#?$/

/**
 * The draft that a schema names in `$schema`, or `otherwise` if it names none.
 * @throws ProblemError `unprocessable` for another value
 */
export function dialectOf(schema: unknown, otherwise: Dialect): Dialect {
  if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, '$schema')) return otherwise
  const named = (schema as { $schema: unknown }).$schema
  const found = typeof named === 'string' ? written.exec(named) : null
  if (found) return (found[1] ?? found[2]) as Dialect
  const shown = truncate(JSON.stringify(named))
  throw findingError({
    message: `$schema ${shown} is not one of the supported drafts: draft-04, draft-06, draft-07, 2019-09, 2020-12.`,
    path: '/$schema',
  })
}

/**
 * The bundled meta schema to which a URI without fragment leads; undefined if it leads to none. The meta schemas of the
 * two newest drafts have several parts.
 */
export function metaSchemaAt(target: string): { readonly uri: string; readonly schema: unknown } | undefined {
  const found = /^https?:\/\/json-schema\.org\/(draft\/)?(.*?)\/(schema|meta\/[a-z-]+)$/.exec(target)
  const dialect = dialects.find(known => known === found?.[2])
  if (!found || !dialect || Boolean(found[1]) === dialect.startsWith('draft')) return undefined
  const uri = `${found[1] ? 'https' : 'http'}://json-schema.org/${found[1] ?? ''}${dialect}/${found[3]}`
  const schema = metaAjv(dialect).getSchema(uri)?.schema
  return schema === undefined ? undefined : { uri, schema }
}

/** Compiles a pattern. If it is invalid with the flag `u`, omits the flag: many schemas escape more than it permits. */
function tolerantPattern(source: string, flags: string): Pattern {
  const isUnicode = flags.includes('u')
  // ajv identifies equal patterns by this text.
  const named = (pattern: Pattern) => ({ test: pattern.test, toString: () => `/${source}/${flags}` })
  try {
    return named(compilePattern(source, isUnicode))
  } catch (error) {
    if (!(error instanceof SyntaxError) || !isUnicode) throw error
    return named(compilePattern(source, false))
  }
}
tolerantPattern.code = 'new RegExp'

function isUsablePattern(pattern: string): boolean {
  try {
    return Boolean(tolerantPattern(pattern, 'u'))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  // Without this option every object satisfies `required: ["toString"]`.
  ownProperties: true,
  logger: false,
  validateSchema: false,
  code: { regExp: tolerantPattern, process: correctCode },
}

// Required, not imported: an import of JSON prints a warning in Node 20.
const load = createRequire(import.meta.url)
const draft06 = withFreeEnum(load('ajv/dist/refs/json-schema-draft-06.json'))
const draft07 = withFreeEnum(load('ajv/dist/refs/json-schema-draft-07.json'))

/**
 * These drafts only recommend that `enum` has a value, and none twice.
 * @see https://json-schema.org/draft-07/draft-handrews-json-schema-validation-01#rfc.section.6.1.2
 */
function withFreeEnum(meta: AnySchemaObject): AnySchemaObject {
  return { ...meta, properties: { ...meta.properties, enum: { type: 'array' } } }
}

/** A new instance of ajv. Each schema has its own, because an instance never frees compiled schemas. */
export function openAjv(dialect: Dialect): Ajv {
  const own: Options = { ...options, validateFormats: assertsFormat(dialect) }
  const ajv = construct(dialect, own)
  if (own.validateFormats) {
    for (const [name, format] of formatsOf(dialect)) ajv.addFormat(name, format)
  }
  // Published schemas have `id`, the keyword of draft-04, next to `$id`; ajv refuses that.
  if (dialect !== 'draft-04') ajv.removeKeyword('id')
  // In this order: `contains` gets its place before `uniqueItems`, and so before `unevaluatedItems`, which uses its result.
  useFrugalContains(ajv)
  useValueKeywords(ajv)
  return ajv
}

function construct(dialect: Dialect, own: Options): Ajv {
  switch (dialect) {
    case 'draft-04':
      return new ajvDraft04.default(own)
    case 'draft-06':
      return new Ajv(own).addMetaSchema(draft06)
    case 'draft-07':
      return new Ajv({ ...own, meta: false }).addMetaSchema(draft07)
    case '2019-09':
      return new Ajv2019(own)
    case '2020-12':
      return new Ajv2020(own)
  }
}

const metaValidators = new Map<Dialect, Ajv>()

/** Drops compiled meta schemas. To be called after a compilation was stopped: a part of a result cannot be used. */
export function forgetMetaSchemas(): void {
  metaValidators.clear()
}

/**
 * The instance of ajv that validates schemas of a draft. It is less strict about formats than the drafts are, because
 * many published schemas have patterns and references that no engine minds.
 */
function metaAjv(dialect: Dialect): Ajv {
  const known = metaValidators.get(dialect)
  if (known) return known
  const ajv = openAjv(dialect)
  if (assertsFormat(dialect)) {
    ajv.addFormat('regex', isUsablePattern)
    for (const name of ['uri', 'uri-reference'] as const) ajv.addFormat(name, fullFormats[name])
  }
  metaValidators.set(dialect, ajv)
  return ajv
}

/** Findings about a schema against the meta schema of its draft. */
export function checkAgainstMetaSchema(schema: AnySchemaObject, dialect: Dialect): readonly Finding[] {
  const ajv = metaAjv(dialect)
  const meta = dialect.startsWith('draft')
    ? `http://json-schema.org/${dialect}/schema`
    : `https://json-schema.org/draft/${dialect}/schema`
  const validate = ajv.getSchema(meta)
  if (!validate) throw new RangeError(`ajv has no meta schema of ${dialect}`)
  if (validate(schema) === true) return []
  // Several parts of the newer meta schemas report the same fault.
  const findings = new Map<string, Finding>()
  for (const error of validate.errors ?? []) {
    const finding = { message: messageOf(error), path: error.instancePath }
    findings.set(`${finding.path}\n${finding.message}`, finding)
  }
  return [...findings.values()]
}

/** ajv's message, with the name or the value that it is about. */
export function messageOf(error: ErrorObject): string {
  const { keyword, parentSchema, params } = error
  const message = truncate(error.message ?? `must satisfy ${keyword}`, 400)
  const about: unknown = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName
  if (about !== undefined) return `${message}: ${truncate(JSON.stringify(about), 200)}`
  if (keyword !== 'const' && keyword !== 'enum') return message
  return `${message}: ${truncate(shownText(error.schema, parentSchema, keyword), 200)}`
}

/*
 * Corrections of the code that ajv generates for a schema.
 */

/** Matches a string, the head of a loop over members or items, or a new list of the evaluated members. */
// regexp-time: linear, as every string of the code ends, and every loop has a body.
const corrected =
  /"[^"\\]*(?:\\.[^"\\]*)*"|for\((?:let|const) (\w+)[^{"]*\{|\b(props\d+ = (?:props\d+ \|\| )?)\{\}/g

/**
 * Ends each loop after many errors of its own. ajv collects all errors: a million of them need more memory than a worker
 * has, and ajv copies those that it has so far after each call of a subschema, which takes quadratic time.
 *
 * Makes the lists of evaluated members without a prototype, from which they would have `toString`.
 */
function correctCode(code: string): string {
  return code.replace(corrected, (found, variable: string | undefined, assignment: string | undefined) => {
    if (assignment !== undefined) return `${assignment}Object.create(null)`
    if (variable === undefined) return found
    const before = `errorsBefore_${variable}`
    return `const ${before} = errors;${found}if(errors - ${before} > ${maxCounted})break;`
  })
}

const { code: codeOfContains, ...contains } = ajvContains.default as CodeKeywordDefinition

/** Replaces `contains`, so that it forgets the errors of an item before the next one: other items may be valid. */
function useFrugalContains(ajv: Ajv): void {
  if (!ajv.getKeyword('contains')) return
  ajv.removeKeyword('contains').addKeyword({
    ...contains,
    code(cxt) {
      const apply = cxt.subschema.bind(cxt)
      cxt.subschema = (subschema, valid) => {
        const result = apply(subschema, valid)
        cxt.reset()
        return result
      }
      codeOfContains(cxt)
    },
  })
}
