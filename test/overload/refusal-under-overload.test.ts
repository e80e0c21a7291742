// test-schedule: alone
import { join } from 'node:path'
import { expect } from 'chai'
import { openConnection, requestBytes } from '../../bench/load/http-connection.js'
import { canLook, look } from '../../bench/support/process-memory.js'
import { together } from '../../bench/support/statistics.js'
import { isLongForm } from '../support/program/long-form.js'
import { runMetastore, startServer, stopProcesses, temporaryFolder } from '../support/program/run-program.js'
import { complaintsAboutTimes } from './check-latency.js'
import { type Line, overload } from './overload-run.js'

/* A short form of `npm run faults -- overload`. See docs/understand/reliability.md. */

describe('a server that receives more requests than it can answer', () => {
  afterEach(stopProcesses)

  it('refuses with 503 and Retry-After, loses no update, keeps answering reads, and recovers afterwards', async () => {
    const dir = join(await temporaryFolder(), 'data')
    expect((await runMetastore(['init', '--empty', dir])).code).to.equal(0)
    const server = await startServer(['--data', dir, '--max-updates', '100', '--log', 'json'], {
      ownProcess: true,
    })

    const { lines, log, refused, memory, complaints } = await overload(
      { port: server.port, pid: server.child.pid as number, dir, bare: false },
      {
        mix: { create: 5, update: 3, validate: 3, read: 3, list: 1 },
        measuring: 2,
        seconds: isLongForm ? 60 : 5,
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
    // The log summarizes the refusals: it has fewer lines than there were refusals.
    const told = stderr.split('\n').filter(line => line.includes('"status":503'))
    expect(stderr).to.match(/\d+ more requests were answered with 503/)
    expect(told.length).to.be.lessThan(refused)
  })

  it('does not keep the body of a refused request, however large; its connection accepts the next request', async function () {
    if (!canLook) this.skip()
    const server = await startServer(
      ['--data', join(await temporaryFolder(), 'data'), '--max-updates', '1', '--log', 'off'],
      { ownProcess: true },
    )
    const body = Buffer.alloc(32 * 2 ** 20)
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const large = requestBytes({ method: 'POST', path: '/api/v1/schemas', headers, body })
    // An unfinished upload occupies the only place for an update.
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

    expect(look(server.child.pid as number).peakMemory - before).to.be.lessThan(200)
    first.close()
  })
})

describe('the check of latencies under overload', () => {
  const promised = { maxUpdates: 1000, maxWait: 10 }
  const none = { p50: 0, p99: 0, max: 0 }

  /** Intervals of ten seconds, each with its p99 in milliseconds. */
  function linesWith(p99s: readonly number[], changed = 50): readonly Line[] {
    return p99s.map((p99, place) => ({
      at: (place + 1) * 10.01,
      changed: p99 === 0 ? 0 : changed,
      changes: { p50: p99 / 2, p99, max: p99 },
      ...{ offered: 500, read: 0, refused: 450, unsent: 0, reads: none, refusals: none },
      ...{ live: 5, ready: 5, memory: 300, lag: 10, waiting: 100, validations: 0 },
    }))
  }

  it('accepts latencies within the limits', () => {
    expect(
      complaintsAboutTimes(linesWith([9000, 12_000, 8000, 9000, 7000, 9000, 11_000]), promised),
    ).to.deep.equal([])
  })

  it('ignores the first 20 seconds', () => {
    expect(complaintsAboutTimes(linesWith([90_000, 80_000, 8000, 9000, 7000, 9000]), promised)).to.deep.equal(
      [],
    )
  })

  it('reports an interval far above the limit', () => {
    const [complaint, ...others] = complaintsAboutTimes(
      linesWith([9000, 9000, 9000, 31_000, 9000, 9000, 9000]),
      promised,
    )

    expect(complaint).to.equal(
      'p99 of updates was 31000 ms until second 40, with 50 of them done a second; at most it may be 30000 ms.',
    )
    expect(others).to.deep.equal([])
  })

  it('applies a lower limit if the throughput empties the queue before the longest wait', () => {
    const times = [900, 900, 900, 900, 3100, 900, 900, 900]

    expect(complaintsAboutTimes(linesWith(times, 900), promised)).to.deep.equal([])
    expect(complaintsAboutTimes(linesWith(times, 1000), promised)).to.deep.equal([
      'p99 of updates was 3100 ms until second 50, with 1000 of them done a second; at most it may be 3000 ms.',
    ])
  })

  it('accepts a slow last interval if its updates waited at the throughput before', () => {
    const lines = linesWith([5000, 5000, 5000, 5000, 5000, 5000, 5700], 200)

    expect(
      complaintsAboutTimes(lines.with(-1, { ...(lines.at(-1) as Line), changed: 900 }), promised),
    ).to.deep.equal([])
  })

  it('reports growing latencies below the limit', () => {
    expect(
      complaintsAboutTimes(linesWith([2000, 2000, 3000, 5000, 8000, 12_000, 18_000]), promised),
    ).to.deep.equal([
      'p99 of updates grew from 5000 ms in the first half to 15000 ms in the second; at most it may be 2 times as much.',
    ])
  })

  it('ignores growth below one second', () => {
    expect(complaintsAboutTimes(linesWith([50, 50, 50, 100, 900, 1900]), promised)).to.deep.equal([])
  })

  it('reports that no update was accepted', () => {
    expect(complaintsAboutTimes(linesWith([9000, 9000, 0, 0, 0, 0]), promised)).to.deep.equal([
      'Updates were answered in 0 intervals after the first 20 s.',
    ])
  })

  it('ignores a load of less than a minute', () => {
    expect(complaintsAboutTimes(linesWith([90_000, 90_000, 90_000, 90_000]), promised)).to.deep.equal([])
  })
})
