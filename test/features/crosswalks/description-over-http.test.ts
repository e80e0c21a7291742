import { expect } from 'chai'
import {
  base,
  etagOf,
  metadataRecordV1,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const measurement = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    title: { type: 'string' },
    people: { type: 'array', items: { $ref: '#/$defs/person' } },
    made: { type: 'string' },
    licence: { type: 'string' },
  },
  additionalProperties: false,
  $defs: {
    person: {
      type: 'object',
      properties: { name: { type: 'string' }, orcid: { type: 'string' } },
      additionalProperties: false,
    },
  },
})

const fibre = {
  title: 'Zirconia fibre',
  people: [{ name: 'Doe, Jane', orcid: 'https://orcid.org/0000-0001-5727-2427' }],
  made: '1987-05-04',
  licence: 'CC-BY-4.0',
}

const crosswalk = {
  creators: { each: 'people', name: 'name', nameIdentifiers: 'orcid' },
  publicationYear: 'made',
  rightsList: 'licence',
  publisher: { constant: 'Example Institute' },
}

describe('Descriptions of documents over HTTP', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService({ features: oaiOptions })
    await service.postSchema({ schemaId: 'measurement', crosswalk }, measurement).expect(201)
    await service
      .postMetadata(
        metadataRecordV1('https://example.org/7', 'measurement', { id: 'fibre' }),
        JSON.stringify(fibre),
      )
      .expect(201)
  })
  afterEach(removeRepositories)

  const describe1 = async (path = '/api/v1/metadata/fibre/description') => {
    const answer = await service.http.get(path).expect(200)
    return { answer, body: answer.body as Record<string, unknown> & { sources: Record<string, unknown> } }
  }

  it('have each value with its source, in both versions of the interface', async () => {
    for (const root of ['/api/v1', '/api/v2', '/metastore/api/v2']) {
      const { body } = await describe1(`${root}/metadata/fibre/description`)
      expect(body.titles).to.deep.equal([{ title: 'Zirconia fibre' }])
      expect(body.publicationYear).to.equal('1987')
      expect(body.publisher).to.deep.equal({ name: 'Example Institute' })
      expect(body.sources).to.deep.include({
        '/titles/0': { from: 'document', path: 'title' },
        '/creators/0': { from: 'document', path: 'people[0]' },
        '/publicationYear': { from: 'document', path: 'made' },
        '/publisher': { from: 'schema' },
        '/alternateIdentifiers/0': { from: 'record' },
      })
    }
  })

  it('are in citations, in Dublin Core, and in the answers to harvesters', async () => {
    const bibtex = await service.http.get('/api/v1/metadata/fibre/export/bibtex').expect(200)
    expect(bibtex.text).to.contain('author = {Doe, Jane}').and.contain('year = {1987}')
    const harvested = await service.http
      .get('/oaipmh?verb=GetRecord&metadataPrefix=oai_dc&identifier=fibre')
      .expect(200)
    expect(harvested.text).to.contain('<dc:title>Zirconia fibre</dc:title>')
    expect(harvested.text).to.contain('<dc:creator>Doe, Jane</dc:creator>')
    const catalog = await service.http.get('/catalog.ttl').expect(200)
    expect(catalog.text).to.contain('"Zirconia fibre"')
  })

  it('are on the page of the record, with links to people and licence, and in lists', async () => {
    const page = await service.http
      .get('/metadata-landing-page?id=fibre')
      .set('Accept', 'text/html')
      .expect(200)
    expect(page.text).to.contain('<h1 dir="auto">Zirconia fibre</h1>')
    expect(page.text).to.contain('Jane Doe').and.contain('1987').and.contain('Example Institute')
    expect(page.text).to.contain('Doe, J. (1987)')
    expect(page.headers.link).to.contain('<https://orcid.org/0000-0001-5727-2427>; rel="author"')
    expect(page.headers.link).to.contain('<https://creativecommons.org/licenses/by/4.0/>; rel="license"')
    for (const path of ['/metadata-management', '/dashboard']) {
      const list = await service.http.get(path).set('Accept', 'text/html').expect(200)
      expect(list.text, path).to.contain('Zirconia fibre').and.contain('Doe, Jane').and.contain('CC-BY-4.0')
    }
  })

  it('leave the record as it is', async () => {
    const { body } = await service.http
      .get('/api/v2/metadata/fibre')
      .set('Accept', 'application/vnd.datacite.org+json')
      .expect(200)
    expect(body.titles).to.deep.equal([{ id: 1, value: 'Metadata 4 metastore' }])
    expect(body.publisher).to.equal('SELF')
  })

  it('give way to what the record says itself', async () => {
    const record = {
      titles: [{ value: 'A better title' }],
      rights: [{ schemeUri: 'https://creativecommons.org/publicdomain/zero/1.0/' }],
      relatedIdentifiers: [
        { value: 'https://example.org/8', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'measurement', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
      alternateIdentifiers: [{ value: 'named', identifierType: 'INTERNAL' }],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(JSON.stringify(fibre)), 'document.json')
      .expect(201)
    const { body } = await describe1('/api/v1/metadata/named/description')
    expect(body.titles).to.deep.equal([{ title: 'A better title' }])
    expect((body.rightsList as { rightsIdentifier: string }[])[0]?.rightsIdentifier).to.equal('CC0-1.0')
    expect(body.sources).to.deep.include({
      '/titles/0': { from: 'record' },
      '/rightsList/0': { from: 'record' },
      '/creators/0': { from: 'document', path: 'people[0]' },
    })
  })

  it('are of the document of the same version', async () => {
    const etag = etagOf(await service.http.get('/api/v1/metadata/fibre').expect(200))
    await service
      .putMetadata('fibre', etag, undefined, JSON.stringify({ ...fibre, title: 'Alumina fibre' }))
      .expect(200)
    const now = await describe1()
    const first = await describe1('/api/v1/metadata/fibre/description?version=1')
    expect(now.body.titles).to.deep.equal([{ title: 'Alumina fibre' }])
    expect(first.body.titles).to.deep.equal([{ title: 'Zirconia fibre' }])
  })

  it('follow a changed crosswalk at once, also for old ETags', async () => {
    const { answer } = await describe1()
    const paths = ['/api/v1/metadata/fibre/description', '/api/v1/metadata/fibre/export/bibtex']
    const tags = [etagOf(answer), etagOf(await service.http.get(paths[1] as string))]
    for (const [index, path] of paths.entries())
      await service.http.get(path).set('If-None-Match', String(tags[index])).expect(304)

    const etag = etagOf(await service.http.get('/api/v1/schemas/measurement').expect(200))
    await service.putSchema('measurement', etag, { crosswalk: { creators: 'licence' } }).expect(200)

    for (const [index, path] of paths.entries())
      await service.http.get(path).set('If-None-Match', String(tags[index])).expect(200)
    const { body } = await describe1()
    expect(body.creators).to.deep.equal([{ name: 'CC-BY-4.0' }])
  })

  it('never become markup, nor a header', async () => {
    const hostile = {
      title: '<script>alert(1)</script>',
      people: [{ name: '"><img src=x onerror=alert(1)>', orcid: 'https://orcid.org/x>; rel="stylesheet"' }],
      licence: 'https://example.org/l>; rel="preload"\r\nSet-Cookie: a=b',
    }
    await service
      .postMetadata(
        metadataRecordV1('https://example.org/9', 'measurement', { id: 'hostile' }),
        JSON.stringify(hostile),
      )
      .expect(201)
    for (const path of ['/metadata-landing-page?id=hostile', '/metadata-management', '/search?q=alert']) {
      const page = await service.http.get(path).set('Accept', 'text/html').expect(200)
      expect(page.text, path).to.not.contain('<script>alert').and.not.contain('<img src')
      expect(page.headers).to.not.have.property('set-cookie')
      expect(page.headers.link ?? '', path).to.not.match(/rel="?(?:stylesheet|preload)/)
    }
    for (const format of ['datacite-xml', 'oai_dc', 'dcat-ttl', 'schemaorg', 'ris'])
      await service.http.get(`/api/v1/metadata/hostile/export/${format}`).expect(200)
  })

  it('are there for metadata documents alone', async () => {
    await service.http.get('/api/v1/metadata/none/description').expect(404)
    await service.http.get('/api/v1/schemas/measurement/description').expect(404)
  })
})

describe('A crosswalk in the record of a schema', () => {
  let service: TestService

  beforeEach(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'measurement' }, measurement).expect(201)
  })
  afterEach(removeRepositories)

  async function store(rule: unknown) {
    const etag = etagOf(await service.http.get('/api/v1/schemas/measurement').expect(200))
    return await service.putSchema('measurement', etag, { crosswalk: rule })
  }

  it('is stored as it is sent, makes no new version, and is the same in both versions of the interface', async () => {
    const etag = etagOf(await service.http.get('/api/v1/schemas/measurement').expect(200))
    const changed = await service.putSchema('measurement', etag, { crosswalk }).expect(200)
    expect(changed.body).to.deep.include({ crosswalk, schemaVersion: 1 })
    const { body } = await service.http
      .get('/api/v2/schemas/measurement')
      .set('Accept', 'application/vnd.datacite.org+json')
    expect(body.crosswalk).to.deep.equal(crosswalk)
    const stored = await service.repository.git('show', 'HEAD:schemas/measurement/record.json')
    expect(JSON.parse(stored).crosswalk).to.deep.equal(crosswalk)
  })

  it('stays if a client leaves it out, and goes with an empty one', async () => {
    expect((await store(crosswalk)).status).to.equal(200)
    const etag = etagOf(await service.http.get('/api/v1/schemas/measurement').expect(200))
    const kept = await service.putSchema('measurement', etag, { label: 'Measurements' }).expect(200)
    expect(kept.body.crosswalk).to.deep.equal(crosswalk)
    expect((await store({})).body).to.not.have.property('crosswalk')
  })

  it('stays as it was if a new version of the schema rules out a path of it, which former documents have', async () => {
    expect((await store(crosswalk)).status).to.equal(200)
    const { made: _, ...properties } = JSON.parse(measurement).properties
    const second = JSON.stringify({ ...JSON.parse(measurement), properties })
    const put = async (record: object) =>
      await service.putSchema(
        'measurement',
        etagOf(await service.http.get('/api/v1/schemas/measurement')),
        record,
        second,
      )
    expect((await put({ crosswalk })).status).to.equal(200)
    const { status, body } = await put({ crosswalk: { ...crosswalk, titles: 'title' } })
    expect(status).to.equal(422)
    expect(body.findings.map(({ path }: { path: string }) => path)).to.deep.equal([
      '/crosswalk/publicationYear',
    ])
  })

  it('is refused with the place of each fault', async () => {
    const { status, body } = await store({ titles: { titel: 'x' } })
    expect(status).to.equal(422)
    expect(body.findings[0]).to.deep.include({ file: 'record.json', path: '/crosswalk/titles/titel' })
    expect(body.detail).to.contain('There is no member "titel"')
    const never = await store({ language: { constant: 'not a tag!' } })
    expect(never.status).to.equal(422)
    expect(never.body.findings[0].path).to.equal('/crosswalk/language/constant')
  })

  it('is refused if no document of the schema can have a path of it', async () => {
    const page = await service.http
      .get('/schema-landing-page?schemaId=measurement')
      .set('Accept', 'text/html')
    expect(page.text).to.not.contain('Where its documents describe themselves')
    const { status, body } = await store({ creators: { each: 'people', name: 'nome' } })
    expect(status).to.equal(422)
    expect(body.detail).to.contain('No document of this schema can have the path "people.nome"')
    expect((await store({ creators: { each: 'people', name: 'name' } })).status).to.equal(200)
  })

  it('is refused in an XML Schema without the element, and as member of a metadata record', async () => {
    const xsd = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="note"><xs:complexType>
      <xs:sequence><xs:element name="head" type="xs:string"/></xs:sequence><xs:attribute name="on"/></xs:complexType></xs:element></xs:schema>`
    const post = (rule: unknown, schemaId: string) => service.postSchema({ schemaId, crosswalk: rule }, xsd)
    const wrong = await post({ titles: 'note.haed' }, 'a').expect(422)
    expect(wrong.body.detail).to.contain('"note.haed"')
    await post({ titles: 'note.head', publicationYear: 'note.@on' }, 'b').expect(201)
    const including = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="note.xsd"/></xs:schema>`
    const files = { 'note.xsd': xsd }
    const whole = (rule: unknown) => service.postSchema({ schemaId: 'c', crosswalk: rule }, including, files)
    expect((await whole({ titles: 'note.on' }).expect(422)).body.detail).to.contain('"note.on"')
    await whole({ titles: 'note.head' }).expect(201)
    const etag = etagOf(await service.http.get('/api/v1/schemas/c').expect(200))
    const put = (rule: unknown) => service.putSchema('c', etag, { crosswalk: rule })
    expect((await put({ titles: 'note.head.note' }).expect(422)).body.detail).to.contain('"note.head.note"')
    await put({ titles: 'note.head', publicationYear: 'note.@on' }).expect(200)
  })
})

describe('A crosswalk of a JSON Schema of several files', () => {
  let service: TestService

  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  const closed = { type: 'object', additionalProperties: false }
  const whole = JSON.stringify({
    ...closed,
    properties: {
      title: { $ref: 'parts/texts.json#/$defs/title' },
      people: { type: 'array', items: { $ref: 'https://schemas.example.org/2026/person.json' } },
      place: { $ref: `${base}/api/v1/schemas/place` },
    },
  })
  const files = {
    'parts/texts.json': JSON.stringify({
      $defs: { title: { anyOf: [{ type: 'string' }, { $ref: 'localized.json' }] } },
    }),
    'parts/localized.json': JSON.stringify({ ...closed, properties: { value: { type: 'string' } } }),
    'person.json': JSON.stringify({
      $id: 'https://schemas.example.org/2026/person.json',
      ...closed,
      properties: { name: { type: 'string' }, knows: { $ref: 'person.json' } },
    }),
  }
  const possible = { titles: ['title', 'title.value'], creators: { each: 'people', name: 'knows.name' } }

  it('is refused if a path of it is ruled out by a file or by a registered schema', async () => {
    const place = JSON.stringify({ ...closed, properties: { town: { type: 'string' } } })
    await service.postSchema({ schemaId: 'place' }, place).expect(201)
    const post = (crosswalk: unknown) => service.postSchema({ schemaId: 'whole', crosswalk }, whole, files)
    const wrong = {
      'title.valeu': { titles: 'title.valeu' },
      'people.nome': { creators: { each: 'people', name: 'nome' } },
      'people.knows.knows.nome': { creators: { each: 'people.knows.knows', name: 'nome' } },
      'place.city': { geoLocations: 'place.city' },
      title_: { titles: ['title', 'title_'] },
    }
    for (const [path, crosswalk] of Object.entries(wrong)) {
      const { body } = await post(crosswalk).expect(422)
      expect(body.findings, path).to.have.length(1)
      expect(body.findings[0].message).to.equal(`No document of this schema can have the path "${path}".`)
      expect(body.findings[0].path).to.equal(`/crosswalk/${Object.keys(crosswalk)[0]}`)
    }
    await post({ ...possible, geoLocations: 'place.town' }).expect(201)
  })

  it('is checked against the files that are stored, also by an update and a trial', async () => {
    const etag = etagOf(await service.http.get('/api/v1/schemas/whole').expect(200))
    const refused = await service.putSchema('whole', etag, { crosswalk: { titles: 'title.text' } })
    expect(refused.status).to.equal(422)
    expect(refused.body.detail).to.contain('"title.text"')
    const tried = await service.http
      .post('/api/v1/schemas/whole/crosswalk')
      .attach('crosswalk', Buffer.from('{"titles": "people.title"}'), {
        filename: 'crosswalk.json',
        contentType: 'application/json',
      })
      .expect(200)
    expect(tried.body.faults[0].message).to.contain('"people.title"')
    await service.putSchema('whole', etag, { crosswalk: possible }).expect(200)
  })
})

describe('A crosswalk with faults that comes with a commit', () => {
  afterEach(removeRepositories)

  it('leaves out its values, and makes no document unreadable', async () => {
    const service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'measurement' }, measurement).expect(201)
    await service
      .postMetadata(
        metadataRecordV1('https://example.org/7', 'measurement', { id: 'fibre' }),
        JSON.stringify(fibre),
      )
      .expect(201)
    await service.services.workTreeUpToDate()
    const file = 'schemas/measurement/record.json'
    const stored = JSON.parse(await service.repository.git('show', `HEAD:${file}`))
    const wrong = { titles: { titel: 7 }, creators: 'licence', subjects: [{ each: 'a..b' }] }
    await service.repository.commit('Add a crosswalk', {
      [file]: `${JSON.stringify({ ...stored, crosswalk: wrong }, null, 2)}\n`,
    })
    const creators = await waitUntil('the crosswalk of the commit', async () => {
      const { body } = await service.http.get('/api/v1/metadata/fibre/description').expect(200)
      return body.sources['/creators/0'] ? body.creators : undefined
    })
    expect(creators).to.deep.equal([{ name: 'CC-BY-4.0' }])
    await service.http.get('/metadata-landing-page?id=fibre').set('Accept', 'text/html').expect(200)
    const page = await service.http
      .get('/schema-landing-page?schemaId=measurement')
      .set('Accept', 'text/html')
      .expect(200)
    expect(page.text).to.contain('The crosswalk has faults.').and.contain('/titles/titel')
    const { body } = await service.http.post('/api/v1/schemas/measurement/crosswalk').field('x', 'y')
    expect(body.faults.map(({ pointer }: { pointer: string }) => pointer)).to.include('/titles/titel')
  })
})

describe('The trial of a crosswalk', () => {
  let service: TestService

  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'measurement', crosswalk }, measurement).expect(201)
    for (const id of ['one', 'two', 'three'])
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/${id}`, 'measurement', { id }),
          JSON.stringify(id === 'two' ? { title: 'Two' } : fibre),
        )
        .expect(201)
  })
  after(removeRepositories)

  const trial = (path = '') => service.http.post(`/api/v1/schemas/measurement/crosswalk${path}`)
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const part = { filename: 'crosswalk.json', contentType: 'application/json' }

  it('tells what comes out of the stored documents, and what they lack', async () => {
    const { body } = await trial().attach(
      'crosswalk',
      json({ creators: 'people.name', subjects: 'made' }),
      part,
    )
    expect(body).to.deep.include({ faults: [], checked: 3, more: false, empty: [] })
    expect(body.without).to.deep.equal({ titles: 0, creators: 1, publicationYear: 3 })
    expect(body.documents[1]).to.deep.include({
      id: 'two',
      version: 1,
      without: ['creators', 'publicationYear'],
    })
    expect(body.documents[0].description.subjects).to.deep.equal([
      { value: { subject: '1987-05-04' }, path: 'made' },
    ])
  })

  it('describes a document that is sent, by the stored crosswalk', async () => {
    const { body } = await trial()
      .attach('document', json({ title: 'New' }), 'new.json')
      .expect(200)
    expect(body.checked).to.equal(1)
    expect(body.documents[0]).to.not.have.property('id')
    expect(body.documents[0].description.titles[0].value).to.deep.equal({ title: 'New' })
    expect(body.empty).to.deep.equal(['creators', 'publicationYear', 'rightsList'])
  })

  it('counts a date from which no year follows as none', async () => {
    const dates = { date: 'made', dateType: { constant: 'Issued' } }
    for (const [made, without] of [
      ['1987-05', []],
      ['-0044-03-15', ['publicationYear']],
      ['/1987', ['publicationYear']],
    ] as const) {
      const { body } = await trial()
        .attach('crosswalk', json({ dates, publicationYear: 'licence' }), part)
        .attach('document', json({ title: 'Old', people: [], made }), 'old.json')
        .expect(200)
      expect(body.documents[0].without, made).to.deep.equal(['creators', ...without])
    }
  })

  it('tells faults, and applies the other rules', async () => {
    const { body } = await trial().attach('crosswalk', json({ title: 'x', creators: 'people.name' }), part)
    expect(body.faults[0].pointer).to.equal('/title')
    expect(body.without.creators).to.equal(1)
  })

  it('reads no more documents than the limit, and stores nothing', async () => {
    await service.storesNothing(async () => {
      const { body } = await trial('?limit=2').attach('crosswalk', json(crosswalk), part).expect(200)
      expect(body).to.deep.include({ checked: 2, more: true })
    })
  })

  it('leaves the descriptions of the documents as they are', async () => {
    await trial()
      .attach('crosswalk', json({ titles: 'licence' }), part)
      .expect(200)
    const { body } = await service.http.get('/api/v1/metadata/one/description').expect(200)
    expect(body.titles).to.deep.equal([{ title: 'Zirconia fibre' }])
    expect(body.creators[0].name).to.equal('Doe, Jane')
  })
})
