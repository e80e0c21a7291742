// test-schedule: quick
import { expect } from 'chai'
import type { StoredRecord } from '../../../../../src/core/records/record.js'
import { asVersion, type Id } from '../../../../../src/core/value-types.js'
import { base, jsonSchema, startService, type TestService } from '../../../../support/http/test-service.js'
import { importRecords } from '../../../../support/repository/import-record-states.js'
import { removeRepositories, temporaryRepository } from '../../../../support/repository/test-repository.js'

const mounts = ['/api/v1', '/metastore/api/v1', '/api/v2', '/repository/api/v2', '/metastore/api/v2']

const registered = '2026-01-01T00:00:00.001Z'

/** A service with the schema `json`, and metadata with these ids, resources and times. */
async function serviceWith(
  metadata: readonly (readonly [id: string, resource: string, time: string])[],
): Promise<TestService> {
  const repository = await temporaryRepository({ bare: true })
  await importRecords(repository, [
    { kind: 'schema', record: { id: 'json' as Id }, document: jsonSchema(), time: registered },
    ...metadata.map(([id, resource, time]) => ({
      kind: 'metadata' as const,
      record: describing(id, resource),
      document: '{}',
      time,
    })),
  ])
  return await startService({}, {}, repository)
}

function describing(id: string, resource: string): StoredRecord {
  return {
    id: id as Id,
    schema: { schemaId: 'json' as Id, version: asVersion(1) },
    relatedIdentifiers: [{ value: resource, identifierType: 'URL', relationType: 'IS_METADATA_FOR' }],
  }
}

describe('lists filtered by time', () => {
  let service: TestService
  const times = {
    m1: '2026-11-21T05:12:00.000Z',
    m2: '2026-11-21T05:12:00.120Z',
    m3: '2026-11-21T05:12:00.123Z',
    m4: '2026-11-21T05:12:00.124Z',
    m5: '2026-12-01T00:00:00.000Z',
    m6: '2027-01-01T00:00:00.000Z',
  }

  before(async () => {
    service = await serviceWith(Object.entries(times).map(([id, time]) => [id, `about ${id}`, time]))
  })
  after(removeRepositories)

  /** The ids in the order of their times. Checks the header `Content-Range`. */
  async function found(query: string, mount = '/api/v1') {
    const answer = await service.http.get(`${mount}/metadata?${query}`).expect(200)
    const ids = (answer.body as { id: string }[]).map(({ id }) => id).reverse()
    expect(answer.headers['content-range'], query).to.equal(
      ids.length === 0 ? '*/0' : `0-${ids.length - 1}/${ids.length}`,
    )
    return ids.join(' ')
  }
  const all = 'm1 m2 m3 m4 m5 m6'
  const day = '2026-11-21T'

  it('show times in milliseconds without zeros at their end', async () => {
    for (const mount of mounts) {
      const { body } = await service.http.get(`${mount}/metadata`).expect(200)
      expect((body as { lastUpdate: string }[]).map(({ lastUpdate }) => lastUpdate)).to.deep.equal([
        '2027-01-01T00:00:00Z',
        '2026-12-01T00:00:00Z',
        '2026-11-21T05:12:00.124Z',
        '2026-11-21T05:12:00.123Z',
        '2026-11-21T05:12:00.12Z',
        '2026-11-21T05:12:00Z',
      ])
    }
  })

  const cases: readonly (readonly [title: string, ...(readonly [query: string, ids: string])[]])[] = [
    [
      'contain records later than from without until, and exclude records of that time',
      ['from=2026-11-21T05:11:59.999Z', all],
      ['from=2026-11-21T05:12:00Z', 'm2 m3 m4 m5 m6'],
      ['from=2026-11-21T05:12:00.12Z', 'm3 m4 m5 m6'],
      ['from=2026-11-21T05:12:00.120Z', 'm3 m4 m5 m6'],
      ['from=2026-11-21T05:12:00.122Z', 'm3 m4 m5 m6'],
      ['from=2026-11-21T05:12:00.123Z', 'm4 m5 m6'],
      ['from=2027-01-01T00:00:00Z', ''],
    ],
    [
      'contain records earlier than until without from, and exclude records of that time',
      ['until=2026-11-21T05:12:00Z', ''],
      ['until=2026-11-21T05:12:00.001Z', 'm1'],
      ['until=2026-11-21T05:12:00.12Z', 'm1'],
      ['until=2026-11-21T05:12:00.121Z', 'm1 m2'],
      ['until=2026-11-21T05:12:00.124Z', 'm1 m2 m3'],
      ['until=2027-01-01T00:00:00.001Z', all],
    ],
    [
      'contain records between both ends, which are included',
      ['from=2026-11-21T05:12:00.12Z&until=2026-11-21T05:12:00.123Z', 'm2 m3'],
      ['from=2026-11-21T05:12:00.123Z&until=2026-11-21T05:12:00.123Z', 'm3'],
      ['from=2026-11-21T05:12:00.121Z&until=2026-11-21T05:12:00.122Z', ''],
      ['until=2026-12-01T00:00:00Z&from=2026-11-21T05:12:00.124Z', 'm4 m5'],
      ['from=2027&until=2026', ''],
    ],
    [
      'respect an end between two milliseconds',
      ['from=2026-11-21T05:12:00.122999Z', 'm3 m4 m5 m6'],
      ['from=2026-11-21T05:12:00.123000001Z', 'm4 m5 m6'],
      ['until=2026-11-21T05:12:00.123000001Z', 'm1 m2 m3'],
      ['until=2026-11-21T05:12:00.1230000Z', 'm1 m2'],
      ['from=2026-11-21T05:12:00.1230001Z&until=2026-11-21T05:12:00.1239Z', ''],
      ['from=2026-11-21T05:12:00.123000Z&until=2026-11-21T05:12:00.1230Z', 'm3'],
    ],
    [
      'accept time zones, with the plus encoded or not',
      ['from=2026-11-21T07:12:00.123%2B02:00', 'm4 m5 m6'],
      ['from=2026-11-21T07:12:00.123+02:00', 'm4 m5 m6'],
      ['from=2026-11-21T07:12:00.123%2002:00', 'm4 m5 m6'],
      ['from=2026-11-21T07:12:00.123+0200', 'm4 m5 m6'],
      ['from=2026-11-21T07:12:00.123+02', 'm4 m5 m6'],
      ['from=2026-11-21T10:57:00.123%2B05:45', 'm4 m5 m6'],
      ['from=2026-11-21T00:12:00.123-05:00', 'm4 m5 m6'],
      ['from=2026-11-21T00%3A12%3A00.123-0500', 'm4 m5 m6'],
      ['from=2026-11-21T05:12:00.123%2B00:00', 'm4 m5 m6'],
      ['from=2026-11-21T05:12:00.123', 'm4 m5 m6'],
      ['from=2026-11-21t05:12:00.123z', 'm4 m5 m6'],
      ['from=2026-11-21T05:12:00,123Z', 'm4 m5 m6'],
      ['from=2026-11-30T24:00:00Z&until=2027-01-01T00:00:00Z', 'm5 m6'],
    ],
    [
      'use the beginning of a year, a month, a day or a minute',
      ['from=2026', all],
      ['until=2026', ''],
      ['until=2027', 'm1 m2 m3 m4 m5'],
      ['from=2026-12', 'm6'],
      ['from=2026-12&until=2027', 'm5 m6'],
      ['until=2026-12', 'm1 m2 m3 m4'],
      ['from=2026-12-01', 'm6'],
      ['from=2026-11-30&until=2026-12-01', 'm5'],
      ['from=2026-11-21T05:12', 'm2 m3 m4 m5 m6'],
      ['until=2026-11-21T05:13%2B00:00', 'm1 m2 m3 m4'],
    ],
  ]
  for (const [title, ...asked] of cases) {
    it(title, async () => {
      for (const [query, ids] of asked) expect(await found(query), query).to.equal(ids)
    })
  }

  it('work under every mount, with other filters, and for schemas', async () => {
    for (const mount of mounts) {
      expect(await found(`from=${times.m2}&until=${times.m4}`, mount)).to.equal('m2 m3 m4')
      expect(
        await found(`from=${times.m2}&resourceId=about m3,about m1`.replaceAll(' ', '%20'), mount),
      ).to.equal('m3')
      expect(await found(`until=${times.m2}&schemaId=json`, mount)).to.equal('m1')
      const total = async (query: string) =>
        (await service.http.get(`${mount}/schemas?${query}`).expect(200)).headers['content-range']
      expect(await total('from=2026')).to.equal('0-0/1')
      expect(await total(`from=${registered}`)).to.equal('*/0')
      expect(await total(`until=${registered}`)).to.equal('*/0')
      expect(await total(`until=2026-01-01T00:00:00.002Z&mimeType=application/json`)).to.equal('0-0/1')
      expect(await total(`from=${registered}&until=${registered}`)).to.equal('0-0/1')
    }
  })

  it('refuse an invalid time, with its name', async () => {
    const bad = [
      '',
      'now',
      '26',
      '2026-',
      '2026-1-1',
      '2026-13',
      '2026-00',
      '2026-02-29',
      '2026-11-31',
      '20261121T051200Z',
      '1763701920000',
      `${day}25:00Z`,
      `${day}05:60Z`,
      `${day}05:12:60Z`,
      `${day}05Z`,
      `${day}05:12:00.Z`,
      `${day}05:12:00.1234567890Z`,
      `${day}05:12:00%2B99:99`,
      `${day}05:12:00%2B2`,
      `${day}05:12:00%20%2B02:00`,
      '2026-11-21%2005:12:00Z',
      '2026%2B02:00',
      `${day}05:12:00Z,${day}05:12:00Z`,
    ]
    for (const mount of mounts) {
      for (const list of ['metadata', 'schemas']) {
        for (const text of bad) {
          const answer = await service.http.get(`${mount}/${list}?from=2026&until=${text}`)
          expect(answer.status, text).to.equal(400)
          expect(answer.body.detail, text).to.include('The parameter until "')
        }
        await service.http.get(`${mount}/${list}?from=2026&from=2026`).expect(400)
      }
    }
  })
})

describe('lists filtered by values that need percent-encoding', () => {
  const resources = [
    'a',
    'b',
    'a,b',
    'a, b',
    'with space',
    ' at both ends ',
    'Größe',
    'Gro\u0308ße',
    '100 %',
    '%41',
    'a&b=c',
    'a+b',
    'a b',
    '#a',
    'a#b',
    '"quoted" and \'so\'',
    'https://example.org/ä/b?c=d&e=%20f#g',
    'back\\slash',
    'semi;colon',
    '<tag>',
    '*',
    'A',
    '😀',
    '漢字',
    '[]',
    '{"json":null}',
    'null',
    'new\nline',
  ]
  let service: TestService

  before(async () => {
    service = await serviceWith(
      resources.map((resource, index) => [
        `m${index}`,
        resource,
        new Date(Date.UTC(2026, 11, 1) + index).toISOString(),
      ]),
    )
  })
  after(removeRepositories)

  async function found(query: string, mount = '/api/v1'): Promise<string[]> {
    const { body } = await service.http
      .get(`${mount}/metadata?size=100&sort=lastUpdate,asc&${query}`)
      .expect(200)
    return (body as { id: string }[]).map(({ id }) => resources[Number(id.slice(1))] ?? '')
  }

  it('find each resource by its name, in both encodings and both spellings of the parameter', async () => {
    for (const resource of resources) {
      const parts = resource.includes(',') ? resource.split(',').map(part => part.trim()) : []
      const expected = resources.filter(other => other === resource || parts.includes(other))
      for (const name of ['resoureId', 'resourceId']) {
        expect(await found(`${name}=${encodeURIComponent(resource)}`), resource).to.deep.equal(expected)
        const form = new URLSearchParams([[name, resource]]).toString()
        expect(await found(form), form).to.deep.equal(expected)
      }
    }
    for (const mount of mounts) {
      expect(await found(`resoureId=${encodeURIComponent('Größe')}`, mount)).to.deep.equal(['Größe'])
    }
  })

  it('find several values, repeated, separated by commas or both', async () => {
    const wanted = ['a+b', '#a', 'Größe', '😀', '100 %']
    const expected = resources.filter(resource => wanted.includes(resource))
    const repeated = wanted.map(text => `resourceId=${encodeURIComponent(text)}`).join('&')
    expect(await found(repeated)).to.deep.equal(expected)
    expect(await found(`resoureId=${wanted.map(encodeURIComponent).join(',')}`)).to.deep.equal(expected)
    expect(await found(`resoureId=${encodeURIComponent(wanted.join(', '))}`)).to.deep.equal(expected)
    const [one = '', ...others] = wanted.map(encodeURIComponent)
    expect(await found(`resoureId=${one}&resourceId=${others.join(',')}&resourceId=`)).to.deep.equal(expected)
    expect(await found('resourceId=%2C')).to.deep.equal([])
  })

  it('find no records of impossible schema names, and find records by addresses of schemas', async () => {
    for (const text of ['a b', 'ä', '100%', 'a&b', 'a+b', 'a#b', '"', "'", 'a/b', '../json', '😀', '\0']) {
      const encoded = encodeURIComponent(text)
      for (const mount of mounts) {
        expect(await found(`schemaId=${encoded}`, mount)).to.deep.equal([])
        const none = await service.http.get(`${mount}/schemas?schemaId=${encoded}`).expect(200)
        expect(none.body).to.deep.equal([])
        expect(none.headers['content-range']).to.equal('*/0')
        await service.http.get(`${mount}/metadata?id=${encoded}`).expect(404)
      }
    }
    for (const mount of mounts) {
      const url = encodeURIComponent(`${base}${mount}/schemas/json?version=1`)
      expect(await found(`schemaId=${url}`)).to.deep.equal(resources)
      expect(await found(`schemaId=none,${url}&resourceId=a%2Bb`)).to.deep.equal(['a+b'])
    }
  })

  it('refuse broken percent-encoding', async () => {
    for (const text of ['%', '%4', '%zz', '%ff', '%c3']) {
      await service.http.get(`/api/v1/metadata?resourceId=${text}`).expect(400)
    }
  })

  it('keep the filters in the links to other pages', async () => {
    for (const resource of resources) {
      const query = `resourceId=${encodeURIComponent(resource)}&resourceId=none&other=${encodeURIComponent(resource)}`
      const { headers, body } = await service.http.get(`/api/v1/metadata?${query}`).expect(200)
      const first = /<([^>]*)>; rel="first"/.exec(headers.link as string)?.[1] ?? ''
      expect(new URL(first).searchParams.getAll('resourceId')).to.deep.equal([resource, 'none'])
      expect(new URL(first).searchParams.get('other')).to.equal(resource)
      expect((await service.http.get(first.slice(base.length)).expect(200)).body).to.deep.equal(body)
    }
  })
})
