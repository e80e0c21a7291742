import { expect } from 'chai'
import type { Id } from '../../../src/core/value-types.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { checkExport } from '../../support/exports/check-export.js'
import { searchHasAll } from '../../support/http/search-examples.js'
import {
  jsonSchema,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken } from '../../support/http/test-tokens.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const crosswalk = {
  titles: 'title',
  creators: {
    each: 'people',
    name: 'name',
    nameIdentifiers: { each: 'ids', nameIdentifier: 'value', nameIdentifierScheme: 'scheme' },
  },
  subjects: 'about',
  rightsList: {
    each: 'terms',
    rights: 'name',
    rightsUri: 'address',
    rightsIdentifierScheme: 'scheme',
    rightsIdentifier: 'code',
  },
  dates: { each: 'dated', date: 'on', dateType: 'as' },
}
const max = { people: [{ name: 'Other, Max' }] }
const jane = { givenName: 'Jane', familyName: 'Doe' }
const openAccess = {
  name: 'open access',
  scheme: 'COAR',
  code: 'c_abf2',
  address: 'http://purl.org/coar/access_right/c_abf2',
}

interface Described {
  readonly creators: readonly { readonly name: string }[]
  readonly sources: Readonly<Record<string, object>>
  readonly [member: string]: unknown
}

describe('What a record says itself and its document', () => {
  let service: TestService
  let token: string | undefined

  afterEach(async () => {
    token = undefined
    await removeRepositories()
  })

  const withToken = () => (token === undefined ? {} : { Authorization: `Bearer ${token}` })

  /** Starts a service with a schema and its crosswalk. */
  async function start(
    claims?: { readonly username: string; readonly [claim: string]: string },
    serve: typeof startServiceWithWorkTree = startService,
  ) {
    service = await serve(claims ? { identify: identifyWithTestSecret } : {})
    if (claims) token = await signToken({ roles: '["ROLE_USER"]', ...claims })
    await service.postSchema({ schemaId: 'plain', crosswalk }, jsonSchema()).set(withToken()).expect(201)
  }

  async function post(id: string, record: object, document: object): Promise<void> {
    const whole = {
      id,
      titles: [{ value: 'A title' }],
      relatedIdentifiers: [
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'plain', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
      ...record,
    }
    await service.http
      .post('/api/v2/metadata')
      .set(withToken())
      .attach('record', Buffer.from(JSON.stringify(whole)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(JSON.stringify(document)), 'document.json')
      .expect(201)
  }

  const read = async (path: string) => await service.http.get(path).set(withToken()).buffer(true).expect(200)
  const descriptionOf = async (id: string, query = '') =>
    (await read(`/api/v2/metadata/${id}/description${query}`)).body as Described
  const exportOf = async (id: string, format: string) =>
    (await read(`/api/v2/metadata/${id}/export/${format}`)).text
  const creatorsOf = async (id: string) => (await descriptionOf(id)).creators.map(({ name }) => name)

  async function search(query: Readonly<Record<string, string>>) {
    await searchHasAll(service)
    const { body } = await service.http
      .get('/api/v1/search')
      .set(withToken())
      .query({ highlight: 'false', ...query })
      .expect(200)
    return body as {
      readonly total: number
      readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>
    }
  }

  it('has the creator that a client without a login states', async () => {
    await start()
    await post('stated', { creators: [jane] }, max)
    await post('unstated', {}, max)
    expect(await creatorsOf('stated')).to.deep.equal(['Doe, Jane'])
    expect((await descriptionOf('stated')).sources['/creators/0']).to.deep.equal({ from: 'record' })
    expect(await exportOf('stated', 'bibtex'))
      .to.contain('{Doe, Jane}')
      .and.not.contain('Max')
    expect(await creatorsOf('unstated')).to.deep.equal(['Other, Max'])
    expect((await search({ q: 'creator:"Doe, Jane"' })).total).to.equal(1)
    expect((await search({ q: 'creator:"Other, Max"' })).total).to.equal(1)
  })

  it('has the creators that a caller with a name states, in place of the caller', async () => {
    await start({ username: 'ada', firstname: 'Ada', lastname: 'Byron' })
    await post('unstated', {}, max)
    await post('affiliated', { creators: [{ ...jane, affiliations: ['Institute'] }] }, max)
    await post('published', { creators: [jane], publisher: 'Press' }, max)
    expect(await creatorsOf('unstated')).to.deep.equal(['Other, Max'])
    expect(await creatorsOf('affiliated')).to.deep.equal(['Doe, Jane'])
    expect(await creatorsOf('published')).to.deep.equal(['Doe, Jane'])
    await post('bare', { creators: [jane] }, max)
    await post('self', { creators: [{ givenName: 'Ada', familyName: 'Byron' }] }, max)
    expect(await creatorsOf('bare')).to.deep.equal(['Doe, Jane'])
    expect(await exportOf('bare', 'bibtex')).to.contain('{Doe, Jane}')
    // A record cannot tell that its creator is the client, from that the client names itself.
    expect(await creatorsOf('self')).to.deep.equal(['Other, Max'])
    expect((await search({ q: 'creator:"Doe, Jane"' })).total).to.equal(3)
    expect((await search({ q: 'creator:"Other, Max"' })).total).to.equal(2)
    // Whoever changes the document says nothing of the creator.
    const first = await service.head()
    token = await signToken({
      username: 'root',
      firstname: 'Jane',
      lastname: 'Doe',
      roles: '["ROLE_ADMINISTRATOR"]',
    })
    for (const id of ['unstated', 'bare'])
      await service
        .putMetadata(id, '*', undefined, JSON.stringify({ people: [{ name: 'Third, Kim' }] }))
        .set(withToken())
        .expect(200)
    expect(await creatorsOf('unstated')).to.deep.equal(['Third, Kim'])
    expect(await creatorsOf('bare')).to.deep.equal(['Doe, Jane'])
    expect((await search({ q: 'creator:"Doe, Jane"' })).total).to.equal(3)
    expect((await search({ q: 'creator:"Other, Max"', at: first })).total).to.equal(2)
    expect((await search({ q: 'creator:"Doe, Jane"', at: first })).total).to.equal(3)
  })

  it('has the creators of the document in place of the author of a commit', async () => {
    await start(undefined, startServiceWithWorkTree)
    const files = (id: string, record: object) => ({
      [`${recordDirectory('metadata', id as Id)}/record.json`]: JSON.stringify({
        schema: { schemaId: 'plain' },
        relatedIdentifiers: [{ value: `https://example.org/${id}`, relationType: 'IS_METADATA_FOR' }],
        ...record,
      }),
      [`${recordDirectory('metadata', id as Id)}/document.json`]: JSON.stringify(max),
    })
    await service.repository.commit('Add two records', {
      ...files('unstated', {}),
      ...files('institute', { creators: [{ givenName: 'Institute' }], publisher: 'Institute' }),
    })
    await waitUntil('the commit', async () => {
      const { status } = await service.http.get('/api/v1/metadata/institute')
      return status === 200 || undefined
    })
    expect(await creatorsOf('unstated')).to.deep.equal(['Other, Max'])
    expect(await creatorsOf('institute')).to.deep.equal(['Institute'])
  })

  it('has its dates in place of those of the same type in the document, and the others of the document', async () => {
    await start()
    const dated = [
      { on: '1999-01-02', as: 'Collected' },
      { on: '1999-03-04', as: 'Submitted' },
    ]
    await post('dated', { dates: [{ value: '2001-05-06T00:00:00Z', type: 'COLLECTED' }] }, { dated })
    const { dates } = await descriptionOf('dated')
    const wanted = (dates as readonly { readonly dateType: string }[]).filter(({ dateType }) =>
      /Collected|Submitted/.test(dateType),
    )
    expect(wanted).to.deep.equal([
      { date: '2001-05-06T00:00:00Z', dateType: 'Collected' },
      { date: '1999-03-04', dateType: 'Submitted' },
    ])
  })

  it('has dates of any form of ISO 8601 in a valid export, each with its type', async () => {
    await start()
    const written: Readonly<Record<string, string>> = {
      2015: '"2015"^^xsd:gYear',
      '2015-03': '"2015-03"^^xsd:gYearMonth',
      '2015-03-14': '"2015-03-14"^^xsd:date',
      '2015-03-14T10:20:30.5+01:00': '"2015-03-14T10:20:30.5+01:00"^^xsd:dateTime',
      '2015-03-14T10:20Z': '"2015-03-14"^^xsd:date',
      '2015-03-14/2016': '"2015-03-14"^^xsd:date',
      '-0044-03-15': '"-0044-03-15"^^xsd:date',
      '/2016': `"${new Date().getUTCFullYear()}"^^xsd:gYear`,
    }
    for (const [index, [on, literal]] of Object.entries(written).entries()) {
      const id = `issued-${index}`
      await post(id, {}, { dated: [{ on, as: 'Issued' }] })
      const text = await exportOf(id, 'dcat-ttl')
      await checkExport('dcat-ttl', Buffer.from(text))
      expect(text).to.contain(`dct:issued ${literal} ;`)
    }
  })

  it('loses none of its values in searches if the document has the same property', async () => {
    await start()
    const subjects = Array.from({ length: 600 }, (_, index) => ({ value: `term ${index}` }))
    await post('many', { subjects }, { about: 'fibre' })
    for (const index of [0, 98, 100, 300, 599])
      expect((await search({ q: `subject:"term ${index}"` })).total, `term ${index}`).to.equal(1)
    expect((await search({ q: 'subject:fibre' })).total).to.equal(0)
  })

  it('has one name for each licence in facets', async () => {
    await start()
    const names = [
      { name: 'https://creativecommons.org/licenses/by/4.0/' },
      { name: 'CC BY 4.0 International' },
      { name: 'Attribution', code: 'cc-by-4.0', scheme: 'SPDX' },
      { name: 'CC-BY-4.0' },
    ]
    for (const [index, terms] of names.entries()) await post(`m${index}`, {}, { terms: [terms] })
    const { facets } = await search({ facets: 'licence' })
    expect(facets.licence?.map(({ value, count }) => [value, count])).to.deep.equal([['CC-BY-4.0', 4]])
  })

  it('has no year of searches that neither of them states', async () => {
    await start()
    await post('collected', {}, { dated: [{ on: '1987', as: 'Collected' }] })
    await post('issued', {}, { dated: [{ on: '1988', as: 'Issued' }] })
    const { facets } = await search({ facets: 'year' })
    expect(facets.year?.map(({ value }) => String(value))).to.deep.equal(['1988'])
  })

  it('has links to authors by their first address, and to the licence, in the linkset too', async () => {
    await start()
    const ids = [
      { value: '118540238', scheme: 'GND' },
      { value: '0000-0001-5727-2427', scheme: 'ORCID' },
      { value: 'https://isni.org/isni/0000000121032683', scheme: 'ISNI' },
    ]
    await post('linked', {}, { people: [{ name: 'Doe, Jane', ids }], terms: [openAccess, { name: 'MIT' }] })
    const linkset = JSON.parse(await exportOf('linked', 'linkset')) as {
      readonly linkset: readonly Readonly<Record<string, readonly { readonly href: string }[]>>[]
    }
    const targets = (rel: string) => linkset.linkset.map(links => (links[rel] ?? []).map(({ href }) => href))
    expect(targets('author')).to.deep.include(['https://orcid.org/0000-0001-5727-2427'])
    expect(targets('license')).to.deep.include(['https://spdx.org/licenses/MIT.html'])
  })

  it('names no source of values that stand for missing ones', async () => {
    await start()
    await post('bare', { titles: [{ value: '\u200b' }] }, {})
    const bare = await descriptionOf('bare')
    expect(bare.titles).to.deep.equal([{ title: 'bare' }])
    expect(bare.sources).to.not.have.any.keys('/titles/0', '/identifiers/0', '/creators/0', '/publisher')
    await post('named', { identifier: { value: '10.5072/x', identifierType: 'DOI' } }, {})
    expect((await descriptionOf('named')).sources).to.deep.include({
      '/titles/0': { from: 'record' },
      '/identifiers/0': { from: 'record' },
      '/doi': { from: 'record' },
    })
  })

  it('keeps an access right that the document states apart from that of this repository', async () => {
    await start({ username: 'ada' })
    await post('closed', {}, { terms: [openAccess, { name: 'MIT' }] })
    const { rightsList } = await descriptionOf('closed')
    expect((rightsList as readonly { readonly rights: string }[]).map(({ rights }) => rights)).to.deep.equal([
      'open access',
      'MIT',
      'restricted access',
    ])
    expect(JSON.parse(await exportOf('closed', 'schemaorg')).isAccessibleForFree).to.equal(false)
    expect(await exportOf('closed', 'dcat-ttl'))
      .to.contain('access-right/RESTRICTED')
      .and.not.contain('PUBLIC')
    expect(await exportOf('closed', 'oai_dc'))
      .to.contain('semantics/restrictedAccess')
      .and.contain('<dc:rights>open access</dc:rights>')
      .and.not.contain('semantics/openAccess')
    const page = await service.http
      .get('/metadata-landing-page-v2?id=closed')
      .set({ Accept: 'text/html', ...withToken() })
      .expect(200)
    expect(page.text).to.contain(openAccess.address)
  })

  it('is described at a point of history, and the same in a clone', async () => {
    await start()
    await post('old', {}, max)
    const point = await service.head()
    const before = await descriptionOf('old', `?at=${point}`)
    await service
      .putMetadata('old', '*', undefined, JSON.stringify({ people: [{ name: 'New, Ann' }] }))
      .expect(200)
    expect(await creatorsOf('old')).to.deep.equal(['New, Ann'])
    expect((await descriptionOf('old', `?at=${point}`)).creators).to.deep.equal(before.creators)
    const now = await descriptionOf('old')

    const clone = await temporaryRepository({ bare: true })
    await clone.git('fetch', '-q', service.repository.dir, 'main')
    await clone.git('update-ref', 'refs/heads/main', 'FETCH_HEAD')
    service = await startService({}, {}, clone)
    expect(await descriptionOf('old')).to.deep.equal(now)
    expect((await descriptionOf('old', `?at=${point}`)).creators).to.deep.equal(before.creators)
  })

  it('is shown by the trial of a crosswalk in version 2 of the interface too', async () => {
    await start()
    await post('tried', {}, { ...max, heading: 'Tried' })
    const { body } = await service.http
      .post('/api/v2/schemas/plain/crosswalk')
      .attach('crosswalk', Buffer.from('{"titles":"heading"}'), {
        filename: 'crosswalk.json',
        contentType: 'application/json',
      })
      .expect(200)
    expect(body).to.deep.include({ faults: [], checked: 1 })
    expect(body.documents[0].description.titles[0].value).to.deep.equal({ title: 'Tried' })
  })
})
