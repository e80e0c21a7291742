import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { waitUntil } from '../../../support/repository/test-repository.js'

/** Values by name and labels, in their written form. */
type Samples = ReadonlyMap<string, number>

/**
 * Reads the text format, and fails if it is malformed.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
async function metricsOf(url: string): Promise<{ readonly text: string; readonly samples: Samples }> {
  const answer = await fetch(`${url}metrics`)
  const text = await answer.text()
  expect(answer.status, text).to.equal(200)
  expect(answer.headers.get('Content-Type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of text.split('\n').filter(line => line !== '')) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line)
    if (type?.[1] && type[2]) types.set(type[1], type[2])
    if (line.startsWith('#')) continue
    const sample = /^(\w+)(\{(?:\w+="[^"\\\n]*",?)+\})? (\+Inf|Nan|[-+.\de]+)$/.exec(line)
    expect(sample, line).to.not.equal(null)
    const [, name = '', labels = '', value] = sample ?? []
    expect(types.has(name) || types.has(name.replace(/_(?:bucket|sum|count)$/, '')), line).to.equal(true)
    samples.set(name + labels, Number(value))
  }
  return { text, samples }
}

async function post(url: string, path: string, parts: Readonly<Record<string, string>>): Promise<string> {
  const body = new FormData()
  for (const [name, text] of Object.entries(parts)) {
    body.append(name, new Blob([text], { type: 'application/json' }), `${name}.json`)
  }
  const answer = await fetch(url + path, { method: 'POST', body })
  expect(answer.status).to.equal(201)
  return ((await answer.json()) as { id: string }).id
}

/** Takes a lock as git does. @returns false if another process holds it */
async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

const schema = { record: '{"schemaId":"wanted"}', schema: '{"type":"object"}' }
const document = (number = 0) => ({
  record: JSON.stringify({
    relatedResource: { identifier: `https://example.org/hidden/${number}`, identifierType: 'URL' },
    schema: { identifier: 'wanted', identifierType: 'INTERNAL' },
  }),
  document: '{}',
})

describe('GET /metrics', () => {
  let data: string
  let server: RunningServer
  async function start(): Promise<void> {
    data = join(await temporaryFolder(), 'data')
    server = await startServer(['--data', data])
  }

  const git = (...args: string[]) => runProgram('git', ['-C', data, ...args])

  describe('after the creation of a schema and eight documents', () => {
    let first: Samples
    let samples: Samples
    /** By how much a value has grown since the start. */
    const more = (name: string) => (samples.get(name) ?? Number.NaN) - (first.get(name) ?? 0)
    before(async () => {
      await start()
      first = (await metricsOf(server.url)).samples
      await post(server.url, 'api/v1/schemas', schema)
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => post(server.url, 'api/v1/metadata', document(index))),
      )
      samples = (await metricsOf(server.url)).samples
    })
    after(stopProcesses)

    it('counts the flushes and their updates, and measures their duration', () => {
      expect(more('metastore_flush_updates_sum')).to.equal(9)
      expect(more('metastore_flush_updates_count')).to.be.within(1, 9)
      expect(more('metastore_flush_duration_seconds_count')).to.equal(more('metastore_flush_updates_count'))
      expect(more('metastore_flush_duration_seconds_sum')).to.be.above(0)
    })

    it('counts the validations of each language', () => {
      expect(more('metastore_validation_duration_seconds_count{language="JSON"}')).to.be.at.least(9)
    })

    it('has the number of records of each kind', () => {
      expect(more('metastore_records{kind="metadata"}')).to.equal(8)
      expect(more('metastore_records{kind="schema"}')).to.equal(1)
    })

    it('has no waiting update and no validation in progress, and takes updates', () => {
      expect(samples.get('metastore_queue_length')).to.equal(0)
      expect(samples.get('metastore_validations_in_progress')).to.equal(0)
      expect(samples.get('metastore_takes_updates')).to.equal(1)
    })

    it('has the number of validation workers', () => {
      expect(samples.get('metastore_validation_workers')).to.be.above(0)
    })

    it('has the number and the size of packs, and the free space of the disk', () => {
      expect(samples.get('metastore_packs')).to.be.above(0)
      expect(samples.get('metastore_packs_bytes')).to.be.above(1000)
      expect(samples.get('metastore_disk_free_bytes')).to.be.above(0)
    })

    for (const name of [
      'process_resident_memory_bytes',
      'process_open_fds',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      it(`has ${name}`, () => {
        expect(samples.get(name)).to.be.a('number')
      })
  })

  describe('of a new server', () => {
    beforeEach(start)
    afterEach(stopProcesses)

    it('has measured the event loop when the first request for metrics is answered', async () => {
      const { samples } = await metricsOf(server.url)

      expect(samples.get('nodejs_eventloop_lag_p99_seconds')).to.be.within(0.001, 1000)
    })

    it('counts requests by route, method and status, and measures their duration', async () => {
      await post(server.url, 'api/v1/schemas', schema)
      const ids = [await post(server.url, 'api/v1/metadata', document())]
      for (const mount of ['', 'metastore/', '']) {
        expect((await fetch(`${server.url}${mount}api/v1/metadata/${ids[0]}`)).status).to.equal(200)
      }
      await fetch(`${server.url}api/v1/metadata/nothing`)
      await fetch(`${server.url}no/such/path`)
      await fetch(`${server.url}api/v1/metadata/nothing`, { method: 'PROPFIND' })

      const { samples, text } = await metricsOf(server.url)
      const count = (labels: string) => samples.get(`http_request_duration_seconds_count{${labels}}`)
      expect(count('method="GET",route="/api/v1/metadata/{id}",status="200"')).to.equal(3)
      expect(count('method="GET",route="/api/v1/metadata/{id}",status="404"')).to.equal(1)
      expect(count('method="POST",route="/api/v1/metadata",status="201"')).to.equal(1)
      expect(count('method="GET",route="none",status="404"')).to.equal(1)
      expect(count('method="other",route="none",status="405"')).to.equal(1)
      const sum = samples.get(
        'http_request_duration_seconds_sum{method="POST",route="/api/v1/metadata",status="201"}',
      )
      expect(sum).to.be.within(0.0001, 60)
      const bucket = (le: string) =>
        samples.get(
          `http_request_duration_seconds_bucket{le="${le}",method="GET",route="/api/v1/metadata/{id}",status="200"}`,
        )
      expect(bucket('+Inf')).to.equal(3)
      expect(bucket('0.001')).to.be.at.most(bucket('10') ?? 0)
      // The metrics contain no id, no resource, no commit, and no path of the machine.
      const { stdout: head } = await git('rev-parse', 'HEAD')
      for (const name of [...ids, 'wanted', 'hidden', head.trim(), data]) expect(text).to.not.contain(name)
    })

    it('has the lag of the catalog, and the number of records that break a rule', async () => {
      await post(server.url, 'api/v1/schemas', schema)
      const served = (await git('rev-parse', 'HEAD')).stdout.trim()
      await git('update-ref', 'refs/heads/main', 'HEAD~1')
      const lost = (await metricsOf(server.url)).samples
      await new Promise(resolve => setTimeout(resolve, 50))
      const later = (await metricsOf(server.url)).samples
      await git('update-ref', 'refs/heads/main', served)
      const found = (await metricsOf(server.url)).samples

      expect(found.get('metastore_catalog_lag_commits')).to.equal(0)
      expect(found.get('metastore_catalog_lag_seconds')).to.equal(0)
      expect(lost.has('metastore_catalog_lag_commits')).to.equal(false)
      expect(later.get('metastore_catalog_lag_seconds')).to.be.at.least(0.05)

      await git('reset', '-q', '--hard')
      const [record = ''] = (await git('ls-files', 'schemas')).stdout.split('\n')
      await writeFile(join(data, record), 'no JSON')
      await git('commit', '-qam', 'break it')
      await fetch(`${server.url}health`)
      const { samples } = await metricsOf(server.url)
      expect(samples.get('metastore_faults{kind="schema"}')).to.equal(1)
      expect(samples.get('metastore_faults{kind="metadata"}')).to.equal(0)
    })

    it('has the number of waiting updates and the lag of the catalog while git holds the index lock', async () => {
      await post(server.url, 'api/v1/schemas', schema)
      const lock = join(data, '.git', 'index.lock')
      await waitUntil('the lock', () => takeLock(lock))
      // The server waits some seconds for the holder of the lock.
      const updates: Promise<string>[] = []
      const waiting = await waitUntil('updates that wait for another', async () => {
        updates.push(post(server.url, 'api/v1/metadata', document(updates.length)))
        const { samples } = await metricsOf(server.url)
        return (samples.get('metastore_queue_length') ?? 0) > 0 && samples
      })
      // Two empty commits.
      const head = (await git('rev-parse', 'HEAD')).stdout.trim()
      let newest = head
      for (const message of ['one', 'two'])
        newest = (await git('commit-tree', '-m', message, '-p', newest, 'HEAD^{tree}')).stdout.trim()
      await git('update-ref', 'refs/heads/main', newest, head)
      const first = (await metricsOf(server.url)).samples
      const second = (await metricsOf(server.url)).samples
      await rm(lock)
      await Promise.all(updates)

      expect(waiting.get('metastore_queue_length')).to.be.within(1, updates.length - 1)
      expect(waiting.get('metastore_takes_updates')).to.equal(1)
      for (const seen of [first, second]) expect(seen.get('metastore_catalog_lag_commits')).to.equal(2)
      expect(second.get('metastore_catalog_lag_seconds')).to.be.above(0)
      const { samples } = await metricsOf(server.url)
      expect(samples.get('metastore_queue_length')).to.equal(0)
      expect(samples.get('metastore_catalog_lag_commits')).to.equal(0)
      expect(samples.get('metastore_catalog_lag_seconds')).to.equal(0)
      expect(samples.get('metastore_records{kind="metadata"}')).to.be.at.least(updates.length)
    })

    it('works even if the repository is unreadable', async () => {
      await writeFile(join(data, '.git', 'refs', 'heads', 'main'), 'nothing\n')

      const { samples } = await metricsOf(server.url)
      expect(samples.has('metastore_catalog_lag_commits')).to.equal(false)
      expect(samples.get('metastore_records{kind="schema"}')).to.be.above(0)
    })

    it('is only for administrators if the server has authentication', async () => {
      const env = { METASTORE_JWT_SECRET: 'x'.repeat(32) }
      const guarded = await startServer(['--data', join(await temporaryFolder(), 'data'), '--auth'], { env })
      const status = async (...token: readonly string[]) => {
        const headers = { ...(token.length > 0 && { Authorization: `Bearer ${await tokenFor(...token)}` }) }
        return (await fetch(`${guarded.url}metrics`, { headers })).status
      }
      const tokenFor = async (...args: readonly string[]) =>
        (await runMetastore(['token', ...args], { env })).stdout.trim()

      expect(await status()).to.equal(401)
      expect(await status('jane')).to.equal(403)
      expect(await status('root', '--role', 'administrator')).to.equal(200)
    })

    it('answers 404 without metrics', async () => {
      const other = await startServer(['--data', join(await temporaryFolder(), 'data'), '--no-metrics'])

      const answer = await fetch(`${other.url}metrics`)

      expect(answer.status).to.equal(404)
      expect(((await answer.json()) as { detail: string }).detail).to.contain('--metrics')
    })
  })
})
