import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const document = {
  title: 'Zirconia fibre',
  creators: [{ name: 'Doe, Jane', orcid: '0000-0001-5727-2427' }],
  description: 'Pulled until failure.',
  keywords: ['ceramics', 'creep'],
  license: 'CC-BY-4.0',
  datePublished: '1987-05-04',
  dateCreated: '1986-02-01',
}

type Node = Readonly<Record<string, unknown>>

describe('Lists of public pages', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    await service
      .postMetadata(
        metadataRecordV1('https://example.org/7', 'note', { id: 'fibre' }),
        JSON.stringify(document),
      )
      .expect(201)
  })
  after(removeRepositories)

  /** The entry of the document in the catalogue. */
  async function entry(): Promise<Node> {
    const { text } = await service.http.get('/catalog.jsonld').expect(200)
    const { '@graph': graph } = JSON.parse(text) as {
      '@graph': readonly { readonly 'dcat:dataset'?: readonly Node[] }[]
    }
    const all = graph.flatMap(node => node['dcat:dataset'] ?? [])
    return all.find(each => String(each['@id']).endsWith('id=fibre')) ?? {}
  }

  it('have what the document says in the entry of the catalogue', async () => {
    const { 'dcat:distribution': distributions, ...own } = await entry()
    expect(own).to.deep.include({
      'dct:title': ['Zirconia fibre'],
      'dct:description': ['Pulled until failure.'],
      'dcat:keyword': ['ceramics', 'creep'],
      'dct:creator': [
        {
          '@id': 'https://orcid.org/0000-0001-5727-2427',
          '@type': ['foaf:Agent'],
          'foaf:name': ['Doe, Jane'],
        },
      ],
      'dct:issued': [{ '@value': '1987-05-04', '@type': 'xsd:date' }],
      'dct:created': [{ '@value': '1986-02-01', '@type': 'xsd:date' }],
    })
    const [distribution = {}] = distributions as readonly Node[]
    expect(distribution['dct:license']).to.deep.equal([
      { '@id': 'https://creativecommons.org/licenses/by/4.0/', '@type': ['dct:LicenseDocument'] },
    ])
    const { text: turtle } = await service.http.get('/catalog.ttl').expect(200)
    for (const value of [
      'Zirconia fibre',
      'Pulled until failure.',
      'ceramics',
      'creep',
      'Doe, Jane',
      '1987-05-04',
    ])
      expect(turtle).to.contain(`"${value}"`)
  })

  it('lead from the sitemap to a page that has the same as JSON-LD', async () => {
    const { text: sitemap } = await service.http.get('/sitemap.xml?part=1').expect(200)
    const [, address = ''] = /<loc>([^<]*fibre)<\/loc>/.exec(sitemap.replaceAll('&amp;', '&')) ?? []
    const { pathname, search } = new URL(address)
    const page = await service.http
      .get(pathname + search)
      .set('Accept', 'text/html')
      .expect(200)
    const [, json = '{}'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page.text) ?? []
    expect(JSON.parse(json)).to.deep.include({
      ...{ name: 'Zirconia fibre', description: 'Pulled until failure.', datePublished: '1987-05-04' },
      keywords: ['ceramics', 'creep'],
    })
  })

  it('follow the schema of the document', async () => {
    const before = etagOf(await service.http.get('/catalog.jsonld').expect(200))
    const etag = etagOf(await service.http.get('/api/v1/schemas/note').expect(200))
    await service.putSchema('note', etag, { crosswalk: { titles: { constant: 'A fibre' } } }).expect(200)
    await service.http.get('/catalog.jsonld').set('If-None-Match', before).expect(200)
    expect((await entry())['dct:title']).to.deep.equal(['A fibre'])
  })

  it('follow a schema that is not public and gets the $id of a known one', async () => {
    const closed = await startService({ identify: identifyWithTestSecret })
    const auth = [await userToken('owner'), { type: 'bearer' }] as const
    const owner = { sid: 'owner', permission: 'ADMINISTRATE' }
    await closed
      .postSchema({ schemaId: 'closed', acl: [owner] }, jsonSchema())
      .auth(...auth)
      .expect(201)
    const acl = [owner, { sid: 'anonymousUser', permission: 'READ' }]
    const record = { ...metadataRecordV1('https://example.org/8', 'closed', { id: 'open' }), acl }
    const citation = { title: 'A solver', authors: [{ 'given-names': 'Jane', 'family-names': 'Doe' }] }
    await closed
      .postMetadata(record, JSON.stringify(citation))
      .auth(...auth)
      .expect(201)
    const { text, headers } = await closed.http.get('/catalog.ttl').expect(200)
    expect(text).to.contain('"A solver"').and.not.contain('Doe, Jane')
    const known = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://citation-file-format.github.io/1.2.0/schema.json',
    }
    await closed
      .putSchema('closed', '*', {}, JSON.stringify(known))
      .auth(...auth)
      .expect(200)
    const changed = await closed.http
      .get('/catalog.ttl')
      .set('If-None-Match', headers.etag ?? '')
      .expect(200)
    expect(changed.text).to.contain('"Doe, Jane"')
  })
})
