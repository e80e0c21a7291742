import { expect } from 'chai'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { openRawConnection, type RawConnection } from '../../support/http/raw-connection.js'
import { startService } from '../../support/http/test-service.js'
import { oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const get = 'GET /health/live HTTP/1.1\r\nHost: metastore.test\r\n\r\n'

const bodies: readonly (readonly [path: string, type: string, maxBytes: number])[] = [
  ['/oaipmh', 'application/x-www-form-urlencoded', 2 ** 14],
  ['/api/v1/search', 'application/json', 2 ** 20],
]

for (const [path, type, maxBytes] of bodies)
  describe(`a body for ${path}`, () => {
    let server: RunningServer
    let connection: RawConnection
    beforeEach(async () => {
      // All requests together have memory for four requests of the largest size. One client has half of it.
      const service = await startService({ features: oaiOptions, limits: { request: 4000 } })
      server = await listen(service.app, { port: 0 })
      connection = await openRawConnection(server.port)
    })
    afterEach(async () => {
      connection.destroy()
      await server.stop(100)
      await removeRepositories()
    })

    function send(length: string, body: string, on = connection): void {
      const head = [`POST ${path} HTTP/1.1`, 'Host: metastore.test', `Content-Type: ${type}`, length, '', '']
      on.send(head.join('\r\n') + body)
    }

    /** The connection stays usable: the next request on it is answered. */
    async function servesNext(): Promise<void> {
      connection.send(get)
      await connection.until(/HTTP\/1\.1 200 .*\r\n\r\n/s)
    }

    it('is refused with 413 by its length, before it is read', async () => {
      const length = maxBytes + 1
      send(`Content-Length: ${length}`, 'x'.repeat(10))
      const answer = await connection.until(/\r\n\r\n.*\}/s)
      expect(answer)
        .to.match(/^HTTP\/1\.1 413 /)
        .and.to.contain(`"The body has ${length} bytes; at most ${maxBytes} are taken."`)
      connection.send('x'.repeat(length - 10))
      await servesNext()
    })

    it('is refused with 503 if no memory for bodies is left', async () => {
      const other = await openRawConnection(server.port)
      send('Transfer-Encoding: chunked', `1000\r\n${'x'.repeat(0x1000)}\r\n`, other)
      // The server answers a later request only after it has read the earlier bytes.
      await servesNext()
      send('Transfer-Encoding: chunked', `2000\r\n${'x'.repeat(0x2000)}\r\n`)
      const answer = await connection.until(/HTTP\/1\.1 503 .*\r\n\r\n.*\}/s)
      expect(answer).to.contain('"The memory for uploads is used up. Try again in a moment."')
      connection.send('0\r\n\r\n')
      connection.send(get)
      await connection.until(/HTTP\/1\.1 503 .*HTTP\/1\.1 200 /s)
      other.destroy()
    })
  })

describe('a body without a length', () => {
  afterEach(removeRepositories)

  for (const [path, type, maxBytes] of bodies)
    it(`is refused with 413 for ${path} if it is too long`, async () => {
      const service = await startService({ features: oaiOptions })
      const server = await listen(service.app, { port: 0 })
      const connection = await openRawConnection(server.port)
      const head = [`POST ${path} HTTP/1.1`, 'Host: metastore.test', `Content-Type: ${type}`]
      connection.send([...head, 'Transfer-Encoding: chunked', '\r\n'].join('\r\n'))
      const length = maxBytes + 1
      connection.send(`${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`)
      const answer = await connection.until(/\r\n\r\n.*\}/s)
      expect(answer)
        .to.match(/^HTTP\/1\.1 413 /)
        .and.to.contain(`"The body has more than ${maxBytes} bytes."`)
      connection.send('0\r\n\r\n')
      connection.send(get)
      await connection.until(/HTTP\/1\.1 200 /)
      connection.destroy()
      await server.stop(100)
    })
})
