import { expect } from 'chai'
import { readHtml } from '../../support/http/strict-html.js'
import {
  base,
  jsonSchema,
  metadataRecordV1,
  schemaType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('the dashboard and the list pages', () => {
  let service: TestService
  before(async () => {
    service = await startService({ build: { name: 'git-metastore', version: '1.2.3' } })
    for (const schemaId of ['image', 'sample']) {
      await service.postSchema({ schemaId, label: `The ${schemaId} schema` }, jsonSchema()).expect(201)
    }
    for (let number = 1; number <= 25; number++) {
      const resource = number === 7 ? 'https://example.org/a,b&c' : `https://example.org/${number}`
      const schemaId = number % 5 === 0 ? 'sample' : 'image'
      const record = metadataRecordV1(resource, schemaId, { id: `doc-${number}` })
      await service.postMetadata(record, '{}').expect(201)
    }
  })
  after(removeRepositories)

  async function open(path: string) {
    const answer = await service.http.get(path).set('Accept', 'text/html,*/*;q=0.8').expect(200)
    expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8')
    const { elements, text } = readHtml(answer.text)
    const targets = elements.filter(({ name }) => name === 'a').map(({ attributes }) => attributes.href ?? '')
    return { elements, text, targets }
  }

  for (const mount of ['', '/metastore']) {
    it(`begin with a dashboard under ${mount || '/'}`, async () => {
      for (const path of ['/dashboard', '/']) {
        const { text, targets } = await open(mount + path)
        expect(text).to.contain('Dashboard')
        expect(text).to.contain('2 schemas').and.to.contain('25 metadata documents')
        expect(text)
          .to.contain('Everything works.')
          .and.to.contain(await service.head())
        expect(targets).to.contain(`${base}${mount}/metadata-landing-page?id=doc-25`)
        expect(targets).not.to.contain(`${base}${mount}/metadata-landing-page?id=doc-15`)
      }
    })

    it(`list schemas under ${mount || '/'}`, async () => {
      const { text, targets } = await open(`${mount}/schema-management`)
      expect(text).to.contain('Schemas').and.to.contain('The image schema')
      expect(targets).to.contain(`${base}${mount}/schema-landing-page?schemaId=sample`)
    })

    it(`list metadata documents page by page under ${mount || '/'}`, async () => {
      const first = await open(`${mount}/metadata-management`)
      expect(first.text).to.contain('Documents').and.to.contain('Page 1 of 2')
      expect(first.targets).not.to.contain(`${base}${mount}/metadata-landing-page?id=doc-5`)
      const next = first.targets.find(target => target.includes('page=2')) ?? ''
      expect(next.startsWith(`${base}${mount}/metadata-management?`)).to.equal(true)
      const second = await open(next.slice(base.length))
      expect(second.text).to.contain('Page 2 of 2')
      expect(second.targets).to.contain(`${base}${mount}/metadata-landing-page?id=doc-5`)
    })
  }

  it('filter the list with a form without a script', async () => {
    const bySchema = await open('/metadata-management?schemaId=sample&resourceId=')
    expect(bySchema.text).to.contain('5 metadata documents')
    expect(bySchema.targets).to.contain(`${base}/metadata-landing-page?id=doc-20`)
    const options = bySchema.elements.filter(({ name }) => name === 'option')
    expect(options.find(({ attributes }) => 'selected' in attributes)?.attributes.value).to.equal('sample')
    expect(bySchema.text).to.contain('The sample schema (sample)')

    const resource = encodeURIComponent('https://example.org/a,b&c')
    const byResource = await open(`/metadata-management?schemaId=&resourceId=${resource}`)
    expect(byResource.text).to.contain('1 metadata document.')
    expect(byResource.targets).to.contain(`${base}/metadata-landing-page?id=doc-7`)

    const both = await open(`/metadata-management?schemaId=sample&resourceId=${resource}`)
    expect(both.text).to.contain('0 metadata documents').and.to.contain('None.')
    // The next page is of the filtered list.
    const image = await open('/metadata-management?schemaId=image')
    expect(image.text).to.contain('20 metadata documents')
    expect(image.targets.filter(target => target.includes('page='))).to.deep.equal([])
  })

  it('say who changed what on the dashboard, and what one can do', async () => {
    const { text, targets } = await open('/dashboard')
    const words = text.replace(/\s+/g, ' ')
    expect(words).to.contain('Someone without a login added the document doc-25')
    expect(words)
      .to.contain('Someone without a login added the schema The sample schema')
      .and.not.contain('SELF')
    expect(words).to.contain(
      'What you can do New document Upload documents Register a schema List everything, and narrow it by checkboxes Follow all changes, as they come Search everything',
    )
    expect(targets).to.contain(`${base}/swagger-ui.html`)
  })

  it('sort the lists by their headings, and show more records on a page', async () => {
    const byId = await open('/metadata-management?sort=id,asc')
    const pages = (page: { readonly targets: readonly string[] }) =>
      page.targets.filter(target => target.includes('metadata-landing-page'))
    expect(pages(byId)[0]).to.equal(`${base}/metadata-landing-page?id=doc-1`)
    expect(byId.elements.find(({ attributes }) => attributes['aria-sort'])?.attributes['aria-sort']).to.equal(
      'ascending',
    )
    // The heading of the order turns it round, and the next page keeps it.
    expect(byId.targets).to.contain(`${base}/metadata-management?sort=id%2Cdesc`)
    expect(byId.targets).to.contain(`${base}/metadata-management?sort=id%2Casc&page=2`)
    const all = await open('/metadata-management?sort=id&size=100')
    expect(pages(all)).to.have.length(25)
    expect(all.targets).to.contain(`${base}/metadata-management?sort=id%2Casc&size=20`)
    const schemas = await open('/schema-management?sort=lastUpdate,desc')
    expect(schemas.targets.find(target => target.includes('schema-landing-page'))).to.contain('sample')
    await service.http.get('/metadata-management?sort=title').set('Accept', 'text/html').expect(400)
  })

  it('name the schema of a document by its title', async () => {
    expect((await open('/metadata-management')).text).to.contain('The image schema')
  })

  it('have ways on where there is nothing', async () => {
    const answer = await service.http.get('/no-such-page').set('Accept', 'text/html').expect(404)
    const { text, elements } = readHtml(answer.text)
    expect(text).to.contain('This does not exist').and.contain('What you can do')
    const targets = elements.flatMap(({ name, attributes }) => (name === 'a' ? [attributes.href] : []))
    expect(targets).to.include.members([
      `${base}/search?q=`,
      `${base}/metadata-management`,
      `${base}/dashboard`,
    ])
  })

  it('have no broken links', async () => {
    // Pages whose links are like those of others: of documents like these three, and of searches with several filters.
    const followed = [5, 7, 25].map(number => `doc-${number}`)
    const isLikeOthers = (url: string) => {
      const { pathname, searchParams } = new URL(url)
      const filters = [...searchParams.keys()].filter(name => !['q', 'page', 'after'].includes(name))
      if (pathname.endsWith('/search')) return filters.length > 1
      return pathname.endsWith('/metadata-landing-page') && !followed.includes(searchParams.get('id') ?? '')
    }
    const seen = new Set<string>()
    const waiting = [`${base}/`, `${base}/metastore/`, `${base}/schema-landing-page-v2?schemaId=image`]
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      if (seen.has(url) || !url.startsWith(base)) continue
      seen.add(url)
      const answer = await service.http.get(url.slice(base.length)).set('Accept', 'text/html').redirects(3)
      expect(answer.status, url).to.equal(200)
      if (isLikeOthers(url) || !answer.headers['content-type']?.startsWith('text/html')) continue
      for (const { name, attributes } of readHtml(answer.text).elements) {
        if (name === 'a' && attributes.href?.startsWith('http')) waiting.push(attributes.href)
      }
    }
    expect(seen.size).to.be.above(100)
  })

  it('refuse an invalid page number', async () => {
    for (const [path, status] of [
      ['/schema-management?page=x', 400],
      ['/schema-management?page=0', 400],
      ['/metadata-management?page=3', 416],
      ['/metadata-management?schemaId=a&schemaId=b', 400],
    ] as const) {
      const answer = await service.http.get(path).set('Accept', 'text/html').expect(status)
      expect(readHtml(answer.text).text).to.contain(`Status ${status}`)
      const problem = await service.http.get(path).expect(status)
      expect(problem.headers['content-type']).to.equal('application/problem+json')
    }
  })

  it('are a short JSON object at the root for clients that are not browsers', async () => {
    for (const mount of ['', '/metastore']) {
      const { body, headers } = await service.http.get(`${mount}/`).expect(200)
      expect(headers).to.include({ 'content-type': 'application/json', vary: 'Accept' })
      expect(body).to.deep.include({ name: 'git-metastore', version: '1.2.3' })
      for (const url of Object.values<string>(body.links)) {
        expect(url.startsWith(`${base}${mount}/`)).to.equal(true)
        await service.http.get(url.slice(base.length)).expect(200)
      }
    }
    const moved = await service.http.get('/metastore').expect(302)
    expect(moved.headers.location).to.equal(`${base}/metastore/`)
  })
})

describe('the dashboard of a repository with withdrawn records', () => {
  after(removeRepositories)

  it('neither shows nor counts records that are REVOKED or GONE, also if they changed last', async () => {
    const service = await startService()
    const dashboard = async () => {
      const { text } = await service.http.get('/dashboard').set('Accept', 'text/html').expect(200)
      return readHtml(text).text
    }
    const remove = (path: string) => service.http.delete(path).set('If-Match', '*').expect(204)
    for (const schemaId of ['image', 'sample'])
      await service.postSchema({ schemaId }, jsonSchema()).expect(201)
    for (let number = 1; number <= 30; number++) {
      const record = metadataRecordV1(`https://example.org/${number}`, 'image', { id: `doc-${number}` })
      await service.postMetadata(record, '{}').expect(201)
    }
    for (let number = 8; number <= 30; number++) await remove(`/api/v1/metadata/doc-${number}`)
    await remove('/api/v1/metadata/doc-30')
    await remove('/api/v1/schemas/sample')

    const shown = await dashboard()

    expect(shown).to.contain('1 schema').and.contain('7 metadata documents')
    expect(shown).to.not.contain('REVOKED').and.not.contain('sample')
    for (let number = 1; number <= 7; number++) expect(shown).to.contain(`doc-${number}`)
  })

  it('gives the numbers of the lists behind its links, which count withdrawn records apart', async () => {
    const service = await startService()
    const textOf = async (path: string) =>
      readHtml((await service.http.get(path).set('Accept', 'text/html').expect(200)).text).text
    for (const schemaId of ['image', 'sample', 'spare'])
      await service.postSchema({ schemaId }, jsonSchema()).expect(201)
    for (const [id, schemaId] of [
      ['doc-1', 'image'],
      ['doc-2', 'image'],
      ['doc-3', 'image'],
      ['doc-4', 'sample'],
    ] as const)
      await service
        .postMetadata(metadataRecordV1(`https://example.org/${id}`, schemaId, { id }), '{}')
        .expect(201)
    expect(await textOf('/metadata-management'))
      .to.contain('4 metadata documents')
      .and.not.contain('withdrawn')
    await service.http.delete('/api/v1/metadata/doc-2').set('If-Match', '*').expect(204)
    await service.http.delete('/api/v1/metadata/doc-4').set('If-Match', '*').expect(204)
    await service.http.delete('/api/v1/schemas/spare').set('If-Match', '*').expect(204)

    expect(await textOf('/dashboard'))
      .to.contain('2 schemas')
      .and.contain('2 metadata documents')
    const lists = {
      '/schema-management': '2 schemas, and 1 withdrawn record',
      '/metadata-management': '2 metadata documents, and 2 withdrawn records',
      '/metadata-management?schemaId=image': '2 metadata documents, and 1 withdrawn record',
      '/metadata-management?resourceId=https://example.org/doc-4':
        '0 metadata documents, and 1 withdrawn record',
    }
    for (const [path, count] of Object.entries(lists)) expect(await textOf(path), path).to.contain(count)
    expect(await textOf('/schema-landing-page?schemaId=image')).to.contain('2 metadata documents')
  })
})

describe('the list of documents of more schemas than a page names', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    const post = (schemaId: string, label?: string) =>
      service.postSchema({ schemaId, label }, jsonSchema()).expect(201)
    // A busy server refuses more at once.
    for (let first = 0; first < 200; first += 10)
      await Promise.all(Array.from({ length: 10 }, (_, index) => post(`plain-${first + index}`)))
    await post('rods-1', 'Steel rods of today')
    await post('rods-2', 'Old steel rods')
    const record = metadataRecordV1('https://example.org/rod', 'rods-1', { id: 'rod' })
    await service.postMetadata(record, '{}').expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/other', 'plain-1', { id: 'other' }), '{}')
      .expect(201)
  })
  after(removeRepositories)

  /** Sends the form of the list with a schema, as a browser without JavaScript does. */
  async function choose(words: string) {
    const query = new URLSearchParams({ schemaTitle: words, resourceId: '' })
    return await service.http.get(`/metadata-management?${query}`).set('Accept', 'text/html').redirects(0)
  }

  it('takes words of a title, and leads to the documents of the schema', async () => {
    const { text: form } = await service.http.get('/metadata-management').set('Accept', 'text/html')
    expect(readHtml(form).elements.map(({ attributes }) => attributes.name)).to.include('schemaTitle')

    const { status, headers } = await choose(' today STEEL ')

    expect(status).to.equal(302)
    const { pathname, search } = new URL(headers.location ?? '', base)
    expect(pathname + search).to.equal('/metadata-management?resourceId=&schemaId=rods-1')
    const { text } = await service.http
      .get(pathname + search)
      .set('Accept', 'text/html')
      .expect(200)
    const shown = readHtml(text)
    expect(shown.text).to.contain('1 metadata document')
    const field = shown.elements.find(({ attributes }) => attributes.name === 'schemaTitle')
    expect(field?.attributes.value).to.equal('Steel rods of today (rods-1)')
    expect((await choose('Steel rods of today (rods-1)')).status).to.equal(302)
    expect((await choose('rods-2')).headers.location).to.contain('schemaId=rods-2')
  })

  it('names the schemas that the words fit, and says when there is none', async () => {
    const several = readHtml((await choose('steel rods')).text)
    expect(several.text).to.contain('Schemas with “steel rods” in their title')
    const links = several.elements.flatMap(
      ({ attributes: { href = '' } }) => /metadata-management\?schemaId=(rods.*)/.exec(href)?.[1] ?? [],
    )
    expect(links).to.deep.equal(['rods-2', 'rods-1'])

    const none = readHtml((await choose('<b>nothing')).text)
    expect(none.text).to.contain('No schema that you may read has “<b>nothing” in its title.')
    expect(none.text).to.contain('2 metadata documents')
  })
})

describe('the field for a schema on the list of documents, of a server with access lists', () => {
  after(removeRepositories)

  it('finds only schemas that the person may read, and that are served', async () => {
    const service = await startService({ identify: identifyWithTestSecret })
    const ada = `Bearer ${await userToken('ada')}`
    const reader = { sid: 'ben', permission: 'READ' }
    const schemas = [
      { schemaId: 'rods-1', label: 'Steel rods' },
      { schemaId: 'rods-2', label: 'Brass rods', acl: [reader] },
      { schemaId: 'rods-3', label: 'Old rods', acl: [reader] },
      { schemaId: 'rods-4', label: 'Copper rods', acl: [reader] },
    ]
    for (const schema of schemas)
      await service.postSchema(schema, jsonSchema()).set('Authorization', ada).expect(201)
    for (let times = 0; times < 2; times++) {
      const { headers } = await service.http
        .get('/api/v1/schemas/rods-3')
        .set({ Authorization: ada, Accept: schemaType })
      await service.http
        .delete('/api/v1/schemas/rods-3')
        .set({ Authorization: ada, 'If-Match': headers.etag ?? '' })
    }
    const found = async (name: string, words: string) => {
      const { text } = await service.http
        .get(`/metadata-management?${new URLSearchParams({ schemaTitle: words })}`)
        .set({ Accept: 'text/html', Authorization: `Bearer ${await userToken(name)}` })
        .expect(200)
      return readHtml(text).elements.flatMap(
        ({ attributes: { href = '' } }) => /metadata-management\?schemaId=(rods.*)/.exec(href)?.[1] ?? [],
      )
    }

    expect(await found('ben', 'rods')).to.deep.equal(['rods-2', 'rods-4'])
    expect(await found('carl', 'rods')).to.deep.equal([])
    expect(await found('ben', 'rods-1')).to.deep.equal([])
    expect(await found('ada', 'rods')).to.deep.equal(['rods-2', 'rods-4', 'rods-1'])
  })
})

describe('the pages of an empty repository', () => {
  after(removeRepositories)

  it('say that nothing is there yet, and how to begin', async () => {
    const service = await startService()
    const textOf = async (path: string) =>
      readHtml((await service.http.get(path).set('Accept', 'text/html').expect(200)).text).text

    const dashboard = await textOf('/dashboard')

    expect(dashboard).to.contain('There is nothing to show yet. Begin with a schema:')
    // Who has no terminal begins with a button.
    const pages = [dashboard, await textOf('/schema-management'), await textOf('/metadata-management')]
    const buttons = ['Register a schema', 'Register a schema', 'Upload documents']
    for (const [index, text] of pages.entries()) {
      expect(text.split('yet.')[1]).to.contain(buttons[index])
      expect(text).not.to.contain('git-metastore register').and.not.contain('git-metastore add')
    }
    expect(dashboard).to.contain('Everything works.')
    expect(await textOf('/search?q='))
      .to.contain('There is nothing yet')
      .and.not.contain('Another spelling')
    await service.postSchema({ schemaId: 'first' }, jsonSchema()).expect(201)
    expect(await textOf('/dashboard')).to.not.contain('nothing to show')
  })
})
