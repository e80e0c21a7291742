import { expect } from 'chai'
import { apiClient, formFile, version1, version2 } from '../../support/http/api-versions.js'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Lists in headers may have empty elements, as proxies write them when they join or remove elements.
 * @see RFC 9110 §5.6.1.2
 */
for (const spoken of [version1(), version2()]) {
  describe(`empty elements of lists in headers, in version ${spoken.version}`, () => {
    const { mount, recordTypes } = spoken
    const [schemaType = ''] = recordTypes.schemas
    let service: TestService
    before(async () => {
      service = await startService({ trustedProxies: ['loopback'] })
      await apiClient(service, spoken).postSchema('note', jsonSchema()).expect(201)
    })
    after(removeRepositories)

    it('do not count in Accept, also if it has no other element', async () => {
      for (const accept of [`, ,${schemaType},`, `,\t, ${schemaType};q=1 ,, text/html;q=0.5,`]) {
        const record = await service.http.get(`${mount}/schemas/note`).set('Accept', accept).expect(200)
        expect(record.headers['content-type']).to.equal(schemaType)
      }
      for (const accept of [',', ' , ,\t', ', application/json ,', ',*/*,']) {
        const document = await service.http.get(`${mount}/schemas/note`).set('Accept', accept).expect(200)
        expect(document.text).to.equal(jsonSchema())
        // A change whose answer is JSON is refused if the client does not accept it.
        const invalid = apiClient(service, spoken).send('post', '/schemas', [], { Accept: accept })
        await invalid.expect(400)
      }
    })

    it('do not count in Prefer, and neither do commas within quotes', async () => {
      const ask = (prefer: string) => service.http.get(`${mount}/schemas?colour=red`).set('Prefer', prefer)
      for (const strict of [
        ', handling=strict,,',
        ',wait=1,, handling="strict"; a="b,c"',
        'handling = strict',
      ])
        await ask(strict).expect(400)
      for (const lenient of [',', ', ,', 'note="a, handling=strict"', ',handling=lenient, handling=strict'])
        await ask(lenient).expect(200)
    })

    it('do not count in X-Forwarded-*', async () => {
      const answer = await service.http
        .get(`${mount}/schemas/note/export/linkset`)
        .set({
          'X-Forwarded-For': ', 192.0.2.1 ,,',
          'X-Forwarded-Host': ',public.example.org,',
          'X-Forwarded-Proto': ' ,https,, ',
        })
        .expect(200)
      expect(answer.text).to.include('https://public.example.org/')
    })

    it('do not count in Content-Encoding of a form', async () => {
      const send = (coding: string) =>
        apiClient(service, spoken).send('post', '/schemas/note/validate', [formFile('document', '{}')], {
          'Content-Encoding': coding,
        })
      for (const none of [',', ', identity,', 'Identity ,, identity']) await send(none).expect(204)
      for (const coded of [', gzip', 'identity, br']) await send(coded).expect(415)
    })
  })
}

describe('empty elements of the header Forwarded', () => {
  afterEach(removeRepositories)

  it('do not count, and an open quote of the client does not hide the entry of the proxy', async () => {
    const service = await startService({ trustedProxies: ['loopback'], proxyHeaders: 'forwarded' })
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const proxied = 'for=192.0.2.1;host=public.example.org;proto=https'
    for (const Forwarded of [`, ${proxied} ,,`, `for=192.0.2.9;host=evil.example.org;a=", ${proxied}`]) {
      const answer = await service.http.get('/api/v1/schemas').set({ Forwarded }).expect(200)
      expect(answer.text, Forwarded).to.include('https://public.example.org/')
    }
  })
})
