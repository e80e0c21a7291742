import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../../src/core/json/try-parse.js'
import { toJsonPatch } from '../../../src/features/comparison/documents/json-diff.js'
import { compareJsonSchemas } from '../../../src/features/comparison/documents/json-schema-diff.js'
import {
  type Compatibility,
  overallCompatibility,
} from '../../../src/features/comparison/documents/schema-compatibility.js'
import { applyJsonPatch } from '../../support/data/apply-json-patch.js'
import { isLongForm } from '../../support/program/long-form.js'

const names = ['a', 'b', 'c'] as const
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const small = fc.nat(3)
type Members = Readonly<Record<string, Json>>

const { schema: schemas, members: objects } = fc.letrec<{ schema: Json; members: Members }>(tie => {
  const inner = tie('schema') as fc.Arbitrary<Json>
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  const byName = fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 3 })
  const keywords = {
    type: fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
    enum: fc.uniqueArray(fc.constantFrom<Json>(0, 1, 'x', null, true), { minLength: 1 }),
    const: fc.constantFrom<Json>(0, 'x'),
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 4),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^x', 'y$'),
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    minProperties: small,
    maxProperties: small,
    minContains: small,
    maxContains: small,
    required: fc.uniqueArray(fc.constantFrom(...names)),
    dependentRequired: fc.dictionary(fc.constantFrom(...names), fc.uniqueArray(fc.constantFrom(...names))),
    title: fc.constantFrom('A', 'B'),
    description: fc.constantFrom('A', 'B'),
    default: fc.constantFrom<Json>(0, 'x'),
    'x-unknown': small,
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), inner),
    additionalProperties: fc.oneof(fc.boolean(), inner),
    propertyNames: fc.record({ enum: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }) }),
    items: inner,
    prefixItems: several,
    contains: inner,
    allOf: several,
    anyOf: several,
    oneOf: several,
    not: inner,
    if: inner,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: inner,
    else: inner,
    dependentSchemas: byName,
    unevaluatedProperties: fc.boolean(),
    $defs: fc.dictionary(fc.constantFrom('d'), inner),
    $ref: fc.constantFrom('#/$defs/d', '#/properties/a'),
  }
  const one = fc.constantFrom(...Object.keys(keywords)).chain(name => {
    const value = keywords[name as keyof typeof keywords] as fc.Arbitrary<Json>
    return value.map(value => [name, value] as const)
  })
  const members = fc.array(one, { maxLength: 5 }).map(entries => Object.fromEntries(entries) as Members)
  return {
    members,
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      fc.constantFrom(...types).map(type => ({ type })),
      members,
      members,
    ),
  }
})

const documents: fc.Arbitrary<Json> = fc
  .letrec<{ value: Json }>(tie => ({
    value: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      fc.constantFrom<Json>(null, true, false, 0, 1, 2, 3, 4, 0.5, '', 'x', 'xy', 'y'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.map(value => JSON.parse(JSON.stringify(value)) as Json)

/** The schema with parts of another schema. @param choices numbers that decide, one after the other */
function edited(schema: Json, other: Json, choices: Iterator<number>): Json {
  const choice = () => Number(choices.next().value ?? 0)
  if (!isObject(schema) || !isObject(other)) return choice() > 6 ? other : schema
  const made: Record<string, Json> = {}
  for (const [name, value] of Object.entries(schema)) {
    const wanted = choice()
    const theirs = other[name]
    if (wanted === 0) continue
    if (wanted < 4 && theirs !== undefined) made[name] = theirs
    else if (isObject(value)) made[name] = edited(value, isObject(theirs) ? theirs : other, choices)
    else made[name] = value
  }
  for (const [name, value] of Object.entries(other)) if (!(name in made) && choice() > 6) made[name] = value
  return made
}

function isObject(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Compiles a schema. The result is undefined if the schema is invalid, recurses, or makes the library generate wrong
 * code.
 */
function compiled(schema: Json): (document: Json) => boolean | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false })
  const validate = unlessItThrows(() => ajv.compile(schema as AnySchema))
  return document => validate && unlessItThrows(() => validate(document) === true)
}

function unlessItThrows<T>(job: () => T): T | undefined {
  try {
    return job()
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

describe('the effects of changes of a JSON Schema', () => {
  it('are breaking if a valid document becomes invalid', () => {
    const told: Record<Compatibility, number> = { neutral: 0, compatible: 0, breaking: 0 }
    let valid = 0
    const runs = isLongForm ? 400 : 200
    const edits = fc
      .tuple(objects, objects, fc.array(fc.nat(9), { minLength: 40, maxLength: 40 }))
      .map(([schema, other, choices]) => [schema, edited(schema, other, choices.values())] as const)
    fc.assert(
      fc.property(edits, fc.array(documents, { minLength: 20, maxLength: 20 }), ([before, after], many) => {
        const changes = compareJsonSchemas(before, after)
        const effect = overallCompatibility(changes)
        expect(applyJsonPatch(before, toJsonPatch(changes))).to.deep.equal(after)
        told[effect]++
        if (effect === 'breaking') return
        const [was, is] = [compiled(before), compiled(after)]
        for (const document of many) {
          const [before, after] = [was(document), is(document)]
          if (before === undefined || after === undefined) continue
          if (effect === 'neutral') expect(after, JSON.stringify(document)).to.equal(before)
          if (!before) continue
          valid++
          expect(after, JSON.stringify(document)).to.equal(true)
        }
      }),
      { numRuns: runs },
    )
    // Ensures that not every change counts as breaking.
    expect(told.compatible).to.be.above(runs / 40)
    expect(valid).to.be.above(runs * 2)
  })

  it('are found for whole schemas of any kind', () => {
    fc.assert(
      fc.property(schemas, schemas, (before, after) => {
        expect(applyJsonPatch(before, toJsonPatch(compareJsonSchemas(before, after)))).to.deep.equal(after)
      }),
      { numRuns: 500 },
    )
  })

  const open = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  const closed = { ...open, additionalProperties: false }
  const cases: readonly [what: string, before: Json, after: Json, told: readonly string[]][] = [
    ['a title', open, { ...open, title: 'A', description: 'a' }, ['neutral', 'neutral']],
    ['the order of required', { required: ['a', 'b'] }, { required: ['b', 'a'] }, ['neutral', 'neutral']],
    [
      'a member that is no longer required',
      open,
      { ...open, required: [] },
      ['compatible no longer requires a member'],
    ],
    ['a member required', open, { ...open, required: ['a', 'b'] }, ['breaking requires a member']],
    [
      'a new member of a closed object',
      closed,
      { ...closed, properties: { ...open.properties, b: { type: 'string' } } },
      ['compatible adds an optional member that no document can have had'],
    ],
    [
      'a new member of an open object',
      open,
      { ...open, properties: { ...open.properties, b: { type: 'string' } } },
      ['breaking documents may have such a member with another value'],
    ],
    [
      'another type',
      open,
      { ...open, properties: { a: { type: ['string', 'null'] } } },
      ['compatible permits another type'],
    ],
    ['a narrower type', { type: 'number' }, { type: 'integer' }, ['breaking no longer permits a type']],
    ['another value', { enum: ['a'] }, { enum: ['a', 'b'] }, ['compatible permits another value']],
    ['a removed value', { enum: ['a', 'b'] }, { enum: ['a'] }, ['breaking no longer permits a value']],
    [
      'bounds',
      { maxLength: 5, minimum: 1 },
      { maxLength: 4, minimum: 0 },
      ['breaking narrows a bound', 'compatible widens a bound'],
    ],
    ['a closed object', open, closed, ['breaking adds a condition']],
    ['an opened object', closed, open, ['compatible removes a condition']],
    ['an unknown keyword', open, { ...open, 'x-unit': 'm' }, ['breaking cannot be decided']],
    ['a change below not', { not: { type: 'string' } }, { not: {} }, ['breaking cannot be decided']],
    [
      'a definition with a reference',
      { $ref: '#/$defs/d', $defs: { d: { maximum: 1 } } },
      { $ref: '#/$defs/d', $defs: { d: { maximum: 2 } } },
      ['compatible widens a bound'],
    ],
    [
      'a definition below not',
      { not: { $ref: '#/$defs/d' }, $defs: { d: { maximum: 1 } } },
      { not: { $ref: '#/$defs/d' }, $defs: { d: { maximum: 2 } } },
      ['breaking cannot be decided'],
    ],
    [
      'a step that divides the old one',
      { multipleOf: 0.03 },
      { multipleOf: 0.01 },
      ['compatible widens a bound'],
    ],
    [
      'bounds of old drafts',
      { maximum: 1, exclusiveMaximum: true },
      { maximum: 1 },
      ['compatible removes a condition'],
    ],
    ['a schema that accepts everything', { type: 'string' }, true, ['compatible removes a condition']],
    ['a schema that accepts nothing', { type: 'string' }, false, ['breaking cannot be decided']],
  ]
  for (const [what, before, after, told] of cases) {
    it(`are correct for: ${what}`, () => {
      const changes = compareJsonSchemas(before, after)

      expect(changes.map(({ effect, reason }) => [effect, reason].filter(Boolean).join(' '))).to.deep.equal(
        told,
      )
    })
  }
})
