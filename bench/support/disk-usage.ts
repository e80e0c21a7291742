import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

/** Bytes of all files in a folder and its subfolders. */
export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await bytesIn(path) : (await stat(path)).size
  }
  return bytes
}

/** Bytes of these contents, each deflated separately. */
export function deflatedSize(contents: Iterable<Buffer>): number {
  let bytes = 0
  for (const content of contents) bytes += deflateSync(content).length
  return bytes
}
