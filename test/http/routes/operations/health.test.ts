// test-schedule: waits
import { watch } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { jsonSchema, startServiceWithWorkTree, type TestService } from '../../../support/http/test-service.js'
import { startServer, stopProcesses } from '../../../support/program/run-program.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describe('GET /health', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree()
  })
  afterEach(removeRepositories)

  it('reports that the service can read and write, and that the catalog is up to date', async () => {
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    const answer = await service.http.get('/health').expect(200)

    expect(answer.headers).to.include({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(answer.body).to.include({
      status: 'UP',
      head: await service.head(),
      catalog: await service.head(),
    })
    for (const check of ['repository', 'writable', 'catalog']) {
      expect(answer.body.checks[check], check).to.include({ ok: true })
    }
    expect(answer.body.faults).to.deep.equal([])
  })

  it('answers 503 with a reason while a check fails, and 200 again afterwards', async () => {
    const { git } = service.repository
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    await service.services.workTreeUpToDate()
    const served = await service.head()
    await git('reset', '-q', '--hard', 'HEAD~1')

    const answer = await service.http.get('/health').expect(503)

    expect(answer.headers).to.include({ 'content-type': 'application/json' })
    expect(answer.body).to.include({ status: 'DOWN', catalog: served })
    expect(answer.body.checks.catalog).to.include({ ok: false })
    expect(answer.body.checks.catalog.detail).to.include(served)
    // Served records stay readable. Updates on lost history are refused.
    await service.http.get('/api/v1/schemas/note').expect(200)
    await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(503)

    await git('reset', '-q', '--hard', served)
    await service.http.get('/health').expect(200)
    await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(201)
  })
})

describe('GET /health/live and /health/ready', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    await service.services.workTreeUpToDate()
  })
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  /** Waits until the cached answer has expired, after one second. */
  const forgotten = () => new Promise(resolve => setTimeout(resolve, 1100))
  const good = { repository: true, writable: true, catalog: true }

  it('report that the process runs and accepts all requests, under every mount', async () => {
    for (const mount of ['', '/metastore']) {
      const live = await service.http.get(`${mount}/health/live`).expect(200)
      const ready = await service.http.get(`${mount}/health/ready`).expect(200)

      expect(live.body).to.deep.equal({ status: 'UP' })
      expect(ready.body).to.deep.equal({ status: 'UP', checks: good })
      expect(ready.headers['cache-control']).to.equal('no-store')
    }
  })

  it('report alive and not ready while the branch has lost served commits, which stay readable', async () => {
    const { git } = service.repository
    const served = await service.head()
    await git('reset', '-q', '--hard', 'HEAD~1')

    const { body } = await service.http.get('/health/ready').expect(503)

    expect(body).to.deep.equal({ status: 'READ_ONLY', checks: { ...good, writable: false, catalog: false } })
    expect(JSON.stringify(body)).to.not.match(/[0-9a-f]{40}/)
    await service.http.get('/health/live').expect(200)
    await service.http.get('/api/v1/schemas/note').expect(200)
    await git('reset', '-q', '--hard', served)
    await forgotten()
    await service.http.get('/health/ready').expect(200)
  })

  it('report DOWN while the branch is unreadable', async () => {
    const branch = join(service.repository.dir, '.git', 'refs', 'heads', 'main')
    const served = await readFile(branch)
    await writeFile(branch, 'nothing\n')

    const { body } = await service.http.get('/health/ready').expect(503)

    expect(body.status).to.equal('DOWN')
    expect(body.checks).to.include({ repository: false })
    await service.http.get('/health/live').expect(200)
    await writeFile(branch, served)
    await forgotten()
    await service.http.get('/health/ready').expect(200)
  })

  for (const path of ['/health', '/health/ready']) {
    it(`write to the disk once for all concurrent requests of ${path}`, async () => {
      await forgotten()
      const written = await probesWhile(service.repository.dir, () =>
        Promise.all(Array.from({ length: 20 }, () => service.http.get(path).expect(200))),
      )
      // On a busy machine, the last requests may arrive after the end of the first check.
      expect(written).to.be.within(1, 5)
    })
  }

  it('write to the disk at most once a second for callers without full access', async () => {
    const data = service.repository.dir
    await service.services.close()
    const secret = 'a secret of at least thirty-two bytes'
    const server = await startServer(['--data', data, '--auth'], { env: { METASTORE_JWT_SECRET: secret } })
    const started = performance.now()
    const written = await probesWhile(data, async () => {
      for (let round = 0; round < 30; round++) {
        for (const path of ['health', 'health/ready']) {
          expect((await fetch(server.url + path)).status).to.equal(200)
        }
      }
    })
    expect(written).to.be.within(1, 1 + Math.ceil((performance.now() - started) / 1000))
  })
})

/** Number of files that the server writes to check for free space. */
async function probesWhile(data: string, asking: () => Promise<unknown>): Promise<number> {
  const seen = new Set<string>()
  const watcher = watch(join(data, '.git', 'git-metastore'), (_, name) => {
    if (name?.startsWith('probe-')) seen.add(name)
  })
  await asking()
  await new Promise(resolve => setTimeout(resolve, 50))
  watcher.close()
  return seen.size
}
