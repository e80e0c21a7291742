import { expect } from 'chai'
import LinkHeader from 'http-link-header'
import type request from 'supertest'
import { exportFormats } from '../../../src/features/exports/export-formats.js'
import { checkExport } from '../../support/exports/check-export.js'
import { metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** Characters that mean something in pages, spreadsheets, headers, XML, Turtle, BibTeX or RIS. */
const signs = [
  'a\u0000b\u0001\u0008c\u001b[31m\u007f\u0085\u2028',
  '<script>alert(1)</script>',
  '</title><img src=x onerror=alert(1)>',
  '=HYPERLINK("https://example.org")',
  '+1+1',
  '@SUM(1)',
  '-2',
  ']]>&lt;&#0;&amp;',
  '"""\\" .\n<urn:x> <urn:y> <urn:z>',
  '}, note = {x}',
  'x\r\nER  - \r\nTY  - GEN',
  '\ud800 lone \udfff',
  '\u202e right to left',
]
const header = 'https://example.org/a>; rel="preload", <https://example.org/b\r\nSet-Cookie: a=b'

/** Creators of a JSON document, and elements beside each other of an XML document. */
const [manyCreators, manyElements] = isLongForm ? [10_000, 100_000] : [2000, 20_000]

/** Documents that hold more, or are deeper, than any that people write. */
const documents: Readonly<Record<string, string>> = {
  'signs with a meaning': JSON.stringify({
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name: signs,
    author: signs.map(name => ({ '@type': 'Person', name })),
    contributor: signs.map(name => ({ '@type': 'Organization', name })),
    keywords: signs,
    description: signs,
    license: signs,
    publisher: { name: signs[2] },
    version: signs[3],
    encodingFormat: signs[4],
    funder: { name: signs[5] },
    spatialCoverage: signs,
  }),
  'addresses that end a link of a header': JSON.stringify({
    title: 'Links',
    creators: [{ name: 'Doe, Jane', orcid: header }],
    license: { name: header, url: header },
    doi: '10.5072/a>; rel="preload"\r\nX: y',
  }),
  'a title of 1 MB': JSON.stringify({ title: `<&"${'x'.repeat(2 ** 20)}` }),
  [`${manyCreators} creators`]: JSON.stringify({
    title: 'Many',
    creators: Array.from({ length: manyCreators }, (_, index) => ({ name: `Doe, Jane ${index}` })),
  }),
  'JSON that is 10,000 levels deep': `{"title":"Deep","creators":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  'JSON with objects that are 10,000 levels deep': `{"title":"Deep","name":${'{"name":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  'XML with 100,000 elements below each other': `<note xmlns="urn:note"><title>Deep</title>${'<p>'.repeat(100_000)}x${'</p>'.repeat(100_000)}</note>`,
  [`XML with ${manyElements} elements beside each other`]: `<note xmlns="urn:note"><title>Wide</title>${'<creator>Doe, Jane</creator>'.repeat(manyElements)}</note>`,
}

/** An XML Schema whose documents may have any elements. */
const anyNote = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:note" elementFormDefault="qualified"><xs:element name="note"><xs:complexType>
  <xs:sequence><xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element></xs:schema>`

/** JSON Schemas in which a search for a path could go in circles, or takes every way again and again. */
const circularSchemas: Readonly<Record<string, object>> = {
  'a schema that is its own branch': {
    type: 'object',
    properties: { a: { $ref: '#' } },
    additionalProperties: false,
  },
  'definitions that lead to each other': {
    $ref: '#/$defs/one',
    $defs: {
      one: { type: 'object', properties: { a: { $ref: '#/$defs/two' } }, additionalProperties: false },
      two: { allOf: [{ $ref: '#/$defs/one' }] },
    },
  },
  'choices that double at each level': {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: ['object', 'array'],
        properties: { a: { anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/node' }] } },
        items: { $ref: '#/$defs/node' },
        additionalProperties: false,
      },
    },
  },
}

describe('Documents with hostile values', () => {
  let service: TestService
  before(async () => {
    service = await startService({ features: oaiOptions })
    await service.postSchema({ schemaId: 'any' }, '{"type":"object"}').expect(201)
    await service.postSchema({ schemaId: 'note' }, anyNote).expect(201)
  })
  after(removeRepositories)

  /** Checks that an answer sends no header and no instruction that the document wrote. */
  function expectHarmless({ headers, text = '' }: request.Response, what: string): void {
    expect(headers, what).to.not.have.any.keys('set-cookie', 'x')
    const relations = LinkHeader.parse(headers.link ?? '').refs.map(({ rel }) => rel)
    expect(relations, what).to.not.include('preload')
    if (/html/.test(String(headers['content-type'])))
      expect(text, what).to.not.match(/<script>alert|<img src=x|<urn:/)
  }

  for (const [title, document] of Object.entries(documents))
    it(`with ${title} give valid answers everywhere`, async () => {
      const isXml = document.startsWith('<')
      const id = title.replace(/\W+/g, '-').toLowerCase()
      const record = metadataRecordV1(`https://example.org/${id}`, isXml ? 'note' : 'any', { id })
      const posted = await service.postMetadata(record, document)
      // A document that is too deep for a parser is refused whole.
      if (posted.status !== 201) {
        expect(posted.status, posted.text).to.be.oneOf([400, 422])
        expect(posted.text).to.match(/levels|deep/)
        return await service.http
          .get(`/api/v1/metadata/${id}`)
          .expect(404)
          .then(() => undefined)
      }
      const described = await service.http.get(`/api/v1/metadata/${id}/description`).expect(200)
      expect(described.body.titles[0].title)
        .to.be.a('string')
        .and.not.match(/[\r\n]/)
      for (const { name } of exportFormats) {
        const answer = await service.http
          .get(`/api/v1/metadata/${id}/export/${name}`)
          .buffer(true)
          .parse((message, done) => {
            const pieces: Buffer[] = []
            message.on('data', (piece: Buffer) => pieces.push(piece))
            message.on('end', () => done(null, Buffer.concat(pieces)))
          })
          .expect(200)
        expectHarmless(answer, name)
        await checkExport(name, answer.body)
      }
      for (const path of [`/metadata-landing-page?id=${id}`, '/metadata-management', '/dashboard']) {
        const page = await service.http.get(path).set('Accept', 'text/html').expect(200)
        expectHarmless(page, path)
      }
      for (const prefix of ['oai_dc', 'datacite']) {
        const query = `verb=GetRecord&metadataPrefix=${prefix}&identifier=${id}`
        const harvested = await service.http.get(`/oaipmh?${query}`).expect(200)
        expect(harvested.text, prefix).to.contain('</GetRecord>')
        expectHarmless(harvested, prefix)
      }
    })

  const entity = '<dcat:Dataset><dct:title>Deep</dct:title><dct:creator rdf:resource="#x"/></dcat:Dataset>'
  const agent = '<foaf:Agent rdf:about="#x"><foaf:name>Doe</foaf:name></foaf:Agent>'
  const unchecked: Readonly<Record<string, string>> = {
    'RDF with an entity below 50,000 elements': `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/" xmlns:foaf="http://xmlns.com/foaf/0.1/">${entity}${'<x>'.repeat(50_000)}${agent}${'</x>'.repeat(50_000)}</rdf:RDF>`,
    'XML with a namespace in each of 200,000 levels': `<title>${'<x xmlns:a="b">'.repeat(200_000)}${'</x>'.repeat(200_000)}</title>`,
    'XML with 100,000 elements below 3,000 levels with namespaces': `<title>${'<x xmlns:a="b">'.repeat(3000)}${'<q:y/>'.repeat(100_000)}${'</x>'.repeat(3000)}</title>`,
  }
  for (const [title, document] of Object.entries(unchecked))
    it(`${title} is refused by a trial`, async () => {
      const started = process.cpuUsage()
      const { body } = await service.http
        .post('/api/v1/schemas/note/crosswalk')
        .attach('document', Buffer.from(document), 'document.xml')
        .expect(400)
      expect(body.detail).to.match(/^The document cannot be described: .* XML, .* 256 levels/)
      expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(5)
    })

  it('a document that is no JSON is refused by a trial', async () => {
    const { body } = await service.http
      .post('/api/v1/schemas/any/crosswalk')
      .attach('document', Buffer.from('{'), 'document.json')
      .expect(400)
    expect(body.detail).to.contain('it is not well-formed JSON')
  })

  for (const [title, schema] of Object.entries(circularSchemas))
    it(`${title} may have a crosswalk with long paths`, async () => {
      const schemaId = title.replace(/\W+/g, '-')
      const deep = Array(140).fill('a').join('.')
      const started = process.cpuUsage()
      const rule = { titles: Array.from({ length: 200 }, () => deep) }
      await service.postSchema({ schemaId, crosswalk: rule }, JSON.stringify(schema)).expect(201)
      const refused = await service.postSchema(
        { schemaId: `${schemaId}-wrong`, crosswalk: { titles: 'a.b' } },
        JSON.stringify(schema),
      )
      expect(refused.status).to.equal(422)
      expect(refused.body.detail).to.contain('No document of this schema can have the path "a.b"')
      expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(5)
    })
})
