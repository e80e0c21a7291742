import { Agent, request } from 'node:http'
import { getHeapSpaceStatistics } from 'node:v8'
import { expect } from 'chai'
import { quantile } from '../../../bench/support/statistics.js'
import { metadataRecordV1, metadataType, startService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** Bytes of the old generation, to which V8 moves objects that survive two collections of the young one. */
function oldBytes(): number {
  return getHeapSpaceStatistics().find(space => space.space_name === 'old_space')?.space_used_size ?? 0
}

describe('the objects of a request', () => {
  afterEach(removeRepositories)

  it('die before V8 moves them to the old generation', async () => {
    const { port, postSchema, postMetadata } = await startService()
    expect((await postSchema({ schemaId: 's' }, '{"type": "object"}')).status).to.equal(201)
    const record = metadataRecordV1('https://example.org/a', 's', { id: 'a' })
    expect((await postMetadata(record, '{}')).status).to.equal(201)
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const get = () =>
      new Promise<number>((resolve, reject) => {
        const headers = { Host: 'metastore.test', Accept: metadataType }
        request({ port, host: '127.0.0.1', path: '/api/v1/metadata/a', headers, agent }, response => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
        })
          .on('error', reject)
          .end()
      })
    const many = async (count: number) => {
      for (let done = 0; done < count; done += 4) await Promise.all([get(), get(), get(), get()])
    }
    expect(await get()).to.equal(200)
    await many(1000)

    const growths: number[] = []
    for (let round = 0; round < 5; round++) {
      const before = oldBytes()
      await many(1000)
      growths.push((oldBytes() - before) / 1000)
    }
    agent.destroy()
    // A request and its response have about 8,000 bytes. The median leaves out a full collection, which frees memory.
    expect(quantile(growths, 0.5)).to.be.lessThan(4000)
  })
})
