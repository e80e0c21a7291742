import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../src/core/problem.js'
import { relatedResources, type StoredRecord } from '../src/core/record.js'
import { recordSchema, type Shape } from '../src/core/record-schema.js'
import type { Id } from '../src/core/values.js'
import { canonicalRecord, decodeRecord, encodeRecord, sameRecord } from '../src/store/codec.js'

const id = 'a-record' as Id

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

  it('leaves out what is empty and what is the default, at every depth', () => {
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

  it('keeps an empty text that the entry around it needs', () => {
    const record: StoredRecord = { id, titles: [{ value: '', lang: 'de' }] }

    expect(decodeRecord(encodeRecord(record))).to.deep.equal(record)
  })

  it('keeps states other than VOLATILE, and the flag doNotSync', () => {
    const record: StoredRecord = { id, state: 'REVOKED', doNotSync: false }

    expect(decodeRecord(encodeRecord(record))).to.deep.equal(record)
  })

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(anyRecord(), record => {
        const bytes = encodeRecord(record)
        expect(decodeRecord(bytes)).to.deep.equal(canonicalRecord(record))
        expect(encodeRecord(decodeRecord(bytes)).equals(bytes)).to.equal(true)
      }),
    )
  })

  it('is the same bytes whatever the order of members was', () => {
    fc.assert(
      fc.property(anyRecord(), fc.infiniteStream(fc.nat()), (record, random) => {
        const shuffled = Buffer.from(JSON.stringify(shuffle(record, random)))
        expect(encodeRecord(decodeRecord(shuffled)).toString()).to.equal(encodeRecord(record).toString())
      }),
    )
  })
})

describe('reading a record that a person wrote', () => {
  it('takes null as absent', () => {
    const found = decodeRecord(
      Buffer.from('{"id": "x", "titles": null, "identifier": {"value": "1", "identifierType": null}}'),
    )

    expect(found).to.deep.equal({ id: 'x', identifier: { value: '1' } })
  })

  it('takes characters that are written as two escapes, and backslashes before a u', () => {
    const found = decodeRecord(Buffer.from('{"id": "x", "publisher": "\\ud83d\\ude00 \\\\ud800"}'))

    expect(found.publisher).to.equal('\u{1f600} \\ud800')
  })

  it('understands relations without underscores, which the interface has too', () => {
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
    ['text that is no JSON', '{"id": "x",\n "titles": }', ['']],
    ['two JSON texts', '{"id": "x"}\n{"id": "x"}', ['']],
    ['a list', '[{"id": "x"}]', ['']],
    ['null', 'null', ['']],
    ['half of a surrogate pair', '{"id": "x", "publisher": "\\\\ \\ud800\\ud83d\\ude00"}', ['']],
    ['a member twice', '{"id": "x", "id": "y"}', ['/id']],
    ['a member twice, once escaped', '{"id": "x", "\\u0069d": "y"}', ['/id']],
    [
      'a member twice deep inside',
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
    ['a number for a text', '{"id": "x", "publicationYear": 2026}', ['/publicationYear']],
    ['null in a list', '{"id": "x", "sizes": [null]}', ['/sizes/0']],
    ['version 0', '{"id": "x", "schema": {"schemaId": "y", "version": 0}}', ['/schema/version']],
    ['half a version', '{"id": "x", "schema": {"schemaId": "y", "version": 1.5}}', ['/schema/version']],
    [
      'a number that is none',
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
    ['several faults at once', '{"id": "x", "state": "no", "sizes": "1 kB"}', ['/sizes', '/state']],
  ]
  for (const [what, text, paths] of faults) {
    it(`refuses ${what}, and says where`, () => {
      const problem = problemOf(() => decodeRecord(Buffer.from(text)))

      expect(problem.kind).to.equal('unprocessable')
      expect(problem.extra.findings?.map(finding => finding.path)).to.deep.equal(paths)
    })
  }

  it('says the line of a syntax error where the parser knows it', () => {
    const problem = problemOf(() => decodeRecord(Buffer.from('{\n"id": "x"\n"titles": []}')))

    expect(problem.extra.findings?.[0]?.line).to.equal(3)
  })

  it('bears nesting without end and thousands of faults', () => {
    const deep = `{"id": "x", "titles": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const many = JSON.stringify({ id, sizes: new Array(100_000).fill(1) })

    expect(problemOf(() => decodeRecord(Buffer.from(deep))).kind).to.equal('unprocessable')
    expect(problemOf(() => decodeRecord(Buffer.from(many))).extra.findings?.length).to.be.within(1, 20)
  })
})

describe('comparing stored forms', () => {
  it('lets the order of ACL entries not count, and that of anything else count', () => {
    const a: StoredRecord = { id, sizes: ['1', '2'], acls: [entry('x', 'READ'), entry('y', 'WRITE')] }
    const b: StoredRecord = { id, sizes: ['1', '2'], acls: [entry('y', 'WRITE'), entry('x', 'READ')] }

    expect(sameRecord(a, b)).to.equal(true)
    expect(sameRecord(a, { ...a, sizes: ['2', '1'] })).to.equal(false)
    expect(sameRecord(a, { ...a, acls: [entry('x', 'READ')] })).to.equal(false)
    expect(sameRecord(a, { ...a, acls: [entry('x', 'WRITE'), entry('y', 'READ')] })).to.equal(false)
  })

  it('takes the default and the empty as absent', () => {
    expect(sameRecord({ id }, { id, state: 'VOLATILE', titles: [], publisher: '' })).to.equal(true)
  })
})

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
  throw new Error('It was not refused.')
}

/** Records of every shape the schema has, empty texts and empty lists included. */
function anyRecord(): fc.Arbitrary<StoredRecord> {
  return arbitrary(recordSchema) as fc.Arbitrary<StoredRecord>
}

function arbitrary(shape: Shape): fc.Arbitrary<unknown> {
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
      if (shape.format === 'instant') return fc.constantFrom('2026', '2026-11-21T05:12:00Z')
      return fc.string({ unit: 'binary' })
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
