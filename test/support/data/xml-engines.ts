import { expect } from 'chai'
import type { Finding } from '../../../src/core/problem.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { SchemaBundle, Validator } from '../../../src/validation/validator.js'
import type { XmlEngineName } from '../../../src/validation/xml/xsd-engine.js'
import { type FileText, reasonWithoutLibxmljs2, utf8Bytes, xsdBundle } from './schema-bundles.js'

export interface XmlChecks {
  readonly engine: XmlEngineName
  /** The validator with this engine, while tests run. */
  readonly validator: Pick<Validator, 'check' | 'validate' | 'references'>
  findings(schema: SchemaBundle, document: FileText): Promise<readonly Finding[]>
  /** Fails if a document of `valid` is refused, or one of `invalid` is accepted. */
  judges(schema: FileText, documents: Verdicts): Promise<void>
  /** Fails if the schema is accepted. @returns the findings */
  refusesSchema(schema: FileText): Promise<readonly Finding[]>
}

export interface Verdicts {
  readonly valid?: readonly FileText[]
  readonly invalid?: readonly FileText[]
}

/** Describes tests for each XML engine. An engine that is not installed is skipped. */
export function describeForEngines(title: string, tests: (checks: XmlChecks) => void): void {
  for (const xmlEngine of ['libxml2-wasm', 'libxmljs2'] as const) {
    describe(`${title}, with ${xmlEngine}`, () => {
      let validator: Validator
      before(async function () {
        const reason = xmlEngine === 'libxmljs2' ? await reasonWithoutLibxmljs2() : undefined
        if (reason !== undefined) {
          console.log(`      skipped: ${reason}`)
          this.skip()
        }
        validator = openValidator({ xmlEngine, workers: 1 })
      })
      after(() => validator?.close())

      const findings = (schema: SchemaBundle, document: FileText) =>
        validator.validate(schema, utf8Bytes(document))
      tests({
        engine: xmlEngine,
        validator: {
          check: (...asked) => validator.check(...asked),
          validate: (...asked) => validator.validate(...asked),
          references: (...asked) => validator.references(...asked),
        },
        findings,
        async judges(schema, { valid = [], invalid = [] }) {
          const bundle = xsdBundle(schema)
          expect(await validator.check(bundle), String(schema)).to.deep.equal([])
          for (const document of valid) {
            expect(await findings(bundle, document), String(document)).to.deep.equal([])
          }
          for (const document of invalid) {
            expect(await findings(bundle, document), String(document)).to.have.length.greaterThan(0)
          }
        },
        async refusesSchema(schema) {
          const found = await validator.check(xsdBundle(schema))
          expect(found, String(schema)).to.have.length.greaterThan(0)
          return found
        },
      })
    })
  }
}
