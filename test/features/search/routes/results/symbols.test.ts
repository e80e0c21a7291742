import { expect } from 'chai'
import { searchHasAll } from '../../../../support/http/search-examples.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

/** Texts without a letter or a digit: music, emoji, currencies, arrows, punctuation, phrases of them, and operators. */
const symbols = [
  '𝄞',
  '😀',
  '👩‍🔬',
  '€',
  '→',
  '!!!',
  '𝄞 😀',
  '"𝄞 😀"',
  '""',
  '𝄞*',
  '-𝄞',
  'NOT 😀',
  '(𝄞)',
  '😀 OR 𝄞',
  '"" ',
  '"*"',
  '-',
  '- -',
  '--',
  '+',
  '?',
  '( )',
  '(()',
  ')(',
  '"',
  '-""',
  '()-()',
  'NOT',
  'NOT NOT',
  'OR',
  'AND OR NOT',
  '**',
  '***',
  '** ***',
  '-**',
  '(***)',
  '*-*',
  '*?*',
  '"" ** -',
]
/** An asterisk matches every record, so nothing is left without them. */
const withoutAll = ['-*', 'NOT *', '* -*', '(*) NOT (* OR *)', '-* OR -*', '-(* -(-*))']
const atFields = ['title:**', '*:***', 'word:""', 'title:𝄞', 'word:"😀"', 'title:(𝄞 OR 😀)', '-title:𝄞']

describeEngines('a search of symbols', engine => {
  let service: TestService
  before(async () => {
    service = await startService(engine.options)
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    for (const [id, document] of [
      ['clef', { word: 'steel', sign: '𝄞 😀 € → !!!' }],
      ['plain', { word: 'iron' }],
    ] as const) {
      const record = metadataRecordV1(`https://example.org/${id}`, 'free', { id })
      await service.postMetadata(record, JSON.stringify(document)).expect(201)
    }
    await searchHasAll(service)
  })
  after(removeRepositories)

  async function find(q: string, api = '/api/v1') {
    const { body } = await service.http.get(`${api}/search`).query({ q, kind: 'metadata' }).expect(200)
    return {
      total: body.total as number,
      notes: (body.notes ?? []) as readonly string[],
    }
  }

  for (const q of [...symbols, ...withoutAll, ...atFields, '()', 'AND'])
    it(`finds nothing by ${q}, and a note says why, in both versions`, async () => {
      for (const api of ['/api/v1', '/api/v2']) {
        const { total, notes } = await find(q, api)
        expect(total).to.equal(0)
        expect(notes.at(-1)).to.contain('has no word, so it finds nothing')
      }
    })

  it('ignores symbols next to words, with a note', async () => {
    for (const q of [
      'steel 𝄞',
      '😀 steel',
      'steel -𝄞',
      'steel "→ €"',
      '𝄞 OR steel',
      'title:𝄞 word:steel',
      'steel NOT 😀',
    ]) {
      const { total, notes } = await find(q)
      expect([q, total]).to.deep.equal([q, 1])
      expect(notes.join(), q).to.contain('has no letter and no digit and is ignored')
    }
  })

  it('still finds everything by an empty query and an asterisk', async () => {
    for (const q of [
      '',
      ' ',
      '\t\n',
      '*',
      ' * ',
      '*:*',
      '* 𝄞',
      '(*)',
      '* *',
      '* OR -*',
      '* ***',
      '-(-*)',
      'word:*',
    ])
      expect((await find(q)).total, q).to.equal(2)
    for (const q of [
      'steel ***',
      '*** steel',
      '* steel',
      'steel OR ***',
      'steel -***',
      '-iron',
      'word:* -iron',
    ])
      expect((await find(q)).total, q).to.equal(1)
  })

  it('finds nothing in lists, in suggestions and on the page, and the page has the note', async () => {
    for (const q of symbols) {
      await service.http.get('/api/v1/metadata').query({ q }).expect('Content-Range', '*/0').expect(200)
      const { body } = await service.http.get('/api/v1/search/suggest').query({ q }).expect(200)
      expect(body[1]).to.deep.equal([])
    }
    const { text } = await service.http
      .get('/search')
      .query({ q: '𝄞' })
      .set('Accept', 'text/html')
      .expect(200)
    expect(text).to.contain('has no word, so it finds nothing')
  })

  it('finds nothing by the queries of existing frontends', async () => {
    for (const sign of ['𝄞', '😀 €', '!!!', '***'])
      for (const query of [
        { match: { 'metadataDocument.sign': sign } },
        { match_phrase: { 'metadataDocument.sign': sign } },
        { match_phrase_prefix: { 'metadataDocument.sign': sign } },
        { match_bool_prefix: { 'metadataDocument.sign': sign } },
        { multi_match: { query: sign, type: 'cross_fields', operator: 'and' } },
        { multi_match: { query: sign, type: 'phrase' } },
        { query_string: { query: sign } },
        { simple_query_string: { query: `-${sign}` } },
        { prefix: { 'metadataDocument.sign': sign } },
        {
          bool: {
            must: [
              { match: { 'metadataDocument.word': 'steel' } },
              { match: { 'metadataDocument.sign': sign } },
            ],
          },
        },
      ]) {
        const { body } = await service.http.post('/api/v1/search').send({ query }).expect(200)
        expect([JSON.stringify(query), body.hits.total.value]).to.deep.equal([JSON.stringify(query), 0])
      }
  })

  it('finds words beside symbols by the queries of existing frontends, with a score', async () => {
    for (const text of ['steel 𝄞', '😀 steel']) {
      const query = { multi_match: { query: text } }
      const { body } = await service.http.post('/api/v1/search').send({ query }).expect(200)
      expect(body.hits.total.value).to.equal(1)
      expect(body.hits.hits[0]._score).to.be.greaterThan(0)
    }
  })
})
