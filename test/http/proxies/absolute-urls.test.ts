import { expect } from 'chai'
import { openBaseUrls } from '../../../src/http/proxies/request-addresses.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  jsonSchema,
  metadataRecordV1,
  schemaType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('addresses in responses', () => {
  let service: TestService
  afterEach(removeRepositories)

  async function addressWith(headers: Record<string, string>, mount = '/api/v1'): Promise<string> {
    const answer = await service.http
      .get(`${mount}/schemas/note`)
      .set({ Accept: schemaType, ...headers })
      .expect(200)
    const url = JSON.parse(answer.text).schemaDocumentUri as string
    expect(url.endsWith('/schemas/note?version=1'), url).to.equal(true)
    return url.slice(0, -'/schemas/note?version=1'.length)
  }

  it('have the base URL of the request, and are not stored', async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    await service.postMetadata(metadataRecordV1('http://x/1', 'note'), '{}').expect(201)

    expect(await addressWith({ Host: 'other.example.org:81' })).to.equal('http://other.example.org:81/api/v1')
    expect(await addressWith({ Host: '[::1]:8040' }, '/metastore/api/v1')).to.equal(
      'http://[::1]:8040/metastore/api/v1',
    )
    for (const Host of ['a/b', 'a b', 'a@b', 'a:x', '"']) {
      await service.http.get('/api/v1/schemas/note').set({ Host, Accept: schemaType }).expect(400)
    }
    const misleading = ['127.0.0.1:99999', '999.999.999.999', 'foo.1', '[:::]', 'xn--a']
    for (const Host of misleading) {
      for (const Accept of [schemaType, '*/*', 'text/html']) {
        await service.http.get('/api/v1/schemas/note').set({ Host, Accept }).expect(400)
      }
      await service.http.get('/metastore').set({ Host }).expect(400)
    }
    const stored = await service.repository
      .git('grep', '-c', '-e', 'metastore.test', '-e', 'api/v1', 'HEAD')
      .catch((error: { code?: number }) => error.code)
    expect(stored, 'git grep finds nothing').to.equal(1)
  })

  const paths = [
    '/nothing',
    '/dashboard',
    '/metadata-landing-page?id=none',
    '/health/live',
    '/api/v1/schemas/none',
  ]
  const unusable: readonly (readonly [header: string, values: readonly string[]])[] = [
    ['Host', ['', 'a/b', 'a b', 'a@b', '127.0.0.1:99999', 'xn--a']],
    ['X-Forwarded-Host', ['a/b', '127.0.0.1:99999']],
  ]
  for (const [header, values] of unusable)
    it(`need a usable ${header}, so that every request without one is 400, whatever its path`, async () => {
      service = await startService({ trustedProxies: ['loopback'] })
      for (const value of values)
        for (const path of paths)
          for (const Accept of ['text/html', '*/*']) {
            const answer = await service.http.get(path).set({ [header]: value, Accept })
            expect(answer.status, `${path} ${Accept} "${value}"`).to.equal(400)
            expect(answer.body.detail).to.equal('The request has no usable Host header.')
          }
    })

  it('are not stored if sent back, and neither are other derived members', async () => {
    service = await startService()
    const schema = await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const record = metadataRecordV1('http://x/1', 'note', { id: 'one' })
    const metadata = await service.postMetadata(record, '{}').expect(201)
    await service
      .putSchema('note', schema.headers.etag ?? '', { ...schema.body, label: 'A note' })
      .expect(200)
    const changed = { ...metadata.body, licenseUri: 'https://example.org/licence' }
    await service.putMetadata('one', metadata.headers.etag ?? '', changed, '{"a":1}').expect(200)

    const stored = async (directory: string) =>
      JSON.parse(await service.repository.git('show', `HEAD:${directory}/record.json`)) as object
    const people = ['id', 'creators', 'publisher', 'descriptions', 'acls']
    expect(await stored('schemas/note')).to.have.all.keys(people)
    const about = await stored(recordDirectory('metadata', parseTestId('one')))
    expect(about).to.have.all.keys([
      ...people.filter(name => name !== 'descriptions'),
      ...['schema', 'relatedIdentifiers', 'rights'],
    ])
    expect(about).to.deep.include({
      schema: { schemaId: 'note', version: 1 },
      relatedIdentifiers: [{ identifierType: 'URL', value: 'http://x/1', relationType: 'IS_METADATA_FOR' }],
    })
    expect(JSON.stringify([await stored('schemas/note'), about])).not.to.include('metastore.test')
  })

  it('ignore headers of unknown proxies', async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    const headers = { 'X-Forwarded-Host': 'evil.example.org', Forwarded: 'host=evil.example.org;proto=https' }
    expect(await addressWith(headers)).to.equal('http://metastore.test/api/v1')
  })

  it('use the headers of a trusted proxy', async () => {
    service = await startService({ trustedProxies: ['loopback'] })
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    expect(await addressWith({})).to.equal('http://metastore.test/api/v1')
    expect(
      await addressWith({
        'X-Forwarded-Host': 'example.org',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Port': '443',
      }),
    ).to.equal('https://example.org/api/v1')
    expect(
      await addressWith({
        'X-Forwarded-Host': 'example.org',
        'X-Forwarded-Port': '8443',
        'X-Forwarded-Prefix': '/repo/',
      }),
    ).to.equal('http://example.org:8443/repo/api/v1')
    // The entry of the client precedes the entry that the proxy appends.
    expect(await addressWith({ 'X-Forwarded-Host': 'evil.example.org, example.org' })).to.equal(
      'http://example.org/api/v1',
    )
    // Two trusted proxies, one behind the other.
    expect(
      await addressWith({
        'X-Forwarded-For': '192.0.2.1, 127.0.0.9',
        'X-Forwarded-Host': 'example.org, inner',
      }),
    ).to.equal('http://example.org/api/v1')
    // The proxy does not write this header, so it comes from the client.
    expect(await addressWith({ Forwarded: 'host=evil.example.org' })).to.equal('http://metastore.test/api/v1')
  })

  it('use only the header Forwarded of a trusted proxy with that configuration', async () => {
    service = await startService({ trustedProxies: ['loopback'], proxyHeaders: 'forwarded' })
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    expect(
      await addressWith({ Forwarded: 'for="[2001:db8::1]:47";host="example.org:81";proto=https' }),
    ).to.equal('https://example.org:81/api/v1')
    // The entry of the client precedes the entry that the proxy appends.
    expect(
      await addressWith({ Forwarded: 'host=evil.example.org, for=192.0.2.1;host=example.org' }),
    ).to.equal('http://example.org/api/v1')
    expect(await addressWith({ 'X-Forwarded-Host': 'evil.example.org' })).to.equal(
      'http://metastore.test/api/v1',
    )
  })

  it('have the configured base URL, and former base URLs still name schemas', async () => {
    service = await startService({
      baseUrl: 'https://example.org/repo/',
      formerBases: ['http://old.example.org'],
    })
    const created = await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    expect(created.headers.location).to.equal('https://example.org/repo/api/v1/schemas/note?version=1')
    expect(await addressWith({ Host: 'other.example.org' }, '/metastore/api/v1')).to.equal(
      'https://example.org/repo/metastore/api/v1',
    )
    expect(await addressWith({ Host: 'a/b' })).to.equal('https://example.org/repo/api/v1')
    const page = await service.http.get('/api/v1/schemas/note').set('Accept', 'text/html').expect(302)
    expect(page.headers.location).to.equal('/repo/schema-landing-page?schemaId=note&version=')

    let number = 0
    for (const root of ['https://example.org/repo', 'http://old.example.org', 'http://metastore.test']) {
      const schema = { identifier: `${root}/api/v1/schemas/note?version=1`, identifierType: 'URL' }
      await service
        .postMetadata({ ...metadataRecordV1(`http://x/${++number}`, 'note'), schema }, '{}')
        .expect(201)
    }
    const schema = { identifier: 'https://example.org/api/v1/schemas/note?version=1', identifierType: 'URL' }
    await service.postMetadata({ ...metadataRecordV1('http://x/9', 'note'), schema }, '{}').expect(422)
  })

  it('refuse a configured base URL that is invalid', () => {
    for (const baseUrl of ['example.org', 'ftp://example.org', 'http://example.org/?a', '']) {
      expect(() => openBaseUrls({ baseUrl }), baseUrl).to.throw(TypeError)
    }
    for (const proxy of ['proxy.example.org', '10.0.0.0/x', '']) {
      expect(() => openBaseUrls({ trustedProxies: [proxy] }), proxy).to.throw(TypeError)
    }
  })
})
