import { tryParseJson } from '../../core/json/try-parse.js'
import { truncate } from '../../core/value-types.js'
import { type Dialect, hasRefSiblings } from '../../validation/json/draft-keywords.js'
import { decoded } from '../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../validation/validator.js'
import type { Crosswalk, CrosswalkFault, EntryRule, ListRule, TextRule } from './crosswalk/crosswalk-rules.js'
import { isJsonObject, type JsonObject } from './crosswalk/described-tree.js'
import type { IsPossible } from './xml-schema-paths.js'

/*
 * Finds paths that no document of a schema can have. A path counts as possible wherever this is not certain.
 */

/** Limit of the faults that are told. */
const maxFaults = 20

/** @returns a fault for each path of the crosswalk that no document of the schema can have */
export async function impossiblePaths(
  crosswalk: Crosswalk,
  schema: SchemaBundle,
): Promise<readonly CrosswalkFault[]> {
  const isPossible =
    schema.type === 'JSON'
      ? jsonPaths(schema.document)
      : (await import('./xml-schema-paths.js')).xmlPaths(schema)
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
