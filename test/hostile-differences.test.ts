import { request } from 'node:http'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { cleanUpProcesses } from './support/cli.js'
import { metadataRecord } from './support/http.js'
import { processesOf } from './support/processes.js'
import { form, formType } from './support/raw-http.js'
import { eventually } from './support/repository.js'
import { closeCanaries, filePart, startWatched, type Watched } from './support/watched.js'

/** A JSON text of many lines, in an order that git compares slowly. */
function scrambled(seed: number): string {
  const lines = Array.from(
    { length: 60_000 },
    (_, n) => `"${((n * 7919 + seed) * 104_729) % 99_991} of a long line of text",`,
  )
  return `[\n${lines.join('\n')}\n0]`
}

describe('differences that git takes long for', () => {
  let watched: Watched
  before(async () => {
    watched = await startWatched('--max-document', '8')
    expect((await watched.postSchema({ schemaId: 'any' }, '{"$comment": "anything"}')).status).to.equal(201)
    const record = metadataRecord('https://example.org/large', 'any', { id: 'large' })
    expect((await watched.postMetadata(record, scrambled(1))).status).to.equal(201)
    const { status, text } = await watched.ask('PUT', '/api/v1/metadata/large', {
      headers: { 'Content-Type': formType, 'If-Match': '*' },
      body: form(filePart('document', 'd', 'application/json', scrambled(2))),
    })
    expect(status, text).to.equal(200)
  })
  after(async () => {
    closeCanaries()
    await cleanUpProcesses()
  })

  const path = '/api/v1/metadata/large/diff?from=1&to=2'
  const headers = { Accept: 'text/x-diff', Host: 'localhost' }
  const comparing = () => processesOf(watched.server, '--no-textconv').length

  it('are made few at a time, end when their client goes, and others are told to come back', async () => {
    await watched.stands(
      async () => {
        const clients = Array.from({ length: 24 }, () => {
          const client = request({
            host: '127.0.0.1',
            port: watched.server.port,
            path,
            headers,
            agent: false,
          })
          const answer = new Promise<string>(resolve => {
            client.on('error', () => resolve('gone'))
            client.on('response', response => {
              response.resume()
              resolve(`${response.statusCode} ${response.headers['retry-after'] ?? ''}`)
            })
          })
          client.end()
          return { client, answer }
        })
        let most = 0
        const watch = setInterval(() => {
          most = Math.max(most, comparing())
        }, 20)
        const refused = await Promise.race([
          Promise.any(
            clients.map(async ({ answer }) => {
              const said = await answer
              if (!said.startsWith('503 ')) throw new Error(said)
              return said
            }),
          ),
          sleep(10_000, 'nobody'),
        ])
        expect(refused).to.match(/^503 \d+$/)
        await sleep(200)
        clearInterval(watch)
        expect(most).to.be.at.most(Math.max(2, availableParallelism()))
        for (const { client } of clients) client.destroy()
        await eventually('the end of all comparisons', () => comparing() === 0, 5000)
      },
      { memory: 1100 },
    )
    const { status } = await watched.ask('GET', path, { headers: { Accept: 'text/x-diff' } })
    expect(status).to.be.oneOf([200, 413])
  })
})
