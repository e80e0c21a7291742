// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError, type ProblemKind } from '../../../src/core/problem.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { permissions } from '../../../src/core/records/record-json-schema.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, toInstant, toOid, toSha1 } from '../../../src/core/value-types.js'
import type { JsonObject } from '../../../src/http/record-formats/record-format-interface.js'
import { parseSchemaUrl } from '../../../src/http/record-formats/record-urls.js'
import { v1 } from '../../../src/http/record-formats/v1/record-format.js'

const base = 'http://localhost:8040'
const root = `${base}/api/v1`

function revision(kind: 'schema' | 'metadata', record: Omit<StoredRecord, 'id'>): Revision {
  const id = (kind === 'schema' ? 'datacite' : '1f6c2a90-0000-4000-8000-000000000000') as Id
  return {
    kind,
    id,
    version: asVersion(3),
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

const reference = { schemaId: 'datacite' as Id, version: asVersion(2) }
const related = { identifierType: 'URL', value: 'https://example.org/d', relationType: 'IS_METADATA_FOR' }
const minimal = {
  relatedResource: { identifier: 'https://example.org/d', identifierType: 'URL' },
  schema: { identifier: 'datacite', identifierType: 'INTERNAL' },
  schemaVersion: 2,
}

function problemOf(job: () => unknown): ProblemKind | 'none' {
  try {
    job()
    return 'none'
  } catch (error) {
    if (error instanceof ProblemError) return error.kind
    throw error
  }
}

const acls = fc.uniqueArray(
  fc.record({ sid: fc.string({ minLength: 1 }), permission: fc.constantFrom(...permissions) }),
  { selector: entry => entry.sid, minLength: 1 },
)
const words = fc.string({ minLength: 1 })
const pids = fc.oneof(
  fc.record({ value: words }),
  fc.record({ value: words, identifierType: fc.constantFrom('DOI', 'HANDLE', 'URL') }),
)
const licences = fc.webUrl().map(uri => [{ schemeId: uri.slice(uri.lastIndexOf('/')), schemeUri: uri }])
const optional = { requiredKeys: [] as [] }

describe('a version 1 record', () => {
  it('of a schema has the members and time formats of the interface, and no empty members', () => {
    const shown = v1.render(revision('schema', { acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }] }), root)

    expect(shown).to.deep.equal({
      schemaId: 'datacite',
      schemaVersion: 3,
      mimeType: 'application/xml',
      type: 'XML',
      createdAt: '2026-11-20T05:12:00Z',
      lastUpdate: '2026-11-21T05:12:00.12Z',
      acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
      schemaDocumentUri: `${root}/schemas/datacite?version=3`,
      schemaHash: `sha1:${'b'.repeat(40)}`,
      doNotSync: true,
    })
  })

  it('of metadata names its schema by a URL under the mount of the request', () => {
    const shown = v1.render(
      revision('metadata', { schema: reference, relatedIdentifiers: [related] }),
      `${base}/metastore/api/v1`,
    )

    expect(shown).to.deep.equal({
      id: '1f6c2a90-0000-4000-8000-000000000000',
      relatedResource: { identifier: 'https://example.org/d', identifierType: 'URL' },
      createdAt: '2026-11-20T05:12:00Z',
      lastUpdate: '2026-11-21T05:12:00.12Z',
      schema: { identifier: `${base}/metastore/api/v1/schemas/datacite?version=2`, identifierType: 'URL' },
      schemaVersion: 2,
      recordVersion: 3,
      metadataDocumentUri: `${base}/metastore/api/v1/metadata/1f6c2a90-0000-4000-8000-000000000000?version=3`,
      documentHash: `sha1:${'b'.repeat(40)}`,
    })
  })

  it('shows the stored time of creation instead of the time of the first commit', () => {
    const shown = v1.render(
      revision('schema', { dates: [{ type: 'CREATED', value: '2001-02-03T04:05:06Z' }] }),
      root,
    )

    expect(shown.createdAt).to.equal('2001-02-03T04:05:06Z')
  })

  it('does not show an identifier that stands for a missing one', () => {
    const shown = v1.render(
      revision('schema', { identifier: { value: '(:tba)', identifierType: 'DOI' } }),
      root,
    )

    expect(shown).not.to.have.property('pid')
  })

  it('of a schema changes nothing if sent back', () => {
    const records = fc.record(
      {
        identifier: pids,
        acls,
        rights: licences,
        doNotSync: fc.constant(false as const),
        creators: fc.constant([{ givenName: 'Ada' }]),
        descriptions: fc.uniqueArray(
          fc.record({
            description: words,
            type: fc.constantFrom('OTHER', 'TECHNICAL_INFO', 'ABSTRACT', 'METHODS'),
          }),
          { selector: entry => entry.type, minLength: 1 },
        ),
      },
      optional,
    )
    fc.assert(
      fc.property(records, record => {
        const before = revision('schema', record as Omit<StoredRecord, 'id'>)
        const sent = JSON.parse(JSON.stringify(v1.render(before, root))) as JsonObject

        expect(v1.parseChange.schema(sent, []).edit(before.record)).to.deep.equal(before.record)
      }),
    )
  })

  it('of metadata changes nothing if sent back', () => {
    const records = fc.record({ identifier: pids, acls, rights: licences, publisher: words }, optional)
    fc.assert(
      fc.property(records, record => {
        const more = { value: 'x', identifierType: 'DOI', relationType: 'CITES' }
        const before = revision('metadata', {
          ...(record as Omit<StoredRecord, 'id'>),
          schema: reference,
          relatedIdentifiers: [more, related, { ...related, value: 'https://example.org/second' }],
        })
        const sent = JSON.parse(JSON.stringify(v1.render(before, root))) as JsonObject
        const { edit, schema } = v1.parseChange.metadata(sent, [base])

        expect(edit(before.record)).to.deep.equal(before.record)
        expect(schema).to.deep.equal(reference)
      }),
    )
  })
})

describe('a version 1 record in a request', () => {
  const full: StoredRecord = {
    id: 'datacite' as Id,
    identifier: { value: '10.1/x', identifierType: 'DOI' },
    rights: [{ schemeId: '/MIT', schemeUri: 'https://example.org/MIT' }],
    acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
    descriptions: [
      { description: 'the label', type: 'OTHER' },
      { description: 'kept', type: 'METHODS' },
      { description: 'the comment', type: 'ABSTRACT' },
    ],
  }

  it('of a schema removes absent texts, licence and identifier, and nothing else', () => {
    const { edit, type } = v1.parseChange.schema({ label: 'new', comment: '', acl: [] }, [])

    expect(type).to.equal(undefined)
    expect(edit(full)).to.deep.equal({
      id: 'datacite',
      acls: full.acls,
      descriptions: [
        { description: 'new', type: 'OTHER' },
        { description: 'kept', type: 'METHODS' },
      ],
    })
  })

  it('of metadata keeps absent members and removes null members', () => {
    expect(v1.parseChange.metadata({}, [base]).edit(full)).to.deep.equal(full)

    const { identifier: _, rights: __, ...others } = full
    expect(v1.parseChange.metadata({ pid: null, licenseUri: null }, [base]).edit(full)).to.deep.equal(others)
  })

  it('keeps the order of remaining entries and appends new ones', () => {
    const acl = [
      { id: null, sid: 'guest', permission: 'READ' },
      { id: 17, sid: 'SELF', permission: 'WRITE' },
    ]

    expect(v1.parseChange.metadata({ acl }, [base]).edit(full).acls).to.deep.equal([
      { sid: 'SELF', permission: 'WRITE' },
      { sid: 'guest', permission: 'READ' },
    ])
  })

  it('keeps each of its ACL entries once, even several of one subject', () => {
    const entry = fc.record({
      sid: fc.constantFrom('a', 'b', 'c'),
      permission: fc.constantFrom(...permissions),
    })
    const lists = fc.array(entry, { minLength: 1, maxLength: 6 })
    const text = (entries: readonly unknown[] = []) => entries.map(value => JSON.stringify(value)).sort()
    fc.assert(
      fc.property(lists, lists, (current, acl) => {
        const { acls = [] } = v1.parseChange.metadata({ acl }, [base]).edit({ ...full, acls: current })

        expect(text(acls)).to.deep.equal(text(acl))
        const again = v1.parseChange.metadata({ acl: acls }, [base]).edit({ ...full, acls }).acls
        expect(again).to.deep.equal(acls)
      }),
    )
  })

  it('may have its persistent identifier as a string or an object, and is returned in the same form', () => {
    const asText = v1.parseChange.metadata({ pid: '10.1/y' }, [base]).edit({ id: full.id })
    const pid = { id: 3, identifier: '10.1/y', identifierType: 'DOI' }
    const asObject = v1.parseChange.metadata({ pid }, [base]).edit({ id: full.id })

    expect(v1.render(revision('metadata', asText), root).pid).to.equal('10.1/y')
    expect(v1.render(revision('metadata', asObject), root).pid).to.deep.equal({
      identifier: '10.1/y',
      identifierType: 'DOI',
    })
  })

  it('names its schema by id or by any URL of the server; schemaVersion takes precedence over the URL', () => {
    const named = (schema: JsonObject, schemaVersion?: unknown) =>
      v1.parseNew.metadata({ ...minimal, schema, schemaVersion }, [base, 'https://old.example.org/repo'])
        .schema
    const url = (identifier: string) => ({ identifier, identifierType: 'URL' })

    expect(named({ identifier: 'a', identifierType: 'INTERNAL' })).to.deep.equal({ schemaId: 'a' })
    expect(named({ identifier: 'a', identifierType: 'INTERNAL' }, '4')).to.deep.equal({
      schemaId: 'a',
      version: 4,
    })
    for (const mount of [
      '/api/v1',
      '/metastore/api/v1',
      '/api/v2',
      '/metastore/api/v2',
      '/repository/api/v2',
    ]) {
      expect(named(url(`${base}${mount}/schemas/a?version=7`))).to.deep.equal({ schemaId: 'a', version: 7 })
    }
    expect(named(url(`${base}/api/v1/schemas/a?version=7`), 2)).to.deep.equal({ schemaId: 'a', version: 2 })
    expect(named(url(`https://old.example.org/repo/api/v1/schemas/a`))).to.deep.equal({ schemaId: 'a' })
  })

  it('cannot name a schema of another server', () => {
    for (const identifier of [
      'http://other.example.org/api/v1/schemas/a?version=1',
      'https://localhost:8040/api/v1/schemas/a?version=1',
      `${base}/api/v3/schemas/a`,
      `${base}/repository/api/v1/schemas/a`,
      `${base}/api/v1/schemas/a/b`,
      `${base}/api/v1/metadata/a`,
      `${base}/api/v1/schemas/a?version=x`,
      'no URL',
    ]) {
      const schema = { identifier, identifierType: 'URL' }
      expect(
        problemOf(() => v1.parseNew.metadata({ ...minimal, schema }, [base])),
        identifier,
      ).to.equal('unprocessable')
      expect(parseSchemaUrl(identifier, [base])).to.equal(undefined)
    }
    const schema = { identifier: 'a', identifierType: 'DOI' }
    expect(problemOf(() => v1.parseNew.metadata({ ...minimal, schema }, [base]))).to.equal('unprocessable')
  })

  it('is refused if a member has the wrong type', () => {
    const wrong: JsonObject[] = [
      { id: 7 },
      { pid: 7 },
      { pid: { identifier: 'x' } },
      { pid: { identifier: 'x', identifierType: 'PHONE' } },
      { relatedResource: 'x' },
      { relatedResource: { identifier: null, identifierType: 'URL' } },
      { relatedResource: { identifier: 'x', identifierType: null } },
      { relatedResource: { identifier: 'x', identifierType: 'url' } },
      { schema: { identifier: null, identifierType: 'URL' } },
      { schema: 'a' },
      { schemaVersion: 'one' },
      { schemaVersion: 1.5 },
      { recordVersion: {} },
      { createdAt: 'yesterday' },
      { lastUpdate: 12 },
      { licenseUri: [] },
      { acl: {} },
      { acl: ['SELF'] },
      { acl: [{ sid: null, permission: 'READ' }] },
      { acl: [{ sid: 'guest' }] },
      { acl: [{ sid: 'guest', permission: 'read' }] },
    ]
    for (const member of wrong) {
      const shown = JSON.stringify(member)
      expect(
        problemOf(() => v1.parseNew.metadata({ ...minimal, ...member }, [base])),
        shown,
      ).to.equal('malformed-request')
      expect(
        problemOf(() => v1.parseChange.metadata(member, [base])),
        shown,
      ).to.equal('malformed-request')
    }
    for (const member of [{ type: 'JASON' }, { label: 1 }, { doNotSync: 'no' }, { schemaVersion: 'x' }]) {
      expect(
        problemOf(() => v1.parseChange.schema(member, [])),
        JSON.stringify(member),
      ).to.equal('malformed-request')
    }
  })

  it('is refused without required members', () => {
    const { relatedResource: _, ...noResource } = minimal
    const { schema: __, ...noSchema } = minimal
    for (const json of [noResource, noSchema, { ...minimal, id: 'http://localhost/d1' }]) {
      expect(problemOf(() => v1.parseNew.metadata(json, [base]))).to.equal('malformed-request')
    }
    for (const schemaId of [undefined, null, '', 'a/b', 'MyDc', '...', 'a'.repeat(201)]) {
      expect(
        problemOf(() => v1.parseNew.schema({ schemaId }, [])),
        String(schemaId),
      ).to.equal('malformed-request')
    }
  })

  it('cannot name an impossible schema version', () => {
    for (const schemaVersion of [0, -1, '0']) {
      expect(problemOf(() => v1.parseNew.metadata({ ...minimal, schemaVersion }, [base]))).to.equal(
        'unprocessable',
      )
    }
    expect(
      v1.parseNew.metadata({ ...minimal, schemaVersion: 9223372036854775807n.toString() }, [base]).schema,
    ).to.deep.equal({ schemaId: 'datacite', version: Number.MAX_SAFE_INTEGER })
  })
})
