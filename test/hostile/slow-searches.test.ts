import { request } from 'node:http'
import { expect } from 'chai'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { childrenOf } from '../support/program/child-processes.js'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses } from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  type MonitoredServer,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/** Addresses of the clients with slow searches. */
const attackers = Array.from({ length: 6 }, (_, index) => `127.0.0.${11 + index}`)
/** A slow search: the engine looks for each phrase at every place of the word. */
const longQuery = Array.from({ length: 200 }, () => '"a a"').join(' OR ')
const longDocuments = isLongForm ? 8 : 4

describe('searches that take long', () => {
  let watched: MonitoredServer
  before(async () => {
    watched = await startMonitoredServer('--max-document', '2')
    expect((await watched.postSchema({ schemaId: 'any' }, '{"$comment": "anything"}')).status).to.equal(201)
    for (let at = 0; at < longDocuments; at++) {
      const record = metadataRecordV1(`https://example.org/${at}`, 'any', { id: `long${at}` })
      const document = JSON.stringify({ text: 'a '.repeat(500_000) })
      expect((await watched.postMetadata(record, document)).status).to.equal(201)
    }
    const found = () => watched.ask('GET', '/api/v1/search?q=id:long*&limit=1')
    await waitUntil('the documents are found', async () => (await found()).body.upToDate)
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  const processes = () => childrenOf(watched.server, 'find-process-entry')

  it('do not delay other clients, run in few processes, and end when their clients disconnect', async () => {
    await watched.stands(async () => {
      const answered = new Set<string>()
      const path = `/api/v1/search?${new URLSearchParams({ q: longQuery })}`
      // They search until they disconnect, so that a search runs then, however long the other client takes.
      const clients = attackers.map(address =>
        keepAsking(watched.server.port, path, address, () => answered.add(address)),
      )
      for (let index = 0; index < 10; index++) {
        answered.clear()
        const { status, body } = await watched.ask('GET', `/api/v1/search?q=note`)
        expect(status).to.equal(200)
        expect(body.total).to.be.at.least(1)
        expect(processes()).to.have.length.within(1, 2)
        expect(
          answered.size,
          'clients whose slow searches ended before the search of the other client',
        ).to.be.below(attackers.length)
      }
      const before = await waitUntil('both processes run', () => {
        const pids = processes().map(({ pid }) => pid)
        return pids.length === 2 && pids
      })
      for (const client of clients) client.destroy()
      await waitUntil('the processes of the long searches end', () => {
        const pids = new Set(processes().map(({ pid }) => pid))
        return before.some(pid => !pids.has(pid))
      })
      expect((await watched.ask('GET', '/api/v1/search?q=note')).status).to.equal(200)
    })
  })
})

/** Sends a request again after each answer. */
function keepAsking(port: number, path: string, localAddress: string, tell: () => void) {
  const headers = { Host: 'localhost' }
  let isGone = false
  function ask() {
    const sent = request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false })
    sent.on('error', () => undefined)
    sent.on('response', response => {
      tell()
      response.resume()
      response.on('end', () => {
        if (!isGone) client = ask()
      })
    })
    return sent.end()
  }
  let client = ask()
  return {
    destroy() {
      isGone = true
      client.destroy()
    },
  }
}
