import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { expectServerErrors } from '../../support/answer-checks/check-every-answer.js'
import { formType, multipartBody, openRawConnection } from '../../support/http/raw-connection.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const get = 'GET /health HTTP/1.1\r\nHost: metastore.test\r\n\r\n'

describe('stopping the server', () => {
  let service: TestService
  let server: RunningServer
  beforeEach(async () => {
    service = await startService({ report: () => undefined })
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    server = await listen(service.app, { port: 0 })
  })
  afterEach(async () => {
    await server.stop(100)
    await removeRepositories()
  })

  const body = multipartBody(
    ['Content-Disposition: form-data; name="record"', JSON.stringify(metadataRecordV1('http://x/1', 'note'))],
    ['Content-Disposition: form-data; name="document"', '{}'],
  )
  const post = `POST /api/v1/metadata HTTP/1.1\r\nHost: metastore.test\r\nContent-Type: ${formType}\r\nContent-Length: ${body.length}\r\n\r\n`

  it('finishes accepted requests, and then closes their connections', async () => {
    const connection = await openRawConnection(server.port)
    connection.send(Buffer.concat([Buffer.from(post), body.subarray(0, 20)]))
    await seen(connection, server)

    const stopped = server.stop()
    connection.send(body.subarray(20))

    const answer = await connection.closed()
    expect(answer)
      .to.match(/HTTP\/1\.1 201 /)
      .and.to.match(/\r\nConnection: close\r\n/i)
    await stopped
    await service.http
      .get('/api/v1/metadata?resourceId=http://x/1')
      .expect(200)
      .expect('Content-Range', '0-0/1')
  })

  it('closes the connection of an accepted request that fails', async () => {
    expectServerErrors()
    const connection = await openRawConnection(server.port)
    connection.send(Buffer.concat([Buffer.from(post), body.subarray(0, 20)]))
    await seen(connection, server)
    const objects = join(service.repository.dir, 'objects')
    await rm(objects, { recursive: true, maxRetries: 10 })
    await mkdir(objects)

    const stopped = server.stop()
    connection.send(body.subarray(20))

    expect(await connection.until(/\r\n\r\n/))
      .to.match(/HTTP\/1\.1 500 /)
      .and.to.match(/\r\nConnection: close\r\n/i)
    await stopped
  })

  it('refuses new connections', async () => {
    await server.stop()

    const refused = await openRawConnection(server.port).then(
      () => 'accepted',
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(refused).to.equal('ECONNREFUSED')
  })

  it('refuses further requests on open connections with 503', async () => {
    const busy = await openRawConnection(server.port)
    busy.send(Buffer.concat([Buffer.from(post), body.subarray(0, 20)]))
    const half = await openRawConnection(server.port)
    half.send(get.slice(0, 20))
    await seen(busy, server)

    const stopped = server.stop()
    half.send(get.slice(20))

    const answer = await half.closed()
    expect(answer)
      .to.match(/^HTTP\/1\.1 503 /)
      .and.to.match(/\r\nConnection: close\r\n/i)
    expect(answer)
      .to.contain('application/problem+json')
      .and.to.match(/\r\nRetry-After: \d+\r\n/)
    busy.send(body.subarray(20))
    expect(await busy.closed()).to.match(/HTTP\/1\.1 201 /)
    await stopped
  })

  it('closes idle connections at once', async () => {
    const idle = await openRawConnection(server.port)
    idle.send(get)
    await idle.until(/\}$/)

    await server.stop()

    await idle.closed()
  })

  it('closes connections of clients that do not finish in time', async () => {
    const slow = await openRawConnection(server.port)
    slow.send(Buffer.concat([Buffer.from(post), body.subarray(0, 20)]))
    await seen(slow, server)

    await service.storesNothing(async () => {
      await server.stop(50)
      await slow.closed()
    })
  })

  it('can be called twice: both calls end when the accepted requests are answered', async () => {
    const connection = await openRawConnection(server.port)
    connection.send(Buffer.concat([Buffer.from(post), body.subarray(0, 20)]))
    await seen(connection, server)
    const ended: string[] = []

    const calls = ['first', 'second'].map(name => server.stop().then(() => ended.push(name)))
    await setImmediate()
    expect(ended).to.deep.equal([])
    connection.send(body.subarray(20))

    expect(await connection.closed()).to.match(/HTTP\/1\.1 201 /)
    await Promise.all(calls)
    expect(ended).to.deep.equal(['first', 'second'])
  })

  it('can be called again after its end', async () => {
    await server.stop()
    expect(await server.stop()).to.equal(undefined)
  })
})

/** Waits until the server has read the earlier bytes of another connection. It answers a later request only then. */
async function seen(_before: unknown, server: RunningServer): Promise<void> {
  const probe = await openRawConnection(server.port)
  probe.send(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  await probe.closed()
}
