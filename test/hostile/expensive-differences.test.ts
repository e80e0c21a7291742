import { request } from 'node:http'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { formType, multipartBody } from '../support/http/raw-connection.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { childrenOf } from '../support/program/child-processes.js'
import { stopProcesses } from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  filePart,
  type MonitoredServer,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/**
 * A JSON text of many lines in an order without a pattern. Git compares two of them for more than a second, so that a
 * test on a busy machine sees the process.
 */
function scrambled(seed: number): string {
  let state = seed
  const lines = Array.from({ length: 300_000 }, () => {
    // The numbers of a linear congruential generator repeat, and git finds many short matches.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return `${(state >>> 8) % 1009},`
  })
  return `[\n${lines.join('\n')}\n0]`
}

/**
 * A JSON text of the largest size that is compared member by member. Texts of different seeds have little in common.
 */
function nasty(seed: number): string {
  return JSON.stringify(Array.from({ length: 85_000 }, (_, n) => ((n * 7919 + seed) * 104_729) % 99_991))
}

/** Limit of the processes that work for one client at once. */
const maxOfOneClient = Math.max(2, availableParallelism())

describe('comparisons that take long', () => {
  let watched: MonitoredServer
  async function storeVersions(id: string, before: string, after: string): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, 'any', { id })
    expect((await watched.postMetadata(record, before)).status).to.equal(201)
    const { status, text } = await watched.ask('PUT', `/api/v1/metadata/${id}`, {
      headers: { 'Content-Type': formType, 'If-Match': '*' },
      body: multipartBody(filePart('document', 'd', 'application/json', after)),
    })
    expect(status, text).to.equal(200)
  }
  before(async () => {
    watched = await startMonitoredServer('--max-document', '8')
    expect((await watched.postSchema({ schemaId: 'any' }, '{"$comment": "anything"}')).status).to.equal(201)
    await storeVersions('large', scrambled(1), scrambled(2))
    await storeVersions('nasty', nasty(1), nasty(5))
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  const comparisons = [
    ['a text diff', 'large/diff?from=1&to=2', 'text/x-diff', '--no-textconv'],
    ['a diff', 'nasty/diff?from=1&to=2', 'application/json', 'comparison-process'],
    ['a JSON Patch', 'nasty/diff?from=1&to=2', 'application/json-patch+json', 'comparison-process'],
    ['a blame', 'nasty/blame', 'application/json', 'comparison-process'],
  ] as const
  for (const [name, query, accept, processName] of comparisons) {
    const path = `/api/v1/metadata/${query}`
    const comparing = () => childrenOf(watched.server, processName).length

    it(`${name} runs in a process, few at a time, and the process ends when its client disconnects`, async () => {
      await watched.stands(
        async () => {
          const clients = Array.from({ length: 24 }, () => ask(watched.server.port, path, accept))
          let max = 0
          const watch = setInterval(() => {
            max = Math.max(max, comparing())
          }, 20)
          try {
            const refused = await Promise.race([
              Promise.any(
                clients.map(async ({ answer }) => {
                  const said = await answer
                  if (!said.startsWith('503 ')) throw new Error(said)
                  return said
                }),
              ),
              sleep(30_000, 'nobody'),
            ])
            expect(refused).to.match(/^503 \d+$/)
            await waitUntil('the start of a comparison', () => max > 0)
            await sleep(200)
          } finally {
            clearInterval(watch)
          }
          expect(max).to.be.within(1, maxOfOneClient)
          for (const { client } of clients) client.destroy()
          await waitUntil('the end of all comparisons', () => comparing() === 0, 20_000)
        },
        { memory: 1100 },
      )
      await watched.stands(async () => {
        // On a busy machine, the places of the disconnected clients may not be free yet, so the client asks again.
        const { status } = await waitUntil('a place is free', async () => {
          const answer = await watched.ask('GET', path, { headers: { Accept: accept } })
          return answer.status !== 503 && answer
        })
        expect(status).to.be.oneOf([200, 413])
      })
    })
  }
})

/** Sends a request on a new connection. @returns the connection, and the status and `Retry-After` of the answer */
function ask(port: number, path: string, accept: string) {
  const headers = { Accept: accept, Host: 'localhost' }
  const client = request({ host: '127.0.0.1', port, path, headers, agent: false })
  const answer = new Promise<string>(resolve => {
    client.on('error', () => resolve('gone'))
    client.on('response', response => {
      response.resume()
      resolve(`${response.statusCode} ${response.headers['retry-after'] ?? ''}`)
    })
  })
  client.end()
  return { client, answer }
}
