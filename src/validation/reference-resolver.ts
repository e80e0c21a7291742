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
  for (const part of decoded(target).split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.length > 0 ? parts.join('/') : undefined
}

/** A text with its percent-encoding decoded; the text itself if that is not possible. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

/**
 * The target of a reference: by path, then among the registered schemas, then the file whose path has the end of the
 * URL.
 * @param accepts whether a file can be the target of a URL; default: every file can
 * @returns undefined if there is none, or if several files fit a URL equally well
 */
export function resolveReference(
  target: string,
  from: ReferenceTarget,
  accepts?: (place: ReferenceTarget) => boolean,
): ReferenceTarget | undefined {
  const { bundle } = from
  const via = from.via === undefined ? {} : { via: from.via }
  for (const base of from.file === undefined ? [undefined, ...foldersCopies(bundle)] : [from.file]) {
    const path = pathOf(target, base)
    if (path === undefined) continue
    if (bundle.files.has(path)) return { bundle, file: path, ...via }
    // Files may refer to the document by its name in the repository. @see docs/understand/layout-on-disk.md
    if (path === documentFileNames.schema[bundle.type]) return { bundle, ...via }
  }
  const registered = bundle.registered.get(target)
  if (registered) return { bundle: registered, via: target }
  const [file, second] = filesForUrl(target, bundle.files.keys()).filter(
    path => accepts?.({ bundle, file: path, ...via }) !== false,
  )
  return file === undefined || second !== undefined ? undefined : { bundle, file, ...via }
}

/**
 * The files in folders that equal the document byte for byte: the document was uploaded under such a path, to which its
 * references are relative.
 */
export function foldersCopies({ document, files }: SchemaBundle): readonly string[] {
  const isCopy = (bytes: Uint8Array) =>
    bytes.length === document.length && Buffer.compare(bytes, document) === 0
  return [...files].flatMap(([path, bytes]) => (path.includes('/') && isCopy(bytes) ? [path] : []))
}

/** Whether the document refers to files relative to a copy of it that is in a folder. */
export function isHome(copy: string, targets: readonly string[], { files }: SchemaBundle): boolean {
  return targets.some(target => {
    const own = pathOf(target, undefined)
    const path = pathOf(target, copy)
    return (own === undefined || !files.has(own)) && path !== undefined && files.has(path)
  })
}

const ownUrl = /\/api\/v[12]\/schemas\/[^/]*$/

/** Host and folders and name of the file to which a URL leads; undefined for other references. */
export function segmentsOfUrl(target: string): readonly string[] | undefined {
  const absolute = target.startsWith('//') ? `http:${target}` : target
  if (!/^(https?|ftp|file):\/\//i.test(absolute) || !URL.canParse(absolute)) return undefined
  const { hostname, pathname } = new URL(absolute)
  if (ownUrl.test(pathname)) return undefined
  return [hostname, ...decoded(pathname).split('/')].filter(part => part !== '')
}

/** The paths that share the most segments with the end of a URL; none if not even the name of the file is the same. */
function filesForUrl(target: string, paths: Iterable<string>): readonly string[] {
  const segments = segmentsOfUrl(target)
  if (segments === undefined || segments.length < 2) return []
  let found: string[] = []
  let most = 1
  for (const path of paths) {
    const parts = path.split('/')
    let common = 0
    while (common < parts.length && parts.at(-1 - common) === segments.at(-1 - common)) common++
    if (common > most) found = []
    if (common >= most) found.push(path)
    most = Math.max(most, common)
  }
  return found
}

export function bytesOf(place: ReferenceTarget): Uint8Array {
  if (place.file === undefined) return place.bundle.document
  const bytes = place.bundle.files.get(place.file)
  if (!bytes) throw new RangeError(`no file ${place.file} in the bundle`)
  return bytes
}

/** A bundle with all registered schemas that it reaches. */
export function reachedBundles(bundle: SchemaBundle): ReadonlySet<SchemaBundle> {
  const reached = new Set([bundle])
  for (const { registered } of reached) for (const other of registered.values()) reached.add(other)
  return reached
}

/** Bytes of a bundle and of all registered schemas that it reaches, each counted once. */
export function bundleBytes(bundle: SchemaBundle): number {
  let size = 0
  for (const { document, files } of reachedBundles(bundle)) {
    size += document.byteLength
    for (const bytes of files.values()) size += bytes.byteLength
  }
  return size
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
