import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { readTurtle } from '../../support/exports/read-rdf.js'
import { jsonSchema, metadataRecordV1, startService } from '../../support/http/test-service.js'
import { commitAsServer } from '../../support/repository/commit-as-server.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const mebibyte = 2 ** 20

describe('An export', () => {
  afterEach(removeRepositories)

  it('as ZIP reserves memory for its largest file, not only for the document', async () => {
    const service = await startService()
    const large = randomBytes(18 * mebibyte).toString('base64')
    await service.postSchema({ schemaId: 'free' }, jsonSchema(), { 'large.txt': large }).expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/7', 'free', { id: 'small' }), '{}')
      .expect(201)
    const { port } = service
    const ask = async () => {
      const request = get(`http://127.0.0.1:${port}/api/v1/metadata/small/export/ro-crate-zip`)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return response
    }
    // The client reads none of these answers. Together they exceed the client's share: half of the memory for answers.
    const answers: IncomingMessage[] = []
    for (let index = 0; index < 6; index++) answers.push(await ask())
    expect(answers.map(({ statusCode }) => statusCode)).to.deep.equal([200, 200, 200, 200, 200, 503])
    expect(answers.at(-1)?.headers['retry-after']).to.match(/^\d+$/)
    for (const answer of answers) answer.destroy()
    await waitUntil('the memory is free again', async () => {
      const answer = await ask()
      answer.destroy()
      return answer.statusCode === 200
    })
  })

  it('as PROV has the newest 1,000 changes up to the requested version', async () => {
    const service = await startService()
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/7', 'free', { id: 'often' }), '{}')
      .expect(201)
    await commitAsServer(service.repository, 'often', 1100)
    await waitUntil('the commits are served', async () => {
      const { body } = await service.http.get('/api/v1/metadata/often')
      return body.n === 1099
    })
    const versions = async (query: string) => {
      const { text } = await service.http
        .get(`/api/v1/metadata/often/export/prov${query}`)
        .buffer(true)
        .expect(200)
      return readTurtle(text)
        .filter(({ predicate }) => predicate.value.endsWith('#generatedAtTime'))
        .map(({ subject }) => Number(/version=(\d+)$/.exec(subject.value)?.[1]))
        .toSorted((a, b) => a - b)
    }
    const range = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index)
    expect(await versions('')).to.deep.equal(range(102, 1101))
    expect(await versions('?version=1050')).to.deep.equal(range(51, 1050))
    expect(await versions('?version=3')).to.deep.equal(range(1, 3))
  })
})
