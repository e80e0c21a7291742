// test-schedule: quick

import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import type { Collection } from '../../../src/core/records/collection.js'
import { relatedResources, type StoredRecord } from '../../../src/core/records/record.js'
import { recordJsonSchema, type SchemaNode } from '../../../src/core/records/record-json-schema.js'
import { asVersion, type Id } from '../../../src/core/value-types.js'
import {
  canonicalRecord,
  decodeHandwrittenRecord,
  decodeRecord,
  encodeRecord,
  sameRecord,
} from '../../../src/store/records/record-json.js'
import { anyCharacter } from '../../support/data/any-character.js'

const id = 'a-record' as Id
const cites = { value: 'x', relationType: 'CITES' }

describe('the stored form of a record', () => {
  it('is pretty JSON with a final newline and its members in a fixed order', () => {
    const record: StoredRecord = {
      acls: [{ permission: 'ADMINISTRATE', sid: 'SELF' }],
      titles: [{ titleType: 'OTHER', value: 'A title' }],
      id,
    }

    expect(encodeRecord(record).toString()).to.equal(
      `{
  "id": "a-record",
  "titles": [
    {
      "value": "A title",
      "titleType": "OTHER"
    }
  ],
  "acls": [
    {
      "sid": "SELF",
      "permission": "ADMINISTRATE"
    }
  ]
}
`,
    )
  })

  it('omits empty and default values, at every depth', () => {
    const record = {
      id,
      publisher: '',
      sizes: ['', ''],
      creators: [{ familyName: '', affiliations: [] }],
      subjects: [{ value: 'x', scheme: { schemeId: '' }, lang: null }],
      titles: [{ value: '' }],
      state: 'VOLATILE',
      doNotSync: undefined,
      language: null,
    } as unknown as StoredRecord

    expect(JSON.parse(encodeRecord(record).toString())).to.deep.equal({ id, subjects: [{ value: 'x' }] })
  })

  it('keeps an empty text that its entry needs', () => {
    const record: StoredRecord = { id, titles: [{ value: '', lang: 'de' }] }

    expect(decodeRecord(encodeRecord(record))).to.deep.equal(record)
  })

  it('keeps states other than VOLATILE, and the flag doNotSync', () => {
    const record: StoredRecord = { id, state: 'REVOKED', doNotSync: false }

    expect(decodeRecord(encodeRecord(record))).to.deep.equal(record)
  })

  it('reads back unchanged', () => {
    fc.assert(
      fc.property(anyRecord(), record => {
        const bytes = encodeRecord(record)
        expect(decodeRecord(bytes)).to.deep.equal(canonicalRecord(record))
        expect(encodeRecord(decodeRecord(bytes)).equals(bytes)).to.equal(true)
      }),
    )
  })

  it('is its own stored form', () => {
    fc.assert(
      fc.property(anyRecord(), record => {
        const once = canonicalRecord(record)
        // A copy, because the server remembers which objects are canonical.
        expect(canonicalRecord(structuredClone(once))).to.deep.equal(once)
      }),
    )
  })

  it('has the same bytes for any order of members', () => {
    fc.assert(
      fc.property(anyRecord(), fc.infiniteStream(fc.nat()), (record, random) => {
        const shuffled = Buffer.from(JSON.stringify(shuffle(record, random)))
        expect(encodeRecord(decodeRecord(shuffled)).toString()).to.equal(encodeRecord(record).toString())
      }),
    )
  })
})

describe('values with several notations', () => {
  it('have one stored form: times in seconds, in UTC', () => {
    const found = canonicalRecord({
      id,
      dates: [
        { value: '2026', type: 'ISSUED' },
        { value: '2026-11', type: 'VALID' },
        { value: '2026-11-21', type: 'COLLECTED' },
        { value: '2026-11-21T05:12:00.987+02:00', type: 'SUBMITTED' },
      ],
      embargoDate: '2027-01-01T01:00+01:00',
    })

    expect(found.dates?.map(({ value }) => value)).to.deep.equal([
      '2026-01-01T00:00:00Z',
      '2026-11-01T00:00:00Z',
      '2026-11-21T00:00:00Z',
      '2026-11-21T03:12:00Z',
    ])
    expect(found.embargoDate).to.equal('2027-01-01T00:00:00Z')
  })

  it('have one stored form: a single date CREATED before all other dates', () => {
    const found = canonicalRecord({
      id,
      dates: [
        { value: '2025', type: 'ISSUED' },
        { value: '2024', type: 'CREATED' },
        { value: '2023', type: 'CREATED' },
      ],
    })

    expect(found.dates).to.deep.equal([
      { value: '2024-01-01T00:00:00Z', type: 'CREATED' },
      { value: '2025-01-01T00:00:00Z', type: 'ISSUED' },
    ])
  })

  it('have one stored form: a related identifier has a type, derived from its value if absent', () => {
    const related = (value: string) => ({ value, relationType: 'CITES' })

    const { relatedIdentifiers } = canonicalRecord({
      id,
      relatedIdentifiers: [related('https://example.org/x'), related('HTTP://x'), related('rod 7')],
    })

    expect(relatedIdentifiers?.map(({ identifierType }) => identifierType)).to.deep.equal([
      'URL',
      'URL',
      'INTERNAL',
    ])
  })
})

describe('members that the interface adds to every record', () => {
  const follows = { schemaId: 'y' as Id, version: asVersion(2) }
  const derived: StoredRecord = {
    id,
    schema: follows,
    identifier: { value: '(:tba)', identifierType: 'DOI' },
    titles: [{ value: 'Metadata 4 metastore' }],
    resourceType: { value: 'XML_Metadata', typeGeneral: 'MODEL' },
    relatedIdentifiers: [
      { identifierType: 'URL', value: 'https://x/schemas/y?version=2', relationType: 'HAS_METADATA' },
      { identifierType: 'URL', value: 'https://x/metadata/a?version=1', relationType: 'ISNEWVERSIONOF' },
    ],
    alternateIdentifiers: [{ value: id, identifierType: 'INTERNAL' }],
    state: 'VOLATILE',
  }

  it('are not stored', () => {
    expect(canonicalRecord(derived)).to.deep.equal({ id, schema: follows })
    expect(sameRecord(derived, { id, schema: follows })).to.equal(true)
  })

  it('are stored if they differ from the default', () => {
    const record: StoredRecord = {
      id,
      identifier: { value: '(:tba)', identifierType: 'Handle' },
      titles: [{ value: 'Metadata 4 metastore', lang: 'en' }],
      relatedIdentifiers: [{ identifierType: 'URL', value: 'https://x', relationType: 'HAS_METADATA' }],
      alternateIdentifiers: [
        { value: id, identifierType: 'OTHER' },
        { value: 'another', identifierType: 'INTERNAL' },
      ],
    }

    expect(canonicalRecord(record)).to.deep.equal(record)
  })
})

describe('reading a handwritten record', () => {
  const written = (kind: Collection, json: unknown) =>
    decodeHandwrittenRecord(kind, Buffer.from(JSON.stringify(json)))

  it('returns the same for the canonical form, which has a fast path, and for every other form', () => {
    const odd = fc.constantFrom(
      null,
      '',
      0,
      -0,
      7,
      true,
      'CREATED',
      'HAS_METADATA',
      'IS_METADATA_FOR',
      [],
      {},
      ['x'],
    )
    const changes = fc.array(fc.tuple(fc.infiniteStream(fc.nat()), odd), { maxLength: 2 })
    const kinds = fc.constantFrom<Collection>('schema', 'metadata')
    let stored = 0
    fc.assert(
      fc.property(kinds, anyRecord(), changes, (kind, record, edits) => {
        const value = edits.reduce<unknown>(
          (before, [random, to]) => changed(before, random, to),
          structuredClone(canonicalRecord(record)),
        )
        const read = (text: string) => {
          try {
            return JSON.stringify(decodeHandwrittenRecord(kind, Buffer.from(text)))
          } catch (error) {
            if (error instanceof ProblemError) return JSON.stringify(error.extra.findings)
            throw error
          }
        }
        const ours = `${JSON.stringify(value, undefined, 2)}\n`
        const found = read(ours)
        expect(found).to.equal(read(JSON.stringify(value)))
        if (found === JSON.stringify(value)) stored++
      }),
      { numRuns: 500 },
    )
    // Ensures that the loop has compared enough records.
    expect(stored).to.be.greaterThan(50)
  })

  it('accepts absent members that the path and the history determine', () => {
    expect(written('schema', {})).to.deep.equal({})
    expect(written('metadata', { schema: { schemaId: 'y' } })).to.deep.equal({ schema: { schemaId: 'y' } })
  })

  it('uses an INTERNAL HAS_METADATA as the schema if none is named', () => {
    const link = (value: string, more = {}) => ({ value, relationType: 'HAS_METADATA', ...more })
    const read = (entry: object) => written('metadata', { relatedIdentifiers: [entry] })

    expect(read(link('y', { identifierType: 'INTERNAL' }))).to.deep.equal({ schema: { schemaId: 'y' } })
    expect(read(link('y/3'))).to.deep.equal({ schema: { schemaId: 'y', version: 3 } })
    expect(read({ value: 'y', relationType: 'HASMETADATA' })).to.deep.equal({ schema: { schemaId: 'y' } })
    // A schema does not follow a schema, so this relation has no special meaning.
    expect(written('schema', { relatedIdentifiers: [link('y')] }).schema).to.equal(undefined)
  })

  const links: readonly (readonly [string, unknown, readonly string[], string])[] = [
    [
      'by URL',
      { relatedIdentifiers: [cites, has('https://x.org/metastore/api/v2/schemas/y?version=3')] },
      ['/relatedIdentifiers/1'],
      'write "schema": {"schemaId":"y","version":3}',
    ],
    [
      'by another URL',
      { relatedIdentifiers: [has('https://x.org/y')] },
      ['/relatedIdentifiers/0'],
      '"schema"',
    ],
    [
      'next to the member',
      { schema: { schemaId: 'y' }, relatedIdentifiers: [has('y')] },
      ['/relatedIdentifiers/0'],
      'Remove this entry.',
    ],
    [
      'twice',
      { relatedIdentifiers: [has('y'), has('z')] },
      ['/relatedIdentifiers/0', '/relatedIdentifiers/1'],
      'Remove this entry',
    ],
    ['version 0', { relatedIdentifiers: [has('y/0')] }, ['/relatedIdentifiers/0'], 'Remove this entry'],
  ]
  for (const [what, json, paths, advice] of links) {
    it(`refuses HAS_METADATA ${what}, and shows the correct form`, () => {
      const { findings = [] } = problemOf(() => written('metadata', json)).extra

      expect(findings.map(({ path }) => path)).to.deep.equal(paths)
      expect(findings[0]?.message).to.contain(advice)
    })
  }

  const sentences: readonly (readonly [unknown, string])[] = [
    [
      { state: 'volatile' },
      'The member "state" must be one of VOLATILE, FIXED, REVOKED, GONE, not "volatile".',
    ],
    [{ publicationYear: 2026 }, 'The member "publicationYear" must be a text in quotes, not 2026.'],
    [{ titles: ['x'] }, 'An entry of "titles" must be an object in braces, {…}, not "x".'],
    [
      { acls: [{ sid: 'x' }] },
      'The member "permission" is missing in an entry of "acls". Add it with one of NONE, READ, WRITE, ADMINISTRATE.',
    ],
    [
      { titles: [{ value: 'x', id: 1 }] },
      'An entry of "titles" has no member "id". Remove it: an entry is known by its place.',
    ],
    [
      { titles: [{ text: 'x', value: 'y' }] },
      'An entry of "titles" has no member "text". There are value, titleType, lang.',
    ],
    [{ acl: [] }, 'A record has no member "acl". Remove it: it is the member "acls".'],
    [
      { embargoDate: 'soon' },
      'The member "embargoDate" must be a time, not "soon": write it as 2026-11-21T05:12:00Z, or a year, month or day alone.',
    ],
    [
      { dates: [{ value: '0000-01-01T00:00:00+01:00', type: 'VALID' }] },
      'The member "value" must be a time, not "0000-01-01T00:00:00+01:00": write it as 2026-11-21T05:12:00Z, or a year, month or day alone.',
    ],
    [{ schema: { schemaId: 'y', version: 0 } }, 'The member "version" must be 1 or more, not 0.'],
  ]
  for (const [json, sentence] of sentences) {
    it(`refuses ${JSON.stringify(json)} with a remedy`, () => {
      const { findings = [] } = problemOf(() => written('schema', json)).extra

      expect(findings.map(({ message }) => message)).to.deep.equal([sentence])
    })
  }

  it('lists the recommended relations', () => {
    const json = { relatedIdentifiers: [{ value: 'x', relationType: 'ABOUT' }] }
    const { findings = [] } = problemOf(() => written('metadata', json)).extra

    expect(findings[0]?.message).to.contain('IS_METADATA_FOR').and.not.contain('ISMETADATAFOR')
  })

  it('treats null as absent', () => {
    const found = decodeRecord(
      Buffer.from('{"id": "x", "titles": null, "identifier": {"value": "1", "identifierType": null}}'),
    )

    expect(found).to.deep.equal({ id: 'x', identifier: { value: '1' } })
  })

  it('accepts surrogate pairs of escapes, and escaped backslashes before a u', () => {
    const found = decodeRecord(Buffer.from('{"id": "x", "publisher": "\\ud83d\\ude00 \\\\ud800"}'))

    expect(found.publisher).to.equal('\u{1f600} \\ud800')
  })

  it('accepts relations without underscores, as the interface does', () => {
    const related = (relationType: string) => ({ value: 'r', identifierType: 'URL', relationType })
    const relatedIdentifiers = ['ISMETADATAFOR', 'CITES', 'IS_PART_OF', 'ISVARIANTFORMOF'].map(related)

    const found = decodeRecord(Buffer.from(JSON.stringify({ id: 'x', relatedIdentifiers })))

    expect(found.relatedIdentifiers?.map(({ relationType }) => relationType)).to.deep.equal([
      'IS_METADATA_FOR',
      'CITES',
      'IS_PART_OF',
      'IS_VARIANT_FORM_OF',
    ])
    expect(relatedResources(found)).to.deep.equal(['r'])
    expect(sameRecord(found, { id: 'x' as Id, relatedIdentifiers })).to.equal(true)
  })

  const faults: readonly (readonly [string, string | Uint8Array, readonly (string | undefined)[]])[] = [
    ['broken UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), ['']],
    ['a byte order mark', '\ufeff{"id": "x"}', ['']],
    ['UTF-16', Buffer.from('{"id": "x"}', 'utf16le'), ['']],
    ['an empty file', '', ['']],
    ['text that is not JSON', '{"id": "x",\n "titles": }', ['']],
    ['two JSON texts', '{"id": "x"}\n{"id": "x"}', ['']],
    ['a list', '[{"id": "x"}]', ['']],
    ['null', 'null', ['']],
    ['half of a surrogate pair', '{"id": "x", "publisher": "\\\\ \\ud800\\ud83d\\ude00"}', ['']],
    ['a member twice', '{"id": "x", "id": "y"}', ['/id']],
    ['a member twice, once escaped', '{"id": "x", "\\u0069d": "y"}', ['/id']],
    [
      'a member twice at depth',
      '{"id": "x", "titles": [{"value": "a"}, {"value": "b", "value": "{[,"}]}',
      ['/titles/1/value'],
    ],
    ['no id', '{}', ['']],
    ['an id that is not permitted', '{"id": "../x"}', ['/id']],
    ['an unknown member', '{"id": "x", "titel": "y"}', ['/titel']],
    [
      'an unknown member with odd characters',
      '{"id": "x", "titles": [{"value": "a", "a/b~c": 1}]}',
      ['/titles/0/a~1b~0c'],
    ],
    ['a derived member', '{"id": "x", "version": "3"}', ['/version']],
    ['a member named __proto__', '{"id": "x", "__proto__": {"state": "GONE"}}', ['/__proto__']],
    ['a member named like a method', '{"id": "x", "toString": 1}', ['/toString']],
    ['an unknown state', '{"id": "x", "state": "volatile"}', ['/state']],
    ['a number in place of a text', '{"id": "x", "publicationYear": 2026}', ['/publicationYear']],
    ['null in a list', '{"id": "x", "sizes": [null]}', ['/sizes/0']],
    ['version 0', '{"id": "x", "schema": {"schemaId": "y", "version": 0}}', ['/schema/version']],
    ['a fractional version', '{"id": "x", "schema": {"schemaId": "y", "version": 1.5}}', ['/schema/version']],
    [
      'a number outside of the range',
      '{"id": "x", "geoLocations": [{"point": {"longitude": 1e999, "latitude": 1}}]}',
      ['/geoLocations/0/point/longitude'],
    ],
    [
      'a date that does not exist',
      '{"id": "x", "dates": [{"value": "2026-02-30T00:00:00Z", "type": "CREATED"}]}',
      ['/dates/0/value'],
    ],
    [
      'a required member that is null',
      '{"id": "x", "acls": [{"sid": null, "permission": "READ"}]}',
      ['/acls/0'],
    ],
    ['several faults together', '{"id": "x", "state": "no", "sizes": "1 kB"}', ['/sizes', '/state']],
  ]
  for (const [what, text, paths] of faults) {
    it(`refuses ${what}, with the position`, () => {
      const problem = problemOf(() => decodeRecord(Buffer.from(text)))

      expect(problem.kind).to.equal('unprocessable')
      expect(problem.extra.findings?.map(finding => finding.path)).to.deep.equal(paths)
    })
  }

  it('reports the line of a syntax error if the parser reports it', () => {
    const problem = problemOf(() => decodeRecord(Buffer.from('{\n"id": "x"\n"titles": []}')))

    expect(problem.extra.findings?.[0]?.line).to.equal(3)
  })

  it('accepts unlimited nesting and thousands of errors', () => {
    const deep = `{"id": "x", "titles": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const many = JSON.stringify({ id, sizes: new Array(100_000).fill(1) })

    expect(problemOf(() => decodeRecord(Buffer.from(deep))).kind).to.equal('unprocessable')
    expect(problemOf(() => decodeRecord(Buffer.from(many))).extra.findings?.length).to.be.within(1, 20)
  })
})

describe('comparing stored forms', () => {
  it('ignores the order of ACL entries, but no other order', () => {
    const a: StoredRecord = { id, sizes: ['1', '2'], acls: [entry('x', 'READ'), entry('y', 'WRITE')] }
    const b: StoredRecord = { id, sizes: ['1', '2'], acls: [entry('y', 'WRITE'), entry('x', 'READ')] }

    expect(sameRecord(a, b)).to.equal(true)
    expect(sameRecord(a, { ...a, sizes: ['2', '1'] })).to.equal(false)
    expect(sameRecord(a, { ...a, acls: [entry('x', 'READ')] })).to.equal(false)
    expect(sameRecord(a, { ...a, acls: [entry('x', 'WRITE'), entry('y', 'READ')] })).to.equal(false)
  })

  it('treats default and empty values as absent', () => {
    expect(sameRecord({ id }, { id, state: 'VOLATILE', titles: [], publisher: '' })).to.equal(true)
  })
})

function has(value: string) {
  return { value, relationType: 'HAS_METADATA' }
}

function entry(sid: string, permission: 'READ' | 'WRITE') {
  return { sid, permission }
}

function problemOf(call: () => unknown): ProblemError {
  try {
    call()
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
  throw new Error('The call did not fail.')
}

/** Records of every shape of the schema, including empty texts, empty lists and derived members. */
function anyRecord(): fc.Arbitrary<StoredRecord> {
  const derived = fc.record(
    {
      identifier: fc.constant({ value: '(:tba)', identifierType: 'DOI' }),
      titles: fc.constant([{ value: 'Metadata 4 metastore' }, { value: '' }]),
      alternateIdentifiers: fc.constant([{ value: 'own', identifierType: 'INTERNAL' }]),
      id: fc.constant('own'),
    },
    { requiredKeys: [] },
  )
  return fc
    .tuple(arbitrary(recordJsonSchema), derived)
    .map(([record, more]) => ({ ...(record as StoredRecord), ...more }) as StoredRecord)
}

function arbitrary(shape: SchemaNode): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(shape.properties).map(([name, inner]) => [name, arbitrary(inner)])),
        { requiredKeys: [...shape.required] },
      )
    case 'array':
      return fc.array(arbitrary(shape.items), { maxLength: 3 })
    case 'boolean':
      return fc.constant(false)
    case 'integer':
      return fc.integer({ min: 1 })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    default:
      if (shape.enum) return fc.constantFrom(...shape.enum)
      if (shape.format === 'id') return fc.stringMatching(/^[A-Za-z0-9*_-]{1,20}$/)
      if (shape.format === 'instant') {
        return fc.constantFrom('2026', '2026-11', '2026-11-21T05:12:00Z', '2026-11-21T05:12:00.5+02:00')
      }
      return fc.string({ unit: anyCharacter })
  }
}

function shuffle(value: unknown, random: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map(item => shuffle(item, random))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [random.next().value as number, name, shuffle(member, random)] as const)
      .sort(([a], [b]) => a - b)
      .map(([, name, member]) => [name, member]),
  )
}

/** A copy with another value at any place. */
function changed(value: unknown, random: fc.Stream<number>, to: unknown): unknown {
  if (typeof value !== 'object' || value === null) return to
  const names = Object.keys(value)
  const turn = random.next().value ?? 0
  const name = names[turn % (names.length + 1)]
  if (name === undefined) return to
  const inner = changed((value as Record<string, unknown>)[name], random, to)
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === name ? inner : item))
  return { ...value, [name]: inner }
}
