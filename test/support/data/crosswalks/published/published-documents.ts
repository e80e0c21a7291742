import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../../../../src/cli/installed-package.js'
import type { KnownSample } from '../known-sample.js'

const folder = join(packageFolder(), 'test', 'support', 'data', 'crosswalks', 'published')
const expectation = '.described.json'

/** The samples of a folder. Each document has its expectation beside it, with the name of its known schema. */
function documentsOf(family: string): readonly KnownSample[] {
  const files = readdirSync(join(folder, family))
  const read = (file: string) => readFileSync(join(folder, family, file), 'utf8')
  return files
    .filter(file => file.endsWith(expectation))
    .map(file => {
      const name = file.slice(0, -expectation.length)
      const expected = JSON.parse(read(file)) as Pick<KnownSample, 'schema' | 'described'>
      const title = `${family}/${name}`
      return files.includes(`${name}.xml`)
        ? { title, document: read(`${name}.xml`), ...expected }
        : { title, document: JSON.parse(read(`${name}.json`)) as unknown, ...expected }
    })
}

/** Documents that others have published. The file `README.md` of their folder says where they are from. */
export const publishedDocuments: readonly KnownSample[] = readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .flatMap(({ name }) => documentsOf(name))
