import { expect } from 'chai'
import { unzipSync } from 'fflate'
import { exportFormats } from '../../../src/features/exports/export-formats.js'
import { readTurtle, valuesOf } from '../../support/exports/read-rdf.js'
import { readLinks } from '../../support/http/strict-html.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** The ETag of an export: the ETag of the record, the name of the format, and optionally a digest of other sources. */
function tagOf(recordTag: string, name: string): RegExp {
  return new RegExp(`^"${recordTag.replaceAll('"', '')}-${name}(?:-[0-9a-f]{16})?"$`)
}

describe('Exports over HTTP', () => {
  let service: TestService
  let etag: string
  let first: string

  before(async () => {
    service = await startService()
    await service
      .postSchema({ schemaId: 'note', label: 'Notes' }, noteXsdText, { 'common/units.xsd': noteXsdText })
      .expect(201)
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    const record = {
      id: 'paper',
      titles: [{ value: 'A </script> paper', lang: 'en' }],
      creators: [{ givenName: 'Ada', familyName: 'Lovelace' }],
      identifier: { value: '10.5072/paper', identifierType: 'DOI' },
      descriptions: [{ description: 'What it is about.', type: 'ABSTRACT' }],
      rights: [{ schemeId: 'CC-BY-4.0', schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
      relatedIdentifiers: [
        { value: 'https://example.org/7', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'note', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    const created = await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(noteXml), 'document.xml')
      .expect(201)
    first = etagOf(created)
    const changed = await service
      .putMetadata('paper', first, undefined, noteXml.replace('hello', 'hello again'))
      .expect(200)
    etag = etagOf(changed)
    await service
      .postMetadata(metadataRecordV1('https://example.org/8', 'free', { id: 'plain' }), '{}')
      .expect(201)
  })
  after(removeRepositories)

  it('answer every format of records and schemas, in both versions of the interface', async () => {
    for (const root of ['/api/v1', '/api/v2', '/metastore/api/v1', '/repository/api/v2']) {
      for (const item of ['metadata/paper', 'metadata/plain', 'schemas/note', 'schemas/free']) {
        for (const { name, mediaType } of exportFormats) {
          const path = `${root}/${item}/export/${name}`
          const answer = await service.http.get(path).responseType('blob').expect(200)
          expect(answer.headers['content-type'], path).to.satisfy((type: string) =>
            type.startsWith(mediaType),
          )
          expect(answer.headers.vary).to.match(/\bAccept\b/)
          expect(answer.headers['cache-control']).to.equal('no-cache')
          expect(answer.headers.etag).to.match(new RegExp(`^"[0-9a-f]{40}-${name}(?:-[0-9a-f]{16})?"$`))
          expect(answer.headers.link).to.match(
            /^<http[^>]+landing-page[^>]*>; rel="describes"; type="text\/html"$/,
          )
          expect(answer.body.length, path).to.be.greaterThan(50)
        }
      }
    }
  })

  it('have an ETag of the commit and the format', async () => {
    const answer = await service.http.get('/api/v1/metadata/paper/export/bibtex').expect(200)
    const tag = etagOf(answer)
    expect(tag).to.match(tagOf(etag, 'bibtex'))

    await service.http.get('/api/v1/metadata/paper/export/bibtex').set('If-None-Match', tag).expect(304)
    await service.http.get('/api/v1/metadata/paper/export/ris').set('If-None-Match', tag).expect(200)
    await service.http.get('/api/v1/metadata/paper/export/bibtex').set('If-None-Match', etag).expect(200)
  })

  it('answer older versions, and the state at a point of history', async () => {
    for (const query of ['version=1', `at=${first.replaceAll('"', '')}`]) {
      const { body, headers } = await service.http
        .get(`/api/v2/metadata/paper/export/datacite-json?${query}`)
        .expect(200)
      expect(headers.etag).to.match(tagOf(first, 'datacite-json'))
      expect(body.version).to.equal('1')
      expect(body.url).to.equal(`${base}/metadata-landing-page-v2?id=paper&version=1`)
    }
    await service.http.get('/api/v2/metadata/paper/export/datacite-json?version=9').expect(404)
  })

  it('are found by other names of a record', async () => {
    const path = `/api/v1/metadata/${encodeURIComponent('10.5072/paper')}/export/csl`
    const { body } = await service.http.get(path).expect(200)
    expect(body).to.include({ DOI: '10.5072/paper', title: 'A </script> paper' })
  })

  it('refuse an unknown format, and name the known formats', async () => {
    const { body } = await service.http.get('/api/v1/metadata/paper/export/marc').expect(404)
    expect(body.detail).to.contain('"marc"').and.to.contain('datacite-json').and.to.contain('ro-crate')
  })

  it('contain the document, its schema and the files of the schema in a ZIP file', async () => {
    for (const path of ['export/ro-crate-zip', 'export/ro-crate']) {
      const answer = await service.http
        .get(`/api/v1/metadata/paper/${path}`)
        .set('Accept', 'application/zip')
        .responseType('blob')
        .expect(200)
        .expect('Content-Disposition', 'attachment; filename="paper-v2.zip"')
      const files = unzipSync(answer.body)
      expect(Object.keys(files)).to.have.members([
        'document.xml',
        'ro-crate-metadata.json',
        'schema/common/units.xsd',
        'schema/schema.xsd',
      ])
      expect(Buffer.from(files['document.xml'] as Uint8Array).toString()).to.contain('hello again')
      const crate = JSON.parse(Buffer.from(files['ro-crate-metadata.json'] as Uint8Array).toString())
      const root = crate['@graph'].find((entity: { '@id': string }) => entity['@id'] === './')
      const parts = root.hasPart.map(({ '@id': id }: { '@id': string }) => id)
      expect(parts.sort()).to.deep.equal(['document.xml', 'schema/common/units.xsd', 'schema/schema.xsd'])
    }
  })

  it('give the same ZIP file each time', async () => {
    const get = () =>
      service.http.get('/api/v1/metadata/paper/export/ro-crate-zip').responseType('blob').expect(200)
    const [one, other] = [await get(), await get()]
    expect(one.body.equals(other.body)).to.equal(true)
  })

  it('contain versions, commits and authors, and no e-mail addresses', async () => {
    const { text } = await service.http.get('/api/v1/metadata/paper/export/prov').expect(200)
    const commits = [first, etag].map(tag => tag.replaceAll('"', ''))
    const subjects = new Set(readTurtle(text).map(({ subject }) => subject.value))
    for (const commit of commits)
      expect([...subjects].filter(subject => subject.endsWith(`:${commit}`))).to.have.length(1)
    for (const version of [1, 2])
      expect(subjects).to.include(`${base}/metadata-landing-page?id=paper&version=${version}`)
    expect(valuesOf(text, 'http://www.w3.org/ns/prov#wasRevisionOf')).to.deep.equal([
      `${base}/metadata-landing-page?id=paper&version=1`,
    ])
    expect(text).to.not.match(/@(?!prefix)/)
  })

  it('name the commit that ended a record', async () => {
    await service
      .postMetadata(metadataRecordV1('https://example.org/9', 'free', { id: 'ended' }), '{}')
      .expect(201)
    const ends = async () => {
      const { text } = await service.http.get('/api/v1/metadata/ended/export/prov').expect(200)
      return readTurtle(text)
        .filter(({ predicate }) => predicate.value === 'http://www.w3.org/ns/prov#wasInvalidatedBy')
        .map(({ subject, object }) => [subject.value, object.value])
    }
    expect(await ends()).to.deep.equal([])
    await service.http.delete('/api/v1/metadata/ended').set('If-Match', '*').expect(204)
    const [[ended, commit] = []] = await ends()
    expect(ended).to.equal(`${base}/metadata-landing-page?id=ended&version=2`)
    expect(commit).to.match(new RegExp(`^urn:git:[^:]*:${await service.head()}$`))
    expect(await ends()).to.have.length(1)
  })

  it('have the same links in a linkset as JSON and as text', async () => {
    const { body } = await service.http.get('/api/v1/metadata/paper/export/linkset?version=2').expect(200)
    const text = await service.http
      .get('/api/v1/metadata/paper/export/linkset?version=2')
      .set('Accept', 'application/linkset')
      .buffer(true)
      .expect(200)
    const page = `${base}/metadata-landing-page?id=paper&version=2`
    const [context] = body.linkset
    expect(context.anchor).to.equal(page)
    expect(context['cite-as']).to.deep.equal([{ href: 'https://doi.org/10.5072/paper' }])
    expect(context.describedby).to.deep.include({
      href: `${base}/api/v1/metadata/paper/export/dcat?version=2`,
      type: 'application/ld+json',
      profile: ['http://www.w3.org/ns/dcat#'],
    })
    const links = readLinks(text.text.trim().replaceAll(',\n', ', '))
    const counted = body.linkset.flatMap((each: object) => Object.values(each).filter(Array.isArray).flat())
    expect(links).to.have.length(counted.length)
    expect(links[0]).to.include({ anchor: page })
  })

  it('have a linkset with the links of the landing page', async () => {
    const contexts = async (path: string) => {
      const { body } = await service.http.get(path).set('Accept', 'application/linkset+json').expect(200)
      const links = body.linkset as readonly { readonly anchor: string }[]
      return new Map(links.map(({ anchor, ...others }) => [anchor, others as Record<string, unknown>]))
    }
    for (const [page, api] of [
      ['/metadata-landing-page', '/api/v1'],
      ['/metadata-landing-page-v2', '/repository/api/v2'],
      ['/metastore/metadata-landing-page', '/metastore/api/v1'],
    ]) {
      const reached = `${base}${page}?id=paper`
      const pinned = `${reached}&version=2`
      const item = `${base}${api}/metadata/paper?version=2`
      for (const path of [
        `${page}?id=paper`,
        `${page}?id=paper&version=2`,
        `${api}/metadata/paper/export/linkset`,
        `${api}/metadata/paper/export/linkset?version=2`,
      ]) {
        const found = await contexts(path)
        expect([...found.keys()].slice(0, 3), path).to.deep.equal([pinned, reached, item])
        expect(found.get(reached)).to.deep.equal(found.get(pinned))
        const back = [pinned, reached].map(href => ({ href, type: 'text/html' }))
        for (const relation of ['collection', 'describes'])
          expect(found.get(item)?.[relation]).to.deep.equal(back)
        const exports = exportFormats.filter(({ name }) => !name.startsWith('linkset'))
        const addresses = exports.map(({ name }) => `${base}${api}/metadata/paper/export/${name}?version=2`)
        expect([...found.keys()].slice(3), path).to.deep.equal(addresses)
        for (const address of addresses)
          expect(found.get(address), address).to.deep.equal({ describes: back })
      }
      // The linkset of an older version does not describe the page without a version.
      const older = await contexts(`${page}?id=paper&version=1`)
      expect([...older.keys()].filter(anchor => anchor.includes('landing-page'))).to.deep.equal([
        `${reached}&version=1`,
      ])
    }
    const schema = await contexts('/schema-landing-page?schemaId=note')
    expect([...schema.keys()]).to.include(`${base}/schema-landing-page?schemaId=note`)
  })

  describe('at the landing page', () => {
    const page = '/metadata-landing-page?id=paper'
    const accepted = {
      'application/vnd.datacite.datacite+json': 'datacite-json',
      'application/vnd.datacite.datacite+xml': 'datacite-xml',
      'application/ld+json': 'schemaorg',
      'application/vnd.schemaorg.ld+json': 'schemaorg',
      'application/ld+json;profile="http://www.w3.org/ns/dcat#"': 'dcat',
      'application/ld+json; profile="https://w3id.org/ro/crate"': 'ro-crate',
      'text/turtle': 'dcat-ttl',
      'text/turtle;profile="http://www.w3.org/ns/prov#"': 'prov',
      'application/xml;profile="http://www.openarchives.org/OAI/2.0/oai_dc/"': 'oai_dc',
      'application/x-bibtex': 'bibtex',
      'application/vnd.citationstyles.csl+json': 'csl',
      'application/x-research-info-systems': 'ris',
      'application/zip': 'ro-crate-zip',
      'application/linkset+json': 'linkset',
      'application/linkset': 'linkset-text',
      'text/html;q=0.5, text/turtle': 'dcat-ttl',
      'application/json, application/x-bibtex;q=0.1': 'bibtex',
    }

    it('are chosen by Accept', async () => {
      for (const [accept, name] of Object.entries(accepted)) {
        const answer = await service.http.get(page).set('Accept', accept).responseType('blob').expect(200)
        expect(answer.headers.etag, accept).to.match(tagOf(etag, name))
        expect(answer.headers['content-location']).to.equal(`${base}/api/v1/metadata/paper/export/${name}`)
        expect(answer.headers.vary).to.match(/\bAccept\b/)
        const tag = answer.headers.etag ?? ''
        await service.http.get(page).set('Accept', accept).set('If-None-Match', tag).expect(304)
      }
    })

    const compacted = 'http://www.w3.org/ns/json-ld#compacted'
    const flattened = 'http://www.w3.org/ns/json-ld#flattened'
    const profiles = {
      [compacted]: 'schemaorg',
      [flattened]: 'schemaorg',
      'http://www.w3.org/ns/json-ld#expanded': 'schemaorg',
      [`${flattened} ${compacted}`]: 'schemaorg',
      [`${compacted} http://www.w3.org/ns/dcat#`]: 'dcat',
      [`https://w3id.org/ro/crate ${compacted}`]: 'ro-crate',
    }

    it('are chosen by Accept with the profiles of JSON-LD, which name a form and not a format', async () => {
      for (const [profile, name] of Object.entries(profiles)) {
        const accept = `application/ld+json;profile="${profile}"`
        const { headers } = await service.http.get(page).set('Accept', accept).expect(200)
        expect(headers.etag, accept).to.match(tagOf(etag, name))
      }
      // Turtle has no forms of JSON-LD. A known form does not make an unknown format known.
      for (const accept of [
        `text/turtle;profile="${compacted}"`,
        `application/ld+json;profile="${compacted} http://example.org/"`,
      ]) {
        const { headers } = await service.http.get(page).set('Accept', accept).expect(200)
        expect(headers['content-type'], accept).to.match(/^text\/html/)
      }
    })

    it('leave the page to browsers, and to clients that accept no format of exports', async () => {
      for (const accept of [
        'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        '*/*',
        'application/json',
        'text/turtle;profile="http://example.org/"',
        'text/turtle;q=0',
        '"',
        ',,;;',
      ]) {
        const { headers } = await service.http.get(page).set('Accept', accept).expect(200)
        expect(headers['content-type'], accept).to.match(/^text\/html/)
      }
    })

    it('do not change the answer at the address of a record', async () => {
      for (const accept of ['application/ld+json', 'text/turtle', 'application/zip'])
        await service.http
          .get('/api/v1/metadata/paper')
          .set('Accept', accept)
          .expect(200)
          .expect('Content-Type', /^application\/xml/)
    })
  })
})
