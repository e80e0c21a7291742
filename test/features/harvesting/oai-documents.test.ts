import { expect } from 'chai'
import { fullRecord } from '../../support/exports/sample-records.js'
import { postRelated } from '../../support/http/related-records.js'
import {
  jsonSchema,
  metadataRecordV1,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { askOai, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('documents in answers of OAI-PMH', () => {
  let service: TestService
  before(async () => {
    service = await startService({ features: { ...oaiOptions, 'oai-page': 2 } })
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    const bare =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="bare" type="xs:string"/></xs:schema>'
    await service.postSchema({ schemaId: 'bare' }, bare).expect(201)
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    await service.postSchema({ schemaId: 'oai_dc' }, noteXsdText).expect(201)
  })
  after(removeRepositories)

  const store = (id: string, schema: string, document: string | Buffer) =>
    service.postMetadata(metadataRecordV1(`https://example.org/${id}`, schema, { id }), document).expect(201)
  const get = async (id: string, prefix: string) =>
    (await askOai(service, `verb=GetRecord&metadataPrefix=${prefix}&identifier=${id}`)).records[0]?.metadata

  const content = '<n:note xmlns:n="http://example.org/note"><n:text>Zürich – naïve</n:text></n:note>'

  const encodings: readonly (readonly [name: string, document: string | Buffer])[] = [
    ['UTF-8', content],
    ['UTF-8 with a byte order mark', `\ufeff<?xml version="1.0"?>\n${content}`],
    [
      'UTF-8 with a byte order mark, against the declaration,',
      `\ufeff<?xml version="1.0" encoding="ISO-8859-1"?>\n${content}`,
    ],
    [
      'UTF-8 with comments and instructions',
      `<?xml version='1.0' encoding='utf-8' standalone="yes"?><!-- a -- ><?x y?>\n`.replace('-- >', '-->') +
        `${content}<!-- end -->\n`,
    ],
    [
      'Windows-1252',
      Buffer.from(`<?xml version="1.0" encoding="windows-1252"?>${content.replace('–', '\u0096')}`, 'latin1'),
    ],
    ['UTF-16', Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${content}`, 'utf16le')],
    [
      'UTF-16BE without a byte order mark',
      Buffer.from(`<?xml version="1.0" encoding="UTF-16BE"?>${content}`, 'utf16le').swap16(),
    ],
  ]
  for (const [index, [name, document]] of encodings.entries()) {
    it(`in ${name} are embedded as UTF-8 without their prolog`, async () => {
      await store(`e${index}`, 'note', document)
      const { text } = await askOai(service, `verb=GetRecord&metadataPrefix=note&identifier=e${index}`)
      const embedded = content.replace('<n:note', '<n:note xmlns=""')
      expect(text).to.contain(`<metadata>${embedded}`)
      expect(text.lastIndexOf('<?xml')).to.equal(0)
    })
  }

  for (const name of ['ISO-8859-1', 'latin1']) {
    it(`in ${name} are embedded with the characters of ISO 8859-1, not with those of Windows-1252`, async () => {
      // Longer than one piece of the decoder.
      const text = `\u0096\u0080é${'x'.repeat(600_000)}\u0096`
      const start = `<?xml version="1.0" encoding="${name}"?>`
      const document = `<n:note xmlns:n="http://example.org/note"><n:text>${text}</n:text></n:note>`
      const id = `e-${name.toLowerCase()}`
      await store(id, 'note', Buffer.from(start + document, 'latin1'))
      const answer = await askOai(service, `verb=GetRecord&metadataPrefix=note&identifier=${id}`)
      expect(answer.text.includes(`<n:text>${text}</n:text>`)).to.equal(true)
    })
  }

  it('without a namespace stay without one', async () => {
    await store('bare1', 'bare', '<bare>text</bare>')
    const { body, text } = await service.http.get(
      '/oaipmh?verb=GetRecord&metadataPrefix=bare&identifier=bare1',
    )
    expect(text ?? body).to.contain('<metadata><bare xmlns="">text</bare></metadata>')
  })

  it('without a namespace stay without one, even if a text in the first tag looks like a namespace', async () => {
    const schema =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" version=" targetNamespace=\'http://example.org/no\'">' +
      '<xs:element name="e"><xs:complexType><xs:attribute name="a"/></xs:complexType></xs:element></xs:schema>'
    await service.postSchema({ schemaId: 'sly' }, schema).expect(201)
    await store('sly1', 'sly', '<e a=" xmlns=x"/>')
    // The official schema of answers does not allow an element without a namespace.
    const { body, text: record } = await service.http.get(
      '/oaipmh?verb=GetRecord&metadataPrefix=sly&identifier=sly1',
    )
    expect(record ?? body).to.contain('<e xmlns="" a=" xmlns=x"/>')
    const { text } = await askOai(service, 'verb=ListMetadataFormats&identifier=sly1')
    expect(text).to.not.contain('example.org/no')
  })

  it('keep entities, CDATA and processing instructions', async () => {
    const document =
      '<note xmlns="http://example.org/note"><?a b?><text>&lt;&#x1F600;<![CDATA[<&>]]></text></note>'
    await store('marked', 'note', document)
    const { text } = await askOai(service, 'verb=GetRecord&metadataPrefix=note&identifier=marked')
    expect(text).to.contain(document)
  })

  it('that follow a schema called oai_dc appear unchanged, others as Dublin Core', async () => {
    await store('own', 'oai_dc', '<note xmlns="http://example.org/note"><text>x</text></note>')
    await store('other', 'plain', '{}')
    expect(await get('own', 'oai_dc')).to.contain('http://example.org/note')
    expect(await get('other', 'oai_dc')).to.contain('<oai_dc:dc')
    expect(await get('own', 'datacite')).to.contain('http://datacite.org/schema/kernel-4')
    const formats = (await askOai(service, 'verb=ListMetadataFormats')).all('metadataPrefix')
    expect(formats.filter(prefix => prefix === 'oai_dc')).to.have.lengthOf(1)
  })

  it('that follow a schema called datacite appear unchanged, others as DataCite', async () => {
    await service.postSchema({ schemaId: 'datacite' }, noteXsdText).expect(201)
    await store('own-datacite', 'datacite', '<note xmlns="http://example.org/note"><text>x</text></note>')
    await store('other-datacite', 'note', content)
    expect(await get('own-datacite', 'datacite')).to.contain('http://example.org/note')
    expect(await get('other-datacite', 'datacite')).to.contain('http://datacite.org/schema/kernel-4')
    expect(await get('own-datacite', 'oai_dc')).to.contain('<oai_dc:dc')
    for (const query of ['', '&identifier=own-datacite']) {
      const formats = (await askOai(service, `verb=ListMetadataFormats${query}`)).all('metadataPrefix')
      expect(formats.filter(prefix => prefix === 'datacite')).to.have.lengthOf(1)
    }
  })

  it('have U+FFFD in place of characters that XML forbids', async () => {
    const record = {
      id: 'nul',
      titles: [{ value: 'a\u0000b\u0008c\ufffed<]]>&' }],
      relatedIdentifiers: [
        { identifierType: 'URL', value: 'https://example.org/nul', relationType: 'IS_METADATA_FOR' },
        { identifierType: 'INTERNAL', value: 'plain', relationType: 'HAS_METADATA' },
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from('{}'), 'document')
      .expect(201)
    for (const prefix of ['oai_dc', 'datacite'])
      expect(await get('nul', prefix)).to.contain('a\ufffdb\ufffdc\ufffdd&lt;]]&gt;&amp;')
  })

  it('have the same descriptions as the exports of their records', async () => {
    const { schema: _, relatedIdentifiers: relations = [], ...full } = fullRecord
    const [, ...others] = relations
    const records: readonly (readonly [id: string, schema: string, record: object, document: string])[] = [
      ['known', 'plain', {}, '{"title":"x"}'],
      ['paged', 'note', { sizes: ['2 pages'], formats: ['text/plain'] }, content],
      ['full', 'note', full, content],
      ['hidden', 'plain', { acls: [{ sid: 'x', permission: 'READ' }] }, '{}'],
    ]
    for (const [id, schema, record, document] of records) {
      const sent = {
        ...{ id, titles: [{ value: `Record ${id}` }] },
        ...record,
        relatedIdentifiers: [
          { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
          { value: schema, identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
          ...(id === 'full' ? others : []),
        ],
      }
      await service.http
        .post('/api/v2/metadata')
        .attach('record', Buffer.from(JSON.stringify(sent)), {
          filename: 'record.json',
          contentType: 'application/json',
        })
        .attach('document', Buffer.from(document), 'document')
        .expect(201)
    }
    for (const [id, , , document] of records) {
      for (const [prefix, format] of [
        ['datacite', 'datacite-xml'],
        ['oai_dc', 'oai_dc'],
      ] as const) {
        const exported = await service.http
          .get(`/api/v1/metadata/${id}/export/${format}`)
          .buffer(true)
          .expect(200)
        const element = exported.text.replace(/^<\?xml [^>]*\?>\n/, '').trimEnd()
        const harvested = await service.http
          .get(`/oaipmh?verb=GetRecord&metadataPrefix=${prefix}&identifier=${id}`)
          .expect(200)
        expect(harvested.text).to.contain(`<metadata>${element}</metadata>`)
        expect(element).to.contain(`${Buffer.byteLength(document)} bytes`)
      }
    }
  })

  it('that are long end an answer early, and every answer has at least two of them', async () => {
    const long = (id: string) =>
      store(id, 'note', `<note xmlns="http://example.org/note"><text>${'x'.repeat(5_000_000)}</text></note>`)
    for (const id of ['long1', 'long2', 'long3']) await long(id)
    const sizes: number[] = []
    let query = 'metadataPrefix=note'
    const one = await startService({ features: { ...oaiOptions, 'oai-page': 100 } }, {}, service.repository)
    for (;;) {
      const { records, token } = await askOai(one, `verb=ListRecords&${query}`)
      sizes.push(records.length)
      if (!token?.text) break
      query = `resumptionToken=${token.text}`
    }
    expect(sizes.length).to.be.greaterThan(1)
    expect(Math.min(...sizes)).to.be.at.least(2)
  })
})

describe('related records in answers of OAI-PMH', () => {
  after(removeRepositories)

  it('name their page only to callers who may read them', async () => {
    const service = await startService({ features: oaiOptions, identify: identifyWithTestSecret })
    const owner = await userToken('owner')
    const as = <T extends { set(name: string, value: string): T }>(sent: T) =>
      sent.set('Authorization', `Bearer ${owner}`)
    const anyone = [{ sid: 'anonymousUser', permission: 'READ' }]
    await as(service.postSchema({ schemaId: 'plain', acl: anyone }, jsonSchema())).expect(201)
    for (const [id, acl] of [
      ['open', anyone],
      ['hidden', []],
    ] as const) {
      const record = metadataRecordV1(`https://example.org/${id}`, 'plain', { id, acl })
      await as(service.postMetadata(record, '{}')).expect(201)
    }
    await as(postRelated(service, 'public', ['open', 'hidden'])).expect(201)

    const pageOf = (id: string) => `metadata-landing-page?id=${id}`
    for (const prefix of ['oai_dc', 'datacite']) {
      for (const request of ['GetRecord&identifier=public', 'ListRecords&set=schema:plain']) {
        const query = `verb=${request}&metadataPrefix=${prefix}`
        const { text } = await askOai(service, query)
        expect(text, query).to.contain(pageOf('open')).and.to.not.contain(pageOf('hidden'))
        const ofOwner = await askOai(service, query, { bearer: owner })
        expect(ofOwner.text, query).to.contain(pageOf('hidden'))
      }
    }
  })
})
