import { expect } from 'chai'
import { searchHasAll, startSearchExamples } from '../../../../support/http/search-examples.js'
import { base, jsonSchema, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('search from a browser', engine => {
  let service: TestService
  before(async () => {
    service = await startSearchExamples({
      build: { name: 'git-metastore', version: '1.2.3' },
      ...engine.options,
    })
  })
  after(removeRepositories)

  const suggest = (q: string, api = '/api/v1') => service.http.get(`${api}/search/suggest`).query({ q })

  for (const api of ['/api/v1', '/api/v2', '/metastore/api/v1'])
    it(`gets titles that begin with the typed text under ${api}`, async () => {
      const { body, headers } = await suggest('ste', api).expect(200)
      expect(headers['content-type']).to.equal('application/x-suggestions+json')
      expect(body[0]).to.equal('ste')
      expect(body[1]).to.include.members(['Steel rod 7', 'Steel rod 8'])
    })

  it('gets a title with other letters than those of English', async () => {
    expect((await suggest('korngr').expect(200)).body).to.deep.equal(['korngr', ['Korngröße']])
  })

  it('gets only titles that have all typed words', async () => {
    expect((await suggest('rod 7').expect(200)).body[1]).to.deep.equal(['Steel rod 7'])
  })

  it('does not get the title that is typed already', async () => {
    expect((await suggest('steel rod 7 ').expect(200)).body[1]).to.deep.equal([])
  })

  for (const q of ['', ' ', 'xyzzy', '"', '*', '-'])
    it(`gets no titles for the text ${JSON.stringify(q)}`, async () => {
      expect((await suggest(q).expect(200)).body).to.deep.equal([q, []])
    })

  it('gets titles as application/json if it asks for that type', async () => {
    const json = await suggest('iron').set('Accept', 'application/json').expect(200)
    expect([json.headers['content-type'], json.body[1]]).to.deep.equal(['application/json', ['Iron bar']])
  })

  it('gets no titles as another type: 406', async () => {
    await suggest('iron').set('Accept', 'image/png').expect(406)
  })

  it('cannot ask for titles of more than 1,000 characters', async () => {
    await suggest('s'.repeat(1000)).expect(200)
    const { body } = await suggest('s'.repeat(1001)).expect(400)
    expect(body.detail).to.equal('Titles are suggested for at most 1000 characters.')
    const sent = { suggest: { s: { prefix: 's'.repeat(1001), completion: { field: 'title' } } } }
    const refused = await service.http.post('/api/v1/search').send(sent).expect(400)
    expect(refused.body.error.reason).to.contain('at most 1000 characters')
  })

  for (const mount of ['', '/metastore']) {
    it(`is described for browsers under ${mount || '/'}`, async () => {
      const { headers, body, text } = await service.http.get(`${mount}/opensearch.xml`).buffer().expect(200)
      expect(headers['content-type']).to.equal('application/opensearchdescription+xml')
      const description = text ?? (body as Buffer).toString()
      const templates = [...description.matchAll(/template="([^"]*)"/g)].map(([, url = '']) =>
        url.replaceAll('&amp;', '&'),
      )
      expect(templates).to.have.length(3)
      for (const template of templates) {
        expect(template.startsWith(`${base}${mount}/`)).to.equal(true)
        const url = template.replace('{searchTerms}', 'steel%20rod')
        // Browsers replace a parameter that they do not use with an empty text.
        for (const page of ['1', ''])
          await service.http.get(url.replace('{startPage?}', page).slice(base.length)).expect(200)
      }
      expect(description).to.contain('<ShortName>git-metastore</ShortName>')
    })
  }

  describe('for the title of a schema', () => {
    const found = async (query: string) => (await service.http.get(`/api/v1/${query}`).expect(200)).body
    before(async () => {
      const record = { id: 'alloys', titles: [{ value: 'Alloy compositions' }] }
      await service.http
        .post('/api/v2/schemas')
        .attach('record', Buffer.from(JSON.stringify(record)), {
          filename: 'r',
          contentType: 'application/json',
        })
        .attach('schema', Buffer.from(jsonSchema('alloy')), 'schema')
        .expect(201)
      await searchHasAll(service)
    })

    for (const kind of ['schema', 'both'])
      it(`gets it with kind=${kind}, as a search finds it`, async () => {
        expect(await found(`search/suggest?q=compos&kind=${kind}`)).to.deep.equal([
          'compos',
          ['Alloy compositions'],
        ])
        expect((await found(`search?q=Alloy+compositions&kind=${kind}`)).total).to.equal(1)
      })

    for (const query of ['', '&kind=metadata', '&kind='])
      it(`does not get it with ${query || 'no kind'}, as a search does not find it`, async () => {
        expect(await found(`search/suggest?q=compos${query}`)).to.deep.equal(['compos', []])
        expect((await found(`search?q=Alloy+compositions${query}`)).total).to.equal(0)
      })

    it('gets no title of a document with kind=schema', async () => {
      expect((await found('search/suggest?q=ste&kind=schema'))[1]).to.not.include('Steel rod 7')
    })

    it('is refused with 400 for an unknown kind', async () => {
      await service.http.get('/api/v1/search/suggest?q=ste&kind=document').expect(400)
    })

    it('gets it at the address in the description for browsers', async () => {
      const { text, body } = await service.http.get('/opensearch.xml').buffer().expect(200)
      const description = (text as string | undefined) ?? (body as Buffer).toString()
      const [, template = ''] = /template="([^"]*suggest[^"]*)"/.exec(description) ?? []
      const url = template.replaceAll('&amp;', '&').replace('{searchTerms}', 'compos')
      const answer = await service.http.get(url.slice(base.length)).expect(200)
      expect(answer.body).to.deep.equal(['compos', ['Alloy compositions']])
    })

    it('finds the schema on the page that a browser opens', async () => {
      expect((await service.http.get('/search?q=Alloy+compositions').expect(200)).text).to.contain('alloys')
    })
  })
})
