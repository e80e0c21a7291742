import { once, setMaxListeners } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { isPlain } from '../../../src/core/plain-mode.js'
import {
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { idsOf, oaiOptions, parseOai } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** Maximum number of waiting long exports, plus the running one. */
const queueLength = 65

/** A document that an answer embeds unchanged. It is too long for an answer in one piece. */
const longDocument = noteXml.replace('hello', 'x'.repeat(100_000))

describe('a part of a harvest while the queue of long exports is full', () => {
  let service: TestService
  let port: number

  before(async function () {
    // On the plain path, exports do not wait in a queue.
    if (isPlain) this.skip()
    service = await startService({ features: oaiOptions })
    await service.postSchema({ schemaId: 'oai_dc' }, noteXsdText).expect(201)
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    ;({ port } = service)
  })
  after(removeRepositories)

  const storeShort = (id: string) =>
    service
      .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'oai_dc', { id }), longDocument)
      .expect(201)

  /** Stores a record with long exports, which one thread writes one after the other. */
  async function storeLong(id: string): Promise<void> {
    const record = {
      id,
      titles: [{ value: 'Long' }],
      relatedIdentifiers: [
        { value: 'free', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
        { value: `https://example.org/${id}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        ...Array.from({ length: 7000 }, (_, index) => ({
          value: `https://example.org/cited/${index}`,
          identifierType: 'URL',
          relationType: 'CITES',
        })),
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from('{}'), 'document.json')
      .expect(201)
  }

  /** Keeps the queue full while a job runs: every client asks again when its export is complete. */
  async function whileFull(job: () => Promise<void>): Promise<void> {
    const url = `http://127.0.0.1:${port}/api/v1/metadata/long/export/dcat-ttl`
    const over = new AbortController()
    setMaxListeners(0, over.signal)
    const askAgain = async () => {
      while (!over.signal.aborted) {
        const [response] = (await once(get(url, { signal: over.signal }), 'response')) as [IncomingMessage]
        response.resume()
        await once(response, 'end')
      }
    }
    const clients = Array.from({ length: queueLength + 20 }, askAgain)
    try {
      await job()
    } finally {
      over.abort()
      await Promise.allSettled(clients)
    }
  }

  const list = 'verb=ListRecords&metadataPrefix=oai_dc'
  const ask = async (query: string) => await service.http.get(`/oaipmh?${query}`).buffer(true)

  it('is refused with 503 before its first byte, or ends early with a token; no record is lost', async () => {
    await storeShort('a')
    await storeLong('long')
    // A part with two records cannot end early.
    await whileFull(async () => {
      for (;;) {
        const { status, headers, text } = await ask(list)
        if (status === 503) {
          expect(headers['retry-after']).to.match(/^\d+$/)
          return
        }
        expect(idsOf([parseOai(text)])).to.deep.equal(['a', 'long'])
      }
    })

    await setTimeout(1100)
    await storeShort('b')
    await storeShort('c')
    await storeLong('z')
    const { text } = await ask('verb=GetRecord&metadataPrefix=oai_dc&identifier=b')
    const from = parseOai(text).records[0]?.datestamp
    let token = ''
    await whileFull(async () => {
      while (token === '') {
        const part = parseOai((await ask(`${list}&from=${from}`)).text)
        token = part.token?.text ?? ''
        expect(idsOf([part])).to.deep.equal(token === '' ? ['b', 'c', 'z'] : ['b', 'c'])
      }
    })
    const rest = parseOai((await ask(`verb=ListRecords&resumptionToken=${token}`)).text)
    expect(idsOf([rest])).to.deep.equal(['z'])
  })
})
