// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { SchemaBundle, Validator } from '../../../src/validation/validator.js'
import {
  type FileText,
  filesOf,
  jsonSchemaBundle,
  utf8Bytes,
  utf16,
  xsd,
  xsdBundle,
} from '../../support/data/schema-bundles.js'

const drafts = {
  'draft-04': 'http://json-schema.org/draft-04/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const

describe('JSON Schema', () => {
  let validator: Validator
  before(() => {
    validator = openValidator({ workers: 1 })
  })
  after(() => validator.close())

  const validate = (schema: SchemaBundle, document: unknown) =>
    validator.validate(schema, utf8Bytes(JSON.stringify(document)))
  const isValid = async (schema: SchemaBundle, document: unknown) =>
    (await validate(schema, document)).length === 0
  const validateText = (text: FileText) =>
    validator.validate(jsonSchemaBundle({ type: ['object', 'array'] }), utf8Bytes(text))

  describe('drafts', () => {
    for (const [draft, $schema] of Object.entries(drafts)) {
      it(`validates with ${draft}`, async () => {
        const schema = jsonSchemaBundle({
          $schema,
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' } },
        })

        expect(await validator.check(schema)).to.deep.equal([])
        expect(await validate(schema, { name: 'a' })).to.deep.equal([])
        const findings = await validate(schema, { name: 1 })

        expect(findings).to.deep.equal([
          {
            message: 'must be string',
            path: '/name',
            schemaPath: '/properties/name/type',
            line: 1,
            column: 2,
          },
        ])
      })

      it(`refuses an invalid schema with ${draft}`, async () => {
        const findings = await validator.check(
          jsonSchemaBundle({ $schema, properties: { name: { type: 'text' } } }),
        )

        expect(findings[0]?.path).to.equal('/properties/name/type')
      })
    }

    it('uses 2020-12 for a schema without $schema', async () => {
      const schema = jsonSchemaBundle({ prefixItems: [{ type: 'string' }] })

      expect(await isValid(schema, ['a'])).to.equal(true)
      expect(await isValid(schema, [1])).to.equal(false)
    })

    it('accepts http, https and an empty fragment in $schema', async () => {
      for (const $schema of Object.values(drafts)) {
        const plain = $schema.replace('#', '')
        for (const form of [
          plain,
          `${plain}#`,
          plain.replace('https:', 'http:'),
          plain.replace('http:', 'https:'),
        ]) {
          expect(
            await validator.check(jsonSchemaBundle({ $schema: form, type: 'object' })),
            form,
          ).to.deep.equal([])
        }
      }
    })

    it('refuses any other $schema', async () => {
      for (const $schema of [
        'https://example.org/meta',
        'http://json-schema.org/draft-03/schema#',
        '',
        7,
        null,
      ]) {
        const findings = await validator.check(jsonSchemaBundle({ $schema, type: 'object' }))
        expect(findings[0]?.path, String($schema)).to.equal('/$schema')
      }
    })

    it('uses only the keywords of the draft', async () => {
      const limit = { $schema: drafts['draft-04'], maximum: 3, exclusiveMaximum: true }
      expect(await isValid(jsonSchemaBundle(limit), 3)).to.equal(false)
      expect(
        await validator.check(jsonSchemaBundle({ ...limit, $schema: drafts['draft-07'] })),
      ).to.have.length(1)

      const contains = { contains: { const: 1 }, minContains: 2 }
      expect(await isValid(jsonSchemaBundle({ ...contains, $schema: drafts['draft-07'] }), [1])).to.equal(
        true,
      )
      expect(await isValid(jsonSchemaBundle({ ...contains, $schema: drafts['2019-09'] }), [1])).to.equal(
        false,
      )
    })

    it('asserts format up to draft-07, and treats it as an annotation from 2019-09 on', async () => {
      for (const [draft, $schema] of Object.entries(drafts)) {
        const schema = jsonSchemaBundle({ $schema, format: 'ipv4' })
        expect(await isValid(schema, 'not an address'), draft).to.equal(!draft.startsWith('draft'))
        expect(await isValid(schema, '192.0.2.1'), draft).to.equal(true)
        expect(await isValid(jsonSchemaBundle({ $schema, format: 'of-our-own' }), 'x'), draft).to.equal(true)
      }
    })
  })

  describe('a schema document', () => {
    it('must be an object with members', async () => {
      for (const text of ['{}', '[]', 'true', '"a"', '1', 'null', '[{"type": "object"}]']) {
        expect(await validator.check(jsonSchemaBundle(text)), text).to.have.length(1)
      }
    })

    it('may have the keyword id in newer drafts', async () => {
      for (const draft of ['draft-06', 'draft-07', '2019-09', '2020-12'] as const) {
        const schema = jsonSchemaBundle({
          $schema: drafts[draft],
          id: 'https://example.org/x.json',
          type: 'object',
        })
        expect(await validator.check(schema), draft).to.deep.equal([])
      }
    })

    it('may have unknown keywords, formats and types of patterns', async () => {
      const schema = jsonSchemaBundle({
        'x-order': 1,
        widget: { rows: 3 },
        pattern: '^\\-+$',
        nullable: true,
        $async: true,
      })

      expect(await validator.check(schema)).to.deep.equal([])
      expect(await isValid(schema, '--')).to.equal(true)
      expect(await isValid(schema, '+')).to.equal(false)
    })

    it('must have patterns that compile', async () => {
      for (const $schema of Object.values(drafts)) {
        expect(await validator.check(jsonSchemaBundle({ $schema, pattern: '(' }))).to.have.length(1)
      }
    })

    it('is refused with the position of a pattern with thousands of groups in each other', async () => {
      const nested = (count: number, open = '(') => `${open.repeat(count)}a[(((]\\(${')'.repeat(count)}`
      expect(await validator.check(jsonSchemaBundle({ pattern: nested(1000) }))).to.deep.equal([])
      for (const pattern of [nested(1001), nested(20_000), nested(20_000, '(?:'), nested(20_000, '(?=')]) {
        const bundle = jsonSchemaBundle({ items: { pattern }, patternProperties: { [pattern]: true } })
        const findings = await validator.check(bundle)

        expect(findings.map(({ path }) => path?.slice(0, 22))).to.include('/items/pattern')
        expect(JSON.stringify(findings).slice(0, 500)).not.to.contain('broke down')
      }
    })

    it('is refused with the position of each pattern that does not compile', async () => {
      for (const $schema of Object.values(drafts)) {
        const inner = {
          properties: { 'a/b': { pattern: '[' }, c: { pattern: 'c' } },
          const: { pattern: '(' },
        }
        const pathsOf = async (schema: object, files?: Readonly<Record<string, string>>) =>
          (await validator.check(jsonSchemaBundle({ $schema, ...schema }, files))).map(({ path, file }) => [
            path,
            file,
          ])

        expect(await pathsOf({ ...inner, items: { pattern: '*' } })).to.have.deep.members([
          ['/properties/a~1b/pattern', undefined],
          ['/items/pattern', undefined],
        ])
        const [found] = await pathsOf({
          properties: { a: { patternProperties: { '(x/': { type: 'string' } } } },
        })
        expect(found?.[0]).to.match(/^\/properties\/a\/patternProperties(\/\(x~1)?$/)
      }
    })

    it('is also refused during validation, with a finding about the schema', async () => {
      const [finding] = await validate(jsonSchemaBundle({ type: 'text' }), 'x')

      expect(finding?.message).to.match(/schema/)
      expect(finding).not.to.have.property('path')
    })
  })

  describe('findings', () => {
    it('escape names in pointers', async () => {
      const [finding] = await validate(jsonSchemaBundle({ properties: { 'a/b~c': { type: 'string' } } }), {
        'a/b~c': 1,
      })

      expect(finding).to.include({ path: '/a~1b~0c', schemaPath: '/properties/a~1b~0c/type' })
    })

    it('name an unexpected property', async () => {
      const [finding] = await validate(jsonSchemaBundle({ additionalProperties: false }), { surprise: 1 })

      expect(finding?.message).to.contain('surprise')
    })

    it('point into referenced definitions', async () => {
      const schema = jsonSchemaBundle({
        $defs: { tree: { properties: { sub: { $ref: '#/$defs/tree' }, a: false } } },
        $ref: '#/$defs/tree',
      })
      const [finding] = await validate(schema, { sub: { sub: { a: 1 } } })

      expect(finding).to.include({ path: '/sub/sub/a' })
      expect(finding?.schemaPath).to.match(/\/\$defs\/tree\/|false schema/)
    })

    it('are complete, up to a limit', async () => {
      const schema = jsonSchemaBundle({ items: { type: 'string' } })

      expect(await validate(schema, [1, 'a', 2])).to.have.length(2)
      expect(await validate(schema, Array(10_000).fill(1))).to.have.length.lessThan(60)
    })
  })

  describe('pitfalls of JavaScript', () => {
    it('ignores inherited members of objects', async () => {
      expect(await isValid(jsonSchemaBundle({ required: ['toString'] }), {})).to.equal(false)
      expect(await isValid(jsonSchemaBundle({ required: ['constructor'] }), { constructor: 1 })).to.equal(
        true,
      )
      expect(await isValid(jsonSchemaBundle({ properties: { valueOf: { type: 'string' } } }), {})).to.equal(
        true,
      )
    })

    it('distinguishes two patterns', async () => {
      const schema = jsonSchemaBundle({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } })

      expect(await isValid(schema, { a: 'a', b: 'b' })).to.equal(true)
      expect(await isValid(schema, { a: 'b', b: 'a' })).to.equal(false)
    })

    it('does not treat data as references or ids', async () => {
      const data = { $ref: 'http://example.org/not-a-reference', $id: 'twice' }
      const schema = jsonSchemaBundle({
        properties: { $ref: { type: 'string' }, $id: { const: data } },
        enum: [data, { $id: data }],
        default: data,
        examples: [data, data],
      })

      expect(await validator.check(schema)).to.deep.equal([])
      expect(await isValid(schema, { $id: data })).to.equal(true)
    })
  })

  describe('a document', () => {
    it('must be well-formed; the finding has the line', async () => {
      const faulty: [string, number][] = [
        ['', 1],
        ['{\n"a": 1,\n}', 3],
        ['[1,\n2', 2],
        ['[1] \n 2', 2],
        ["{'a': 1}", 1],
        ['{"a"\n1}', 2],
        ['[\n01]', 2],
        ['[NaN]', 1],
        ['{"a": "x\n"}', 1],
        ['["\\x"]', 1],
        ['[1, ]', 1],
        ['{"a": 1 "b": 2}', 1],
        ['{]', 1],
        ['["abc', 1],
      ]
      for (const [text, line] of faulty) {
        const findings = await validateText(text)
        expect(findings, text).to.have.length(1)
        expect(findings[0]?.line, text).to.equal(line)
      }
    })

    it('is refused exactly if JSON.parse refuses it', async () => {
      const pieces = fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"',
        '1',
        '-',
        '.5',
        'e3',
        'true',
        'nul',
        ' ',
        '\n',
        '\\',
      )
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.array(pieces, { maxLength: 12 }).map(all => all.join('')),
            fc.json(),
          ),
          async text => {
            let parses = true
            try {
              JSON.parse(text)
            } catch {
              parses = false
            }
            const findings = await validator.validate(
              jsonSchemaBundle({ $comment: 'anything' }),
              utf8Bytes(text),
            )
            expect(findings.length === 0).to.equal(parses)
          },
        ),
        { numRuns: 400 },
      )
    })

    it('must be UTF-8, with or without a byte order mark', async () => {
      expect(await validateText('\ufeff{}')).to.deep.equal([])
      expect(await validateText(utf16('{}'))).to.have.length(1)
      const broken = Buffer.concat([utf8Bytes('["\ufffd",\n"'), Uint8Array.of(0xc3, 0x28), utf8Bytes('"]')])
      expect((await validateText(broken))[0]?.line).to.equal(2)
    })

    it('may be nested, up to a limit', async () => {
      expect(await validateText('['.repeat(300) + ']'.repeat(300))).to.deep.equal([])
      const [finding] = await validateText('['.repeat(200_000) + ']'.repeat(200_000))
      expect(finding?.message).to.contain('levels')
      expect(await validateText(JSON.stringify(['['.repeat(5000), '\\"[{'.repeat(500)]))).to.deep.equal([])
    })

    it('may not be nested deeper than a recursive schema can validate', async () => {
      const endless = jsonSchemaBundle({ allOf: [{ $ref: '#' }] })

      expect(await validate(endless, 1)).to.have.length(1)
      expect(await isValid(jsonSchemaBundle({ type: 'number' }), 1)).to.equal(true)
    })
  })

  describe('references', () => {
    const name = { type: 'string', minLength: 2 }
    const isOfTwo = async (schema: SchemaBundle) => {
      expect(await validator.check(schema)).to.deep.equal([])
      expect(await isValid(schema, { name: 'ab' })).to.equal(true)
      expect(await isValid(schema, { name: 'a' })).to.equal(false)
    }

    it('lead to the files of the schema by relative path, and back to the document', async () => {
      const files = {
        'parts/name.json': JSON.stringify({ $defs: { name: { $ref: 'deep/er/text.json' } } }),
        'parts/deep/er/text.json': JSON.stringify({ $ref: '../../../length.json' }),
        'length.json': JSON.stringify({ $ref: 'schema.json#/$defs/two' }),
      }
      const properties = { name: { $ref: './parts/name.json#/$defs/name' } }
      await isOfTwo(jsonSchemaBundle({ $defs: { two: name }, properties }, files))

      const [finding] = await validator.check(jsonSchemaBundle({ properties }, files))
      expect(finding?.message).to.contain('leads nowhere')
    })

    it('find the files of the schema even if its id is a URL of another server', async () => {
      for (const [draft, $schema] of Object.entries(drafts)) {
        const id = draft === 'draft-04' ? 'id' : '$id'
        const schema = {
          $schema,
          [id]: 'https://example.org/schemas/main.json',
          properties: { name: { $ref: 'name.json' } },
        }
        await isOfTwo(jsonSchemaBundle(schema, { 'name.json': JSON.stringify(name) }))
        const named = { ...name, [id]: 'https://example.org/schemas/name.json' }
        await isOfTwo(jsonSchemaBundle(schema, { 'somewhere/else.json': JSON.stringify(named) }))
      }
    })

    it('follow ids inside a schema', async () => {
      const $id = 'https://example.org/root.json'
      await isOfTwo(
        jsonSchemaBundle({
          $id,
          properties: { name: { $ref: 'name' } },
          $defs: { a: { $id: 'name', ...name } },
        }),
      )
      await isOfTwo(
        jsonSchemaBundle({ $id, properties: { name: { $ref: `${$id}#/$defs/a` } }, $defs: { a: name } }),
      )
      await isOfTwo(
        jsonSchemaBundle({
          $id,
          properties: { name: { $ref: '#n' } },
          $defs: { a: { $anchor: 'n', ...name } },
        }),
      )
      await isOfTwo(
        jsonSchemaBundle({
          $id: 'urn:example:root',
          properties: { name: { $ref: 'urn:example:root#n' } },
          $defs: { a: { $anchor: 'n', ...name } },
        }),
      )
      await isOfTwo(
        jsonSchemaBundle({
          $schema: drafts['draft-07'],
          properties: { name: { $ref: '#n' } },
          definitions: { a: { $id: '#n', ...name } },
        }),
      )
      await isOfTwo(
        jsonSchemaBundle({
          properties: { name: { $ref: 'sub/' } },
          $defs: { a: { $id: 'sub/', $ref: 'x', $defs: { b: { $id: 'x', ...name } } } },
        }),
      )
    })

    it('may be dynamic', async () => {
      const isTree = { $dynamicAnchor: 'node', properties: { sub: { $dynamicRef: '#node' }, name } }
      await isOfTwo(jsonSchemaBundle({ $ref: 'tree.json' }, { 'tree.json': JSON.stringify(isTree) }))
      await isOfTwo(
        jsonSchemaBundle({ $dynamicRef: 'tree.json#node' }, { 'tree.json': JSON.stringify(isTree) }),
      )
      const tree = {
        $schema: drafts['2019-09'],
        $recursiveAnchor: true,
        properties: { sub: { $recursiveRef: '#' }, name },
      }
      const schema = jsonSchemaBundle(
        { $schema: drafts['2019-09'], $ref: 'tree.json' },
        { 'tree.json': JSON.stringify(tree) },
      )
      expect(await isValid(schema, { sub: { name: 'ab' } })).to.equal(true)
      expect(await isValid(schema, { sub: { name: 'a' } })).to.equal(false)
    })

    it('lead to registered schemas by id and by address', async () => {
      const common = jsonSchemaBundle(
        { $id: 'https://example.org/common', $defs: { name: { $ref: 'n.json' } } },
        { 'n.json': JSON.stringify(name) },
      )
      for (const reference of [
        'common',
        'common?version=2',
        'https://meta.example.org/api/v1/schemas/common?version=2',
      ]) {
        const $ref = `${reference}#/$defs/name`
        await isOfTwo(jsonSchemaBundle({ properties: { name: { $ref } } }, {}, { [reference]: common }))
        await isOfTwo(
          jsonSchemaBundle(
            { properties: { name: { $ref: 'a/b.json' } } },
            { 'a/b.json': JSON.stringify({ $ref }) },
            { [reference]: common },
          ),
        )
      }
    })

    it('distinguish two versions of a registered schema with one id', async () => {
      const version = (minLength: number) =>
        jsonSchemaBundle({ $id: 'https://example.org/common', type: 'string', minLength })
      const schema = jsonSchemaBundle(
        { properties: { a: { $ref: 'common?version=1' }, b: { $ref: 'common?version=2' } } },
        {},
        { 'common?version=1': version(1), 'common?version=2': version(2) },
      )

      expect(await isValid(schema, { a: 'x', b: 'xy' })).to.equal(true)
      expect(await isValid(schema, { a: '', b: 'xy' })).to.equal(false)
      expect(await isValid(schema, { a: 'x', b: 'x' })).to.equal(false)
    })

    it('may lead to the meta schema of the draft', async () => {
      for (const $schema of Object.values(drafts)) {
        const schema = jsonSchemaBundle({ $schema, properties: { schema: { $ref: $schema } } })
        expect(await isValid(schema, { schema: { type: 'string' } }), $schema).to.equal(true)
        expect(await isValid(schema, { schema: { type: 'text' } }), $schema).to.equal(false)
      }
    })

    it('lead to no other target', async () => {
      const outside = [
        'file:///etc/passwd',
        'http://127.0.0.1:9/x.json',
        'https://example.org/x.json',
        '/etc/passwd',
        '../x.json',
        'x.json',
        'a/../../x.json',
        '%2e%2e/x.json',
        '//example.org/x',
        'urn:example:x',
      ]
      for (const $ref of outside) {
        const findings = await validator.check(
          jsonSchemaBundle({ properties: { a: { $ref } } }, { 'other.json': '{"type": "string"}' }),
        )
        expect(findings, $ref).to.have.length(1)
        expect(findings[0], $ref).to.include({ path: '/properties/a/$ref' })
      }
    })

    it('are reported in their file', async () => {
      const [finding] = await validator.check(
        jsonSchemaBundle({ $ref: 'a/b.json' }, { 'a/b.json': '{"items": {"$ref": "c.json"}}' }),
      )

      expect(finding).to.include({ file: 'a/b.json', path: '/items/$ref' })
    })

    it('lead only to valid schemas of the same language', async () => {
      expect(
        await validator.check(jsonSchemaBundle({ $ref: 'a.json' }, { 'a.json': '{"type": ' })),
      ).to.have.length(1)
      expect(
        (await validator.check(jsonSchemaBundle({ $ref: 'a.json' }, { 'a.json': '{"type": "text"}' })))[0],
      ).to.include({ file: 'a.json' })
      expect(
        await validator.check(jsonSchemaBundle({ $ref: 'x' }, {}, { x: xsdBundle(xsd('')) })),
      ).to.have.length(1)
      expect(
        await validator.check(jsonSchemaBundle({ type: 'string' }, { 'a.json': '{"type": ' })),
      ).to.deep.equal([])
    })

    it('are listed with the files that they reach', async () => {
      const schema = {
        properties: {
          a: { $ref: 'a/a.json#/x' },
          b: { $ref: 'common?version=2' },
          c: { $ref: '#/properties/a' },
          d: { $ref: drafts['2020-12'] },
        },
      }
      const files = {
        'a/a.json': '{"items":\n {"$ref": "../b.json"}, "not": {"$ref": "../../c.json"}}',
        'b.json': '{"$ref": "a/d.json"}',
        'e.json': '{}',
      }
      const { used, missing } = await validator.references(
        'JSON',
        utf8Bytes(JSON.stringify(schema)),
        filesOf(files),
      )

      expect([...used]).to.have.members(['a/a.json', 'b.json'])
      expect(missing).to.deep.equal([
        { target: 'common?version=2', line: 1, pointer: '/properties/b/$ref' },
        { target: '../../c.json', file: 'a/a.json', line: 2, pointer: '/not/$ref' },
        { target: 'a/d.json', path: 'a/d.json', file: 'b.json', line: 1, pointer: '/$ref' },
      ])
    })

    it('are listed with their line however they are written', async () => {
      const text = '\ufeff{"not": {"$ref": "#"},\n"items": {"\\u0024ref"\n:"https:\\/\\/example.org\\/x#a"}}'
      const { missing } = await validator.references('JSON', utf8Bytes(text), filesOf({}))

      expect(missing).to.deep.equal([{ target: 'https://example.org/x', line: 2, pointer: '/items/$ref' }])
    })

    it('cannot be listed if a file is broken', async () => {
      const broken = validator.references(
        'JSON',
        utf8Bytes('{"$ref": "a.json"}'),
        filesOf({ 'a.json': '{\n' }),
      )
      const error = await broken.catch((thrown: unknown) => thrown)

      expect(error).to.be.instanceOf(ProblemError).and.include({ kind: 'unprocessable' })
      expect((error as ProblemError).extra.findings?.[0]).to.include({ file: 'a.json', line: 2 })
    })
  })
})
