import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Response } from 'supertest'
import { cloneIntoEmptyFolder } from '../../../src/features/remotes/initial-clone.js'
import { etagOf, metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { createNote, registerNote } from '../../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const run = promisify(execFile)

/** Time limit in milliseconds, because the machine may be busy. */
const patience = 60_000
const soon: typeof waitUntil = (what, check) => waitUntil(what, check, patience)

let folder: string
let log: string
let features: Readonly<Record<string, unknown>>
/** Makes an empty log, and the options of its servers. */
async function start(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'git-metastore-log-'))
  log = join(folder, 'log.git')
  await run('git', ['init', '-q', '--bare', '-b', 'main', log])
  features = { 'push-to': log, 'ack-remote': true, interval: '200ms' }
}

const share = (repository: TestRepository) => startService({ features }, {}, repository)
const clone = () =>
  temporaryRepository({ make: dir => cloneIntoEmptyFolder(dir, { remote: log, git: 'auto' }) })
/** Starts two services. The first fills the log with a schema, and the second clones the log. */
async function two(): Promise<readonly [TestService, TestService]> {
  const one = await share(await temporaryRepository())
  await registerNote(one.services)
  return [one, await share(await clone())]
}

async function logHead(): Promise<string> {
  const { stdout } = await run('git', ['-C', log, 'rev-parse', 'refs/heads/main'])
  return stdout.trim()
}
const create = ({ postMetadata }: TestService, id: string, resource = id) =>
  postMetadata(metadataRecordV1(`https://example.org/${resource}`, 'note', { id }), `{"title":"${id}"}`)
const update = ({ putMetadata }: TestService, id: string, etag: string, title: string) =>
  putMetadata(id, etag, undefined, JSON.stringify({ title }))
async function together(...services: readonly TestService[]): Promise<void> {
  await soon('all servers have the head of the log', async () => {
    const there = await logHead()
    const heads = await Promise.all(services.map(service => service.http.get('/health')))
    return heads.every(({ body }) => body.catalog === there && body.status === 'UP')
  })
  for (const { services: each, repository } of services) {
    await each.workTreeUpToDate()
    expect(await repository.git('status', '--porcelain')).to.equal('')
  }
}
const titleIn = async ({ http }: TestService, id: string) =>
  (await http.get(`/api/v1/metadata/${id}`).expect(200)).body.title as string
/** Installs a hook in the log. */
async function hook(name: string, text: string): Promise<void> {
  const path = join(log, 'hooks', name)
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
}

async function removeAll(): Promise<void> {
  await removeRepositories()
  await rm(folder, { recursive: true, force: true })
}

describe('servers that share a log', () => {
  beforeEach(start)
  afterEach(removeAll)

  it('fetch the updates of other servers before they refuse a request', async () => {
    const [one, other] = await two()
    const first = etagOf(await create(one, 'a').expect(201))
    const second = etagOf(await update(other, 'a', first, 'by the other').expect(200))
    await update(one, 'a', second, 'by the first').expect(200)

    await update(other, 'a', first, 'too late').expect(412)
    await create(other, 'b', 'a').expect(409)

    await together(one, other)
    expect(await titleIn(other, 'a')).to.equal('by the first')
  })

  it('find out whether a push arrived if the connection breaks', async () => {
    const [one, other] = await two()
    // The connection breaks after the log has the update. The client gets a success.
    await hook('post-receive', 'kill -9 $PPID')
    await create(one, 'arrived').expect(201)
    await rm(join(log, 'hooks', 'post-receive'))
    // The connection breaks before that, or the log refuses the push. Nothing is stored.
    await hook('pre-receive', 'kill -9 $PPID')
    await create(one, 'lost').expect(503)
    await hook('pre-receive', 'echo Not today. >&2; exit 1')
    const declined = await create(one, 'lost').expect(503)
    expect(declined.body.detail).to.contain('Not today.')
    await rm(join(log, 'hooks', 'pre-receive'))
    await one.http.get('/api/v1/metadata/lost').expect(404)

    await create(one, 'lost').expect(201)

    await together(one, other)
    expect(await titleIn(other, 'arrived')).to.equal('arrived')
    expect(await one.repository.git('fsck', '--strict', '--no-dangling')).to.equal('')
  })

  it('are not healthy while the log refuses pushes, and recover without an update', async () => {
    const [one, other] = await two()
    await together(one, other)
    await hook('pre-receive', 'echo Not today. >&2; exit 1')
    await create(one, 'a').expect(503)

    const down = await one.http.get('/health').expect(503)
    expect(down.body.checks.writable.ok).to.equal(false)
    expect(down.body.checks.writable.detail).to.contain(`${log} refuses updates`).and.contain('Not today.')
    expect((await one.http.get('/health/ready').expect(503)).body.status).to.equal('READ_ONLY')
    await soon('the state of the connection has the problem', async () => {
      const { remote } = (await one.http.get('/health')).body
      return remote.ok === false && remote.detail.includes('Not today.')
    })
    // Only pushes fail: fetches from the log succeed.
    await one.http.get('/health').expect(503)
    expect(one.repository.reports.filter(line => line.includes('Not today.'))).to.have.length(1)

    await rm(join(log, 'hooks', 'pre-receive'))
    await together(one, other)
    await create(one, 'a').expect(201)
    await together(one, other)
  })

  it('stay unhealthy while the log refuses only the branch', async () => {
    const [one] = await two()
    await together(one)
    await hook('update', 'test "$1" != refs/heads/main || { echo Protected. >&2; exit 1; }')
    // A push to another ref succeeds, which makes the server healthy again.
    await create(one, 'a').expect(503)
    await soon('the server is healthy', async () => (await one.http.get('/health')).status === 200)
    await create(one, 'a').expect(503)

    await soon(
      'the state of the connection has the problem',
      async () => (await one.http.get('/health')).body.remote.ok === false,
    )
    const told = (await one.http.get('/health').expect(503)).body.remote.since as string
    await soon('the next attempt is due', () => Date.now() > Date.parse(told) + 1000)
    await one.http.get('/health').expect(503)

    await rm(join(log, 'hooks', 'update'))
    await create(one, 'a').expect(201)
    await together(one)
  })

  it('report an update as unknown until they can read the log', async () => {
    const [one, other] = await two()
    // The log has the update and then disappears, so that the server cannot ask it. The hook ignores pushes of other
    // refs, which servers make, too.
    await hook('post-receive', `grep -q refs/heads/ || exit 0; mv ${log} ${log}.away; kill -9 $PPID`)
    const unknown = await create(one, 'unknown').expect(503)
    expect(unknown.body.detail).to.contain('may have arrived')
    await one.http.get('/api/v1/metadata/unknown').expect(404)
    await rename(`${log}.away`, log)
    await rm(join(log, 'hooks', 'post-receive'))

    await create(one, 'unknown').expect(409)

    await together(one, other)
    expect(await titleIn(other, 'unknown')).to.equal('unknown')
  })

  it('accept commits made with git, in the log and in a data folder', async () => {
    const [one, other] = await two()
    const etag = etagOf(await create(one, 'a').expect(201))
    await together(one, other)

    // A commit in the data folder of a server.
    await one.repository.commit('By hand', { 'notes.txt': 'by hand\n' })
    await soon('the log has the commit', async () => (await logHead()) === (await one.head()))
    await together(one, other)
    // A commit in the log.
    const person = join(folder, 'person')
    const git = (...args: readonly string[]) =>
      run('git', ['-C', person, '-c', 'user.name=Jane', '-c', 'user.email=jane@example.org', ...args])
    await run('git', ['clone', '-q', log, person])
    await writeFile(join(person, 'hello.txt'), 'hello\n')
    await git('add', '.')
    await git('commit', '-q', '-m', 'Mine')
    await git('push', '-q', 'origin', 'main')

    await together(one, other)
    for (const service of [one, other]) {
      expect(etagOf(await service.http.get('/api/v1/metadata/a').expect(200))).to.equal(etag)
      expect(await service.repository.git('show', 'HEAD:hello.txt')).to.equal('hello')
    }
    // A merge is refused if the served commits are not on its first-parent chain, because versions would change.
    const served = await logHead()
    await git('reset', '-q', '--hard', 'HEAD~2')
    await git('commit', '-q', '--allow-empty', '-m', 'Beside')
    await git('merge', '-q', '--no-edit', 'origin/main')
    await git('push', '-q', 'origin', 'main')
    const refused = await create(other, 'b').expect(503)
    expect(refused.body.detail).to.contain('turned round by a merge')
    expect(etagOf(await other.http.get('/api/v1/metadata/a').expect(200))).to.equal(etag)
    await run('git', ['-C', log, 'update-ref', 'refs/heads/main', served])
    await create(other, 'b').expect(201)
    await together(one, other)
  })

  it('report diverged histories, and continue after a merge', async () => {
    const [one, other] = await two()
    await one.services.close()
    await one.repository.commit('Here', { 'here.txt': 'here\n' })
    await create(other, 'a').expect(201)

    const parted = await share(one.repository)
    const refused = await create(parted, 'b').expect(503)
    expect(refused.body.detail).to.contain('have parted')
    await parted.http.get('/api/v1/schemas/note').expect(200)
    await parted.http.get('/api/v1/metadata/a').expect(404)

    await parted.services.workTreeUpToDate()
    await parted.repository.patiently('merge', '-q', '--no-edit', await logHead())
    await soon('the parted server accepts an update', async () => (await create(parted, 'b')).status === 201)
    await together(parted, other)
    expect(await titleIn(parted, 'a')).to.equal('a')
    expect(await other.repository.git('show', 'HEAD:here.txt')).to.equal('here')
  })

  it('make commands in their data folders refuse to store', async () => {
    const repository = await temporaryRepository()
    const one = await share(repository)
    await registerNote(one.services)
    await soon('the server has reached the log', async () => (await one.http.get('/health')).body.remote.ok)
    const beside = await repository.compose()
    const before = await one.head()

    const error = await createNote(beside, 'beside').then(
      () => undefined,
      (thrown: unknown) => thrown,
    )

    expect(error).to.include({ kind: 'forbidden' })
    expect(String(error)).to.contain('with --url')
    expect(await one.head()).to.equal(before)
  })
})

describe('a server whose log is unreachable', () => {
  let one: TestService
  let other: TestService
  let head: string
  let refused: Response
  before(async () => {
    await start()
    ;[one, other] = await two()
    await create(one, 'a').expect(201)
    await together(one, other)
    head = await one.head()
    await rename(log, `${log}.away`)
    refused = await create(one, 'b').expect(503)
  })
  after(removeAll)

  it('refuses an update with 503, the reason, and a time to try again', () => {
    expect(refused.body.detail).to.contain('cannot be reached')
    expect(Number(refused.headers['retry-after'])).to.be.above(0)
  })

  it('stores nothing', async () => {
    expect(await one.head()).to.equal(head)
    await one.http.get('/api/v1/metadata/b').expect(404)
  })

  it('still serves records', async () => {
    expect(await titleIn(one, 'a')).to.equal('a')
  })

  it('reports that to the operator', async () => {
    await soon('the server reports the problem', () =>
      one.repository.reports.some(line => line.includes('cannot be reached')),
    )
  })

  it('reports that by /health with 503', async () => {
    const { body } = await one.http.get('/health').expect(503)
    expect(body.checks.writable.ok).to.equal(false)
    expect(body.remote).to.include({ role: 'log', address: log, ok: false })
  })

  describe('and that starts again', () => {
    let again: TestService
    before(async () => {
      await one.services.close()
      again = await share(one.repository)
    })

    it('serves records without the log', async () => {
      expect(await titleIn(again, 'a')).to.equal('a')
    })

    it('accepts updates when the log is back, which the other server gets', async () => {
      await rename(`${log}.away`, log)
      await create(again, 'b').expect(201)
      await together(again, other)
    })
  })
})
