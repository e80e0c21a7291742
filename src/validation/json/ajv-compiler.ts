import { type Ajv, type AnySchemaObject, type ErrorObject, MissingRefError, type ValidateFunction } from 'ajv'
import { lineAt } from '../../core/json/source-locations.js'
import type { Finding } from '../../core/problem.js'
import { findingError, findingsOf, inFile, maxFindings } from '../findings.js'
import {
  bytesOf,
  languageMessage,
  nameOf,
  type ReferenceTarget,
  unresolvedMessage,
  unresolvedReference,
} from '../reference-resolver.js'
import type { FileReference, References, SchemaBundle } from '../validator.js'
import { isValid, type ParsedDocument, parseForValidation } from './compared-values.js'
import { parseJsonDocument } from './document-parser.js'
import { messageOf, openAjv } from './schema-dialect.js'
import {
  type JsonReference,
  openSchemaResources,
  type SchemaResource,
  type SchemaResources,
} from './schema-resources.js'

/** A compiled schema. */
interface JsonSchema {
  /** Findings about the document; empty if it is valid JSON and valid against the schema. */
  validate(document: Uint8Array): readonly Finding[]
}

/**
 * Compiles a JSON schema with the files and registered schemas it refers to.
 * @param deepest limit of the levels of arrays and objects in the schema and in documents
 * @throws ProblemError `unprocessable` with findings
 */
export function compileJson(bundle: SchemaBundle, deepest?: number): JsonSchema {
  const library = openSchemaResources(deepest)
  const main = library.resource({ bundle })
  const ajv = openAjv(main.dialect)
  const names = new Map<string, SchemaResource>([[main.uri, main]])
  const lost: Finding[] = []
  for (const resource of names.values()) {
    for (const reference of resource.references) {
      const target = library.lookUp(reference, resource)
      const complain = (message: string) =>
        lost.push(...inFile([at(message, reference)], nameOf(resource.place)))
      if (target?.kind === 'resource') {
        names.set(target.resource.uri, target.resource)
        const { dialect } = target.resource
        if (dialect !== main.dialect) {
          complain(
            `"${reference.target}" is a schema of ${dialect}, this one of ${main.dialect}: they cannot be mixed.`,
          )
        }
      } else if (!target) complain(unresolvedMessage(reference.target))
      else if (target.kind === 'place') complain(languageMessage(reference.target))
      if (target && target.kind !== 'place') {
        reference.holder[reference.keyword] = target.uri + reference.fragment
      }
    }
  }
  if (lost.length > 0) throw findingError(...lost)
  let validate: ValidateFunction
  try {
    for (const resource of names.values()) {
      if (resource !== main) ajv.addSchema(resource.root as AnySchemaObject | boolean, resource.uri)
    }
    validate = ajv.compile(main.root as AnySchemaObject)
  } catch (error) {
    const broken = brokenPatterns(ajv, names.values())
    throw findingError(...(broken.length > 0 ? broken : [{ message: compileMessage(error, names) }]))
  }
  return { validate: document => validateDocument(validate, document, library, deepest) }
}

function at(message: string, reference: JsonReference): Finding {
  return { message, path: `${reference.pointer}/${reference.keyword}` }
}

/** Findings for invalid patterns: the compiler does not say where they are. */
function brokenPatterns({ opts }: Ajv, resources: Iterable<SchemaResource>): readonly Finding[] {
  const { regExp } = opts.code
  const findings: Finding[] = []
  for (const { patterns, place } of resources) {
    for (const { pattern, pointer } of patterns) {
      try {
        regExp(pattern, opts.unicodeRegExp ? 'u' : '')
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        const message = `The pattern cannot be compiled: ${error.message}.`
        findings.push(...inFile([{ message, path: pointer }], nameOf(place)))
      }
    }
  }
  return findings
}

/** A message for an error of ajv, which throws plain errors for schemas that it cannot compile. */
function compileMessage(error: unknown, names: ReadonlyMap<string, SchemaResource>): string {
  if (error instanceof RangeError) return 'It is nested too deeply to be compiled.'
  if (!(error instanceof Error)) throw error
  const shown = (text: string) =>
    text.replace(/mem:\/\/schema\/\d+(\/\d+)?/g, uri => {
      const resource = names.get(uri)
      return resource ? (nameOf(resource.place) ?? '') : 'the schema'
    })
  if (error instanceof MissingRefError) return `The reference "${shown(error.missingRef)}" leads nowhere.`
  return `It cannot be compiled: ${shown(error.message)}.`
}

function validateDocument(
  validate: ValidateFunction,
  document: Uint8Array,
  library: SchemaResources,
  deepest: number | undefined,
): readonly Finding[] {
  let parsed: ParsedDocument
  try {
    parsed = parseJsonDocument(document, deepest, parseForValidation)
  } catch (thrown) {
    return findingsOf(thrown)
  }
  try {
    if (isValid(validate, parsed)) return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ message: 'The schema recurses too deeply on this document, or without end.', path: '' }]
  }
  const findings = (validate.errors ?? []).map((error, index) =>
    index < maxFindings ? findingOf(error, library) : notShown,
  )
  // The errors refer to the document, and would keep it in memory.
  validate.errors = null
  return findings
}

/** A finding beyond the limit, which is only counted. */
const notShown: Finding = { message: '' }

function findingOf(error: ErrorObject, library: SchemaResources): Finding {
  const { parentSchema } = error
  const place = parentSchema && library.placeOf(parentSchema)
  const schemaPath =
    place === undefined ? error.schemaPath.replace(/^.*?#|\/false schema$/g, '') : `${place}/${error.keyword}`
  return { message: messageOf(error), path: error.instancePath, schemaPath }
}

/** Follows the references of a schema through its files. @throws ProblemError `unprocessable` if a file is no schema */
export function jsonReferences(bundle: SchemaBundle, deepest?: number): References {
  const library = openSchemaResources(deepest)
  const used = new Set<string>()
  const lost = new Map<string, FileReference>()
  const reached = new Set<SchemaResource>([library.resource({ bundle })])
  for (const resource of reached) {
    for (const reference of resource.references) {
      const target = library.lookUp(reference, resource)
      if (target?.kind === 'resource') {
        reached.add(target.resource)
        if (target.resource.place.file !== undefined) used.add(target.resource.place.file)
      } else if (!target) {
        const found = unresolvedReference(reference.target, resource.place, lineOf(reference, resource.place))
        const key = `${found.target}\n${found.path ?? ''}`
        if (!lost.has(key)) lost.set(key, found)
      }
    }
  }
  return { used, missing: [...lost.values()] }
}

/** The first line with the reference; undefined if it is written in an unusual way. */
function lineOf(reference: JsonReference, place: ReferenceTarget): number | undefined {
  const text = Buffer.from(bytesOf(place)).toString()
  const written = JSON.stringify(reference.target + reference.fragment).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const keyword = reference.keyword.replace('$', '\\$')
  // regexp-time: linear, as a colon separates the blanks.
  const found = new RegExp(`"${keyword}"\\s*:\\s*${written}`).exec(text)
  return found ? lineAt(text, found.index + found[0].length) : undefined
}
