import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from './support/cli.js'
import { metadataRecord } from './support/http.js'
import { form, formType, openRaw, type RawConnection } from './support/raw-http.js'
import { closeCanaries, filePart, recordPart, startWatched, type Watched } from './support/watched.js'

const mebibyte = 2 ** 20
/** Limits of the server, in seconds, and how much later than that it may notice. */
const [headersTimeout, requestTimeout, grace] = [2, 4, 20]

describe('clients that take their time', function () {
  this.timeout(120_000)
  let watched: Watched
  before(async () => {
    const limits = ['--headers-timeout', `${headersTimeout}`, '--request-timeout', `${requestTimeout}`]
    watched = await startWatched('--max-document', '4', '--allow-push', ...limits)
  })
  after(async () => {
    closeCanaries()
    await cleanUpProcesses()
  })

  let count = 0
  const parts = (document: string) => [
    recordPart(metadataRecord(`http://example.org/${++count}`, 'note')),
    filePart('document', 'd', 'application/json', document),
  ]
  const head = (length: number) =>
    `POST /api/v1/metadata HTTP/1.1\r\nHost: x\r\nContent-Type: ${formType}\r\nContent-Length: ${length}\r\n\r\n`
  const isEnded = (connection: RawConnection) =>
    Promise.race([connection.closed(), sleep((requestTimeout + grace) * 1000, 'still open')])

  it('are ended where they send a byte a second, in the headers, in the body, or stop in the middle', async () => {
    const body = form(...parts('{"title": "slow"}'))
    const text = head(body.length) + body.toString()
    const total = async () => (await watched.ask('GET', '/api/v1/metadata')).headers['content-range']
    const before = await total()
    await watched.stands(async () => {
      const ends = [0, head(body.length).length, text.length - 20].map(async begun => {
        const connection = await openRaw(watched.server.port)
        connection.send(text.slice(0, begun))
        const over = new AbortController()
        const drops = (async () => {
          for (let at = begun; at < text.length && !over.signal.aborted; at++) {
            connection.send(text.slice(at, at + 1))
            await sleep(1000)
          }
        })()
        const answer = await isEnded(connection)
        over.abort()
        await drops
        return answer
      })
      const stalled = await openRaw(watched.server.port)
      stalled.send(text.slice(0, text.length - 40))
      for (const answer of await Promise.all([...ends, isEnded(stalled)])) {
        expect(answer).to.match(/^(HTTP\/1\.1 408 |$)/)
      }
    })
    expect(await total()).to.equal(before)
  })

  it('give back the room of what they began to send', async () => {
    const half = `--boundary\r\nContent-Disposition: form-data; name="document"; filename="x"\r\n\r\n${'x'.repeat(3.5 * mebibyte)}`
    const upload = () => watched.send('POST', '/api/v1/metadata', parts('{"title": "x"}'))
    await watched.stands(
      async () => {
        const stalled = await Promise.all(
          Array.from({ length: 25 }, async () => {
            const connection = await openRaw(watched.server.port)
            connection.send(head(7 * mebibyte) + half)
            return connection
          }),
        )
        const ended = await Promise.all(stalled.map(isEnded))
        expect(ended).to.not.include('still open')
        expect(
          ended.some(answer => answer.startsWith('HTTP/1.1 503 ')),
          'the room was full',
        ).to.equal(true)
        expect((await upload()).status).to.equal(201)
      },
      { memory: 640 },
    )
  })

  it('are ended where they take nothing of an answer, and cost no more memory than what is under way', async () => {
    const large = JSON.stringify({ title: 'x'.repeat(3 * mebibyte) })
    const { body } = await watched.send('POST', '/api/v1/metadata', parts(large))
    const wants = `GET /api/v1/metadata/${body.id} HTTP/1.1\r\nHost: x\r\n\r\n`
    await watched.stands(
      async () => {
        const deaf = await Promise.all(
          Array.from({ length: 10 }, async () => {
            const connection = await openRaw(watched.server.port)
            connection.pause()
            connection.send(wants.repeat(5))
            return connection
          }),
        )
        await sleep((2 * requestTimeout + 12) * 1000)
        for (const connection of deaf) connection.resume()
        for (const answer of await Promise.all(deaf.map(isEnded))) {
          expect(answer).to.not.equal('still open')
          // What was in the buffers of the system, and no whole answer after it.
          expect(answer.length).to.be.below(5 * 3 * mebibyte)
        }
        // Whoever takes it in its own time has all of it.
        expect((await watched.ask('GET', `/api/v1/metadata/${body.id}`)).text).to.equal(large)
      },
      { memory: 640 },
    )
  })

  it('leave their places to others where they go before they are served', async () => {
    // With tokens it takes a moment to know who is asking, and then that one may be gone.
    const secret = 'a secret of at least thirty-two bytes'
    const env = { METASTORE_JWT_SECRET: secret }
    const server = await serve(['--data', join(await temporaryFolder(), 'data'), '--auth'], { env })
    const token = (await metastore(['token', 'ann'], { env })).stdout.trim()
    const events = `GET /api/changes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          const connection = await openRaw(server.port)
          connection.send(events)
          if (n % 4 > 0) await sleep(n % 6)
          connection.destroy()
        }),
      )
    }
    await sleep(300)
    // As many as may wait; a place that was lost would be missing.
    const waiting = await Promise.all(
      Array.from({ length: 256 }, async () => {
        const connection = await openRaw(server.port)
        connection.send(events)
        return connection
      }),
    )
    const answers = await Promise.all(waiting.map(connection => connection.until(/\r\n\r\n/)))
    for (const answer of answers) expect(answer).to.match(/^HTTP\/1\.1 200 /)
    const further = await openRaw(server.port)
    further.send(events)
    expect(await further.until(/\r\n\r\n/)).to.match(/^HTTP\/1\.1 503 /)
    for (const connection of [...waiting, further]) connection.destroy()
  })
})
