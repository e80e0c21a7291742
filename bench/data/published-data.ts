import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/cli/installed-package.js'

/** Where real schemas and documents lie, if they are there: the project has none of its own, and works without them. */
export const realData = join(packageFolder(), '..', 'shared', 'data')

/** A schema as it was published, and the examples published with it. */
export interface Published {
  readonly schema: Buffer
  readonly documents: readonly Buffer[]
}

/** The JSON Schema of DataCite 4.2: all its examples are valid. @returns undefined where it is not there */
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
