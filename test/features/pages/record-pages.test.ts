import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Identify } from '../../../src/http/auth/identify-caller.js'
import { readHtml, readLinks } from '../../support/http/strict-html.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  noteXml,
  noteXsdText,
  schemaType,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** HTML has no attribute for a profile. The profile is a parameter of the type. */
function asElement(link: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (!('profile' in link)) return link
  const { profile, type, ...others } = link
  return { ...others, type: `${type};profile="${profile}"` }
}

/**
 * Opens a page as a reader and as a program. Its Link header equals the links in its head, except the link to the
 * search.
 */
async function open(service: TestService, path: string, status = 200) {
  const answer = await service.http.get(path).set('Accept', browser).expect(status)
  expect(answer.headers['content-type'], path).to.equal('text/html; charset=utf-8')
  const { elements, text } = readHtml(answer.text)
  const named = (name: string) => elements.filter(element => element.name === name)
  const links = named('link').flatMap(({ attributes }) =>
    attributes.rel === 'search' || attributes.rel === 'icon' ? [] : [attributes],
  )
  if (answer.headers.link === undefined) expect(links).to.deep.equal([])
  else expect(readLinks(answer.headers.link).map(asElement)).to.deep.equal(links)
  // Data. A content security policy does not restrict it.
  const scripts = named('script').map(({ attributes }) => attributes)
  expect(scripts).to.deep.equal(scripts.length === 0 ? [] : [{ type: 'application/ld+json' }])
  expect(named('h1'), path).to.have.length(1)
  const targets = named('a').map(({ attributes }) => attributes.href ?? '')
  const linked = (rel: string) => links.filter(link => link.rel === rel)
  return { answer, elements, text, links, linked, targets }
}

/** Posts a schema with every member of a record through version 2 of the interface. */
async function postFullSchema(service: TestService, record: object): Promise<void> {
  await service.http
    .post('/api/v2/schemas')
    .attach('record', Buffer.from(JSON.stringify(record)), {
      filename: 'r.json',
      contentType: 'application/json',
    })
    .attach('schema', Buffer.from(jsonSchema()), 'schema')
    .expect(201)
}

describe('landing pages', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree({ build: { name: 'git-metastore', version: '1.2.3' } })
    await service.postSchema({ schemaId: 'note', label: 'Notes' }, noteXsdText).expect(201)
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
  })
  afterEach(removeRepositories)

  /** Stores three versions of a document. */
  async function postThree(): Promise<void> {
    const record = metadataRecordV1('https://example.org/images/7', 'free', { id: 'doc' })
    let answer = await service.postMetadata(record, '{"size":1}').expect(201)
    for (const size of [2, 3]) {
      answer = await service
        .putMetadata('doc', etagOf(answer), undefined, JSON.stringify({ size }))
        .expect(200)
    }
  }

  it('show the newest version, with links to all versions', async () => {
    await postThree()
    for (const path of ['/metadata-landing-page?id=doc', '/metadata-landing-page?id=doc&version=']) {
      const { text, targets } = await open(service, path)
      expect(text).to.contain('Version 3, the newest').and.to.contain('"size": 3')
      for (const version of [1, 2, 3]) {
        expect(targets).to.contain(`${base}/metadata-landing-page?id=doc&version=${version}`)
        expect(targets).to.contain(`${base}/download/metadata/doc?version=${version}`)
      }
      expect(targets).to.contain('https://example.org/images/7')
      expect(targets).to.contain(`${base}/schema-landing-page?schemaId=free&version=1`)
    }
  })

  it('list versions with their second, author and changes, without messages that nobody wrote', async () => {
    await postThree()
    const { text, targets } = await open(service, '/metadata-landing-page?id=doc')
    const words = text.replace(/\s+/g, ' ')
    expect(words).to.match(/Version 3 \d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC someone without a login Document/)
    expect(words).to.contain('Changes since version 2')
    const difference = targets.find(target => target.includes('/compare/metadata/')) ?? ''
    const changes = await open(service, difference.slice(base.length))
    expect(changes.text).to.contain('Changes from version 2 to version 3').and.to.contain('Size')
  })

  it('explain who may do what, without the words of the interface', async () => {
    await postThree()
    const { text } = await open(service, '/metadata-landing-page?id=doc')
    expect(text).to.contain('Everyone who uses this service without a login may read, change and delete it')
    expect(text).not.to.contain('ADMINISTRATE')
  })

  it('have the paragraphs of a description, without its line breaks', async () => {
    await postFullSchema(service, {
      id: 'lines',
      titles: [{ value: 'Lines' }],
      descriptions: [{ description: 'First line\nand its end.\n\nSecond paragraph.', type: 'ABSTRACT' }],
    })
    const { answer } = await open(service, '/schema-landing-page?schemaId=lines')
    expect(answer.text).to.match(
      /<p class="prose" dir="auto">First line\s+and its end.<\/p>\s*<p class="prose" dir="auto">Second paragraph.<\/p>/,
    )
  })

  it('show one version, mark it as old, and link to the others', async () => {
    await postThree()
    const { text, targets } = await open(service, '/metadata-landing-page?id=doc&version=2')
    expect(text).to.contain('"size": 2').and.to.contain('This is an older version.')
    expect(text).not.to.contain('"size": 3')
    for (const version of ['&version=1', '&version=3', '']) {
      expect(targets).to.contain(`${base}/metadata-landing-page?id=doc${version}`)
    }
    const newest = await open(service, '/metadata-landing-page?id=doc&version=3')
    expect(newest.text).not.to.contain('older version')
  })

  it('show a schema, its label, its further files and the number of its documents', async () => {
    const included = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'
    const schema = noteXsdText.replace(
      '<xs:element',
      '<xs:include schemaLocation="types/a b.xsd"/><xs:element',
    )
    const licenseUri = 'https://creativecommons.org/licenses/by/4.0/'
    await service
      .postSchema({ schemaId: 'two', licenseUri }, schema, { 'types/a b.xsd': included })
      .expect(201)
    await service.postMetadata(metadataRecordV1('http://x/1', 'note', { id: 'n1' }), noteXml).expect(201)

    const page = await open(service, '/schema-landing-page?schemaId=note&version=1')
    expect(page.text).to.contain('Notes').and.to.contain('<xs:element name="note">')
    expect(page.text).to.contain('1 metadata document')
    expect(page.targets).to.contain(`${base}/metadata-management?schemaId=note`)
    // The page of a document shows the label of its schema.
    expect((await open(service, '/metadata-landing-page?id=n1')).text).to.contain('Notes, version 1')

    const several = await open(service, '/schema-landing-page?schemaId=two')
    expect(several.text).to.contain(licenseUri)
    const file = several.targets.find(target => target.includes('/files/')) ?? ''
    const answer = await service.http.get(file.slice(base.length)).set('Accept', browser).expect(200)
    expect(answer.text ?? answer.body.toString()).to.equal(included)
  })

  it('of version 2 link to version 2', async () => {
    await postThree()
    for (const [mount, api] of [
      ['', '/repository/api/v2'],
      ['/metastore', '/metastore/api/v2'],
    ]) {
      const page = await open(service, `${mount}/metadata-landing-page-v2?id=doc`)
      expect(page.targets).to.contain(`${base}${mount}/metadata-landing-page-v2?id=doc&version=1`)
      expect(page.targets).to.contain(`${base}${mount}/schema-landing-page-v2?schemaId=free&version=1`)
      const [record] = page.linked('describedby')
      expect(record).to.deep.include({
        href: `${base}${api}/metadata/doc?version=3`,
        type: 'application/vnd.citation.org+json',
      })
      await open(service, `${mount}/schema-landing-page-v2?id=free`)
      expect(page.answer.text).not.to.contain('/api/v1')
    }
  })

  it('are the target of the redirect of GET for browsers, under every mount', async () => {
    await postThree()
    for (const [mount, prefix, suffix] of [
      ['/api/v1', '', ''],
      ['/metastore/api/v1', '/metastore', ''],
      ['/repository/api/v2', '', '-v2'],
      ['/api/v2', '', '-v2'],
      ['/metastore/api/v2', '/metastore', '-v2'],
    ]) {
      for (const [item, page] of [
        ['schemas/note?version=1', 'schema-landing-page'],
        ['metadata/doc', 'metadata-landing-page'],
      ] as const) {
        const moved = await service.http.get(`${mount}/${item}`).set('Accept', browser).expect(302)
        expect(moved.headers.location).to.match(new RegExp(`^${prefix}/${page}${suffix}\\?`))
        const { links } = await open(service, moved.headers.location ?? '')
        expect(links).to.not.deep.equal([])
      }
    }
  })

  it('have signposts that lead to resources of their type', async () => {
    await service
      .postMetadata(
        metadataRecordV1('https://example.org/1', 'note', {
          id: 'cited',
          pid: { identifier: '10.5281/zenodo.1234<5>', identifierType: 'DOI' },
          licenseUri: 'https://creativecommons.org/licenses/by/4.0/',
        }),
        noteXml,
      )
      .expect(201)

    for (const path of ['/metadata-landing-page?id=cited', '/metadata-landing-page-v2?id=cited']) {
      const { linked, links } = await open(service, path)
      expect(linked('cite-as')).to.deep.equal([
        { rel: 'cite-as', href: 'https://doi.org/10.5281/zenodo.1234%3C5%3E' },
      ])
      expect(linked('license')[0]?.href).to.equal('https://creativecommons.org/licenses/by/4.0/')
      expect(linked('type').map(({ href }) => href)).to.deep.equal([
        'https://schema.org/AboutPage',
        'https://schema.org/Dataset',
      ])
      for (const link of links.filter(({ rel = '' }) => ['describedby', 'item'].includes(rel))) {
        const { href = '', type = '' } = link
        const answer = await service.http.get(href.slice(base.length)).set('Accept', type).expect(200)
        expect(answer.headers['content-type'], link.rel).to.equal(type)
        // The target links back to a page of the record.
        const back = readLinks(answer.headers.link ?? '')
        const page = back.find(({ rel = '' }) => ['collection', 'describes'].includes(rel))
        const { text } = await open(service, page?.href?.slice(base.length) ?? '')
        expect(text).to.contain('cited')
      }
    }
    const document = await service.http.get('/api/v1/metadata/cited').expect(200)
    const [, record] = readLinks(document.headers.link ?? '')
    expect(record).to.deep.equal({
      href: `${base}/api/v1/metadata/cited?version=1`,
      rel: 'describedby',
      type: metadataType,
    })
  })

  it('have no cite-as without a persistent identifier', async () => {
    await postThree()
    const { linked } = await open(service, '/metadata-landing-page?id=doc&version=2')
    expect(linked('cite-as')).to.deep.equal([])
    expect(linked('predecessor-version')[0]?.href).to.equal(`${base}/metadata-landing-page?id=doc&version=1`)
    expect(linked('successor-version')[0]?.href).to.equal(`${base}/metadata-landing-page?id=doc&version=3`)
    expect(linked('latest-version')[0]?.href).to.equal(`${base}/metadata-landing-page?id=doc`)
  })

  it('offer the document as a download', async () => {
    await service.postMetadata(metadataRecordV1('http://x/1', 'note', { id: 'n1' }), noteXml).expect(201)
    for (const [path, name, content] of [
      ['/download/metadata/n1', 'n1-v1.xml', noteXml],
      ['/metastore/download/schemas/note?version=1', 'note-v1.xsd', noteXsdText],
      ['/download/schemas/free?version=', 'free-v1.json', jsonSchema()],
    ] as const) {
      const { headers, text } = await service.http.get(path).set('Accept', browser).buffer(true).expect(200)
      expect(headers['content-disposition']).to.equal(`attachment; filename="${name}"`)
      expect(headers['content-type']).to.equal(
        name.endsWith('.json') ? 'application/json' : 'application/xml',
      )
      expect(text).to.equal(content)
    }
    const missing = await open(service, '/download/metadata/unknown', 404)
    expect(missing.answer.headers).not.to.have.property('content-disposition')
  })

  it('answer with a problem for an unknown record, as a page for browsers', async () => {
    await postThree()
    for (const [path, status, said] of [
      ['/metadata-landing-page?id=unknown', 404, 'unknown'],
      ['/metadata-landing-page?id=doc&version=9', 404, "Version '9'"],
      ['/metadata-landing-page?id=doc&version=x', 400, 'Version "x"'],
      ['/metadata-landing-page', 400, 'id'],
      ['/metadata-landing-page?id=', 400, 'id'],
      ['/metadata-landing-page?id=%2F..%2F', 404, '/../'],
      ['/metadata-landing-page?id=doc&id=doc', 400, 'once'],
      ['/schema-landing-page', 400, 'schemaId'],
      ['/schema-landing-page?schemaId=unknown&version=', 404, 'unknown'],
      ['/schema-landing-page?schemaId=note&version=2', 404, "Version '2'"],
      // The record is of the other kind. The pages of version 1 report this.
      ['/schema-landing-page?schemaId=doc', 400, '/metadata-landing-page'],
      ['/metadata-landing-page?id=note', 400, '/schema-landing-page'],
      ['/schema-landing-page-v2?schemaId=doc', 404, 'doc'],
      ['/metadata-landing-page-v2?id=note', 404, 'note'],
      ['/metadata-landing-page?id=doc&page=7', 416, '3'],
      ['/metadata-landing-page?id=%3Cscript%3Ealert(1)%3C%2Fscript%3E', 404, '<script>'],
    ] as const) {
      for (const mount of ['', '/metastore']) {
        const { text, answer } = await open(service, mount + path, status)
        expect(text, path).to.contain(said).and.to.contain(`Status ${status}`)
        expect(answer.headers.vary).to.equal('Accept')
        const problem = await service.http.get(mount + path).set('Accept', 'application/json')
        expect(problem.status, path).to.equal(status)
        expect(problem.headers['content-type']).to.equal('application/problem+json')
        expect(problem.body.detail).to.contain(said)
      }
    }
  })

  it('find a record by each of its names', async () => {
    await postFullSchema(service, { id: 'Mixed', titles: [{ value: 'Mixed' }], publisher: 'x' })
    for (const name of ['mixed', 'Mixed']) {
      const { targets } = await open(service, `/schema-landing-page?schemaId=${name}`)
      expect(targets).to.contain(`${base}/schema-landing-page?schemaId=mixed&version=1`)
    }
  })

  it('mark every version of a REVOKED record, and answer 404 for a GONE record', async () => {
    await postThree()
    const tag = (answer: Parameters<typeof etagOf>[0]) => etagOf(answer)
    const read = () => service.http.get('/api/v1/metadata/doc').set('Accept', metadataType).expect(200)
    await service.http
      .delete('/api/v1/metadata/doc')
      .set('If-Match', tag(await read()))
      .expect(204)
    for (const path of ['?id=doc', '?id=doc&version=1']) {
      expect((await open(service, `/metadata-landing-page${path}`)).text).to.contain('Withdrawn.')
    }
    await service.http
      .delete('/api/v1/metadata/doc')
      .set('If-Match', tag(await read()))
      .expect(204)
    await open(service, '/metadata-landing-page?id=doc', 404)
    await open(service, '/metadata-landing-page-v2?id=doc&version=1', 404)
  })

  it('load no resources and run no scripts', async () => {
    await postThree()
    for (const path of ['/metadata-landing-page?id=doc', '/dashboard', '/metadata-landing-page?id=unknown']) {
      const answer = await service.http.get(path).set('Accept', browser)
      const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(answer.text) ?? []
      const hash = createHash('sha256').update(style).digest('base64')
      const policy = answer.headers['content-security-policy'] ?? ''
      expect(policy).to.contain("default-src 'none'").and.to.contain(`style-src 'sha256-${hash}'`)
      expect(policy).not.to.match(/unsafe|script-src|\*/)
      expect(answer.headers).to.include({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
      expect(answer.text).not.to.match(/ (?:style|on[a-z]+)="/)
    }
  })

  it('answer HEAD with the same headers', async () => {
    await postThree()
    const get = await service.http.get('/metadata-landing-page?id=doc').expect(200)
    const head = await service.http.head('/metadata-landing-page?id=doc').expect(200)
    expect(head.headers.link).to.equal(get.headers.link)
    await service.http.post('/metadata-landing-page?id=doc').expect(405)
  })

  it('list many versions page by page', async () => {
    const record = metadataRecordV1('https://example.org/images/7', 'free', { id: 'many' })
    let answer = await service.postMetadata(record, '{"n":1}').expect(201)
    for (let n = 2; n <= 102; n++) {
      answer = await service.putMetadata('many', etagOf(answer), undefined, `{"n":${n}}`).expect(200)
    }
    const first = await open(service, '/metadata-landing-page?id=many')
    expect(first.text).to.contain('Page 1 of 2')
    expect(first.targets).to.contain(`${base}/metadata-landing-page?id=many&version=3`)
    expect(first.targets).not.to.contain(`${base}/metadata-landing-page?id=many&version=2`)
    const next = first.targets.find(target => target.endsWith('&page=2')) ?? ''
    const second = await open(service, next.slice(base.length))
    expect(second.text).to.contain('"n": 102')
    expect(second.targets).to.contain(`${base}/metadata-landing-page?id=many&version=1`)
  })

  it('name the author of a version that was made with git', async () => {
    await service.services.workTreeUpToDate()
    await service.repository.commit('Say what notes are', {
      'schemas/note/record.json': JSON.stringify({
        id: 'note',
        descriptions: [{ description: 'What was noted', type: 'ABSTRACT' }],
      }),
    })
    const version = () => service.http.get('/api/v1/schemas/note').set('Accept', schemaType)
    while (!(await version()).text.includes('What was noted')) await new Promise(setImmediate)
    const { text } = await open(service, '/schema-landing-page?schemaId=note')
    expect(text).to.contain('Jane').and.to.contain('What was noted')
  })
})

describe('text from records', () => {
  afterEach(removeRepositories)
  const attack = `"><script>alert('x')</script>&amp;<!--\u0000\u001b]]>`

  it('appears as text on pages, even if it contains markup', async () => {
    const service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    const texts = { value: attack, lang: 'en' }
    const evil = `javascript:alert('${attack}')`
    const record = {
      id: 'hostile',
      titles: [texts, { ...texts, titleType: 'SUBTITLE' }],
      publisher: attack,
      publicationYear: '2026',
      creators: [{ givenName: attack, familyName: attack, affiliations: [attack] }],
      contributors: [{ user: { familyName: attack }, contributionType: 'EDITOR' }],
      subjects: [{ value: attack, valueUri: evil, scheme: { schemeId: attack, schemeUri: evil } }],
      descriptions: [{ description: attack, type: 'METHODS' }],
      relatedIdentifiers: [
        { identifierType: 'URL', value: evil, relationType: 'IS_CITED_BY' },
        { identifierType: 'URL', value: `https://x.example/${attack}`, relationType: 'IS_METADATA_FOR' },
        {
          identifierType: 'URL',
          value: `${base}/api/v2/schemas/free?version=1`,
          relationType: 'HAS_METADATA',
        },
      ],
      language: 'en',
      alternateIdentifiers: [{ value: attack, identifierType: 'OTHER' }],
      identifier: { value: `10.1234/${attack}`, identifierType: 'DOI' },
      rights: [
        { schemeId: attack, schemeUri: evil },
        { schemeId: 'x', schemeUri: `https://l.example/?${attack}` },
      ],
      fundingReferences: [
        {
          funderName: attack,
          awardTitle: attack,
          awardUri: evil,
          funderIdentifier: { value: evil, type: 'OTHER' },
        },
      ],
      geoLocations: [{ place: attack }],
      sizes: [attack],
      formats: [attack],
      acls: [{ sid: attack, permission: 'READ' }],
    }
    const document = JSON.stringify({ [attack]: attack, list: [`</code></pre>${attack}`] })
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'r',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(document), 'document')
      .expect(201)

    for (const path of [
      '/metadata-landing-page?id=hostile',
      '/metadata-landing-page-v2?id=hostile',
      '/dashboard',
      '/metadata-management',
      `/metadata-management?resourceId=${encodeURIComponent(attack)}`,
    ]) {
      const { text, targets, links } = await open(service, path)
      expect(text + JSON.stringify(targets), path).not.to.contain('\u0000')
      for (const target of [...targets, ...links.map(({ href = '' }) => href)]) {
        expect(target, path).to.match(
          /^(?:https?:\/\/|#(?:main|about|cite|export|versions)$|app\/metadata\/hostile\/|app\/new\?from=hostile$)/,
        )
      }
    }
    const shown = (await open(service, '/metadata-landing-page?id=hostile')).text
    // Every member with text is on the page as text.
    expect(shown.split(`<script>alert('x')</script>`).length).to.be.above(18)
  })

  it('is shown unchanged: long numbers, other encodings, documents that are too large', async () => {
    const service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    const store = async (id: string, schemaId: string, document: string | Buffer) => {
      await service.postMetadata(metadataRecordV1(`http://x/${id}`, schemaId, { id }), document).expect(201)
      return (await open(service, `/metadata-landing-page?id=${id}`)).text
    }

    expect(
      await store('numbers', 'free', '{"n":12345678901234567890,"e":[],"o":{ },"s":"a\\"{,"}'),
    ).to.contain(
      ['{', '  "n": 12345678901234567890,', '  "e": [],', '  "o": {},', '  "s": "a\\"{,"', '}'].join('\n'),
    )
    const declared = `<?xml version="1.0" encoding="ISO-8859-1"?>\n${noteXml.replace('hello', 'Größe')}`
    expect(await store('latin', 'note', Buffer.from(declared, 'latin1'))).to.contain('Größe')
    const wide = `\ufeff<?xml version="1.0" encoding="UTF-16"?>\n${noteXml.replace('hello', 'Größe')}`
    expect(await store('wide', 'note', Buffer.from(wide, 'utf16le'))).to.contain('<text>Größe</text>')
    const large = await store('large', 'free', JSON.stringify({ text: 'x'.repeat(300_000) }))
    expect(large).to.contain('300.0 kB').and.to.contain('not shown here')
    expect(large).not.to.contain('x'.repeat(30_000))
  })
})

describe('records that the caller may not read', () => {
  afterEach(removeRepositories)

  it('do not appear on any page', async () => {
    const asked = (sid: string) => ({
      sid,
      name: sid,
      email: `${sid}@example.org`,
      administrator: false,
      groups: [],
    })
    const identify: Identify = ctx => asked(ctx.get('X-Caller') || 'anonymousUser')
    const service = await startServiceWithWorkTree({ identify })
    const post = service.postSchema({ schemaId: 'secret' }, jsonSchema()).set('X-Caller', 'ada')
    await post.expect(201)

    await service.http.get('/schema-landing-page?schemaId=secret').set('X-Caller', 'ada').expect(200)
    for (const path of ['/schema-landing-page', '/schema-landing-page-v2']) {
      const { text } = await open(service, `${path}?schemaId=secret`, 403)
      expect(text).to.contain('This is not public: only some people may read it.')
      await open(service, `${path}?schemaId=secret&version=1`, 403)
    }
    await open(service, '/download/schemas/secret', 403)
    // The answer does not even reveal that the record is a schema.
    await open(service, '/metadata-landing-page?id=secret', 404)
    for (const path of ['/dashboard', '/schema-management']) {
      expect((await open(service, path)).text).not.to.contain('secret')
    }
  })
})
