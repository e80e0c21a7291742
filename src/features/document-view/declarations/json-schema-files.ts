import { tryParseJson } from '../../../core/json/try-parse.js'
import { isNode, type Node } from '../../../validation/json/schema-location.js'
import { decoded, resolveReference } from '../../../validation/reference-resolver.js'
import type { SchemaBundle } from '../../../validation/validator.js'

/*
 * The files of a JSON schema and the targets of references among them. A validator needs more: it refuses what is not
 * certain. Here a reference without a target only means that nothing is known.
 */

/** A schema object in a file. */
export interface Place {
  readonly node: Node
  /** Undefined: the document. */
  readonly file: string | undefined
}

export interface JsonSchemaFiles {
  readonly root: Place | undefined
  /** Counts a step of work. @returns false if the limit of the work for one document is reached */
  step(): boolean
  /** The target of a reference; undefined if it is unknown. */
  target(reference: string, from: Place): Place | undefined
}

/** Limit of the steps of work for one document: a hostile schema has alternatives in alternatives. */
const maxSteps = 100_000

/** Limit of the objects in which ids and anchors are looked for. */
const maxObjects = 100_000

export function openJsonSchemaFiles(bundle: SchemaBundle): JsonSchemaFiles {
  const files = new Map<string | undefined, unknown>()
  let names: ReadonlyMap<string, Place> | undefined
  let steps = 0

  function read(file: string | undefined): unknown {
    if (files.has(file)) return files.get(file)
    const bytes = file === undefined ? bundle.document : bundle.files.get(file)
    const value = bytes && tryParseJson(new TextDecoder().decode(bytes))
    files.set(file, value)
    return value
  }

  /** The target of an id or an anchor in any of the files. */
  function named(reference: string): Place | undefined {
    names ??= namesIn([undefined, ...bundle.files.keys()].map(file => [file, read(file)] as const))
    return names.get(reference)
  }

  /** The root of the file that a reference without a fragment leads to. */
  function fileOf(target: string, from: Place): Place | undefined {
    if (target === '') return placeOf(read(from.file), from.file)
    const byId = named(target)
    if (byId) return byId
    const found = resolveReference(target, { bundle, ...(from.file !== undefined && { file: from.file }) })
    return found?.bundle === bundle ? placeOf(read(found.file), found.file) : undefined
  }

  return {
    root: placeOf(read(undefined), undefined),
    step: () => ++steps <= maxSteps,
    target(reference, from) {
      const hash = reference.indexOf('#')
      const [target, fragment] =
        hash < 0 ? [reference, ''] : [reference.slice(0, hash), decoded(reference.slice(hash + 1))]
      const root = fileOf(target, from)
      if (!root || fragment === '') return root
      if (!fragment.startsWith('/')) return named(`#${fragment}`)
      let found: unknown = root.node
      for (const part of fragment.slice(1).split('/')) {
        const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
        if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
        found = (found as Node)[name]
      }
      return placeOf(found, root.file)
    },
  }
}

function placeOf(value: unknown, file: string | undefined): Place | undefined {
  return isNode(value) ? { node: value, file } : undefined
}

/** Ids as they are written, anchors with `#`. The first of equal names counts. */
function namesIn(files: readonly (readonly [string | undefined, unknown])[]): ReadonlyMap<string, Place> {
  const names = new Map<string, Place>()
  const waiting: Place[] = files.flatMap(([file, value]) => placeOf(value, file) ?? [])
  const add = (name: unknown, place: Place, prefix = '') => {
    if (typeof name !== 'string' || name === '') return
    const key = prefix + name
    if (!names.has(key)) names.set(key, place)
  }
  let rest = maxObjects
  for (let place = waiting.shift(); place && rest > 0; place = waiting.shift(), rest--) {
    const { node, file } = place
    for (const id of [node.$id, node.id]) {
      add(typeof id === 'string' ? id.replace(/#$/, '') : undefined, place)
    }
    for (const anchor of [node.$anchor, node.$dynamicAnchor]) add(anchor, place, '#')
    for (const member of Object.values(node))
      for (const inner of Array.isArray(member) ? member : [member])
        if (isNode(inner)) waiting.push({ node: inner, file })
  }
  return names
}
