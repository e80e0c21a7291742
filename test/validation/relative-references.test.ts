// test-schedule: quick
import { posix } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { DocumentType } from '../../src/core/records/collection.js'
import { openValidator } from '../../src/validation/open-validator.js'
import type { Validator } from '../../src/validation/validator.js'
import { filesOf, schemaBundle, utf8Bytes, xsd } from '../support/data/schema-bundles.js'

/** Paths in a few folders, so that references lead up and down. */
const paths = fc.uniqueArray(
  fc
    .tuple(
      fc.array(fc.constantFrom('a', 'b', 'with space'), { maxLength: 3 }),
      fc.constantFrom('x', 'y', 'ü', 'z%20'),
    )
    .map(([folders, name]) => [...folders, `${name}.part`].join('/')),
  { minLength: 1, maxLength: 6 },
)

const link: Record<DocumentType, (target: string) => string> = {
  JSON: target => JSON.stringify({ $ref: target }),
  XML: target => xsd(`<xs:include schemaLocation="${target}"/>`),
}
const last: Record<DocumentType, string> = {
  JSON: '{"type": "integer"}',
  XML: xsd('<xs:element name="n" type="xs:integer"/>'),
}
const documents: Record<DocumentType, readonly [good: string, bad: string]> = {
  JSON: ['1', '"x"'],
  XML: ['<n>1</n>', '<n>x</n>'],
}

describe('references between the files of a schema', () => {
  let validator: Validator
  before(() => {
    validator = openValidator({ workers: 1 })
  })
  after(() => validator.close())

  for (const type of ['JSON', 'XML'] as const) {
    /** A document that refers to the first file, which refers to the second file, and so on. */
    const chain = (files: readonly string[]) => {
      const parts = files.map((path, index) => {
        const next = files[index + 1]
        return [path, next === undefined ? last[type] : link[type](written(path, next))] as const
      })
      return [link[type](written('', files[0] ?? '')), Object.fromEntries(parts)] as const
    }

    it(`are resolved like relative paths, in ${type}`, async () => {
      await fc.assert(
        fc.asyncProperty(paths, async files => {
          const [document, parts] = chain(files)
          const schema = schemaBundle(type, document, parts)
          const [good, bad] = documents[type]

          expect(await validator.check(schema)).to.deep.equal([])
          expect(await validator.validate(schema, utf8Bytes(good))).to.deep.equal([])
          expect(await validator.validate(schema, utf8Bytes(bad))).to.have.length.greaterThan(0)
          const { used, missing } = await validator.references(type, utf8Bytes(document), filesOf(parts))
          expect([...used]).to.have.members([...files])
          expect(missing).to.deep.equal([])
        }),
        { numRuns: 60 },
      )
    })

    it(`are reported with the path of a missing file, in ${type}`, async () => {
      await fc.assert(
        fc.asyncProperty(paths, async files => {
          const [document, parts] = chain(files)
          const lost = files.at(-1) ?? ''
          delete parts[lost]

          const { used, missing } = await validator.references(type, utf8Bytes(document), filesOf(parts))
          expect([...used]).to.have.members(files.slice(0, -1))
          expect(missing.map(({ path }) => path)).to.deep.equal([lost])
          const [finding] = await validator.check(schemaBundle(type, document, parts))
          expect(finding?.file).to.equal(files.at(-2))
        }),
        { numRuns: 60 },
      )
    })
  }
})

/** A relative reference from one path to another, as a URL. */
function written(from: string, to: string): string {
  return encodeURI(posix.relative(posix.dirname(from), to))
}
