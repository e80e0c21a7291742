// test-schedule: quick
import { expect } from 'chai'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { jsonSchemaBundle, type Texts, utf8Bytes } from '../../support/data/schema-bundles.js'

const drafts = {
  'draft-04': 'http://json-schema.org/draft-04/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const
type Draft = keyof typeof drafts
const oldDrafts: readonly Draft[] = ['draft-04', 'draft-06', 'draft-07']
const allDrafts = Object.keys(drafts) as readonly Draft[]
const idOf = (draft: Draft) => (draft === 'draft-04' ? 'id' : '$id')

describe('the rules of each draft of JSON Schema', () => {
  let validator: Validator
  before(() => {
    validator = openValidator({ workers: 1 })
  })
  after(() => validator.close())

  interface Case {
    readonly valid?: readonly unknown[]
    readonly invalid?: readonly unknown[]
    readonly files?: Texts
  }

  /** Expects that a schema compiles, and which documents are valid. */
  async function expectVerdicts(schema: object, draft: Draft, { valid = [], invalid = [], files }: Case) {
    const bundle = jsonSchemaBundle({ $schema: drafts[draft], ...schema }, files)
    const verdicts = async (documents: readonly unknown[]) => {
      const all = documents.map(each => validator.validate(bundle, utf8Bytes(JSON.stringify(each))))
      return (await Promise.all(all)).map(findings => findings.length === 0)
    }
    expect(await validator.check(bundle), draft).to.deep.equal([])
    expect(await verdicts(valid), `${draft}: valid`).to.deep.equal(valid.map(() => true))
    expect(await verdicts(invalid), `${draft}: invalid`).to.deep.equal(invalid.map(() => false))
  }

  describe('keywords beside $ref', () => {
    const schema = {
      properties: {
        size: { $ref: '#/definitions/size', maximum: 5, enum: [1, 2], type: 'string' },
        list: { $ref: '#/definitions/list', items: { type: 'string' }, minItems: 3 },
      },
      definitions: { size: { type: 'number' }, list: { type: 'array' } },
    }

    it('are ignored before 2019-09, and count from then on', async () => {
      for (const draft of allDrafts) {
        const documents = [{ size: 9 }, { list: [1] }]
        await expectVerdicts(schema, draft, {
          ...(oldDrafts.includes(draft) ? { valid: documents } : { invalid: documents }),
        })
        await expectVerdicts(schema, draft, { invalid: [{ size: 'a' }, { list: {} }] })
      }
    })

    it('are no base for the reference before 2019-09 if they are an id, also at the root', async () => {
      const files = { 'inner/text.json': '{"type": "string"}', 'text.json': '{"type": "number"}' }
      for (const draft of oldDrafts) {
        const beside = { [idOf(draft)]: 'inner/other.json', $ref: 'text.json' }
        await expectVerdicts({ properties: { a: beside } }, draft, {
          ...{ files, valid: [{ a: 1 }], invalid: [{ a: 'x' }] },
        })
        await expectVerdicts(beside, draft, { files, valid: [1], invalid: ['x'] })
      }
      const inner = { $id: 'inner/other.json', $ref: 'text.json' }
      await expectVerdicts({ properties: { a: inner } }, '2019-09', {
        ...{ files, valid: [{ a: 'x' }], invalid: [{ a: 1 }] },
      })
    })

    it('may still be definitions to which references lead', async () => {
      for (const draft of allDrafts) {
        const named = { [idOf(draft)]: 'https://example.org/leaf', type: 'boolean' }
        await expectVerdicts(
          {
            $ref: '#/definitions/tree',
            definitions: { tree: { additionalProperties: { $ref: 'https://example.org/leaf' } }, named },
          },
          draft,
          { valid: [{ a: true }], invalid: [{ a: 1 }] },
        )
      }
    })
  })

  describe('keywords that a draft does not have', () => {
    const keywords: readonly (readonly [schema: object, document: unknown, first: Draft, last?: Draft])[] = [
      [{ const: 1 }, 2, 'draft-06'],
      [{ contains: { type: 'string' } }, [1], 'draft-06'],
      [{ propertyNames: { maxLength: 1 } }, { long: 1 }, 'draft-06'],
      [{ if: { type: 'string' }, else: { minimum: 5 } }, 1, 'draft-07'],
      [{ dependentRequired: { a: ['b'] } }, { a: 1 }, '2019-09'],
      [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, '2019-09'],
      [{ unevaluatedProperties: false }, { a: 1 }, '2019-09'],
      [{ unevaluatedItems: false }, [1], '2019-09'],
      [{ prefixItems: [{ type: 'string' }] }, [1], '2020-12'],
    ]

    it('are ignored', async () => {
      for (const [schema, document, first] of keywords) {
        for (const draft of allDrafts) {
          const isKnown = allDrafts.indexOf(draft) >= allDrafts.indexOf(first)
          await expectVerdicts({ properties: { x: schema } }, draft, {
            ...(isKnown ? { invalid: [{ x: document }] } : { valid: [{ x: document }] }),
          })
        }
      }
    })

    it('are ignored in newer drafts too', async () => {
      const tuple = { items: [{ type: 'string' }], additionalItems: false }
      await expectVerdicts(tuple, '2019-09', { valid: [['a']], invalid: [['a', 1]] })
      await expectVerdicts({ additionalItems: false }, '2020-12', { valid: [['a', 1]] })
      const recursive = { properties: { a: { $recursiveRef: '#' } }, maxProperties: 1 }
      await expectVerdicts(recursive, '2019-09', { invalid: [{ a: { b: 1, c: 2 } }] })
      await expectVerdicts(recursive, '2020-12', { valid: [{ a: { b: 1, c: 2 } }] })
    })

    it('may hold anything', async () => {
      for (const draft of allDrafts) {
        const data = { $ref: 'https://example.org/none', $id: '::', id: 7, type: 'text', pattern: '(' }
        await expectVerdicts(
          {
            ...{ 'x-examples': [data], example: data, $async: true, nullable: false, discriminator: 1 },
            properties: { a: { type: 'string', $recursive: data, widget: { properties: data } } },
            default: data,
          },
          draft,
          { valid: [{ a: 'x' }], invalid: [{ a: 1 }] },
        )
      }
    })

    it('are schemas if a reference leads to them, with the references in them', async () => {
      for (const draft of allDrafts) {
        const schema = {
          $ref: '#/components/schemas/tree',
          components: {
            schemas: {
              tree: {
                properties: { leaf: { $ref: '#/components/schemas/leaf' }, sub: { $ref: 'sub.json' } },
              },
              leaf: { type: 'integer' },
            },
          },
        }
        const files = { 'sub.json': JSON.stringify({ 'x-a': { b: { maximum: 3 } }, $ref: '#/x-a/b' }) }
        await expectVerdicts(schema, draft, {
          ...{ files, valid: [{ leaf: 1, sub: 3 }], invalid: [{ leaf: 'a' }, { sub: 4 }] },
        })
        const bundle = jsonSchemaBundle({ $ref: '#/x-a', 'x-a': { properties: { a: { type: 'text' } } } })
        const [finding] = await validator.check(bundle)
        expect(finding).to.include({ path: '/x-a/properties/a/type' })
      }
    })
  })

  describe('references', () => {
    it('lead to a resource that begins with a reference into itself', async () => {
      for (const draft of allDrafts) {
        const definitions = { inner: { properties: { size: { type: 'integer' } } } }
        const part = { definitions, allOf: [{ $ref: '#/definitions/inner' }] }
        for (const id of [
          'https://example.org/part.json',
          'part.json',
          'urn:uuid:0a4b2c6e-1111-4222-8333-444455556666',
        ]) {
          const schema = {
            [idOf(draft)]: 'https://example.org/whole.json',
            properties: { part: { [idOf(draft)]: id, ...part } },
            allOf: [{ $ref: id }],
          }
          await expectVerdicts(schema, draft, {
            ...{ valid: [{ size: 1, part: { size: 1 } }], invalid: [{ size: 'a' }, { part: { size: 'a' } }] },
          })
        }
      }
      const root = {
        $id: 'https://example.org/root',
        $ref: 'inner',
        $defs: { a: { $id: 'inner', $ref: '#/$defs/b', $defs: { b: { type: 'string' } } } },
      }
      await expectVerdicts(root, '2020-12', { valid: ['a'], invalid: [1] })
    })

    it('have the place of the reference in the finding if they lead nowhere', async () => {
      const lost: readonly (readonly [schema: object, path: string, files?: Texts, file?: string])[] = [
        [{ $ref: '#/definitions/none' }, '/$ref'],
        [{ properties: { 'a/b': { $ref: '#none' } } }, '/properties/a~1b/$ref'],
        [{ items: { allOf: [{ $ref: 'part.json#/none' }] } }, '/items/allOf/0/$ref', { 'part.json': '{}' }],
        [{ $ref: 'part.json' }, '/not/$ref', { 'part.json': '{"not": {"$ref": "#/x"}}' }, 'part.json'],
        [{ $ref: '#/definitions/a/type', definitions: { a: { type: 'string' } } }, '/$ref'],
        [{ not: { $ref: 'http://json-schema.org/draft-07/schema#/none' } }, '/not/$ref'],
      ]
      for (const [schema, path, files, file] of lost) {
        const bundle = jsonSchemaBundle({ $schema: drafts['draft-07'], ...schema }, files)
        const [finding, ...others] = await validator.check(bundle)
        expect({ ...finding, others }, JSON.stringify(schema)).to.include({ path, ...(file && { file }) })
        expect(finding?.message).to.match(/^The reference ".*" leads nowhere\.$/)
      }
    })

    it('lead to the anchor of the outermost resource if they are dynamic', async () => {
      const list = {
        $id: 'https://example.org/list',
        items: { $dynamicRef: '#item' },
        $defs: { any: { $dynamicAnchor: 'item' } },
      }
      const listOf = (type: string) => ({
        $id: `https://example.org/${type}s`,
        $ref: 'list',
        $defs: { item: { $dynamicAnchor: 'item', type } },
      })
      const schema = {
        properties: {
          any: { $ref: 'https://example.org/list' },
          texts: listOf('string'),
          numbers: listOf('number'),
        },
        $defs: { list },
      }
      await expectVerdicts(schema, '2020-12', {
        valid: [{ texts: ['a'], numbers: [1], any: ['a', 1] }],
        invalid: [{ texts: [1] }, { numbers: ['a'] }],
      })
      const tree = {
        $recursiveAnchor: true,
        properties: { sub: { $recursiveRef: '#' }, name: { type: 'string' } },
      }
      const strict = { $recursiveAnchor: true, $ref: 'tree.json', unevaluatedProperties: false }
      const files = { 'tree.json': JSON.stringify(tree) }
      await expectVerdicts(strict, '2019-09', {
        ...{
          files,
          valid: [{ sub: { sub: { name: 'a' } } }],
          invalid: [{ sub: { sub: { nam: 'a' } } }, { nam: 1 }],
        },
      })
    })

    it('lead to resources of other drafts, which are read by the rules of their own', async () => {
      const oldPart = {
        $schema: drafts['draft-07'],
        $id: 'https://example.org/old',
        definitions: { any: {} },
        properties: { a: { $ref: '#/definitions/any', maximum: 1 }, b: { prefixItems: [false] } },
      }
      const schema = {
        properties: { old: oldPart, far: { $ref: 'four.json' } },
        $ref: 'https://example.org/old',
      }
      const files = {
        'four.json': JSON.stringify({
          ...{ $schema: drafts['draft-04'], id: 'four.json', maximum: 3, exclusiveMaximum: true },
          properties: { back: { $ref: 'schema.json' } },
        }),
      }
      await expectVerdicts(schema, '2020-12', {
        files,
        valid: [{ a: 2, b: [1] }, { old: { a: 2 } }, { far: 2 }, { far: { back: { far: 2 } } }],
        invalid: [{ far: 3 }, { far: { back: { far: 3 } } }],
      })
      const unknown = { properties: { a: { $id: 'x', $schema: 'https://example.org/own' } } }
      expect((await validator.check(jsonSchemaBundle(unknown)))[0]).to.include({
        path: '/properties/a/$schema',
      })
    })

    it('lead to a resource of another draft whose id has the keyword of either draft', async () => {
      const rules = { const: 'x', minimum: 3, exclusiveMinimum: true, contains: false }
      for (const id of ['id', '$id']) {
        const old = { [id]: 'http://a.example/old', $schema: drafts['draft-04'], ...rules }
        for (const $ref of ['old', '#/definitions/old']) {
          const schema = { $id: 'http://a.example/new', items: { $ref }, definitions: { old } }
          for (const draft of ['draft-07', '2020-12'] as const)
            await expectVerdicts(schema, draft, { valid: [[4], ['y'], [[1]]], invalid: [[3]] })
        }
      }
    })

    it('lead to meta schemas, which a schema may extend', async () => {
      const strict = {
        $id: 'https://example.org/strict',
        $dynamicAnchor: 'meta',
        $ref: drafts['2020-12'],
        properties: { type: { enum: ['string', 'object'] } },
      }
      await expectVerdicts(strict, '2020-12', {
        valid: [{ properties: { a: { type: 'string' } } }],
        invalid: [{ properties: { a: { type: 'number' } } }, { properties: { a: { type: 'text' } } }],
      })
    })
  })

  describe('unevaluated members and items', () => {
    const integer = { type: 'integer' }

    it('are those that no valid part of the schema evaluates', async () => {
      const schema = {
        unevaluatedProperties: false,
        properties: { kind: {} },
        anyOf: [
          { required: ['a'], properties: { a: integer } },
          { properties: { b: integer }, required: ['b'] },
        ],
        dependentSchemas: { c: { properties: { c: {} } } },
        not: { properties: { e: false }, required: ['e'] },
      }
      for (const draft of ['2019-09', '2020-12'] as const) {
        await expectVerdicts(schema, draft, {
          valid: [{ a: 1 }, { a: 1, b: 2 }, { b: 1, c: 1, kind: 1 }],
          invalid: [
            { a: 1, b: 'x' },
            { a: 1, d: 1 },
            { b: 1, e: 1 },
          ],
        })
      }
    })

    it('are none of an if that is met, without then and else too, and those of an if that is not met', async () => {
      for (const draft of ['2019-09', '2020-12'] as const) {
        const alone = { if: { properties: { a: integer }, required: ['a'] }, unevaluatedProperties: false }
        await expectVerdicts(alone, draft, { valid: [{ a: 1 }, {}], invalid: [{ a: 'x' }, { a: 1, b: 1 }] })
        const withElse = { ...alone, else: { properties: { b: integer } } }
        await expectVerdicts(withElse, draft, {
          valid: [{ a: 1 }, { b: 1 }],
          invalid: [{ a: 'x' }, { a: 1, b: 1 }],
        })
        const items = draft === '2020-12' ? 'prefixItems' : 'items'
        await expectVerdicts({ if: { [items]: [integer] }, unevaluatedItems: false }, draft, {
          ...{ valid: [[1], []], invalid: [['a'], [1, 2]] },
        })
      }
    })

    it('are not the items that contains finds, from 2020-12 on', async () => {
      const schema = { contains: { type: 'string' }, unevaluatedItems: integer }
      await expectVerdicts(schema, '2020-12', { valid: [['a', 1, 'b']], invalid: [['a', null]] })
      await expectVerdicts(schema, '2019-09', { valid: [], invalid: [['a', 1]] })
      const none = { prefixItems: [true], contains: { const: 0 }, minContains: 0, unevaluatedItems: false }
      await expectVerdicts(none, '2020-12', {
        valid: [[1], [1, 0, 0]],
        invalid: [
          [1, 0, 2],
          [1, 2, 0],
        ],
      })
    })

    it('are reported with their place', async () => {
      const schema = jsonSchemaBundle({
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { properties: { b: {} }, unevaluatedProperties: false } },
      })
      expect(await validator.validate(schema, utf8Bytes('{"a": {"b": 1, "c": 2}}'))).to.deep.equal([
        {
          message: 'must NOT have unevaluated properties: "c"',
          path: '/a',
          schemaPath: '/$defs/a/unevaluatedProperties',
          ...{ line: 1, column: 16 },
          unknown: 'c',
        },
      ])
      const typed = jsonSchemaBundle({ unevaluatedItems: { properties: { 'x/y': integer } } })
      expect(await validator.validate(typed, utf8Bytes('[{}, {"x/y": "a"}]'))).to.deep.equal([
        {
          message: 'must be integer',
          path: '/1/x~1y',
          schemaPath: '/unevaluatedItems/properties/x~1y/type',
          ...{ line: 1, column: 7 },
        },
      ])
    })

    it('are found in a deep document, in time that does not double with each level', async () => {
      const node = { properties: { sub: { $ref: '#/$defs/node' } }, required: ['sub'] }
      const schema = jsonSchemaBundle({
        $ref: '#/$defs/node',
        $defs: {
          node: { type: 'object', anyOf: [node, { maxProperties: 0 }], unevaluatedProperties: false },
        },
      })
      const deep = (levels: number, end: string) =>
        utf8Bytes('{"sub":'.repeat(levels) + end + '}'.repeat(levels))
      expect(await validator.validate(schema, deep(100, '{}'))).to.deep.equal([])
      expect(await validator.validate(schema, deep(100, '1'))).not.to.deep.equal([])
    })
  })

  it('an enum may be empty, and have a value twice, from draft-06 on', async () => {
    for (const draft of allDrafts.slice(1)) {
      await expectVerdicts({ properties: { a: { enum: [] } } }, draft, { valid: [{}], invalid: [{ a: 1 }] })
      await expectVerdicts({ enum: [1, 'a', 1.0] }, draft, { valid: [1, 'a'], invalid: [2, []] })
    }
    for (const values of [[], [1, 1]]) {
      const bundle = jsonSchemaBundle({ $schema: drafts['draft-04'], enum: values })
      expect(await validator.check(bundle)).to.have.length.greaterThan(0)
    }
  })

  it('a member __proto__ is a member like others', async () => {
    for (const draft of allDrafts) {
      const text = `{"$schema": "${drafts[draft]}", "properties": {"__proto__": {"type": "string"}},
        "patternProperties": {"__proto__": {"maxLength": 2}}, "additionalProperties": false}`
      const bundle = jsonSchemaBundle(text)
      const verdict = async (document: string) =>
        (await validator.validate(bundle, utf8Bytes(document))).length
      expect(await verdict('{"__proto__": "ab"}'), draft).to.equal(0)
      expect(await verdict('{"__proto__": 1}'), draft).to.equal(1)
      expect(await verdict('{"__proto__": "abc"}'), draft).to.equal(1)
      expect(await verdict('{"other": "ab"}'), draft).to.equal(1)
      expect(await verdict('{}'), draft).to.equal(0)
    }
  })
})
