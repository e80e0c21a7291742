// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import {
  type Chosen,
  describePlace,
  membersOf,
  schemasOfItem,
} from '../../../../src/features/web/browser/form/describe-place.js'
import { FormSchema } from '../../../../src/features/web/browser/form/form-schema.js'

function described(schema: unknown, value?: unknown, chosen?: Chosen) {
  const form = new FormSchema(schema)
  return describePlace(form, [form.root], value, chosen)
}

/** The names of the members of a place, the required ones with an asterisk. */
function names(schema: unknown, value?: unknown, chosen?: Chosen): string {
  return membersOf(described(schema, value, chosen), value)
    .map(({ name, isRequired }) => name + (isRequired ? '*' : ''))
    .join(' ')
}

describe('The description of a place for a form', () => {
  it('joins a reference, what stands beside it, and allOf; the nearest title wins', () => {
    const schema = {
      $ref: '#/$defs/base',
      title: 'Person',
      allOf: [{ properties: { orcid: { type: 'string' } } }],
      required: ['name'],
      $defs: { base: { title: 'Base', type: 'object', properties: { name: {}, age: {} } } },
    }
    expect(described(schema).title).to.equal('Person')
    expect(described(schema).types).to.deep.equal(['object'])
    expect(names(schema, { other: 1 })).to.equal('name* age orcid other')
  })

  it('follows references by anchor, by $id, and in circles', () => {
    const schema = {
      $id: 'https://example.org/tree',
      properties: { one: { $ref: '#node' }, two: { $ref: 'https://example.org/leaf' }, self: { $ref: '#' } },
      $defs: {
        node: { $anchor: 'node', title: 'Node', $ref: '#node' },
        leaf: { $id: 'https://example.org/leaf', title: 'Leaf' },
      },
    }
    const form = new FormSchema(schema)
    const members = membersOf(describePlace(form, [form.root], undefined), undefined)
    const titles = members.map(({ schemas }) => describePlace(form, schemas, undefined).title)
    expect(titles).to.deep.equal(['Node', 'Leaf', undefined])
  })

  it('names a reference to another file, and still has what stands beside it', () => {
    const place = described({ $ref: 'other.json#/x', title: 'Other' })
    expect(place.unresolved).to.equal('other.json#/x')
    expect(place.title).to.equal('Other')
  })

  it('has the members of the condition that holds', () => {
    const schema = {
      properties: { kind: {} },
      if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: The keyword of JSON Schema.
      then: { properties: { ofA: {} } },
      else: { properties: { ofOthers: {} }, required: ['ofOthers'] },
      dependentSchemas: { kind: { properties: { since: {} } } },
      dependentRequired: { kind: ['source'] },
    }
    expect(names(schema, { kind: 'a' })).to.equal('kind ofA since source*')
    expect(names(schema, { kind: 'b' })).to.equal('kind ofOthers* since source*')
    expect(names(schema)).to.equal('kind')
  })

  it('takes the branch that fits the value, else one of its type, else the chosen one', () => {
    const schema = {
      oneOf: [
        { title: 'Text', type: 'string' },
        { title: 'Person', type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        { title: 'Organisation', type: 'object', properties: { ror: {} }, required: ['ror'] },
      ],
    }
    const selected = (value?: unknown, chosen?: number) => {
      const [choice] = described(schema, value, () => chosen).choices
      return choice?.options[choice.selected]?.label
    }
    expect(selected('x')).to.equal('Text')
    expect(selected({ ror: 1 })).to.equal('Organisation')
    expect(selected({ name: 5 })).to.equal('Person')
    expect(selected()).to.equal('Text')
    expect(selected('x', 2)).to.equal('Organisation')
    expect(names(schema, { ror: 1 })).to.equal('ror*')
  })

  it('shows branches of single values as one list with their titles', () => {
    const place = described({
      oneOf: [
        { const: 'nm', title: 'Nanometre', description: 'SI' },
        { const: 'px' },
        { enum: ['mm', 'cm'] },
      ],
    })
    expect(place.choices).to.be.empty
    expect(place.values?.map(({ label }) => label)).to.deep.equal(['Nanometre', 'px', 'mm', 'cm'])
  })

  it('is no choice if branches only say which members are needed', () => {
    const schema = { properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }
    expect(described(schema).choices).to.be.empty
    expect(names(schema)).to.equal('a b')
  })

  it('has only the values and types that all schemas allow', () => {
    const place = described({ enum: ['a', 'b', 1], allOf: [{ enum: ['b', 1] }], type: ['string', 'null'] })
    expect(place.values?.map(({ value }) => value)).to.deep.equal(['b', 1])
    expect(described({ type: ['integer', 'string'], allOf: [{ type: 'number' }] }).types).to.deep.equal([
      'integer',
    ])
  })

  it('knows the items of lists and tuples of old and new drafts', () => {
    const [first, rest] = [{ title: 'first' }, { title: 'rest' }]
    for (const schema of [
      { prefixItems: [first], items: rest },
      { items: [first], additionalItems: rest },
    ]) {
      const place = described(schema)
      expect(place.types).to.deep.equal(['array'])
      expect(schemasOfItem(place, 0)).to.deep.equal([first])
      expect(schemasOfItem(place, 3)).to.deep.equal([rest])
    }
  })

  it('applies no pattern of the schema to values, but keeps members that are named like keywords', () => {
    const slow = { type: 'string', pattern: '^(a+)+$' }
    const schema = { oneOf: [slow, { type: 'object' }], properties: { pattern: { title: 'A member' } } }
    const [choice] = described(schema, `${'a'.repeat(40)}!`).choices
    expect(choice?.selected).to.equal(0)
    expect(names(schema)).to.equal('pattern')
  })

  it('knows members by simple patterns of their names, and applies no other pattern', () => {
    const name = `${'a'.repeat(38)}!`
    const schema = {
      patternProperties: { '^x-': { title: 'Extension' }, '^(a+)+$': { title: 'Slow' } },
      additionalProperties: { title: 'Other' },
      oneOf: [
        { title: 'First', type: 'object', patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
        { title: 'Second', type: 'string' },
      ],
    }
    const form = new FormSchema(schema)
    const value = { 'x-1': 1, [name]: 2 }
    const place = describePlace(form, [form.root], value)
    const titles = membersOf(place, value).map(({ schemas }) => describePlace(form, schemas, undefined).title)

    expect(titles).to.deep.equal(['Extension', 'Other'])
    expect(place.choices[0]?.selected).to.equal(0)
  })

  it('ends for any schema and value', () => {
    const keyword = fc.constantFrom(
      ...['$ref', 'type', 'properties', 'items', 'oneOf', 'anyOf', 'allOf', 'if', 'then', 'enum', 'const'],
      ...[
        'required',
        'dependencies',
        'patternProperties',
        '$defs',
        'title',
        'prefixItems',
        'additionalProperties',
      ],
    )
    const { schema } = fc.letrec<{ schema: unknown }>(tie => ({
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(fc.boolean(), fc.constantFrom('#', '#/properties/a', 'object', 'x', 7, null)),
        fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', 'b')), tie('schema')),
        fc.array(tie('schema'), { maxLength: 3 }),
      ),
    }))
    fc.assert(
      fc.property(schema, fc.jsonValue(), (any, value) => {
        let place: ReturnType<typeof described>
        try {
          place = described(any, value)
        } catch (error) {
          // An identifier or a reference is no URI: the page says that the schema cannot be shown.
          expect((error as Error).message).to.match(/URL|URI/)
          return
        }
        for (const member of membersOf(place, value)) expect(member.name).to.be.a('string')
        expect(schemasOfItem(place, 1)).to.be.an('array')
      }),
      { numRuns: 500 },
    )
  })
})
