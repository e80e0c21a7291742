import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The environment variable with the folder of public schemas of standards. */
const variable = 'STANDARDS_DIR'

/**
 * Returns the path of a file or folder of the standards. If it does not exist, writes a line to standard error and
 * returns undefined.
 */
export function standard(...path: readonly string[]): string | undefined {
  const folder = process.env[variable]
  const found = folder === undefined ? undefined : join(folder, ...path)
  if (found !== undefined && existsSync(found)) return found
  console.error(
    `SKIPPED: tests against ${path.join('/')}. ${variable} ${folder === undefined ? 'is not set' : `(${folder}) does not have it`}.`,
  )
  return undefined
}

/** Reads an XML Schema and the files of its folder. @returns the files by path */
export async function readSchemaFiles(
  folder: string,
  main: string,
): Promise<{ readonly schema: string; readonly files: Readonly<Record<string, string>> }> {
  const names = await readdir(folder, { recursive: true })
  const further = names.filter(name => name.endsWith('.xsd') && name !== main)
  const files = further.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const)
  return {
    schema: await readFile(join(folder, main), 'utf8'),
    files: Object.fromEntries(await Promise.all(files)),
  }
}
