import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ProblemError } from '../../src/core/problem.js'
import type { SchemaBundle, Validator } from '../../src/validation/validator.js'

/** Reads an XML schema with the files that it refers to, as far as they are there. */
export async function readSchema(validator: Validator, path: string): Promise<SchemaBundle> {
  const document = await readFile(path)
  const files = new Map<string, Uint8Array>()
  const absent = new Set<string>()
  for (;;) {
    const wanted = (await missingFiles(validator, document, files)).filter(name => !absent.has(name))
    if (wanted.length === 0) break
    for (const name of wanted) {
      const bytes = await readIfThere(join(dirname(path), name))
      if (bytes) files.set(name, bytes)
      else absent.add(name)
    }
  }
  const hash = createHash('sha256').update(path)
  for (const bytes of [document, ...files.values()]) hash.update(bytes)
  return { key: hash.digest('hex'), type: 'XML', document, files, registered: new Map() }
}

async function missingFiles(
  validator: Validator,
  document: Uint8Array,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<readonly string[]> {
  try {
    const { missing } = await validator.references('XML', document, files)
    return [...new Set(missing.flatMap(({ path }) => path ?? []))]
  } catch (error) {
    // The check of the schema reports the fault.
    if (error instanceof ProblemError) return []
    throw error
  }
}

export async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(code)) return undefined
    throw error
  }
}
