import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/cli/installed-package.js'

/** Folder of real schemas and documents. It is not part of the project and may be missing. */
export const realData = join(packageFolder(), '..', 'shared', 'data')

/** A published schema and the examples that were published with it. */
export interface Published {
  readonly schema: Buffer
  readonly documents: readonly Buffer[]
}

/** The JSON Schema of DataCite 4.2 and its examples, which are all valid. @returns undefined if it is missing */
export function dataciteJson(): Published | undefined {
  const folder = join(realData, 'datacite', 'json', 'kernel-4.2')
  if (!existsSync(folder)) return undefined
  const examples = join(folder, 'example')
  return {
    schema: readFileSync(join(folder, 'datacite_4.2_schema.json')),
    documents: readdirSync(examples)
      .sort()
      .map(name => readFileSync(join(examples, name))),
  }
}
