import { appendJsonPointer } from '../../core/json/strict-json.js'
import { truncate } from '../../core/value-types.js'
import { nameOf } from '../reference-resolver.js'
import { shareWrittenNumbers } from './compared-values.js'
import { type Dialect, keywordsOf, referenceKeywordsOf } from './draft-keywords.js'
import {
  isNode,
  isRefAlone,
  type Location,
  type Node,
  referenceAt,
  type SchemaDocument,
} from './schema-location.js'
import type { SchemaResources } from './schema-resources.js'

/*
 * Schemas as ajv gets them. ajv resolves references, ids and dynamic scopes in ways of its own, and knows keywords that a
 * draft does not have. So each target of a reference becomes a schema of its own, a unit, with the keywords of its draft
 * only and with references to units. A dynamic reference leads to the unit that the dynamic scope of its own unit means:
 * a schema that is reached in two dynamic scopes becomes two units.
 */

/** A schema without ids, whose references are `$ref` and {@link callKeyword} with the URIs of units. */
export interface Unit {
  readonly uri: string
  readonly dialect: Dialect
  readonly schema: Node | boolean
  readonly document: SchemaDocument
}

/** Keyword of units: as `$ref`, but to a unit of any draft, and each value is validated once only. */
export const callKeyword = 'unit-call'
/** Keyword of units: the schema `false`. It is an object, so that findings can tell where it is. */
export const falseKeyword = 'false-schema'

/** The schemas to which dynamic references lead, by anchor: those of the outermost resource that has the anchor. */
type DynamicScope = ReadonlyMap<string, Location>

export interface Units {
  readonly main: Unit
  readonly all: ReadonlyMap<string, Unit>
  /** The document and pointer of a schema object of a unit, for findings. */
  placeOf(node: object): string | undefined
}

interface UnitMaker {
  readonly library: SchemaResources
  readonly places: WeakMap<object, string>
  /** The URI of the unit of a schema that is reached from a dynamic scope. */
  uriOf(location: Location, scope: DynamicScope): string
  /** Reports a reference whose fragment leads nowhere. */
  lost(message: string, from: Location, keyword: string): void
}

/**
 * Makes the units of a schema.
 * @param dynamicNames the anchors that dynamic references name
 * @param lost reports a reference whose fragment leads nowhere
 * @throws ProblemError `unprocessable` if a reference leads to something that is no valid schema
 */
export function makeUnits(
  library: SchemaResources,
  start: Location,
  dynamicNames: ReadonlySet<string>,
  lost: UnitMaker['lost'],
): Units {
  const all = new Map<string, Unit>()
  const uris = new Map<string, string>()
  const waiting: { readonly uri: string; readonly location: Location; readonly scope: DynamicScope }[] = []
  const documents = new Map<SchemaDocument, number>()
  const places = new WeakMap<object, string>()

  /** A text that is equal for equal locations. */
  function nameOfLocation({ resource: { document }, pointer }: Location): string {
    const number = documents.get(document) ?? documents.size
    documents.set(document, number)
    return `${number}#${pointer}`
  }

  function uriOf(location: Location, outer: DynamicScope): string {
    const own = [...location.resource.dynamicAnchors]
    const added = own.filter(([name]) => dynamicNames.has(name) && !outer.has(name))
    const scope = added.length > 0 ? new Map([...outer, ...added]) : outer
    const anchors = [...scope].map(([name, at]) => [name, nameOfLocation(at)].join('='))
    const key = JSON.stringify([nameOfLocation(location), ...anchors.sort(byText)])
    const known = uris.get(key)
    if (known !== undefined) return known
    const uri = `mem://schema/${uris.size}`
    uris.set(key, uri)
    waiting.push({ uri, location, scope })
    return uri
  }

  const maker: UnitMaker = { library, places, uriOf, lost }
  const mainUri = uriOf(start, new Map())
  for (const { uri, location, scope } of waiting) {
    const { document, dialect } = location.resource
    all.set(uri, { uri, dialect, document, schema: unitSchema(maker, location, scope) })
  }
  return { main: all.get(mainUri) as Unit, all, placeOf: node => places.get(node) }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The schema of a unit. */
function unitSchema(maker: UnitMaker, location: Location, scope: DynamicScope): Node | boolean {
  const { value, resource, pointer } = location
  if (!isNode(value)) return schemaIn(maker, value, pointer, location, scope)
  const refs = referenceKeywordsOf(resource.dialect).flatMap(keyword => {
    const target = targetOf(maker, location, keyword, scope)
    return target ? [callOf(maker, target, location, scope)] : []
  })
  const made = isRefAlone(value, resource.dialect) ? [] : membersOf(maker, location, scope)
  const unit = joined(made, refs)
  shareWrittenNumbers(value, unit)
  repeatProtoMember(unit)
  maker.places.set(unit, placeText(location, pointer))
  return unit
}

/** The members of a schema with the references that it makes. */
function joined(members: readonly (readonly [string, unknown])[], refs: readonly Node[]): Node {
  const [first] = refs
  if (first && refs.length === 1) return Object.fromEntries([...members, ...Object.entries(first)])
  const { allOf, ...others } = Object.fromEntries(members)
  const all = [...refs, ...(Array.isArray(allOf) ? allOf : [])]
  return all.length > 0 ? { ...others, allOf: all } : others
}

/** The members of a unit for the keywords of its draft. */
function membersOf(
  maker: UnitMaker,
  location: Location,
  scope: DynamicScope,
): (readonly [string, unknown])[] {
  const { resource, pointer } = location
  const node = location.value as Node
  const members: (readonly [string, unknown])[] = []
  for (const [keyword, kind] of keywordsOf(resource.dialect)) {
    if (kind === 'definitions' || kind === 'annotation' || !Object.hasOwn(node, keyword)) continue
    const value = node[keyword]
    const at = `${pointer}/${keyword}`
    const inner = (schema: unknown, name: string | number) =>
      schemaIn(maker, schema, appendJsonPointer(at, String(name)), location, scope)
    if (kind === 'assertion') members.push([keyword, value])
    else if (Array.isArray(value)) members.push([keyword, value.map(inner)])
    else if (kind === 'map' && isNode(value)) {
      const entries = Object.entries(value).map(([name, schema]) => [name, inner(schema, name)] as const)
      members.push([keyword, Object.fromEntries(entries)])
    } else if (typeof value === 'boolean') members.push([keyword, value])
    else members.push([keyword, schemaIn(maker, value, at, location, scope)])
  }
  return members
}

/** A subschema of a unit. Lists of names, as `dependencies` has, stay as they are. */
function schemaIn(
  maker: UnitMaker,
  value: unknown,
  pointer: string,
  outer: Location,
  scope: DynamicScope,
): Node | boolean {
  if (value === false) {
    const never = { [falseKeyword]: true }
    maker.places.set(never, placeText(outer, pointer))
    return never
  }
  const location = isNode(value) ? maker.library.locationOf(value) : undefined
  if (!location) return value as Node | boolean
  const isUnit = location.resource !== outer.resource || isEvaluating(location)
  return isUnit ? callOf(maker, location, outer, scope) : unitSchema(maker, location, scope)
}

/** A schema that is a reference to the unit of another schema. */
function callOf({ uriOf }: UnitMaker, target: Location, from: Location, scope: DynamicScope): Node {
  const isForeign = target.resource.dialect !== from.resource.dialect
  const keyword = isForeign || isEvaluating(target) ? callKeyword : '$ref'
  return { [keyword]: uriOf(target, scope) }
}

/** Whether a schema has a keyword that needs to know what its other keywords evaluated. */
function isEvaluating({ value, resource }: Location): boolean {
  const keywords = keywordsOf(resource.dialect)
  return (
    isNode(value) &&
    keywords.has('unevaluatedItems') &&
    (value.unevaluatedItems !== undefined || value.unevaluatedProperties !== undefined)
  )
}

/** The schema to which a reference leads in a dynamic scope; undefined if there is no such reference. */
function targetOf(
  { library, lost }: UnitMaker,
  from: Location,
  keyword: string,
  scope: DynamicScope,
): Location | undefined {
  const reference = referenceAt(from, keyword, (from.value as Node)[keyword])
  if (!reference) return undefined
  const found = library.lookUp(reference)
  const target = found?.kind === 'resource' ? library.locate(found.resource, reference.fragment) : undefined
  if (!target) {
    const written = reference.target + reference.fragment
    lost(`The reference "${truncate(written, 200)}" leads nowhere.`, from, keyword)
    return undefined
  }
  const anchor = keyword === '$ref' ? undefined : dynamicNameOf(keyword, reference.fragment)
  if (anchor === undefined || target.resource.dynamicAnchors.get(anchor)?.value !== target.value)
    return target
  return scope.get(anchor) ?? target
}

/** The anchor that a dynamic reference names; undefined if it has no name and is like `$ref`. */
export function dynamicNameOf(keyword: string, fragment: string): string | undefined {
  if (keyword === '$recursiveRef') return ''
  return /^#[^/]/.test(fragment) ? fragment.slice(1) : undefined
}

function placeText(location: Location, pointer: string): string {
  const name = nameOf(location.resource.document.place)
  return name === undefined ? pointer : `${name}#${pointer}`
}

/** A mutable JSON object. */
type MutableNode = { [member: string]: unknown }

const name = '__proto__'

/**
 * ajv ignores a member called `__proto__` of `properties`, `patternProperties` and `dependencies`. Adds keywords to the
 * schema that say the same and that ajv does not ignore.
 */
function repeatProtoMember(schema: MutableNode): void {
  const property = protoOf(schema.properties)
  const pattern = protoOf(schema.patternProperties)
  const dependency = protoOf(schema.dependencies)
  if (property !== undefined) addPattern(schema, `^${name}$`, property)
  if (pattern !== undefined) addPattern(schema, `(?:${name})`, pattern)
  if (dependency !== undefined) {
    const needed = Array.isArray(dependency) ? { required: dependency } : dependency
    addToAll(schema, { anyOf: [{ not: { required: [name] } }, needed] })
  }
}

function protoOf(map: unknown): unknown {
  return typeof map === 'object' && map !== null && Object.hasOwn(map, name)
    ? (map as MutableNode)[name]
    : undefined
}

function addPattern(schema: MutableNode, pattern: string, inner: unknown): void {
  const patterns = (schema.patternProperties ?? {}) as MutableNode
  if (Object.hasOwn(patterns, pattern)) addToAll(schema, { patternProperties: { [pattern]: inner } })
  else schema.patternProperties = { ...patterns, [pattern]: inner }
}

function addToAll(schema: MutableNode, inner: unknown): void {
  schema.allOf = [...((schema.allOf ?? []) as unknown[]), inner]
}
