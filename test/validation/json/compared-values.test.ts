// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../../src/core/json/try-parse.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { awkwardJson, awkwardNames, canonicalJson } from '../../support/data/awkward-json.js'
import { jsonSchemaBundle, utf8Bytes } from '../../support/data/schema-bundles.js'

const drafts = [
  ...['http://json-schema.org/draft-04/schema#', 'http://json-schema.org/draft-06/schema#'],
  ...['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'],
  'https://json-schema.org/draft/2020-12/schema',
]

describe('values in JSON Schema', () => {
  let validator: Validator
  before(() => {
    validator = openValidator({ workers: 1 })
  })
  after(() => validator.close())

  /** The messages for documents, which are JSON texts; empty for valid ones. */
  const messages = async (schema: unknown, ...documents: readonly string[]) => {
    const bundle = jsonSchemaBundle(schema)
    const findings = await Promise.all(documents.map(text => validator.validate(bundle, utf8Bytes(text))))
    return findings.map(found => found.map(({ message }) => message).join())
  }
  const verdicts = async (schema: unknown, ...documents: readonly string[]) =>
    (await messages(schema, ...documents)).map(message => message === '')

  it('are equal exactly if their members are, whatever the names', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardJson, awkwardJson, fc.constantFrom(...drafts), async (one, other, $schema) => {
        const isEqual = canonicalJson(one) === canonicalJson(other)
        const own = JSON.stringify(one)

        expect(
          await verdicts({ $schema, enum: [other, 'else'] }, own, JSON.stringify(other)),
          own,
        ).to.deep.equal([isEqual, true])
        const pair = JSON.stringify([one, other])
        expect(await verdicts({ $schema, uniqueItems: true }, pair, `[${own},{"in":${own}}]`)).to.deep.equal([
          !isEqual,
          true,
        ])
        if ($schema.includes('draft-04')) return
        expect(await verdicts({ $schema, const: other }, own, JSON.stringify(other))).to.deep.equal([
          isEqual,
          true,
        ])
      }),
      { numRuns: 60 },
    )
  })

  it('have the members that the keywords for objects name', async () => {
    for (const name of awkwardNames) {
      const [own, other] = [`{"${name}":1}`, '{"other":1}']
      expect(await verdicts({ required: [name] }, own, other), `required ${name}`).to.deep.equal([
        true,
        false,
      ])
      const typed = { properties: { [name]: { type: 'string' } }, additionalProperties: false }
      const text = `{"${name}":"text"}`
      expect(await verdicts(typed, own, text, other), `properties ${name}`).to.deep.equal([
        false,
        true,
        false,
      ])
      const patterns = { patternProperties: { [name]: { type: 'string' } } }
      expect(await verdicts(patterns, own, text), `patternProperties ${name}`).to.deep.equal([
        name === '$data',
        true,
      ])
      const dependencies = { $schema: drafts[0], dependencies: { [name]: ['other'] } }
      expect(await verdicts(dependencies, own, other), `dependencies ${name}`).to.deep.equal([false, true])
      const closed = { properties: { other: true }, additionalProperties: false }
      expect(await verdicts(closed, own, other), `additionalProperties ${name}`).to.deep.equal([false, true])
      const evaluated = { anyOf: [{ properties: { other: true } }, { patternProperties: { '^o': true } }] }
      expect(
        await verdicts({ ...evaluated, unevaluatedProperties: false }, own, other),
        `unevaluatedProperties ${name}`,
      ).to.deep.equal([false, true])
      const dependent = { dependentRequired: { [name]: ['other'] } }
      expect(await verdicts(dependent, own, other), `dependentRequired ${name}`).to.deep.equal([false, true])
    }
  })

  it('may have schemas with any member', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...awkwardNames), awkwardJson, async (name, value) => {
        const schemas: Json[] = [
          { [name]: value },
          { [name]: { $id: 'urn:x', [name]: [value] }, $defs: { [name]: { title: 'x' } } },
          { patternProperties: { [`^${name}$`]: { const: value } }, propertyNames: { enum: [name] } },
          { default: value, examples: [value], dependentSchemas: { [name]: { enum: [value] } } },
        ]
        for (const schema of schemas) {
          const found = await messages(schema, JSON.stringify({ [name]: value }), JSON.stringify(value))
          expect(found.join(), JSON.stringify(schema)).not.to.include('broke down')
        }
      }),
      { numRuns: 50 },
    )
  })

  it('are multiples as decimals', async () => {
    const cents = ['143.48', '4.35', '0.07', '0.3', '-19.99', '1e3', '2.225', '0.001']
    expect(await verdicts({ multipleOf: 0.01 }, ...cents)).to.deep.equal([
      ...[true, true, true, true, true, true, false, false],
    ])
    expect(await verdicts({ multipleOf: 0.5 }, '1e308', '1e1000000000', '-7.5', '0.25')).to.deep.equal([
      ...[true, true, true, false],
    ])
    expect(await verdicts({ multipleOf: 1e-8 }, '12391239123', '3e-8', '1.5e-8')).to.deep.equal([
      true,
      true,
      false,
    ])
    expect(await verdicts({ multipleOf: 3 }, '9007199254740993', '9007199254740994')).to.deep.equal([
      true,
      false,
    ])
  })

  it('are compared as written if no double holds them', async () => {
    const ids = ['9007199254740993', '9007199254740992', '90071992547409930e-1']
    expect(await verdicts('{"const": 9007199254740993}', ...ids)).to.deep.equal([true, false, true])
    expect(await verdicts('{"enum": [1, [9007199254740993]]}', ...ids.map(id => `[${id}]`))).to.deep.equal([
      ...[true, false, true],
    ])
    expect(await verdicts('{"maximum": 9007199254740992}', ...ids)).to.deep.equal([false, true, false])
    expect(await verdicts('{"exclusiveMinimum": 9007199254740992}', ...ids)).to.deep.equal([
      true,
      false,
      true,
    ])
    const unique = [`[${ids[0]},${ids[1]}]`, `[${ids[0]},${ids[2]}]`, `[{"a":${ids[0]}},{"a":${ids[2]}}]`]
    expect(await verdicts({ uniqueItems: true }, ...unique)).to.deep.equal([true, false, false])
    const numbers = ['1.0', '1e400', '9007199254740992.5', '1e-400', '1.0000000000000000000001']
    expect(await verdicts({ type: 'integer' }, ...numbers)).to.deep.equal([true, true, false, false, false])
    expect(await messages('{"maximum": 9007199254740993}', '1e400')).to.deep.equal([
      'must be <= 9007199254740993',
    ])
    const [message] = await messages({ uniqueItems: true }, '[{}, 1, {}]')
    expect(message).to.equal('must NOT have duplicate items (items ## 0 and 2 are identical)')
    expect(await messages('{"const": {"a": 1e400}}', '1')).to.deep.equal([
      'must be equal to constant: {"a":1e400}',
    ])
  })

  it('that contains finds are evaluated', async () => {
    const schema = { contains: { const: 1 }, unevaluatedItems: false }
    expect(await verdicts(schema, '[1]', '[1, 1]', '[2]')).to.deep.equal([true, true, false])
  })

  it('are compared in linear time', async () => {
    const list = (length: number, item: (index: number) => unknown) =>
      JSON.stringify(Array.from({ length }, (_, index) => item(index)))
    const nested = {
      $ref: '#/$defs/list',
      $defs: { list: { uniqueItems: true, items: { $ref: '#/$defs/list' } } },
    }
    const deep = `${'['.repeat(400)}${list(10_000, index => ({ index }))}${']'.repeat(400)}`

    expect(
      await messages(
        { uniqueItems: true },
        list(30_000, index => ({ index })),
      ),
    ).to.deep.equal([''])
    expect(await messages(nested, list(100_000, String), deep)).to.deep.equal(['', ''])
    const values = JSON.parse(list(30_000, index => ({ index }))) as unknown[]
    expect(
      await messages({ $schema: drafts[0], items: { enum: values } }, JSON.stringify(values)),
    ).to.deep.equal([''])
    const flags = { $defs: { one: { const: 1, type: 'number' } }, contains: { $ref: '#/$defs/one' } }
    expect(
      await messages(
        flags,
        list(100_000, index => (index === 99_999 ? 1 : 'no')),
      ),
    ).to.deep.equal([''])
  }).timeout(120_000)

  it('with very many errors are refused with the first ones', async () => {
    const items = { $ref: '#/$defs/item' }
    const $defs = { item: { required: Array.from({ length: 100 }, (_, index) => `name${index}`) } }
    const bundle = jsonSchemaBundle({ $defs, anyOf: [{ items }, { items: { type: 'number' } }] })

    const findings = await validator.validate(bundle, utf8Bytes(`[${'{},'.repeat(200_000)}{}]`))
    expect(findings.length).to.equal(51)
    expect(findings[0]).to.include({ message: "must have required property 'name0'", path: '/0' })
    expect(findings[50]?.message).to.equal('…and more than 950 more findings.')
    expect(await validator.validate(bundle, utf8Bytes('[1, 2]'))).to.deep.equal([])
  })
})
