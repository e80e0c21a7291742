// test-schedule: quick
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import {
  ClusterError,
  openClusterClient,
} from '../../../../src/features/search-cluster/cluster/cluster-client.js'

/* A plain HTTP server stands for a cluster with access control, which the real cluster of the tests lacks. */
describe('The client of a cluster', () => {
  let server: Server
  let url: string
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined

  before(async () => {
    server = createServer((request, response) => answer(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  async function failureOf(sent: Promise<unknown>): Promise<ClusterError> {
    const error = await sent.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(ClusterError)
    return error as ClusterError
  }

  it('sends a user and a password, or a key', async () => {
    answer = ({ headers }, response) => response.end(JSON.stringify({ sent: headers.authorization }))
    const sentBy = async (credentials: Parameters<typeof openClusterClient>[1]) =>
      (await openClusterClient(`${url}/`, credentials).send<{ sent?: string }>('GET', 'x')).sent
    expect(await sentBy({ type: 'basic', user: 'anna', password: 'ä:b' })).to.equal(
      `Basic ${Buffer.from('anna:ä:b').toString('base64')}`,
    )
    expect(await sentBy({ type: 'api-key', key: 'abc=' })).to.equal('ApiKey abc=')
    expect(await sentBy(undefined)).to.equal(undefined)
  })

  it('follows no redirect, which would send the credentials elsewhere', async () => {
    answer = (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end()
    const failure = await failureOf(openClusterClient(url, undefined).send('GET', 'x'))
    expect(failure.isTemporary).to.equal(true)
  })

  it('returns the message of the cluster, and whether a repetition may help', async () => {
    const cases = [
      [503, '{"error":{"type":"no_master","reason":"none"}}', true, 'no_master: none'],
      [429, '{"error":"busy"}', true, 'busy'],
      [400, '{"error":{"type":"parsing_exception","reason":"bad"}}', false, 'parsing_exception: bad'],
      [401, 'Unauthorized', false, 'METASTORE_SEARCH_CREDENTIALS'],
      [502, '<html>Bad gateway</html>', true, 'Bad gateway'],
    ] as const
    for (const [status, text, isTemporary, said] of cases) {
      answer = (_, response) => response.writeHead(status).end(text)
      const failure = await failureOf(openClusterClient(url, undefined).send('GET', 'x'))
      expect([failure.status, failure.isTemporary]).to.deep.equal([status, isTemporary])
      expect(failure.message).to.contain(said)
    }
  })

  it('refuses answers that are not JSON, and answers without an end', async () => {
    answer = (_, response) => response.end('hello')
    expect((await failureOf(openClusterClient(url, undefined).send('GET', 'x'))).message).to.contain(
      'no OpenSearch',
    )
    answer = (_, response) => {
      const more = () => {
        if (!response.destroyed) response.write(Buffer.alloc(2 ** 20, ' '), more)
      }
      more()
    }
    expect((await failureOf(openClusterClient(url, undefined).send('GET', 'x'))).message).to.contain('bytes')
  })

  it('waits for a limited time', async () => {
    answer = () => undefined
    const failure = await failureOf(openClusterClient(url, undefined).send('GET', 'x', { timeout: 50 }))
    expect(failure.message).to.contain('no answer within 0.05 s')
  })

  it('returns undefined for 404 on request', async () => {
    answer = (_, response) => response.writeHead(404).end('{}')
    expect(await openClusterClient(url, undefined).find('x')).to.equal(undefined)
  })
})
