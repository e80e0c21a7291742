import { expect } from 'chai'
import fc from 'fast-check'
import type { Response } from 'supertest'
import { searchHasAll } from '../../support/http/search-examples.js'
import { base, jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../support/http/test-tokens.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories } from '../../support/repository/test-repository.js'
import { describeEngines } from '../../support/search/search-engines.js'

const permissions = ['NONE', 'READ', 'WRITE', 'ADMINISTRATE'] as const
const words = ['alloy', 'bronze', 'copper'] as const
const languages = ['de', 'en'] as const

/** Who searches. */
const callers = [
  'the administrator',
  'carl',
  'a member of the team',
  'a holder of a temporary token',
  'a service that reads',
  'a service that writes',
  'a service that administrates',
  'a stranger',
  'a caller without a token',
] as const

interface Listed {
  readonly id: string
  readonly language?: string
  readonly titles: readonly { readonly value: string }[]
}

describeEngines('what a search tells', engine => {
  let service: TestService
  const tokens = new Map<string, string>()

  before(async function () {
    this.timeout(120_000)
    service = await startService({ identify: identifyWithTestSecret }, engine.config)
    const granted = [3, 8].map(number => ({
      resourceType: 'DataResource',
      resourceId: `record-${number}`,
      permission: 'READ',
    }))
    const asService = (permission: string) =>
      signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: `["ROLE_SERVICE_${permission}"]` })
    tokens
      .set('the administrator', await userToken('root', ['ADMINISTRATOR']))
      .set('carl', await userToken('carl'))
      .set('a member of the team', await userToken('gina', ['USER'], { groups: ['team'] }))
      .set(
        'a holder of a temporary token',
        await signToken({
          tokenType: 'TEMPORARY',
          principalname: 'tim',
          permissions: JSON.stringify(granted),
        }),
      )
      .set('a service that reads', await asService('READ'))
      .set('a service that writes', await asService('WRITE'))
      .set('a service that administrates', await asService('ADMINISTRATE'))
      .set('a stranger', await userToken('eve'))
    const acl = [{ sid: 'anonymousUser', permission: 'READ' }]
    await as('the administrator', service.postSchema({ schemaId: 'base', acl }, jsonSchema())).expect(201)
    for (let number = 0; number < 16; number++) await store(number)
    // They are REVOKED now, and in the lists of those who administrate them.
    for (const id of ['record-2', 'record-6']) await remove(id)
    await searchHasAll(service, headersOf('the administrator'))
  })
  after(removeRepositories)

  const headersOf = (caller: string): Readonly<Record<string, string>> => {
    const token = tokens.get(caller)
    return token === undefined ? {} : { Authorization: `Bearer ${token}` }
  }
  function as<T extends { set(headers: object): T }>(caller: string, sent: T): T {
    return sent.set(headersOf(caller))
  }
  const get = (caller: string, path: string): Promise<Response> =>
    as(caller, service.http.get(path)).expect(200) as unknown as Promise<Response>
  const remove = (id: string) =>
    as('the administrator', service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*')).expect(204)

  /** Each combination of rights with a few words and languages. */
  async function store(number: number): Promise<void> {
    const acls = [
      { sid: 'carl', permission: permissions[number % 4] },
      { sid: 'team', permission: permissions[Math.floor(number / 4)] },
      ...(number % 5 === 0 ? [{ sid: 'anonymousUser', permission: 'READ' }] : []),
    ]
    const record = {
      id: `record-${number}`,
      titles: [{ value: `${words[number % 3]} plate${number} secret${number}` }],
      language: languages[number % 2],
      acls,
      relatedIdentifiers: [
        { value: `https://example.org/${number}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'base', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    const document = { text: `all ${words[(number + 1) % 3]}`, own: `hidden${number}` }
    const sent = service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'r',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(JSON.stringify(document)), 'document')
    await as('the administrator', sent).expect(201)
  }

  /** What the list shows the caller: the search may tell of nothing else. */
  const listed = async (caller: string): Promise<readonly Listed[]> =>
    (await get(caller, '/api/v2/metadata?size=100')).body
  const idsOf = (answer: Response) =>
    (answer.body.items as { record: { id: string } }[]).map(({ record }) => record.id)

  for (const [at, caller] of callers.entries()) {
    it(`is what ${caller} may read: totals, facets, pages`, async () => {
      const seen = await listed(caller)
      const ids = seen.map(({ id }) => id)
      const everything = await get(caller, '/api/v2/search?size=100&facets=language,schema')
      expect(idsOf(everything)).to.have.members(ids)
      expect(everything.body.total).to.equal(ids.length)
      const counts = languages
        .map(value => ({ value, count: seen.filter(({ language }) => language === value).length }))
        .filter(({ count }) => count > 0)
      expect(everything.body.facets.language).to.have.deep.members(counts)
      const ofSchema = ids.length > 0 ? [{ value: 'base', count: ids.length }] : []
      expect(everything.body.facets.schema).to.deep.equal(ofSchema)

      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(
            'alloy',
            'bronze OR copper',
            'title:copper',
            'all -bronze',
            'text:alloy',
            'pla*',
            '"all copper"',
          ),
          fc.constantFrom('', 'lastUpdate,desc', 'id,asc'),
          fc.integer({ min: 1, max: 5 }),
          async (q, sort, size) => {
            const query = new URLSearchParams({ q, size: '100', facets: 'language', ...(sort && { sort }) })
            const all = await get('the administrator', `/api/v2/search?${query}`)
            const expected = idsOf(all).filter(id => ids.includes(id))
            query.set('size', String(size))
            const found: string[] = []
            let path: string | undefined = `/api/v2/search?${query}`
            while (path !== undefined) {
              const answer: Response = await get(caller, path)
              expect(answer.body.total).to.equal(expected.length)
              const counted = (answer.body.facets.language as { count: number }[]).map(({ count }) => count)
              expect(counted.reduce((sum, count) => sum + count, 0)).to.equal(expected.length)
              found.push(...idsOf(answer))
              path = new RegExp(`<${base}([^>]*)>; rel="next"`).exec(answer.headers.link ?? '')?.[1]
            }
            expect(found).to.deep.equal(expected)
          },
        ),
        { numRuns: isLongForm ? 8 : 4 },
      )
    })

    it(`has no word of what ${caller} may not read: suggestions, passages, every form`, async () => {
      const ids = new Set((await listed(caller)).map(({ id }) => id))
      for (let number = 0; number < 16; number++) {
        const isReadable = ids.has(`record-${number}`)
        const paths = [
          `/api/v1/search?q=hidden${number}`,
          `/api/v2/search?q=own:hidden${number}&highlight=positions`,
          `/api/v1/search?q=id:record-${number}`,
          `/api/v1/metadata?q=hidden${number}`,
          `/api/v2/metadata?q=secret${number}`,
          `/search?q=hidden${number}`,
          `/api/v1/search/suggest?q=secret${number}`,
        ]
        // In the short form half of them in turn: each meets each right of carl and of the team, and of the records that
        // are public, those that are granted and those that are REVOKED one at least.
        const turn = Math.floor((number % 4) / 2) + Math.floor(number / 4) + at
        for (const path of isLongForm ? paths : paths.filter((_, form) => (turn + form) % 2 === 0)) {
          const { text } = await get(caller, path)
          const told = path.includes('suggest') ? `plate${number} ` : `record-${number}"`
          expect(text.includes(told) || text.includes(`id=record-${number}`), `${path}: ${text}`).to.equal(
            isReadable,
          )
        }
      }
      const { body } = await get(caller, '/api/v1/search/suggest?q=pla')
      const titles = new Set(
        (await listed(caller)).flatMap(({ titles: each }) => each.map(({ value }) => value)),
      )
      for (const title of body[1]) expect(titles).to.include(title)
      expect(body[1]).to.have.length(Math.min(8, titles.size))
    })
  }

  it('narrows with the access list, before the index has followed', async () => {
    const id = 'record-5'
    const found = async (caller: string) => (await get(caller, `/api/v1/search?q=id:${id}`)).body.total
    expect([await found('carl'), await found('a caller without a token')]).to.deep.equal([1, 1])
    const acl = [{ sid: 'root', permission: 'ADMINISTRATE' }]
    await as('the administrator', service.putMetadata(id, '*', { acl })).expect(200)
    expect([await found('carl'), await found('a caller without a token')]).to.deep.equal([0, 0])
    expect(await found('the administrator')).to.equal(1)
  })

  it('is nothing about a field that only a hidden schema declares', async () => {
    const acl = [{ sid: 'root', permission: 'ADMINISTRATE' }]
    const fields = [
      { path: 'secret.name', as: 'keyword', facet: true },
      { path: 'secret.size', as: 'number' },
    ]
    const search = { fields }
    const sent = service.postSchema({ schemaId: 'hidden', acl, search }, jsonSchema())
    await as('the administrator', sent).expect(201)
    await searchHasAll(service, headersOf('the administrator'))
    const answers = (caller: string, member: string) =>
      Promise.all(
        [`facets=document.${member}.name`, `q=document.${member}.size:1..2`].map(async query => {
          const { status, text } = await as(caller, service.http.get(`/api/v2/search?${query}`))
          return [status, text.replaceAll(member, '…')]
        }),
      )

    const allowed = await answers('the administrator', 'secret')
    expect(allowed.map(([status]) => status)).to.deep.equal([200, 200])
    for (const caller of ['a stranger', 'a caller without a token'])
      expect(await answers(caller, 'secret')).to.deep.equal(await answers(caller, 'nobody'))
  })
})
