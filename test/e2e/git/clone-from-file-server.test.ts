import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../../../src/config.js'
import { type GitClient, gitClient } from '../../support/git/git-client.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { stopProcesses } from '../../support/program/run-program.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

/** Serves the files of a folder without any knowledge of git. */
async function serveFiles(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://files').pathname))
    const file = createReadStream(join(folder, path))
    file.on('open', () => response.writeHead(200))
    file.on('error', () => response.writeHead(404).end())
    file.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

describe('a clone from a plain file server', () => {
  let service: TestService
  let client: GitClient
  let gitDir: string
  let files: Server
  let url: string

  async function start(config: Partial<Config> = {}, bare = false): Promise<void> {
    const repository = await temporaryRepository({ bare })
    service = await startService({}, config, repository)
    client = await gitClient()
    gitDir = bare ? repository.dir : join(repository.dir, '.git')
    files = await serveFiles(gitDir)
    url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/`
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
  }
  async function store(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at++) {
      const record = metadataRecordV1(`https://example.org/${at}`, 'note', { id: `note-${at}` })
      await service.postMetadata(record, `{"title":"${at}"}`).expect(201)
    }
    await service.services.workTreeUpToDate()
  }
  const packs = async () =>
    (await readdir(join(gitDir, 'objects', 'pack'))).filter(name => name.endsWith('.pack'))
  const info = (path: string) => readFile(join(gitDir, path), 'utf8')
  const lines = (text: string) => text.split('\n').sort()

  afterEach(async () => {
    files.close()
    await removeRepositories()
    await stopProcesses()
  })

  for (const git of ['auto', 'none']) {
    const how = git === 'auto' ? 'with' : 'without'
    it(`is complete after updates and after merges of packs, ${how} a git binary`, async () => {
      await start({ git })
      await store(0, 2)
      await client.git('clone', '-q', url, 'clone')
      expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())

      await store(2, 4)
      await client.inClone('pull', '-q', '--ff-only')
      expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())

      await store(4, 34)
      expect(await packs()).to.have.length.below(30)
      await client.inClone('pull', '-q', '--ff-only')
      await client.git('clone', '-q', url, 'second')
      for (const clone of ['clone', 'second']) {
        expect(await client.git('-C', clone, 'rev-parse', 'HEAD')).to.equal(await service.head())
        await client.git('-C', clone, 'fsck', '--strict')
      }
    })
  }

  it('finds the files that git update-server-info would write, even after commits made with git', async () => {
    await start()
    const { git } = service.repository
    await git('branch', 'side')
    await git('tag', '-a', '-m', 'One', 'v1')
    await git('tag', '-a', '-m', 'About a tag', 'v2', 'v1')
    await git('pack-refs', '--all')
    await git('tag', 'plain')
    await git('tag', '-a', '-m', 'Three', 'sub/v3')
    await store(0, 1)

    await waitUntil('info/refs has the new tag', async () =>
      (await info('info/refs')).includes('refs/tags/sub/v3^{}'),
    )

    const [refs, named] = [await info('info/refs'), await info('objects/info/packs')]
    await git('update-server-info', '--force')
    expect(refs).to.equal(await info('info/refs'))
    expect(lines(named)).to.deep.equal(lines(await info('objects/info/packs')))

    await git('branch', 'later')
    await git('gc', '-q')
    await waitUntil('the files have the new branch and the pack', async () => {
      const [only] = await packs()
      const isNamed = (await info('objects/info/packs')).includes(only ?? '-')
      return isNamed && (await info('info/refs')).includes('refs/heads/later')
    })
    await client.git('clone', '-q', url, 'clone')
    expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())
  })

  it('works for a bare repository, directly after a command has stored a record', async () => {
    await start({}, true)
    await store(0, 1)
    await service.services.close()

    await client.git('clone', '-q', url, 'clone')

    expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())
  })
})
