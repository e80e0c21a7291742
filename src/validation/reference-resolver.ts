import { truncate } from '../core/value-types.js'
import type { Reference, SchemaBundle } from './validator.js'

/*
 * Where a reference of a schema leads: to the document or a file it came with, then to a registered schema. Both
 * languages share these rules; nothing else is ever opened.
 */

/** A file of a bundle; without `file` its document. */
export interface ReferenceTarget {
  readonly bundle: SchemaBundle
  readonly file?: string
  /** The reference that leads to the bundle, where it is a registered one: for findings. */
  readonly via?: string
}

/** The document's own name in the repository: files may refer back to it. @see docs/layout-on-disk.md */
const documentNames = { JSON: 'schema.json', XML: 'schema.xsd' } as const

/**
 * The path a reference means, relative to the schema document.
 * @param from the file that refers; undefined is the document
 * @returns undefined for an URL, an absolute path, one with a query, and one that leaves the folder of the document
 */
function pathOf(target: string, from: string | undefined): string | undefined {
  if (target === '' || /^[a-z][a-z0-9+.-]*:|^[/\\]|[?#\\]/i.test(target)) return undefined
  const parts = from === undefined ? [] : from.split('/').slice(0, -1)
  for (const part of unescaped(target).split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.length > 0 ? parts.join('/') : undefined
}

function unescaped(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch (error) {
    if (error instanceof URIError) return target
    throw error
  }
}

/** Where a reference leads, by path and then among the registered schemas; undefined where it leads nowhere. */
export function resolveReference(target: string, from: ReferenceTarget): ReferenceTarget | undefined {
  const path = pathOf(target, from.file)
  if (path !== undefined) {
    const via = from.via === undefined ? {} : { via: from.via }
    if (from.bundle.files.has(path)) return { bundle: from.bundle, file: path, ...via }
    if (path === documentNames[from.bundle.type]) return { bundle: from.bundle, ...via }
  }
  const bundle = from.bundle.registered.get(target)
  return bundle && { bundle, via: target }
}

export function bytesOf(place: ReferenceTarget): Uint8Array {
  if (place.file === undefined) return place.bundle.document
  const bytes = place.bundle.files.get(place.file)
  if (!bytes) throw new RangeError(`no file ${place.file} in the bundle`)
  return bytes
}

/** The place as findings name it; undefined is the document itself. */
export function nameOf(place: ReferenceTarget): string | undefined {
  if (place.via === undefined) return place.file
  return place.file === undefined ? place.via : `${place.via} (${place.file})`
}

/** Equal for equal places: bundles with the same key are the same. */
export function identityOf(place: ReferenceTarget): string {
  return `${place.bundle.key}\n${place.file ?? ''}`
}

/** A reference that leads nowhere. */
export function unresolvedReference(
  target: string,
  from: ReferenceTarget,
  line: number | undefined,
): Reference {
  const path = pathOf(target, from.file)
  return {
    target,
    ...(path === undefined ? {} : { path }),
    ...(from.file === undefined ? {} : { file: from.file }),
    ...(line === undefined ? {} : { line }),
  }
}

export function unresolvedMessage(target: string): string {
  return `"${truncate(target, 200)}" is neither one of the schema's own files nor a registered schema; nothing else is read.`
}

export function languageMessage(target: string): string {
  return `"${truncate(target, 200)}" is a schema of the other language.`
}
