import type { SchemaBundle } from './validator.js'

/** Bytes of a bundle and of all registered schemas that it reaches, each counted once. */
export function bundleBytes(bundle: SchemaBundle): number {
  const reached = new Set([bundle])
  let size = 0
  for (const { document, files, registered } of reached) {
    size += document.byteLength
    for (const bytes of files.values()) size += bytes.byteLength
    for (const other of registered.values()) reached.add(other)
  }
  return size
}
