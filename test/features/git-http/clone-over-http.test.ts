import { readFile, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { maxForOneClient } from '../../../src/core/scheduling/client-processes.js'
import { maxGitProcesses } from '../../../src/features/git-http/git-conversations.js'
import { closeListeners, type GitClient, gitClient, listenOnPort } from '../../support/git/git-client.js'
import {
  jsonSchema,
  metadataRecordV1,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { descendantsOf } from '../../support/program/child-processes.js'
import { runProgram, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const uploadPack = { 'Content-Type': 'application/x-git-upload-pack-request', 'Git-Protocol': 'version=2' }
const lsRefs = '0014command=ls-refs\n00010000'

describe('a clone over HTTP', () => {
  let service: TestService
  let url: string
  let client: GitClient

  async function start(...options: Parameters<typeof startServiceWithWorkTree>): Promise<void> {
    service = await startServiceWithWorkTree(...options)
    url = await listenOnPort(service)
    client = await gitClient()
  }
  async function store(title: string): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${title}`, 'note', { id: title })
    await service.postMetadata(record, JSON.stringify({ title })).expect(201)
  }
  const ask = (path: string, options: RequestInit = {}) => fetch(`${url}/repository.git/${path}`, options)

  afterEach(async () => {
    await closeListeners()
    await removeRepositories()
    await stopProcesses()
  })

  describe('with a git binary', () => {
    beforeEach(async () => {
      await start()
      await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
      await store('first')
    })

    for (const version of [0, 1, 2]) {
      it(`is complete, and fetches new commits, with version ${version} of the protocol`, async () => {
        const setting = `protocol.version=${version}`
        await client.git('-c', setting, 'clone', '-q', `${url}/repository.git`, 'clone')

        expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())
        expect(await client.inClone('rev-parse', '--abbrev-ref', 'HEAD')).to.equal('main')
        await client.inClone('fsck', '--strict')
        await store('second')
        await client.inClone('-c', setting, 'pull', '-q', '--ff-only')
        expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())
        const log = await client.inClone('log', '--format=%s')
        expect(log).to.equal(await service.repository.git('log', '--format=%s'))
      })
    }

    it('works below /metastore, too', async () => {
      await client.git('clone', '-q', `${url}/metastore/repository.git`, 'clone')

      expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())
    })

    it('can be shallow, and can be deepened', async () => {
      await client.git('clone', '-q', '--depth', '1', `${url}/repository.git`, 'clone')

      expect(await client.inClone('rev-list', '--count', 'HEAD')).to.equal('1')
      await client.inClone('fetch', '-q', '--unshallow')
      const count = await service.repository.git('rev-list', '--count', 'HEAD')
      expect(await client.inClone('rev-list', '--count', 'HEAD')).to.equal(count)
    })

    it('can omit documents until they are read', async () => {
      const remote = `${url}/repository.git`
      await client.git('clone', '-q', '--filter=blob:none', '--no-checkout', remote, 'clone')

      const missing = () => client.inClone('rev-list', '--objects', '--missing=print', 'HEAD')
      expect(await missing()).to.match(/^\?/m)
      await client.inClone('checkout', '-q', 'main')
      const schema = await readFile(join(client.folder, 'clone', 'schemas', 'note', 'schema.json'), 'utf8')
      expect(schema).to.equal(jsonSchema('title'))
    })

    it('has branches and tags, and no other refs', async () => {
      const { git } = service.repository
      await git('branch', 'side')
      await git('tag', '-a', '-m', 'One', 'v1')
      for (const ref of ['refs/notes/commits', 'refs/git-metastore/own', 'refs/remotes/origin/x']) {
        await git('update-ref', ref, 'HEAD')
      }

      const shown = await client.git('ls-remote', `${url}/repository.git`)

      const names = shown.split('\n').map(line => line.split('\t')[1])
      const wanted = ['HEAD', 'refs/heads/main', 'refs/heads/side', 'refs/tags/v1', 'refs/tags/v1^{}']
      expect(names).to.deep.equal(wanted)
      const old = await client.git('-c', 'protocol.version=0', 'ls-remote', `${url}/repository.git`)
      expect(old).to.equal(shown)
    })

    it('is the only access: no file of the Git directory is served', async () => {
      for (const path of ['HEAD', 'config', 'objects/info/packs', 'git-metastore/catalog.sqlite', '']) {
        expect((await ask(path)).status, path).to.equal(404)
      }
      expect((await ask('info/refs')).status).to.equal(400)
    })

    it('accepts gzip bodies, and refuses malformed ones and other encodings', async () => {
      const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
        ask('git-upload-pack', { method: 'POST', body, headers: { ...uploadPack, ...headers } })
      const plain = await (await post(lsRefs)).text()
      const zipped = await post(gzipSync(lsRefs), { 'Content-Encoding': 'gzip' })

      expect(plain).to.contain(`${await service.head()} HEAD`)
      expect(await zipped.text()).to.equal(plain)
      const garbage = await post('garbage')
      expect(garbage.status).to.equal(400)
      expect(((await garbage.json()) as { detail: string }).detail).to.contain('bad line length')
      expect((await post(lsRefs, { 'Content-Encoding': 'gzip' })).status).to.equal(400)
      expect((await post(lsRefs, { 'Content-Encoding': 'br' })).status).to.equal(415)
      expect((await post(lsRefs, { 'Content-Type': 'text/plain' })).status).to.equal(415)
    })

    it('refuses pushes without --allow-push', async () => {
      await client.git('clone', '-q', `${url}/repository.git`, 'clone')

      const { code, stderr } = await client.attempt('-C', 'clone', 'push', 'origin', 'HEAD:other')

      expect(code).to.not.equal(0)
      expect(stderr).to.contain('remote: This server takes no pushes')
    })

    it('is sent at the speed of the client, and is not buffered in memory', async () => {
      const size = 32 * 2 ** 20
      const { patiently, dir } = service.repository
      await runProgram('sh', ['-c', `head -c ${size} /dev/urandom > film.bin`], { cwd: dir })
      await patiently('add', 'film.bin')
      await patiently('commit', '-q', '-m', 'Keep a film')
      const lines = ['command=fetch', 'no-progress', `want ${await service.head()}`, 'done']
      const [command, ...args] = lines.map(
        line => `${(line.length + 5).toString(16).padStart(4, '0')}${line}\n`,
      )
      const used = () => process.memoryUsage().external + process.memoryUsage().heapUsed
      const before = used()
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { method: 'POST', headers: uploadPack }
        request(`${url}/repository.git/git-upload-pack`, options, resolve)
          .on('error', reject)
          .end(`${command}0001${args.join('')}0000`)
      })
      let taken = 0
      for await (const chunk of answer) {
        // This leaves time for the whole answer to arrive, if it were buffered.
        if (taken === 0) await setTimeout(2000)
        if (taken === 0) expect(used() - before).to.be.below(size / 2)
        taken += (chunk as Buffer).length
      }
      expect(taken).to.be.above(size)
    })

    it('is refused with 503 if too many are running, and its processes end with its client', async () => {
      const open: ClientRequest[] = []
      for (let at = 0; at < maxForOneClient(maxGitProcesses); at++) {
        const path = `${url}/repository.git/git-upload-pack`
        const unfinished = request(path, { method: 'POST', headers: uploadPack })
        unfinished.on('error', () => undefined)
        // Git waits for the rest of the request.
        unfinished.write(lsRefs.slice(0, 20))
        open.push(unfinished)
      }
      const refs = () => ask('info/refs?service=git-upload-pack')
      await waitUntil(
        'a git process for each place',
        () => descendantsOf(process.pid, 'upload-pack').length === open.length,
      )

      const refused = await waitUntil('all places are taken', async () => {
        const answer = await refs()
        return !answer.ok && answer
      })
      expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([503, '5'])
      const { stderr } = await client.attempt('clone', `${url}/repository.git`, 'clone')
      expect(stderr).to.match(/remote: Too many clones, fetches and pushes are under way/)

      for (const unfinished of open) unfinished.destroy()
      await waitUntil('a place is free', async () => (await refs()).ok)
      await client.git('clone', '-q', `${url}/repository.git`, 'clone')
    })
  })

  it('needs an administrator', async () => {
    await start({ identify: () => ({ ...selfPrincipal, sid: 'jane', administrator: false }) })
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)

    const { code, stderr } = await client.attempt('clone', `${url}/repository.git`, 'clone')

    expect(code).to.not.equal(0)
    expect(stderr).to.contain('remote: Only an administrator')
  })

  it('gets a 503 if its git process is killed', async () => {
    const folder = await temporaryFolder()
    const ended = join(folder, 'ended-git')
    const script = '#!/bin/sh\ncase "$*" in *upload-pack*) kill -TERM $$;; *) exec git "$@";; esac\n'
    await writeFile(ended, script, { mode: 0o755 })
    await start({}, { git: ended })

    const answer = await ask('info/refs?service=git-upload-pack')

    expect(answer.status).to.equal(503)
    expect(answer.headers.get('Retry-After')).to.equal('5')
    expect(await answer.json())
      .to.have.property('detail')
      .that.contains('Try again')
  })

  it('is refused with a reason if there is no git binary', async () => {
    await start({}, { git: 'none' })

    const { code, stderr } = await client.attempt('clone', `${url}/repository.git`, 'clone')

    expect(code).to.not.equal(0)
    expect(stderr).to.contain('remote: This server does without a git binary')
    const answer = await ask('info/refs?service=git-upload-pack')
    expect(answer.status).to.equal(503)
    expect(answer.headers.get('Content-Type')).to.equal('application/problem+json')
  })
})
