import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import {
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { askOai, idsOf, oaiOptions, parseOai } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

interface Answer {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

describe('The compression of OAI-PMH', () => {
  let service: TestService
  let port: number
  const ids = ['a', 'b', 'c', 'd']
  const list = 'verb=ListRecords&metadataPrefix=note'

  before(async () => {
    service = await startService({ features: oaiOptions })
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    for (const id of ids)
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/${id}`, 'note', { id }),
          noteXml.replace('hello', id.repeat(100_000)),
        )
        .expect(201)
    ;({ port } = service)
  })
  after(removeRepositories)

  async function begin(query: string, accepted?: string, method = 'GET'): Promise<IncomingMessage> {
    const headers = accepted === undefined ? {} : { 'Accept-Encoding': accepted }
    const sent = request({ port, path: `/oaipmh?${query}`, method, headers })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  async function ask(query: string, accepted?: string, method?: string): Promise<Answer> {
    const response = await begin(query, accepted, method)
    return { headers: response.headers, body: await buffer(response) }
  }
  const withoutDate = (text: string) => text.replace(/<responseDate>[^<]*/, '')

  it('is announced by Identify', async () => {
    expect((await askOai(service, 'verb=Identify')).all('compression')).to.deep.equal(['gzip'])
  })

  for (const query of [list, 'verb=ListIdentifiers&metadataPrefix=note', 'verb=Identify', 'verb=x']) {
    it(`does not change the answer to ${query}, and adds Vary`, async () => {
      const plain = await ask(query)
      expect(plain.headers['content-encoding']).to.equal(undefined)
      expect(plain.headers.vary).to.contain('Accept-Encoding')
      for (const accepted of ['gzip', 'deflate, gzip;q=0.5', '*']) {
        const { headers, body } = await ask(query, accepted)
        expect(headers.vary).to.contain('Accept-Encoding')
        const isShort = plain.body.length <= 1024
        expect(headers['content-encoding'], accepted).to.equal(isShort ? undefined : 'gzip')
        const text = (isShort ? body : gunzipSync(body)).toString()
        expect(withoutDate(text)).to.equal(withoutDate(plain.body.toString()))
        if (!isShort) expect(body.length).to.be.lessThan(plain.body.length)
      }
    })
  }

  it('is not used for clients that do not accept it', async () => {
    for (const accepted of ['', 'identity', 'deflate, br', 'gzip;q=0', 'identity, gzip;q=0.1']) {
      const { headers, body } = await ask(list, accepted)
      expect(headers['content-encoding'], accepted).to.equal(undefined)
      expect(idsOf([parseOai(body.toString())])).to.have.members(ids)
    }
  })

  it('answers HEAD with the headers of a GET, and without a body', async () => {
    for (const query of [list, 'verb=Identify']) {
      const { headers, body } = await ask(query, 'gzip', 'HEAD')
      const got = await ask(query, 'gzip')
      expect(body.length).to.equal(0)
      expect(headers['content-encoding']).to.equal(got.headers['content-encoding'])
      expect(headers['content-type']).to.equal(got.headers['content-type'])
      expect(headers.vary).to.equal(got.headers.vary)
    }
  })
})
