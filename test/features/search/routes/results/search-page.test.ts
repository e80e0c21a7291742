import { expect } from 'chai'
import { searchHasAll, startSearchExamples, storeDocument } from '../../../../support/http/search-examples.js'
import { readHtml } from '../../../../support/http/strict-html.js'
import { base, metadataRecordV1, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('the page of a search', engine => {
  let service: TestService
  before(async () => {
    service = await startSearchExamples(engine.options)
    for (let number = 0; number < 45; number++)
      await storeDocument(service, `many-${number}`, { word: 'plentiful' })
    await searchHasAll(service)
  })
  after(removeRepositories)

  async function open(path: string, status = 200) {
    const answer = await service.http.get(path).set('Accept', 'text/html,*/*;q=0.8').expect(status)
    expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8')
    const { elements, text } = readHtml(answer.text)
    const links = elements.flatMap(({ name, attributes }) =>
      name === 'a' && attributes.href ? [attributes.href.replace(base, '')] : [],
    )
    return { elements, text: text.replace(/\s+/g, ' '), links, html: answer.text, headers: answer.headers }
  }

  it('every page has a search box', async () => {
    for (const mount of ['', '/metastore']) {
      for (const page of [
        '/dashboard',
        '/schema-management',
        '/metadata-management',
        '/schema-landing-page?schemaId=sample',
        '/metadata-landing-page-v2?id=bar-1',
        '/search',
      ]) {
        const { elements } = await open(mount + page)
        const form = elements.filter(({ name, attributes }) => name === 'form' && attributes.action)
        expect(form.map(({ attributes }) => attributes.action)).to.deep.equal(['search'])
        expect(elements.find(({ attributes }) => attributes.type === 'search')?.attributes.name).to.equal('q')
        const rel = elements.find(({ attributes }) => attributes.rel === 'search')
        expect(rel?.attributes.href).to.equal(`${base}${mount}/opensearch.xml`)
      }
    }
    for (const path of ['/no/such/page', '/metastore/no/such/']) {
      const missing = await open(path, 404)
      const { action = '' } = missing.elements.find(({ name }) => name === 'form')?.attributes ?? {}
      const { pathname } = new URL(action, base + path)
      expect(pathname).to.equal(path.startsWith('/metastore') ? '/metastore/search' : '/search')
    }
  })

  it('shows the hits, and marks the words in them', async () => {
    const { html, text, links, headers, elements } = await open('/search?q=brittle+fracture')
    expect(text).to.contain('1 record')
    expect(links).to.include('/metadata-landing-page?id=rod-7')
    expect(html).to.contain('&lt;b&gt;<mark>brittle</mark>&lt;/b&gt; <mark>fracture</mark> &amp; a crack')
    expect(elements.find(({ attributes }) => attributes.type === 'search')?.attributes.value).to.equal(
      'brittle fracture',
    )
    expect(headers).to.include({ 'cache-control': 'no-cache', 'referrer-policy': 'same-origin' })
    expect(headers['content-security-policy']).to.match(/^default-src 'none'; style-src 'sha256-/)
    const titled = await open('/search?q=Korngröße'.replace('ö', '%C3%B6').replace('ß', '%C3%9F'))
    expect(titled.html).to.contain('<mark>Korngröße</mark>')
  })

  it('has a heading for each hit, and no creator that is nobody', async () => {
    const { html, text } = await open('/search?q=steel')
    const headings = [...html.matchAll(/<li><h2><a [^>]*>(.*?)<\/a><\/h2>/g)].map(([, title]) => title)
    expect(headings).to.have.length(4)
    expect(text)
      .to.contain('German, 2 records')
      .and.contain('Lovelace, Ada, 1 record')
      .and.not.contain('someone without a login, ')
    expect((await open('/search?q=steel&creator=SELF')).text).to.contain('Creator: someone without a login')
  })

  it('narrows by links; each count equals the number of hits behind its link', async () => {
    const first = await open('/search?q=steel')
    const narrower = first.links.find(link => link.includes('schemaId=measurement')) ?? ''
    const second = await open(narrower)
    expect(second.text).to.contain('Schema: Measurement of steel')
    expect(second.text).to.contain('3 records')
    const both = second.links.find(link => link.includes('year=2022')) ?? ''
    const third = await open(both)
    expect(third.text).to.contain('1 record')
    expect(third.links).to.include('/metadata-landing-page?id=rod-7')
    // The link of a chosen value removes it.
    expect(third.links).to.include(narrower)
    // The form keeps the narrowing in hidden fields.
    const kept = third.elements.filter(({ attributes }) => attributes.type === 'hidden')
    expect(kept.map(({ attributes }) => [attributes.name, attributes.value])).to.deep.equal([
      ['schemaId', 'measurement'],
      ['year', '2022'],
    ])
    const schemas = await open(first.links.find(link => link.includes('kind=schema')) ?? '')
    expect(schemas.links).to.include('/schema-landing-page?schemaId=measurement')
    expect(schemas.text).to.contain('1 record')
  })

  it('keeps a value that no narrowed record has, with 0', async () => {
    const first = await open('/search?q=steel')
    expect(first.text).to.contain('☐ Measurement of steel, 3 records').and.contain('☐ Schemas, 1 record')
    const schemas = await open('/search?q=steel&kind=schema')
    expect(schemas.text).to.contain('☑ Schemas, 1 record').and.contain('☐ Documents, 3 records')
    expect(schemas.text).to.contain('☐ Measurement of steel, 0 records')
    expect((await open('/search?q=steel&kind=schema&schemaId=measurement')).text)
      .to.contain('0 records')
      .and.contain('☑ Measurement of steel, 0 records')
  })

  it('offers the facets that the selected schema declares', async () => {
    const record = {
      id: 'declaring',
      titles: [{ value: 'Declaring' }],
      search: {
        fields: [
          { path: 'tool', as: 'keyword', facet: true },
          { path: 'never', as: 'keyword', facet: true },
        ],
      },
    }
    const json = { filename: 'r', contentType: 'application/json' }
    await service.http
      .post('/api/v2/schemas')
      .attach('record', Buffer.from(JSON.stringify(record)), json)
      .attach('schema', Buffer.from('{"type":"object"}'), 'schema')
      .expect(201)
    await searchHasAll(service)
    expect((await open('/search?schemaId=declaring')).text).to.contain('0 records')
    for (const [id, tool] of [
      ['tool-1', 'Hammer'],
      ['tool-2', 'Saw "fine"'],
    ] as const)
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/${id}`, 'declaring', { id }),
          JSON.stringify({ tool }),
        )
        .expect(201)
    await searchHasAll(service)
    const page = await open('/search?schemaId=declaring')
    expect(page.text).to.contain('Hammer, 1 record').and.to.contain('Saw "fine", 1 record')
    const hammer = page.links.find(link => link.includes('Hammer')) ?? ''
    const narrower = await open(hammer)
    expect(narrower.text).to.contain('1 record').and.to.contain('☑ Hammer')
    expect(narrower.links).to.include('/metadata-landing-page?id=tool-1')
    const saw = await open(page.links.find(link => link.includes('Saw')) ?? '')
    expect(saw.links).to.include('/metadata-landing-page?id=tool-2')
    for (const id of ['tool-1', 'tool-2'])
      for (const step of [204, 204])
        await service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(step)
    for (const step of [204, 204])
      await service.http.delete('/api/v1/schemas/declaring').set('If-Match', '*').expect(step)
  })

  it('links each page to the next one', async () => {
    const seen = new Set<string>()
    let path: string | undefined = '/search?q=plentiful'
    let pages = 0
    while (path !== undefined) {
      const page = await open(path)
      pages++
      expect(page.text).to.contain(`Page ${pages} of 3`)
      for (const link of page.links) if (link.includes('id=many-')) seen.add(link)
      path = page.elements
        .find(({ attributes }) => attributes.rel === 'next')
        ?.attributes.href?.slice(base.length)
    }
    expect([pages, seen.size]).to.deep.equal([3, 45])
    const last = await open('/search?q=plentiful&page=3')
    const previous = last.elements.find(({ attributes }) => attributes.rel === 'prev')?.attributes.href ?? ''
    expect((await open(previous.slice(base.length))).text).to.contain('Page 2 of 3')
    expect((await open('/search?q=plentiful&page=4', 416)).text).to.contain('Status 416')
  })

  it('shows the newest records first without a query', async () => {
    const { text, links } = await open('/search')
    expect(text).to.contain('51 records').and.to.contain('the newest first')
    expect(links.find(link => link.includes('landing-page'))).to.equal('/metadata-landing-page?id=many-44')
  })

  it('names the order of the hits', async () => {
    for (const [query, order] of [
      ['q=steel', '4 records · best match first · newest first'],
      ['q=steel&sort=lastUpdate,desc', '4 records · best match first · newest first'],
      ['q=steel&sort=score,asc', '4 records · best match last · best match first · newest first'],
      ['sort=id', '51 records · by id · newest first'],
      ['sort=id,desc&q=year:2022', '1 record · by id, from the end · newest first'],
      ['q=year:2022', '1 record · the newest first'],
      ['q=year:2022&sort=score', '1 record · the newest first'],
    ] as const)
      expect((await open(`/search?${query}`)).text, query).to.contain(order)
    const { elements } = await open('/search?q=steel&sort=lastUpdate,desc')
    expect(elements.filter(({ attributes }) => attributes['aria-current'] === 'true')).to.have.length(1)
  })

  it('narrows by the format of documents', async () => {
    const { links, text } = await open('/search?kind=metadata')
    expect(text).to.contain('Format')
    expect((await open(links.find(link => link.includes('type=XML')) ?? '')).text).to.contain('1 record')
  })

  it('suggests other queries if it finds nothing', async () => {
    const { text, links } = await open('/search?q=xylophone+steel&year=2022')
    expect(text).to.contain('Nothing that you may read matches').and.to.contain('What you can try')
    expect(links).to.include('/search?q=xylophone+steel')
    expect(links).to.include('/search?q=xylopho*&year=2022')
  })

  it('escapes the typed text', async () => {
    for (const q of ['<script>alert(1)</script>', '"><img src=x>', "'&amp;\u0007"]) {
      const { html } = await open(`/search?q=${encodeURIComponent(q)}`)
      expect(html).to.not.contain('<script').and.to.not.contain('<img')
    }
  })

  it('cuts a query that is too long, and reports this', async () => {
    for (const length of [2001, 9000]) {
      const q = 'brittle fracture'.padEnd(length, ' fracture')
      const { text, links, elements } = await open(`/search?q=${encodeURIComponent(q)}`)
      expect(text).to.contain('The query has more than 2000 characters. The rest is ignored.')
      expect(text).to.contain('1 record')
      const box = elements.find(({ attributes }) => attributes.type === 'search')
      expect(box?.attributes.value).to.equal(q.slice(0, 2000))
      const narrower = links.find(link => link.includes('schemaId=measurement')) ?? ''
      expect((await open(narrower)).text).to.contain('1 record')
    }
  })

  it('shows a problem page for invalid parameters, and keeps the query', async () => {
    const { text, elements } = await open('/search?q=steel&sort=up', 400)
    expect(text).to.contain('Status 400').and.to.contain('sort')
    expect(elements.find(({ attributes }) => attributes.type === 'search')?.attributes.value).to.equal(
      'steel',
    )
  })

  it('shows a problem page for an unreadable address', async () => {
    for (const [query, said] of [
      ['q=%zz', 'The percent-encoding of'],
      ['q=%ff', 'The percent-encoding of'],
      [`schemaId=${'x'.repeat(9000)}`, 'the limit is 8192'],
      [`${'x'.repeat(200)}=1`, 'the limit is 100'],
    ] as const)
      expect((await open(`/search?${query}`, 400)).text)
        .to.contain('Status 400')
        .and.to.contain(said)
  })

  it('marks a title of the document in the heading, and does not repeat it or the description below', async () => {
    const titles = [{ title: 'A plate of bismuth' }, { title: 'A plate of bismuth', lang: 'en' }]
    const descriptions = [{ description: 'Cast from bismuth and tin.', descriptionType: 'Abstract' }]
    await storeDocument(service, 'plate', { titles, descriptions })
    await searchHasAll(service)
    const { html } = await open('/search?q=bismuth')
    expect(html).to.contain('<span dir="auto">A plate of <mark>bismuth</mark></span></a></h2>')
    expect(html.match(/A plate of/g)).to.have.length(1)
    expect(html.match(/Cast from/g)).to.have.length(1)
  })
})
