// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { withoutDefaultYear } from '../../../src/core/records/record-defaults.js'
import { recordJsonSchema, type SchemaNode } from '../../../src/core/records/record-json-schema.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, toInstant, toOid, toSha1 } from '../../../src/core/value-types.js'
import type { JsonObject } from '../../../src/http/record-formats/record-format-interface.js'
import { v1 } from '../../../src/http/record-formats/v1/record-format.js'
import { v2 } from '../../../src/http/record-formats/v2/record-format.js'
import { canonicalRecord, sameRecord } from '../../../src/store/records/record-json.js'
import { arbitraryVersion2Record } from '../../support/data/arbitrary-records.js'

const base = 'http://localhost:8040'
const root = `${base}/api/v2`
const schemaId = 'datacite' as Id
const uuid = '1f6c2a90-0000-4000-8000-000000000000' as Id
const minimal = {
  titles: [{ value: 'A title' }],
  relatedIdentifiers: [
    { identifierType: 'URL', value: 'https://example.org/d', relationType: 'IS_METADATA_FOR' },
    { identifierType: 'INTERNAL', value: 'datacite/2', relationType: 'HAS_METADATA' },
  ],
}

function revision(kind: 'schema' | 'metadata', record: Omit<StoredRecord, 'id'>, version = 3): Revision {
  const id = kind === 'schema' ? schemaId : uuid
  return {
    kind,
    id,
    version: asVersion(version),
    ...(version > 1 ? { previous: asVersion(version - 1) } : {}),
    commit: toOid('a'.repeat(40)),
    time: toInstant(Date.UTC(2026, 10, 21, 5, 12, 0, 120)),
    createdAt: toInstant(Date.UTC(2026, 10, 20, 5, 12, 0, 999)),
    record: { id, ...record },
    documentType: 'XML',
    documentHash: toSha1('b'.repeat(40)),
    document: toOid('c'.repeat(40)),
    files: new Map(),
    sequence: 7,
  }
}

const stored = { schema: { schemaId, version: asVersion(2) } }

/** The stored record after a creation. */
function created(kind: 'schema' | 'metadata', sent: JsonObject): Revision {
  if (kind === 'schema') {
    const draft = v2.parseNew.schema({ id: schemaId, ...sent }, [])
    return revision(kind, canonicalRecord(draft.edit({ id: schemaId, publisher: 'SELF' })))
  }
  const { relatedIdentifiers: sentRelations = [] } = sent as {
    relatedIdentifiers?: readonly { relationType: string }[]
  }
  const others = sentRelations.filter(({ relationType }) => !/^HAS_?METADATA$/.test(relationType))
  const relations = [...others, ...minimal.relatedIdentifiers]
  const draft = v2.parseNew.metadata({ id: uuid, ...sent, relatedIdentifiers: relations }, [base])
  const record = { ...draft.edit({ id: uuid, publisher: 'SELF' }), ...stored }
  return revision(kind, canonicalRecord(record))
}

function shown(wire: typeof v1, of: Revision): JsonObject {
  const json = wire.render(of, root)
  return JSON.parse(JSON.stringify(json)) as JsonObject
}

function changed(wire: typeof v1, of: Revision, sent: JsonObject): StoredRecord {
  if (of.kind === 'schema') return canonicalRecord(wire.parseChange.schema(sent, []).edit(of.record))
  const { edit, schema } = wire.parseChange.metadata(sent, [base])
  expect(schema?.schemaId).to.equal(schemaId)
  expect(schema?.version).to.equal(2)
  return canonicalRecord(edit(of.record))
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== 'id')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutIds(member)]))
}

function messageOf(job: () => unknown, about = '', kind = 'malformed-request'): string {
  try {
    job()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    expect(error.kind, about).to.equal(kind)
    return error.message
  }
  throw new Error(`The value was accepted: ${about}`)
}

describe('a version 2 record', () => {
  it('of metadata has all members of the interface, ids by position, and no empty members', () => {
    const related = { identifierType: 'URL', value: 'https://example.org/d', relationType: 'IS_METADATA_FOR' }
    const record: Omit<StoredRecord, 'id'> = {
      ...stored,
      creators: [{ givenName: 'Ada', affiliations: ['Example'] }, { familyName: 'B' }],
      publisher: 'SELF',
      publicationYear: '2026',
      contributors: [{ user: { familyName: 'C' }, contributionType: 'SUPERVISOR' }],
      relatedIdentifiers: [related],
      alternateIdentifiers: [{ value: 'other', identifierType: 'OTHER' }],
      geoLocations: [{ polygon: { points: [{ longitude: 1, latitude: 2 }] } }],
      acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
    }

    expect(shown(v2, revision('metadata', record))).to.deep.equal({
      id: uuid,
      identifier: { id: 1, value: '(:tba)', identifierType: 'DOI' },
      creators: [
        { id: 1, givenName: 'Ada', affiliations: ['Example'] },
        { id: 2, familyName: 'B' },
      ],
      titles: [{ id: 1, value: 'Metadata 4 metastore' }],
      publisher: 'SELF',
      publicationYear: '2026',
      resourceType: { id: 1, value: 'XML_Metadata', typeGeneral: 'MODEL' },
      contributors: [{ id: 1, user: { id: 1, familyName: 'C' }, contributionType: 'SUPERVISOR' }],
      dates: [{ id: 1, value: '2026-11-20T05:12:00Z', type: 'CREATED' }],
      relatedIdentifiers: [
        { id: 1, ...related },
        {
          id: 2,
          identifierType: 'URL',
          value: `${root}/schemas/datacite?version=2`,
          relationType: 'HAS_METADATA',
        },
        {
          id: 3,
          identifierType: 'URL',
          value: `${root}/metadata/${uuid}?version=2`,
          relationType: 'IS_NEW_VERSION_OF',
        },
      ],
      geoLocations: [{ id: 1, polygon: { id: 1, points: [{ id: 1, longitude: 1, latitude: 2 }] } }],
      alternateIdentifiers: [
        { id: 1, value: uuid, identifierType: 'INTERNAL' },
        { id: 2, value: 'other', identifierType: 'OTHER' },
      ],
      version: '3',
      lastUpdate: '2026-11-21T05:12:00.12Z',
      state: 'VOLATILE',
      acls: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
    })
  })

  it('of a first version has no previous version', () => {
    const relations = shown(v2, revision('metadata', stored, 1)).relatedIdentifiers
    expect(relations).to.have.length(1)
  })

  it('of a schema has its language as resource type, and the sent formats', () => {
    const json = shown(v2, revision('schema', {}))
    expect(json.resourceType).to.deep.equal({ id: 1, value: 'XML_Schema', typeGeneral: 'MODEL' })
    expect(json).to.not.have.property('formats')
    expect(shown(v2, revision('schema', { formats: ['text/xml'] })).formats).to.deep.equal(['text/xml'])
  })

  for (const kind of ['schema', 'metadata'] as const) {
    it(`of ${kind} changes nothing if sent back, through either version`, () => {
      fc.assert(
        fc.property(arbitraryVersion2Record(), sent => {
          const before = created(kind, sent)
          for (const version of [v1, v2]) {
            const stored = withoutDefaultYear(changed(version, before, shown(version, before)), before)
            expect(sameRecord(stored, before.record)).to.equal(true)
          }
        }),
      )
    })

    it(`of ${kind} is returned as sent, member by member`, () => {
      fc.assert(
        fc.property(arbitraryVersion2Record(), sent => {
          const asked = canonicalRecord({ ...sent, id: uuid } as unknown as StoredRecord)
          const json = withoutIds(shown(v2, created(kind, sent))) as Record<string, unknown>
          for (const name of plainMembers.filter(other => asked[other] !== undefined))
            expect(json[name], name).to.deep.equal(asked[name])
        }),
      )
    })

    it(`of ${kind} keeps members that version 1 lacks when version 1 changes it`, () => {
      const changes = fc.record(
        {
          label: fc.string({ minLength: 1 }),
          definition: fc.string({ minLength: 1 }),
          comment: fc.string({ minLength: 1 }),
          licenseUri: fc.webUrl(),
          pid: fc.constant({ identifier: '10.1/changed', identifierType: 'DOI' }),
          relatedResource: fc.constant({ identifier: 'https://example.org/changed', identifierType: 'URL' }),
        },
        { requiredKeys: [] },
      )
      fc.assert(
        fc.property(arbitraryVersion2Record(), changes, (sent, change) => {
          const before = created(kind, sent)
          const after = { ...before, record: changed(v1, before, { ...shown(v1, before), ...change }) }
          const [was, is] = [shown(v2, before), shown(v2, after)]
          const seenHere: readonly string[] =
            kind === 'schema'
              ? ['label', 'definition', 'comment', 'licenseUri', 'pid']
              : ['relatedResource', 'licenseUri', 'pid']
          const seenChanges = seenHere.filter(name => change[name as keyof typeof change] !== undefined)
          for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
            if (name === 'identifier' && seenChanges.includes('pid')) continue
            const [kept, left] = [was, is].map(json => besides(seenChanges, name, json[name]))
            expect(left, name).to.deep.equal(kept)
          }
          const seen = shown(v1, after)
          for (const name of seenChanges)
            expect(seen[name], name).to.deep.equal(change[name as keyof typeof change])
        }),
      )
    })
  }
})

interface Entry {
  readonly type?: string
  readonly relationType?: string
  readonly schemeUri?: string
}

/** For each member of version 1: the list of version 2 that holds it, and a test for its entries. */
const shownBy: Readonly<Record<string, readonly [list: string, isIt: (entry: Entry) => boolean]>> = {
  label: ['descriptions', ({ type }) => type === 'OTHER'],
  definition: ['descriptions', ({ type }) => type === 'TECHNICAL_INFO'],
  comment: ['descriptions', ({ type }) => type === 'ABSTRACT'],
  licenseUri: ['rights', ({ schemeUri }) => schemeUri !== undefined],
  relatedResource: ['relatedIdentifiers', ({ relationType }) => relationType === 'IS_METADATA_FOR'],
}

/** A member of a version 2 record, without the first entry of each changed member of version 1. */
function besides(changed: readonly string[], name: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? []
  let entries = withoutIds(value) as readonly Entry[]
  for (const [list, isIt] of changed.flatMap(member => (shownBy[member] ? [shownBy[member]] : []))) {
    if (list !== name) continue
    const first = entries.findIndex(isIt)
    entries = entries.filter((_, index) => index !== first)
  }
  return entries
}

const plainMembers = [
  'subjects',
  'contributors',
  'descriptions',
  'geoLocations',
  'language',
  'sizes',
  'rights',
  'fundingReferences',
  'embargoDate',
  'publicationYear',
  'publisher',
  'creators',
] as const

describe('a version 2 record in a request', () => {
  const put = (json: JsonObject) => v2.parseChange.metadata({ ...minimal, ...json }, [base])
  const edited = (record: Omit<StoredRecord, 'id'>, json: JsonObject) =>
    put(json).edit({ id: uuid, ...stored, ...record })

  it('is refused for an unknown value of an enumeration, with the member and the allowed values', () => {
    const shapes: (readonly [string, JsonObject])[] = enumerations(recordJsonSchema, [])
      .filter(([path]) => !['acls', 'resourceType', 'search'].some(name => path.startsWith(name)))
      .map(path => [path[0], path[1]])
    expect(shapes.length).to.be.greaterThan(8)
    for (const [path, json] of shapes) {
      const message = messageOf(() => put(json))
      expect(message).to.contain(path).and.to.contain('must be one of')
    }
  })

  it('is refused for wrong types, missing members and invalid ids, with their names', () => {
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{ publisher: 5 }, 'publisher'],
      [{ creators: 'Ada' }, 'creators'],
      [{ creators: ['Ada'] }, 'creators[0]'],
      [{ creators: [{ affiliations: [{}] }] }, 'creators[0].affiliations[0]'],
      [{ titles: [{ value: 'x' }, { lang: 'de' }] }, 'titles[1].value is missing'],
      [{ titles: [{ id: 'one', value: 'x' }] }, 'titles[0].id'],
      [{ dates: [{ value: 'yesterday', type: 'ISSUED' }] }, 'dates[0].value'],
      [{ dates: [{ value: '2026' }] }, 'dates[0].type is missing'],
      [{ publicationYear: 'MMXXVI' }, 'publicationYear'],
      [{ embargoDate: 'soon' }, 'embargoDate'],
      [{ geoLocations: [{ point: { longitude: '1', latitude: 2 } }] }, 'geoLocations[0].point.longitude'],
      [{ geoLocations: [{ point: { longitude: 1 } }] }, 'geoLocations[0].point.latitude is missing'],
      [{ version: 'two' }, 'version'],
      [{ lastUpdate: 'now' }, 'lastUpdate'],
      [{ acls: [{ sid: null, permission: 'READ' }] }, 'Subject ID of ACL entry must not be null.'],
      [{ acls: [{ sid: 'a', permission: 'SEE' }] }, 'NONE, READ, WRITE, ADMINISTRATE'],
      [{ state: 'DRAFT' }, 'VOLATILE, FIXED'],
      [{ search: { fields: [{ path: 'a', as: 'text' }] } }, 'search.fields[0].as'],
      [{ search: { fields: [{ as: 'date' }] } }, 'search.fields[0].path is missing'],
    ]
    for (const [json, told] of cases) {
      expect(messageOf(() => put(json), JSON.stringify(json))).to.contain(told)
    }
  })

  it('gets defaults for absent members', () => {
    const nothing = [{}, { familyName: null, affiliations: [''] }, null]
    const draft = v2.parseNew.schema({ id: schemaId, titles: minimal.titles, creators: nothing }, [])
    const creators = [{ givenName: 'SELF' }]
    expect(draft.edit({ id: schemaId, creators }).creators).to.deep.equal(creators)
    const record = edited({ creators }, { creators: nothing, subjects: [{ scheme: {} }], rights: [{}] })
    expect(record).to.include({ creators }).and.not.to.have.any.keys('subjects', 'rights')
  })

  it('is refused for a time that its time zone moves out of the range of years, and the message quotes the time', () => {
    for (const value of ['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00']) {
      const message = messageOf(() => put({ dates: [{ value, type: 'VALID' }] }))
      expect(message).to.contain('dates[0].value').and.to.contain(`"${value}"`).and.to.contain('9999')
      expect(messageOf(() => put({ embargoDate: value }))).to.contain(`embargoDate "${value}"`)
    }
  })

  it('is refused for an INTERNAL identifier that cannot be an id, with its name', () => {
    const alternateIdentifiers = [{ value: 'http://x/1', identifierType: 'INTERNAL' }]
    const post = () => v2.parseNew.metadata({ ...minimal, alternateIdentifiers }, [base])
    expect(messageOf(post)).to.contain('alternate identifier').and.to.contain('http://x/1')
  })

  it('may have relations without underscores, and unknown members', () => {
    const { edit, schema } = v2.parseChange.metadata(
      {
        ...minimal,
        stars: 5,
        relatedIdentifiers: [
          { identifierType: 'DOI', value: '10.1/x', relationType: 'ISMETADATAFOR', note: 'x' },
          { identifierType: 'INTERNAL', value: 'datacite', relationType: 'HASMETADATA' },
          { identifierType: 'URL', value: 'x', relationType: 'ISNEWVERSIONOF' },
        ],
      },
      [base],
    )
    expect(schema?.schemaId).to.equal('datacite')
    expect(edit({ id: uuid }).relatedIdentifiers).to.deep.equal([
      { identifierType: 'DOI', value: '10.1/x', relationType: 'IS_METADATA_FOR' },
    ])
  })

  it('needs a title, and for metadata one schema and a resource', () => {
    expect(messageOf(() => v2.parseNew.metadata({ ...minimal, titles: [] }, [base]))).to.contain(
      "'title' missing",
    )
    expect(messageOf(() => put({ titles: [] }))).to.contain('Empty title list')
    expect(messageOf(() => v2.parseChange.schema({}, []))).to.contain('Empty title list')
    const [resource, schema] = minimal.relatedIdentifiers
    const post = (...relatedIdentifiers: unknown[]) =>
      v2.parseNew.metadata({ ...minimal, relatedIdentifiers }, [base])
    expect(messageOf(() => post(resource))).to.contain('HAS_METADATA')
    expect(messageOf(() => post(schema))).to.contain('IS_METADATA_FOR')
    expect(messageOf(() => post(resource, schema, schema))).to.contain('several')
  })

  it('names its schema by id, id and version, or an address of the server', () => {
    const named = (value: unknown, identifierType: unknown) =>
      v2.parseChange.metadata(
        { ...minimal, relatedIdentifiers: [{ value, identifierType, relationType: 'HAS_METADATA' }] },
        [base],
      )
    const of = ({ schema }: ReturnType<typeof named>) => [schema?.schemaId, schema?.version]
    expect(of(named('datacite', 'INTERNAL'))).to.deep.equal(['datacite', undefined])
    expect(of(named('datacite/4', 'INTERNAL'))).to.deep.equal(['datacite', 4])
    for (const mount of ['/api/v1', '/api/v2', '/metastore/api/v2', '/repository/api/v2'])
      expect(of(named(`${base}${mount}/schemas/datacite?version=4`, 'URL'))).to.deep.equal(['datacite', 4])
    for (const [value, type] of [
      ['datacite/0', 'INTERNAL'],
      ['datacite/1/2', 'INTERNAL'],
      ['a b', 'INTERNAL'],
      ['https://elsewhere.org/api/v2/schemas/datacite?version=1', 'URL'],
      ['datacite', 'URL'],
      ['datacite', 'DOI'],
      [null, 'INTERNAL'],
      [null, 'URL'],
      ['datacite', undefined],
    ])
      messageOf(() => named(value, type), String(value), 'unprocessable')
  })

  it('replaces the record, except for members that are kept', () => {
    const before: Omit<StoredRecord, 'id'> = {
      creators: [{ givenName: 'Ada' }],
      publisher: 'P',
      publicationYear: '2001',
      language: 'en',
      subjects: [{ value: 'gone' }],
      rights: [{ schemeUri: 'https://example.org/MIT' }],
      dates: [
        { value: '2001-01-01T00:00:00Z', type: 'CREATED' },
        { value: '2002-01-01T00:00:00Z', type: 'ISSUED' },
      ],
      state: 'FIXED',
      acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
      doNotSync: false,
    }
    expect(
      edited(before, {
        creators: [],
        acls: [],
        publisher: '',
        rights: null,
        dates: [{ value: '2020', type: 'CREATED' }],
      }),
    ).to.deep.equal({
      id: uuid,
      ...stored,
      creators: before.creators,
      titles: minimal.titles,
      publisher: 'P',
      publicationYear: '2001',
      dates: [{ value: '2001-01-01T00:00:00Z', type: 'CREATED' }],
      relatedIdentifiers: minimal.relatedIdentifiers.slice(0, 1),
      state: 'FIXED',
      acls: before.acls,
      doNotSync: false,
    })
  })

  it('gives a schema its id in lower case, and the sent id as another name', () => {
    const draft = v2.parseNew.schema({ id: 'MySchema', titles: [{ value: 'x' }] }, [])
    expect(draft.id).to.equal('myschema')
    expect(draft.edit({ id: 'myschema' as Id }).alternateIdentifiers).to.deep.equal([
      { value: 'MySchema', identifierType: 'OTHER' },
    ])
    expect(messageOf(() => v2.parseNew.schema({ titles: [{ value: 'x' }] }, []))).to.contain("'id' missing")
    expect(messageOf(() => v2.parseNew.schema({ id: 'a/b', titles: [{ value: 'x' }] }, []))).to.contain('a/b')
  })

  it('uses the resource type of a schema as its language, and checks it', () => {
    const of = (resourceType: unknown) => v2.parseChange.schema({ ...minimal, resourceType }, []).type
    expect(of(undefined)).to.equal(undefined)
    expect(of({ value: 'JSON_Schema', typeGeneral: 'MODEL' })).to.equal('JSON')
    expect(of({ value: 'XML_Schema' })).to.equal('XML')
    expect(messageOf(() => of({ value: 'Schema' }))).to.contain('JSON_Schema, XML_Schema')
    expect(messageOf(() => of({ value: 'XML_Schema', typeGeneral: 'TOY' }))).to.contain('typeGeneral')
  })
})

/** For every enumeration of the shape, a record with a value outside of the enumeration. */
function enumerations(shape: SchemaNode, path: readonly string[]): (readonly [string, JsonObject])[] {
  if (shape.type === 'array') return enumerations(shape.items, [...path, '[0]'])
  if (shape.type === 'object') {
    return Object.entries(shape.properties).flatMap(([name, inner]) => enumerations(inner, [...path, name]))
  }
  if (shape.type !== 'string' || !shape.enum) return []
  const named = path.join('.').replaceAll('.[', '[')
  return [[named, build(path) as JsonObject]]
}

function build(path: readonly string[]): unknown {
  const [first, ...rest] = path
  if (first === undefined) return 'NO_SUCH_VALUE'
  if (first === '[0]') return [build(rest)]
  // Required members of all shapes, besides the wrong member.
  const others = { value: '2026', relationType: 'CITES', description: 'x', type: undefined }
  const inner = build(rest)
  return rest.length < path.length && typeof inner === 'string'
    ? { ...others, [first]: inner }
    : { [first]: inner }
}
