import { appendJsonPointer } from '../../../core/json/strict-json.js'
import { writeJson } from '../../../core/json/written-number.js'
import { findingError } from '../../../validation/findings.js'
import { followReferences } from '../../../validation/json/ajv-compiler.js'
import { asWritten } from '../../../validation/json/compared-values.js'
import { hasRefSiblings, idKeywordOf } from '../../../validation/json/draft-keywords.js'
import {
  isNode,
  type JsonReference,
  type Node,
  resolved,
  type SchemaDocument,
} from '../../../validation/json/schema-location.js'
import { openSchemaResources, type SchemaResources } from '../../../validation/json/schema-resources.js'
import { nameOf, reachedBundles, unresolvedMessage } from '../../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../../validation/validator.js'

/**
 * One JSON Schema with everything that a schema refers to: the other documents stand in its definitions, and each
 * reference is a JSON Pointer into it. Identifiers and anchors within it are left out, because nothing refers to them
 * any more. References to a meta schema stay.
 * @returns JSON text, with numbers as they are written
 * @throws ProblemError `unprocessable` with findings for documents of several drafts, and for a dynamic reference that
 *   may lead to several schemas: one document cannot say these
 */
export function bundleJsonSchema(bundle: SchemaBundle): string {
  const library = openSchemaResources()
  const main = library.document({ bundle })
  const own = reachedBundles(bundle)
  const all = followReferences(library, main, (reference, target) => {
    if (target?.kind !== 'resource')
      throw findingError({
        message: unresolvedMessage(reference.target),
        path: `${reference.from.pointer}/${reference.keyword}`,
      })
  })
  const documents = [...all].filter(({ place }) => own.has(place.bundle))
  const { dialect } = main.root.resource
  for (const { place, root } of documents) {
    if (root.resource.dialect === dialect) continue
    const name = nameOf(place) ?? 'The schema'
    throw findingError({
      message: `It cannot be one document: "${name}" is of ${root.resource.dialect}, the schema itself of ${dialect}.`,
      path: '',
    })
  }
  const definitions = hasRefSiblings(dialect) ? '$defs' : 'definitions'
  const root = main.root.value as Node
  const present = isNode(root[definitions]) ? root[definitions] : {}
  const names = namesFor(documents.slice(1), present)
  const pointers = new Map(
    documents.map(document => {
      const name = names.get(document)
      return [document, name === undefined ? '' : appendJsonPointer(`/${definitions}`, name)] as const
    }),
  )
  const references = rewrittenReferences(library, documents, pointers)
  const copies = documents.map(document => copyOf(library, document, references))
  const [whole, ...others] = copies as [Record<string, unknown>, ...unknown[]]
  if (others.length > 0) {
    const added = documents.slice(1).map((document, index) => [names.get(document), others[index]] as const)
    whole[definitions] = { ...(whole[definitions] as object | undefined), ...Object.fromEntries(added) }
  }
  return writeJson(whole)
}

/** Names of the definitions that documents become: their paths or ids, which no definition of the schema has. */
function namesFor(documents: readonly SchemaDocument[], present: Node): ReadonlyMap<SchemaDocument, string> {
  const taken = new Set(Object.keys(present))
  const names = new Map<SchemaDocument, string>()
  for (const document of documents) {
    const wanted = nameOf(document.place) ?? 'schema'
    let name = wanted
    for (let number = 2; taken.has(name); number++) name = `${wanted} ${number}`
    taken.add(name)
    names.set(document, name)
  }
  return names
}

/** The new values of references, by the schema with the reference and by keyword. */
type RewrittenReferences = ReadonlyMap<unknown, ReadonlyMap<string, string>>

function rewrittenReferences(
  library: SchemaResources,
  documents: readonly SchemaDocument[],
  pointers: ReadonlyMap<SchemaDocument, string>,
): RewrittenReferences {
  const dynamic = dynamicTargets(library, documents)
  const found = new Map<unknown, Map<string, string>>()
  for (const document of documents)
    for (const reference of document.references) {
      const target = library.lookUp(reference)
      if (target?.kind !== 'resource') continue
      const { resource } = target
      const located = library.locate(resource, reference.fragment)
      const pointer = pointers.get(resource.document)
      if (!located)
        throw findingError({
          message: `${reference.target}${reference.fragment} leads to nothing.`,
          path: `${reference.from.pointer}/${reference.keyword}`,
        })
      if (reference.keyword !== '$ref') refuseSeveralTargets(reference, dynamic, located.value)
      const written =
        pointer === undefined
          ? `${resolved(reference.target, reference.from.resource.base) ?? reference.target}${reference.fragment}`
          : `#${encodeFragment(pointer + located.pointer)}`
      const { value } = reference.from
      found.set(value, (found.get(value) ?? new Map()).set(reference.keyword, written))
    }
  return found
}

/** The schemas with a dynamic anchor, by its name; that of `$recursiveAnchor` is empty. */
function dynamicTargets(
  library: SchemaResources,
  documents: readonly SchemaDocument[],
): ReadonlyMap<string, ReadonlySet<unknown>> {
  const found = new Map<string, Set<unknown>>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isNode(value)) return
    const resource = library.locationOf(value)?.resource
    for (const [name, target] of resource?.root.value === value ? resource.dynamicAnchors : [])
      found.set(name, (found.get(name) ?? new Set()).add(target.value))
    Object.values(value).forEach(visit)
  }
  for (const { root } of documents) visit(root.value)
  return found
}

/** A dynamic reference means the outermost schema with its anchor, which one document without resources cannot say. */
function refuseSeveralTargets(
  { keyword, fragment, from }: JsonReference,
  dynamic: ReadonlyMap<string, ReadonlySet<unknown>>,
  first: unknown,
): void {
  const targets = dynamic.get(keyword === '$recursiveRef' ? '' : fragment.slice(1))
  if (!targets?.has(first) || targets.size < 2) return
  throw findingError({
    message: `It cannot be one document: ${keyword} "${fragment}" may lead to ${targets.size} schemas.`,
    path: `${from.pointer}/${keyword}`,
  })
}

/** A copy of a document with other references, and without identifiers, but for those of the root of the first one. */
function copyOf(
  library: SchemaResources,
  { root, place }: SchemaDocument,
  references: RewrittenReferences,
): unknown {
  const isMain = (node: Node) => node === root.value && place.file === undefined && place.via === undefined
  const copy = (value: unknown, holder: object | undefined, name: string | number): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => copy(item, value, index))
    if (!isNode(value)) return asWritten(value, holder, name)
    const location = library.locationOf(value)
    const own = references.get(value)
    const copied: Record<string, unknown> = {}
    for (const [member, inner] of Object.entries(value)) {
      const reference = own?.get(member)
      if (reference !== undefined) copied.$ref = reference
      else if (!location || !isIdentifier(member, inner, location.resource.dialect, isMain(value)))
        setMember(copied, member, copy(inner, value, member))
    }
    return copied
  }
  return copy(root.value, undefined, '')
}

/** Sets a member, also one with the name `__proto__`. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

type Draft = Parameters<typeof idKeywordOf>[0]

/** Whether a member of a schema identifies it, or names its draft. */
function isIdentifier(member: string, value: unknown, dialect: Draft, isRoot: boolean): boolean {
  if (member === '$anchor' || member === '$dynamicAnchor' || member === '$recursiveAnchor') return true
  if (isRoot || typeof value !== 'string') return false
  return member === '$schema' || member === idKeywordOf(dialect)
}

function encodeFragment(pointer: string): string {
  return encodeURI(pointer.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/#/g, '%23')
}
