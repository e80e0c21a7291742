import { expect } from 'chai'
import { exportFormats } from '../../../src/features/exports/export-formats.js'
import { readHtml, readLinks } from '../../support/http/strict-html.js'
import { base, jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('The landing page for search engines and reference managers', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'free', label: 'Anything' }, jsonSchema()).expect(201)
  })
  after(removeRepositories)

  async function post(id: string, record: object): Promise<void> {
    const sent = {
      id,
      relatedIdentifiers: [
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'free', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
      ...record,
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(sent)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from('{}'), 'document.json')
      .expect(201)
  }

  async function open(path: string) {
    const { text, headers } = await service.http.get(path).set('Accept', 'text/html').expect(200)
    const { elements, text: shown } = readHtml(text)
    const tags = elements.flatMap(({ name, attributes }) =>
      name === 'meta' && attributes.name !== undefined
        ? [[attributes.name, attributes.content] as const]
        : [],
    )
    const script = /<script type="application\/ld\+json">(.*)<\/script>/.exec(text)?.[1] ?? ''
    return { tags, jsonLd: JSON.parse(script), script, elements, shown, headers }
  }

  it('has schema.org, a description, citation tags, citations and all formats as links', async () => {
    await post('paper', {
      titles: [{ value: 'Notes' }],
      creators: [{ givenName: 'Ada', familyName: 'Lovelace' }],
      publisher: 'Press',
      publicationYear: '1843',
      language: 'en',
      subjects: [{ value: 'engines' }, { value: 'notes, "long" ones' }],
      identifier: { value: '10.5072/notes', identifierType: 'DOI' },
      descriptions: [{ description: 'What it\nis about.', type: 'ABSTRACT' }],
      rights: [{ schemeUri: 'https://creativecommons.org/licenses/by/4.0/' }],
    })

    const { tags, jsonLd, shown, elements } = await open('/metadata-landing-page?id=paper')

    expect(jsonLd).to.deep.include({
      '@context': 'https://schema.org/',
      '@type': 'Dataset',
      '@id': 'https://doi.org/10.5072/notes',
      name: 'Notes',
      description: 'What it\nis about.',
      license: 'https://creativecommons.org/licenses/by/4.0/',
      about: { '@id': 'https://example.org/paper' },
      'http://purl.org/dc/terms/conformsTo': { '@id': `${base}/schema-landing-page?schemaId=free&version=1` },
    })
    expect(jsonLd.distribution.contentUrl).to.equal(`${base}/download/metadata/paper?version=1`)
    expect(Object.fromEntries(tags)).to.deep.include({
      description: 'What it is about.',
      citation_title: 'Notes',
      citation_author: 'Lovelace, Ada',
      citation_publication_date: '1843',
      citation_publisher: 'Press',
      citation_doi: '10.5072/notes',
      citation_language: 'en',
      citation_public_url: `${base}/metadata-landing-page?id=paper`,
    })
    const keywords = tags.filter(([name]) => name === 'citation_keywords')
    expect(keywords.map(([, keyword]) => keyword)).to.deep.equal(['engines', 'notes, "long" ones'])
    const citations = {
      APA: 'Lovelace, A. (1843). Notes (Version 1) [Data set]. Press. https://doi.org/10.5072/notes',
      Chicago: 'Lovelace, Ada. 1843. “Notes.” Version 1. Press. https://doi.org/10.5072/notes.',
      Harvard:
        'Lovelace, A. (1843) ‘Notes’, version 1 [Dataset]. Press. Available at: https://doi.org/10.5072/notes.',
      Vancouver:
        'Lovelace A. Notes [dataset]. Version 1. Press; 1843. Available from: https://doi.org/10.5072/notes',
    }
    for (const [style, text] of Object.entries(citations))
      expect(shown).to.match(new RegExp(`${style}\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`))
    const targets = elements.map(({ attributes }) => attributes.href)
    for (const { name } of exportFormats)
      expect(targets).to.include(`${base}/api/v1/metadata/paper/export/${name}`)
  })

  it('describes a schema as a document, not as a data set', async () => {
    const { jsonLd, shown } = await open('/schema-landing-page?schemaId=free')
    expect(jsonLd).to.deep.include({ '@type': ['CreativeWork', 'DigitalDocument'], name: 'Anything' })
    const year = new Date().getUTCFullYear()
    expect(shown).to.contain(`Anything (Version 1) [Schema]. (${year}). ${base}/schema-landing-page?`)
    expect(shown).to.contain(`‘Anything’ (${year}), version 1 [Schema]. Available at:`)
    expect(shown).to.contain(`Anything [schema]. Version 1. ${year}. Available from:`)
    expect(shown).to.not.match(/data ?set\]/i)
  })

  it('escapes every text in the script element', async () => {
    const hostile = '</script><script>alert(1)</script><!-- \u2028 & ]]>'
    await post('hostile', {
      titles: [{ value: hostile }],
      descriptions: [{ description: hostile, type: 'ABSTRACT' }],
    })

    const { jsonLd, script, elements } = await open('/metadata-landing-page?id=hostile')

    expect(jsonLd.name).to.equal(hostile)
    expect(script).to.not.match(/[<>&]/)
    expect(elements.filter(({ name }) => name === 'script')).to.have.length(1)
  })

  it('has a header of links within the limit of clients, regardless of the number of creators', async () => {
    await post('crowd', {
      titles: [{ value: 'Crowd' }],
      creators: Array.from({ length: 1000 }, (_, index) => ({
        givenName: `Given ${index}`,
        familyName: `Family ${index}`,
      })),
      rights: [{ schemeUri: `https://example.org/${'x'.repeat(1900)}` }],
    })

    const { headers, shown, jsonLd } = await open('/metadata-landing-page?id=crowd')
    const whole = await service.http.get('/api/v1/metadata/crowd/export/datacite-json').expect(200)
    expect(jsonLd.creator).to.have.length(100)
    expect(jsonLd.creator.at(-1).name).to.equal('Given 999 Family 999')
    expect(whole.body.creators).to.have.length(1000)
    const { body } = await service.http.get('/api/v1/metadata/crowd/export/linkset?version=1').expect(200)

    const link = headers.link ?? ''
    expect(link.length).to.be.at.most(4000)
    const links = readLinks(link)
    expect(links.map(({ rel }) => rel)).to.include.members([
      'type',
      'describedby',
      'item',
      'license',
      'linkset',
    ])
    for (const { type } of links) expect(type ?? '').to.not.match(/[;"]/)
    expect(body.linkset[0].describedby).to.have.length(1 + exportFormats.length - 2)
    expect(shown).to.contain('Family 0, G. 0')
  })

  it('has at most 100 citation tags of one member, and 5,000 characters of a description for search engines', async () => {
    const names = (kind: string) => Array.from({ length: 101 }, (_, index) => `${kind} ${index}`)
    const description = `${'x'.repeat(4_999)}😀 and more`
    await post('many', {
      titles: [{ value: 'Many' }],
      creators: names('Creator').map(familyName => ({ familyName })),
      subjects: names('Subject').map(value => ({ value })),
      descriptions: [{ description, type: 'ABSTRACT' }],
    })

    const { tags, jsonLd } = await open('/metadata-landing-page?id=many')

    const told = (wanted: string) => tags.filter(([name]) => name === wanted).map(([, content]) => content)
    expect(told('citation_author')).to.deep.equal(names('Creator').slice(0, 100))
    expect(told('citation_keywords')).to.deep.equal(names('Subject').slice(0, 100))
    expect(jsonLd.creator).to.have.length(101)
    // A description that is cut inside a surrogate pair ends with U+FFFD.
    const { body } = await service.http.get('/api/v1/metadata/many/export/schemaorg').expect(200)
    for (const thing of [jsonLd, body]) expect(thing.description).to.equal(`${'x'.repeat(4_999)}\ufffd`)
  })

  it('has the linkset in its header regardless of the length of the identifier and the licence; the linkset has the licence', async () => {
    const long = 'x'.repeat(1950)
    const licence = `https://example.org/${long}`
    await post('long', {
      titles: [{ value: 'Long' }],
      identifier: { value: `https://example.org/id/${long}`, identifierType: 'URL' },
      rights: [{ schemeUri: licence }],
    })

    const { headers } = await open('/metadata-landing-page?id=long')
    const { body } = await service.http.get('/api/v1/metadata/long/export/linkset?version=1').expect(200)

    const link = headers.link ?? ''
    expect(link.length).to.be.at.most(4000)
    const links = readLinks(link)
    expect(links.map(({ rel }) => rel)).to.include.members([
      'type',
      'linkset',
      'cite-as',
      'describedby',
      'item',
      'latest-version',
    ])
    const left = links.filter(({ rel }) => rel === 'linkset').map(({ href }) => href)
    expect(left).to.deep.equal([`${base}/api/v1/metadata/long/export/linkset?version=1`])
    expect(body.linkset[0].license).to.deep.equal([{ href: licence }])
  })

  it('lists the most widely known formats first in its header', async () => {
    await post('ordinary', { titles: [{ value: 'Ordinary' }] })
    const { headers } = await open('/metadata-landing-page?id=ordinary')
    const formats = readLinks(headers.link ?? '')
      .filter(({ rel }) => rel === 'describedby')
      .map(({ href = '' }) => /\/export\/([\w-]+)/.exec(href)?.[1])
    expect(formats.slice(0, 3)).to.deep.equal([undefined, 'datacite-json', 'schemaorg'])
  })
})
