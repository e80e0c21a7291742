import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { placesOfPointers } from '../../core/json/source-locations.js'
import { appendJsonPointer } from '../../core/json/strict-json.js'
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
import type { Dialect } from './draft-keywords.js'
import { messageOf, openAjv } from './schema-dialect.js'
import type { JsonReference, Location, SchemaDocument } from './schema-location.js'
import { openSchemaResources, type SchemaResources, type Target } from './schema-resources.js'
import { dynamicNameOf, falseKeyword, makeUnits, type Unit, type Units } from './schema-units.js'
import { type UnitCompilers, useUnitKeywords } from './unevaluated-keywords.js'

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
  const main = library.document({ bundle })
  const lost: Finding[] = []
  const complain = (message: string, { resource, pointer }: Location, keyword: string) =>
    lost.push(...inFile([{ message, path: `${pointer}/${keyword}` }], nameOf(resource.document.place)))
  const dynamicNames = new Set<string>()
  const documents = followReferences(library, main, (reference, target) => {
    const { keyword, from, fragment } = reference
    if (!target) complain(unresolvedMessage(reference.target), from, keyword)
    else if (target.kind === 'place') complain(languageMessage(reference.target), from, keyword)
    const name = keyword === '$ref' ? undefined : dynamicNameOf(keyword, fragment)
    if (name !== undefined) dynamicNames.add(name)
  })
  if (lost.length > 0) throw findingError(...lost)
  const units = makeUnits(library, main.root, dynamicNames, complain)
  if (lost.length > 0) throw findingError(...lost)
  try {
    const validate = compileUnits(units)
    return { validate: document => validateDocument(validate, document, units, deepest) }
  } catch (error) {
    const broken = brokenPatterns(openAjv(main.root.resource.dialect), documents)
    throw findingError(...(broken.length > 0 ? broken : [{ message: compileMessage(error, units) }]))
  }
}

/** Compiles all units, each with an instance of ajv for its draft. @returns the validator of the main unit */
function compileUnits({ main, all }: Units): ValidateFunction {
  const instances = new Map<Dialect, Ajv>()
  const compilers: UnitCompilers = {
    unit: uri => all.get(uri) as Unit,
    ajv(dialect) {
      const known = instances.get(dialect)
      if (known) return known
      const ajv = openAjv(dialect)
      instances.set(dialect, ajv)
      useUnitKeywords(ajv, dialect, compilers)
      for (const unit of all.values()) if (unit.dialect === dialect) ajv.addSchema(unit.schema, unit.uri)
      return ajv
    },
  }
  // The last ones first: the others refer to them, and ajv compiles what a schema refers to within the schema.
  for (const { uri, dialect } of [...all.values()].reverse()) compilers.ajv(dialect).getSchema(uri)
  return compilers.ajv(main.dialect).getSchema(main.uri) as ValidateFunction
}

/**
 * Follows the references of a document, and of those to which they lead.
 * @param each called with each reference and its target, which is undefined if there is none
 * @returns the document and those that it reaches
 */
export function followReferences(
  library: SchemaResources,
  main: SchemaDocument,
  each: (reference: JsonReference, target: Target | undefined) => void,
): ReadonlySet<SchemaDocument> {
  const documents = new Set([main])
  for (const document of documents) {
    for (const reference of document.references) {
      const target = library.lookUp(reference)
      each(reference, target)
      if (target?.kind !== 'resource') continue
      documents.add(target.resource.document)
      // A schema in an unknown keyword may have further references.
      library.locate(target.resource, reference.fragment)
    }
  }
  return documents
}

/** Findings for invalid patterns: the compiler does not say where they are. */
function brokenPatterns({ opts }: Ajv, documents: Iterable<SchemaDocument>): readonly Finding[] {
  const { regExp } = opts.code
  const findings: Finding[] = []
  for (const { patterns, place } of documents) {
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
function compileMessage(error: unknown, { all }: Units): string {
  if (error instanceof RangeError) return 'It is nested too deeply to be compiled.'
  if (!(error instanceof Error)) throw error
  const shown = error.message.replace(/mem:\/\/schema\/\d+/g, uri => {
    const unit = all.get(uri)
    return (unit && nameOf(unit.document.place)) ?? 'the schema'
  })
  return `It cannot be compiled: ${shown}.`
}

function validateDocument(
  validate: ValidateFunction,
  document: Uint8Array,
  units: Units,
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
  const errors = validate.errors ?? []
  const places = placesOf(errors.slice(0, maxFindings), document)
  const findings = errors.map((error, index) =>
    index < maxFindings ? { ...findingOf(error, units), ...places[index] } : notShown,
  )
  // The errors refer to the document, and would keep it in memory.
  validate.errors = null
  return findings
}

/** A finding beyond the limit, which is only counted. */
const notShown: Finding = { message: '' }

/** Limit of the bytes of a document in which the places of errors are looked for. */
const maxSearched = 4 * 2 ** 20

/** Where the errors are in the text of the document, and which members are missing or not permitted there. */
function placesOf(errors: readonly ErrorObject[], document: Uint8Array): readonly Partial<Finding>[] {
  const about = errors.map(error => {
    const { missingProperty: missing, additionalProperty, unevaluatedProperty, propertyName } = error.params
    const unknown: unknown = additionalProperty ?? unevaluatedProperty ?? propertyName
    return {
      pointer:
        typeof unknown === 'string' ? appendJsonPointer(error.instancePath, unknown) : error.instancePath,
      names: {
        ...(typeof missing === 'string' && { missing }),
        ...(typeof unknown === 'string' && { unknown }),
      },
    }
  })
  const isSearched = document.length <= maxSearched
  const places = isSearched
    ? placesOfPointers(
        new TextDecoder().decode(document),
        about.map(({ pointer }) => pointer),
      )
    : undefined
  return about.map(({ pointer, names }) => ({ ...places?.get(pointer), ...names }))
}

function findingOf(error: ErrorObject, units: Units): Finding {
  const { parentSchema, keyword } = error
  const place = parentSchema && units.placeOf(parentSchema)
  const schemaPath =
    place === undefined
      ? error.schemaPath.replace(/^.*?#|\/false schema$/g, '')
      : keyword === falseKeyword
        ? place
        : `${place}/${keyword}`
  return { message: messageOf(error), path: error.instancePath, schemaPath }
}

/** Follows the references of a schema through its files. @throws ProblemError `unprocessable` if a file is no schema */
export function jsonReferences(bundle: SchemaBundle, deepest?: number): References {
  const library = openSchemaResources(deepest)
  const seen = new Set<string>()
  const lost = new Map<ReferenceTarget, FileReference[]>()
  const documents = followReferences(library, library.document({ bundle }), (reference, target) => {
    if (target) return
    const { place } = reference.from.resource.document
    const pointer = `${reference.from.pointer}/${reference.keyword}`
    const found = { ...unresolvedReference(reference.target, place, undefined), pointer }
    const key = `${found.target}\n${found.path ?? ''}`
    if (seen.has(key)) return
    seen.add(key)
    const others = lost.get(place)
    if (others) others.push(found)
    else lost.set(place, [found])
  })
  const used = new Set([...documents].flatMap(({ place: { file } }) => file ?? []))
  return { used, missing: [...lost].flatMap(([place, references]) => withLines(references, place)) }
}

/** Adds the lines of references in one document, which is read once. */
function withLines(references: readonly FileReference[], place: ReferenceTarget): readonly FileReference[] {
  const text = Buffer.from(bytesOf(place))
    .toString()
    .replace(/^\ufeff/, '')
  const places = placesOfPointers(
    text,
    references.map(({ pointer = '' }) => pointer),
  )
  return references.map(reference => {
    const place = places.get(reference.pointer ?? '')
    return place === undefined ? reference : { ...reference, line: place.line }
  })
}
