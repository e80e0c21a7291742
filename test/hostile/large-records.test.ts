// test-schedule: first
import { expect } from 'chai'
import { jsonSize } from '../../src/core/json/json-size.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses } from '../support/program/run-program.js'
import {
  filePart,
  type MonitoredServer,
  recordPart,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

const document = filePart('document', 'd', 'application/json', '{}')
const anyVersion = { 'If-Match': '*' }

/** Bytes and values of an almost full record, which leave room for its other members. */
const maxBytes = 1_040_000
const maxValues = 49_800

/** As many entries as fit into a record. */
function filled<T>(entry: (n: number) => T): readonly T[] {
  const entries: T[] = []
  let [bytes, values] = [0, 0]
  for (;;) {
    const next = entry(entries.length)
    const text = JSON.stringify(next)
    bytes += text.length + 1
    values += jsonSize(text).values
    if (bytes > maxBytes || values > maxValues) return entries
    entries.push(next)
  }
}

const related = (id: string) => [
  { identifierType: 'URL', value: `https://example.org/${id}`, relationType: 'IS_METADATA_FOR' },
  { identifierType: 'INTERNAL', value: 'note', relationType: 'HAS_METADATA' },
]

function citation(id: string, more: object = {}) {
  return { id, titles: [{ value: id }], relatedIdentifiers: related(id), ...more }
}

/** Every list of a record, as long as it may be. */
const lists: Readonly<Record<string, (id: string) => object>> = {
  creators: () => ({ creators: filled(n => ({ familyName: `${n}` })) }),
  affiliations: () => ({ creators: [{ affiliations: filled(n => `${n}`) }] }),
  titles: () => ({ titles: filled(n => ({ value: `${n}` })) }),
  subjects: () => ({ subjects: filled(n => ({ value: `${n}` })) }),
  contributors: () => ({ contributors: filled(n => ({ user: { familyName: `${n}` } })) }),
  dates: () => ({ dates: filled(() => ({ value: '2020-01-01T00:00:00+01:00', type: 'VALID' })) }),
  relatedIdentifiers: id => ({
    relatedIdentifiers: [...related(id), ...filled(n => ({ value: `${n}`, relationType: 'CITES' }))],
  }),
  resources: id => ({
    relatedIdentifiers: [
      ...related(id),
      ...filled(n => ({ value: `${id}${n}`, relationType: 'IS_METADATA_FOR' })),
    ],
  }),
  descriptions: () => ({ descriptions: filled(n => ({ description: `${n}` })) }),
  geoLocations: () => ({ geoLocations: filled(n => ({ place: `${n}` })) }),
  points: () => ({
    geoLocations: [{ polygon: { points: filled(n => ({ longitude: n, latitude: 1 })) } }],
  }),
  alternateIdentifiers: id => ({
    alternateIdentifiers: filled(n => ({ value: `${id}${n}`, identifierType: 'URL' })),
  }),
  sizes: () => ({ sizes: filled(n => `${n}`) }),
  formats: () => ({ formats: filled(n => `${n}`) }),
  rights: () => ({ rights: filled(n => ({ schemeUri: `${n}` })) }),
  fundingReferences: () => ({ fundingReferences: filled(n => ({ funderName: `${n}` })) }),
  acls: () => ({ acls: filled(n => ({ sid: `person-${n}`, permission: 'READ' })) }),
}

describe('records of the largest size', () => {
  let watched: MonitoredServer
  before(async () => {
    watched = await startMonitoredServer()
  })
  after(async () => {
    await stopProcesses()
    stopCanaryServers()
  })

  const put = (path: string, record: unknown, ...parts: readonly (typeof document)[]) =>
    watched.send('PUT', path, [recordPart(record), ...parts], anyVersion)

  // The short form makes two of these reads for each list of a record, the long form all.
  const reads = (path: string, id: string) => [
    `/api/v1/metadata/${id}`,
    `${path}/diff?from=1&to=2`,
    '/api/v2/metadata?size=2000',
    `/metadata-landing-page?id=${id}`,
    '/metadata-management',
    '/api/v1/ui/metadata?size=2000',
  ]

  for (const [index, [name, listOf]] of Object.entries(lists).entries()) {
    it(`do not delay other requests: ${name}`, async () => {
      const id = `long-${name}`
      const path = `/api/v2/metadata/${id}`
      const record = citation(id, listOf(id))
      await watched.stands(async () => {
        const created = await watched.send('POST', '/api/v2/metadata', [recordPart(record), document])
        expect(created.status, created.text.slice(0, 300)).to.equal(201)
        // The short form sends the same record again for one half of the lists, and a record of version 1 for the other.
        if (index % 2 === 0 || isLongForm) {
          const same = await put(path, record)
          expect(same.status, same.text.slice(0, 300)).to.equal(200)
          // The server has added its own entry to the access list, which the client omits.
          if (name !== 'acls') expect(same.headers.etag).to.equal(created.headers.etag)
        }
        const changed = await put(
          path,
          citation(id, listOf(`${id}-other`)),
          filePart('document', 'd', 'application/json', '{"title": "other"}'),
        )
        expect(changed.status, changed.text.slice(0, 300)).to.equal(200)
        if (index % 2 === 1 || isLongForm) {
          const first = await put(
            `/api/v1/metadata/${id}`,
            metadataRecordV1(`https://example.org/${id}`, 'note', {
              id,
              licenseUri: 'https://example.org/l',
            }),
          )
          expect(first.status, first.text.slice(0, 300)).to.equal(200)
        }
        for (const address of [
          path,
          ...reads(path, id).filter((_, read) => isLongForm || read % 3 === index % 3),
        ]) {
          const read = await watched.ask('GET', address)
          // A comparison may exceed the time limit.
          const expected = address.includes('/diff?') ? [200, 413] : [200]
          expect(read.status, `${address}: ${read.text.slice(0, 300)}`).to.be.oneOf(expected)
        }
        const removed = await watched.ask('DELETE', path, { headers: anyVersion })
        expect(removed.status, removed.text.slice(0, 300)).to.equal(204)
      })
    })
  }

  it('do not delay other requests in version 1', async () => {
    const others = filled(n => ({ sid: `person-${n}`, permission: 'READ' }))
    const acl = [{ sid: 'SELF', permission: 'ADMINISTRATE' }, ...others]
    const record = metadataRecordV1('https://example.org/entries', 'note', { id: 'entries', acl })
    await watched.stands(async () => {
      const created = await watched.send('POST', '/api/v1/metadata', [recordPart(record), document])
      expect(created.status, created.text.slice(0, 300)).to.equal(201)
      const turned = await put('/api/v1/metadata/entries', { ...record, acl: acl.toReversed() })
      expect(turned.status, turned.text.slice(0, 300)).to.equal(200)
      expect(turned.headers.etag, 'the order of access entries is irrelevant').to.equal(created.headers.etag)
      const schema = filePart('schema', 's', 'application/json', '{"title": "entries"}')
      const registered = await watched.send('POST', '/api/v1/schemas', [
        recordPart({ schemaId: 'entries-schema', acl }),
        schema,
      ])
      expect(registered.status, registered.text.slice(0, 300)).to.equal(201)
    })
  })

  it('are refused with too many values', async () => {
    const sizes = Array.from({ length: 50_001 }, () => 'a')
    const answer = await watched.stands(() =>
      watched.send('POST', '/api/v2/metadata', [recordPart(citation('more', { sizes })), document]),
    )
    expect(answer.status).to.equal(413)
    expect(answer.body.detail).to.equal('The record has more than 50000 values.')
  })

  it('have pages that show the first entries of each member and the number of the others', async () => {
    const subjects = Array.from({ length: 250 }, (_, n) => ({ value: `subject ${n}` }))
    const relatedIdentifiers = [
      ...related('shown'),
      ...Array.from({ length: 30 }, (_, n) => ({ value: `r${n}`, relationType: 'IS_METADATA_FOR' })),
    ]
    const alternateIdentifiers = Array.from({ length: 150 }, (_, n) => ({
      value: `name-${n}`,
      identifierType: 'OTHER',
    }))
    const acls = Array.from({ length: 140 }, (_, n) => ({ sid: `person-${n}`, permission: 'READ' }))
    const created = await watched.send('POST', '/api/v2/metadata', [
      recordPart(citation('shown', { subjects, relatedIdentifiers, alternateIdentifiers, acls })),
      document,
    ])
    expect(created.status, created.text).to.equal(201)
    const page = await watched.ask('GET', '/metadata-landing-page?id=shown')
    expect(page.text).to.contain('subject 99').and.to.contain('<li>and 150 more</li>')
    expect(page.text).not.to.contain('subject 100<')
    expect(page.text).to.contain('name-99').and.to.contain('<li>and 50 more</li>')
    // The server has added its own entry.
    expect(page.text).to.contain('person-98').and.to.contain('<li>and 41 more</li>')
    expect(page.text).not.to.contain('name-100').and.not.to.contain('person-100')
    const list = await watched.ask('GET', '/metadata-management')
    expect(list.text).to.contain('>shown<').and.not.to.contain('r25')
  })

  it('do not delay other requests in a change set, and a part counts once for each change', async () => {
    const made = Array.from({ length: isLongForm ? 1000 : 400 }, (_, n) => ({
      kind: 'metadata',
      action: 'create',
      record: citation(`set-${n}`, { sizes: Array.from({ length: 60 }, (_, index) => `${index}`) }),
      document: 'document',
    }))
    const updated = made.map((_, n) => ({
      kind: 'metadata',
      action: 'update',
      id: `set-${n}`,
      ifMatch: '*',
      record: citation(`set-${n}`, { sizes: ['other'] }),
    }))
    const send = (changes: readonly object[], ...parts: readonly (typeof document)[]) =>
      watched.send('POST', '/api/changesets', [
        filePart('changeset', 'c', 'application/json', JSON.stringify({ changes })),
        ...parts,
      ])
    await watched.stands(async () => {
      const created = await send(made, document)
      expect(created.status, created.text.slice(0, 300)).to.equal(200)
      const changed = await send(updated)
      expect(changed.status, changed.text.slice(0, 300)).to.equal(200)

      const long = recordPart(citation('long', { sizes: filled(n => `${n}`) }))
      const repeated = updated.map(change => ({ ...change, record: 'record' }))
      const refused = await send(repeated, long)
      expect(refused.status, refused.text.slice(0, 300)).to.equal(413)
      expect(refused.body.detail).to.contain('the JSON parts have more than 200000 values')

      const large = filePart('large', 'l', 'application/json', JSON.stringify('x'.repeat(2 ** 24)))
      const largeOnes = updated.map(({ record: _, ...change }) => ({ ...change, document: 'large' }))
      const tooLarge = await send(largeOnes, large)
      expect(tooLarge.status, tooLarge.text.slice(0, 300)).to.equal(413)
      expect(tooLarge.body.detail).to.contain('A part counts once for each change')
    })
  })

  it('do not delay other requests if filters, parameters and headers have thousands of names', async () => {
    const many = (of: (n: number) => string, length: number, separator: string) => {
      let text = of(0)
      for (let n = 1; text.length < length; n++) text += `${separator}${of(n)}`
      return text
    }
    const short = (n: number) => n.toString(36)
    await watched.stands(async () => {
      for (const query of [
        many(n => `schemaId=${short(n)},a${short(n)}`, 14_000, '&'),
        many(n => `resourceId=${short(n)}`, 14_000, '&'),
        many(n => `mimeType=${short(n)}`, 14_000, '&'),
        many(n => `x${short(n)}=`, 14_000, '&'),
        `schemaId=${many(short, 8000, ',')}`,
      ]) {
        for (const path of ['/api/v1/metadata', '/api/v2/schemas', '/metadata-management'])
          await watched.ask('GET', `${path}?${query}`)
      }
      for (const [name, value] of [
        ['Accept', many(n => `a/${short(n)};q=0.1`, 14_000, ',')],
        ['Accept', many(n => `application/${short(n)}+json;q=0.${n % 10}`, 14_000, ',')],
        ['If-Match', many(n => `"${n}"`, 14_000, ',')],
        ['If-None-Match', many(n => `W/"${n}"`, 14_000, ',')],
        ['Cookie', many(n => `a${n}=${n}`, 14_000, ';')],
        ['Prefer', many(n => `a${n}=b`, 14_000, ',')],
      ] as const) {
        for (const [method, path] of [
          ['GET', '/api/v1/metadata'],
          ['GET', '/api/v2/metadata/probe'],
          ['PUT', '/api/v1/metadata/probe'],
        ] as const)
          await watched.ask(method, path, { headers: { [name]: value } })
      }
    })
  })
})
