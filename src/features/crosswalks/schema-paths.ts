import { tryParseJson } from '../../core/json/try-parse.js'
import type { DocumentType } from '../../core/records/collection.js'
import { truncate } from '../../core/value-types.js'
import { decodeXmlLeniently } from '../../core/xml/xml-encoding.js'
import { readXml } from '../../core/xml/xml-reader.js'
import { type Dialect, hasRefSiblings } from '../../validation/json/draft-keywords.js'
import { decoded } from '../../validation/reference-resolver.js'
import type { Crosswalk, CrosswalkFault, EntryRule, ListRule, TextRule } from './crosswalk/crosswalk-rules.js'
import { isJsonObject, type JsonObject } from './crosswalk/described-tree.js'

/*
 * Finds paths that no document of a schema can have. A path counts as possible wherever this is not certain.
 */

/** Limit of the faults that are told. */
const maxFaults = 20

/** @returns a fault for each path of the crosswalk that no document of the schema can have */
export function impossiblePaths(
  crosswalk: Crosswalk,
  schema: Uint8Array,
  type: DocumentType,
): readonly CrosswalkFault[] {
  const isPossible = type === 'JSON' ? jsonPaths(schema) : xmlPaths(schema)
  const faults: CrosswalkFault[] = []
  const told = new Set<string>()
  for (const [property, rule] of crosswalk)
    for (const names of pathsIn(rule, [])) {
      const path = names.join('.')
      if (faults.length === maxFaults || told.has(path) || isPossible(names)) continue
      told.add(path)
      faults.push({
        pointer: `/${property}`,
        message: `No document of this schema can have the path "${truncate(path, 300)}".`,
      })
    }
  return faults
}

/** The paths of a rule from the root of the document. */
function* pathsIn(
  rule: TextRule | EntryRule | ListRule,
  below: readonly string[],
): Generator<readonly string[]> {
  if ('choice' in rule) for (const each of rule.rules) yield* pathsIn(each, below)
  else if ('members' in rule) {
    const at = [...below, ...(rule.each?.names ?? [])]
    if (rule.each) yield at
    for (const { path } of rule.where) yield [...at, ...path.names]
    for (const { rule: inner } of rule.members) yield* pathsIn(inner, at)
  } else if ('path' in rule) {
    const at = [...below, ...rule.path.names]
    yield at
    for (const { path } of rule.where) yield [...at, ...path.names]
  } else if ('first' in rule) for (const each of rule.first) yield* pathsIn(each, below)
  else if ('join' in rule) for (const each of rule.join) yield* pathsIn(each, below)
}

type IsPossible = (names: readonly string[]) => boolean

/** Limit of the steps for one path in a JSON Schema; beyond it the path counts as possible. */
const maxSteps = 10_000

function jsonPaths(document: Uint8Array): IsPossible {
  const root = tryParseJson(new TextDecoder().decode(document))
  const refStandsAlone = ignoresRefSiblings(root)
  return names => {
    let steps = maxSteps
    const open = new Set<string>()

    function may(schema: unknown, from: number): boolean {
      if (schema === false) return false
      if (!isJsonObject(schema) || --steps < 0) return true
      const { $ref } = schema
      if (typeof $ref === 'string') {
        // A reference that leads back to itself says nothing about the path.
        const key = `${$ref} ${from}`
        const target = open.has(key) ? true : resolved(root, $ref)
        open.add(key)
        const isPermitted = may(target, from)
        open.delete(key)
        if (!isPermitted) return false
        if (refStandsAlone) return true
      }
      if (from === names.length) return true
      const every = listOf(schema.allOf).every(each => may(each, from))
      const some = [schema.anyOf, schema.oneOf].every(
        choice => !Array.isArray(choice) || choice.some(each => may(each, from)),
      )
      return every && some && (mayAsObject(schema, from) || mayAsArray(schema, from))
    }

    function mayAsObject(schema: JsonObject, from: number): boolean {
      if (!permits(schema, 'object')) return false
      // A name may have dots.
      for (let end = from + 1; end <= names.length; end++)
        if (mayHaveMember(schema, names.slice(from, end).join('.'), end)) return true
      return false
    }

    function mayHaveMember(schema: JsonObject, name: string, next: number): boolean {
      const { properties, patternProperties, additionalProperties } = schema
      if (isJsonObject(properties) && Object.hasOwn(properties, name)) return may(properties[name], next)
      if (isJsonObject(patternProperties) && Object.keys(patternProperties).length > 0) return true
      return may(additionalProperties ?? true, next)
    }

    function mayAsArray(schema: JsonObject, from: number): boolean {
      const { items, prefixItems, additionalItems } = schema
      const isArray = permits(schema, 'array') && (schema.type !== undefined || items !== undefined)
      if (!isArray) return false
      const all = [items ?? true, ...listOf(prefixItems), ...listOf(additionalItems)].flat()
      // An array in itself has no other names.
      return all.some(each => !leadsBack(each, from) && may(each, from))
    }

    function leadsBack(schema: unknown, from: number): boolean {
      return isJsonObject(schema) && open.has(`${schema.$ref} ${from}`)
    }

    return may(root, 0)
  }
}

/** Whether the draft of a schema ignores the keywords beside `$ref`, as up to draft-07. @see hasRefSiblings */
function ignoresRefSiblings(root: unknown): boolean {
  const draft = isJsonObject(root) ? /\/(draft-0[467])\/schema#?$/.exec(String(root.$schema))?.[1] : undefined
  return draft !== undefined && !hasRefSiblings(draft as Dialect)
}

function permits({ type }: JsonObject, wanted: string): boolean {
  return type === undefined || [type].flat().includes(wanted)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The schema that a reference within the document names; true for another one. */
function resolved(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return true
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return true
  let found = root
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    found = isJsonObject(found) || Array.isArray(found) ? (found as JsonObject)[name] : undefined
  }
  return found ?? true
}

const schemaNamespace = 'http://www.w3.org/2001/XMLSchema'
/** Parts of an XML Schema with which documents may have names that it does not declare. */
const openParts = ['any', 'anyAttribute', 'include', 'import', 'redefine', 'override']

/** Names in XML that no schema declares. */
const reservedNames = [
  '#text',
  '@lang',
  '@space',
  '@base',
  '@id',
  '@type',
  '@nil',
  '@schemaLocation',
  '@noNamespaceSchemaLocation',
]

function xmlPaths(document: Uint8Array): IsPossible {
  const names = new Set(reservedNames)
  /** Elements of any type, below which every name is possible. */
  const anyElements = new Set<string>()
  let isOpen = false
  /** For each open tag the name of the element that it declares, as long as no type is seen. */
  const untyped: (string | undefined)[] = []
  const isRead = readXml(decodeXmlLeniently(document), {
    open({ namespace, local, attributes }) {
      const valueAt = (attribute: string) => attributes.find(each => each.local === attribute)?.value
      const isSchemaPart = namespace === schemaNamespace
      const name =
        isSchemaPart && (local === 'element' || local === 'attribute') ? valueAt('name') : undefined
      const type = valueAt('type')
      const isElement = name !== undefined && local === 'element'
      if (isSchemaPart && (local === 'simpleType' || local === 'complexType') && untyped.length > 0)
        untyped[untyped.length - 1] = undefined
      untyped.push(isElement && type === undefined ? name : undefined)
      if (name !== undefined) names.add(isElement ? name : `@${name}`)
      if (isElement && isAnyType(type)) anyElements.add(name)
      const extendsAny = local === 'extension' && isAnyType(valueAt('base'))
      const isAnyAlternative = local === 'alternative' && isAnyType(type)
      if (isSchemaPart && (openParts.includes(local) || extendsAny || isAnyAlternative)) isOpen = true
    },
    close() {
      const name = untyped.pop()
      if (name !== undefined) anyElements.add(name)
    },
  })
  if (!isRead || isOpen) return () => true
  return path => isDeclared(path, names, anyElements)
}

/** Whether a value of `type` or `base` is the type of XML Schema that permits everything, with any prefix. */
function isAnyType(type: string | undefined): boolean {
  return type !== undefined && /(?:^|:)anyType$/.test(type.trim())
}

/** Whether a path has declared names alone, or those down to an element of any type. A name may have dots. */
function isDeclared(
  path: readonly string[],
  names: ReadonlySet<string>,
  anyElements: ReadonlySet<string>,
): boolean {
  /** Numbers of the first names of the path that are possible; those that are added are visited, too. */
  const possible = new Set([0])
  for (const from of possible)
    for (let end = from + 1; end <= path.length; end++) {
      const name = path.slice(from, end).join('.')
      if (anyElements.has(name)) return true
      if (names.has(name)) possible.add(end)
    }
  return possible.has(path.length)
}
