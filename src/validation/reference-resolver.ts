import { documentFileNames } from '../core/records/collection.js'
import { truncate } from '../core/value-types.js'
import type { FileReference, SchemaBundle } from './validator.js'

/*
 * Resolves references of schemas in both languages: first to the document and its files, then to registered schemas.
 * Nothing else is ever opened.
 */

/** A file of a bundle, or its document if `file` is undefined. */
export interface ReferenceTarget {
  readonly bundle: SchemaBundle
  readonly file?: string
  /** The reference to the bundle if it is a registered schema, for findings. */
  readonly via?: string
}

/**
 * The path of a reference relative to the schema document.
 * @param from the file with the reference; undefined for the document
 * @returns undefined for a URL, an absolute path, a path with a query, and a path outside the folder of the document
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

/** The target of a reference, by path and then among the registered schemas; undefined if there is none. */
export function resolveReference(target: string, from: ReferenceTarget): ReferenceTarget | undefined {
  const path = pathOf(target, from.file)
  if (path !== undefined) {
    const via = from.via === undefined ? {} : { via: from.via }
    if (from.bundle.files.has(path)) return { bundle: from.bundle, file: path, ...via }
    // Files may refer to the document by its name in the repository. @see docs/understand/layout-on-disk.md
    if (path === documentFileNames.schema[from.bundle.type]) return { bundle: from.bundle, ...via }
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

/** The name of the place in findings; undefined for the document. */
export function nameOf(place: ReferenceTarget): string | undefined {
  if (place.via === undefined) return place.file
  return place.file === undefined ? place.via : `${place.via} (${place.file})`
}

/** A text that is equal for equal places. */
export function identityOf(place: ReferenceTarget): string {
  return `${place.bundle.key}\n${place.file ?? ''}`
}

/** Describes a reference without a target. */
export function unresolvedReference(
  target: string,
  from: ReferenceTarget,
  line: number | undefined,
): FileReference {
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
