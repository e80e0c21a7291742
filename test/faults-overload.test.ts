import { join } from 'node:path'
import { expect } from 'chai'
import { openConnection, requestBytes } from '../bench/support/connection.js'
import { canLook, look } from '../bench/support/processes.js'
import { together } from '../bench/support/statistics.js'
import { overload } from './overload/overload.js'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from './support/cli.js'

/* A short form of `npm run faults -- overload`. See docs/reliability.md. */

describe('a server that is sent more than it can take', () => {
  afterEach(cleanUpProcesses)

  it('refuses with 503 and Retry-After, loses nothing, is there for readers, and is as before afterwards', async function () {
    this.timeout(240_000)
    const dir = join(await temporaryFolder(), 'data')
    expect((await metastore(['init', '--empty', dir])).code).to.equal(0)
    const server = await serve(['--data', dir, '--max-updates', '100', '--log', 'json'])

    const { lines, log, refused, memory, complaints } = await overload(
      { port: server.port, pid: server.child.pid as number, dir, bare: false },
      {
        mix: { create: 5, update: 3, validate: 3, read: 3, list: 1 },
        measuring: 2,
        seconds: 8,
        times: 5,
        connections: 400,
        processes: 1,
        interval: 2,
      },
    )

    expect(complaints).to.deep.equal([])
    expect(refused).to.be.greaterThan(100)
    expect(log.acknowledged).to.be.greaterThan(100)
    expect(lines.some(({ read }) => read > 0)).to.equal(true)
    expect(memory).to.be.lessThan(1024)
    const { code, stderr } = await server.stop()
    expect(code).to.equal(0)
    // What is said of so many refusals is not as much again.
    const told = stderr.split('\n').filter(line => line.includes('"status":503'))
    expect(stderr).to.match(/\d+ more requests were answered with 503/)
    expect(told.length).to.be.lessThan(refused)
  })

  it('keeps nothing of what it refuses, however large, and the connection is good for the next request', async function () {
    if (!canLook) this.skip()
    const server = await serve([
      ...['--data', join(await temporaryFolder(), 'data')],
      ...['--max-updates', '1', '--log', 'off'],
    ])
    const body = Buffer.alloc(32 * 2 ** 20)
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const large = requestBytes({ method: 'POST', path: '/api/v1/schemas', headers, body })
    // The one update there may be is not sent to its end.
    const first = await openConnection(server.port)
    void first.send(large.subarray(0, 1000)).catch(() => undefined)
    const before = look(server.child.pid as number).memory

    await together(20, 5, async () => {
      const connection = await openConnection(server.port)
      const refused = await connection.send(large)
      expect(refused.status).to.equal(503)
      expect(refused.header('retry-after')).to.equal('1')
      const { status } = await connection.send(requestBytes({ method: 'GET', path: '/health/live' }))
      expect(status).to.equal(200)
      connection.close()
    })

    expect(look(server.child.pid as number).mostMemory - before).to.be.lessThan(200)
    first.close()
  })
})
