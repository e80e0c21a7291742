import { chmodSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { blobId } from '../../src/store/objects/hash-object.js'
import { expectServerErrors } from '../support/answer-checks/check-every-answer.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
} from '../support/program/run-program.js'
import { createNote, noteDocument, registerNote } from '../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../support/repository/test-repository.js'

describe('a server with damaged objects', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  async function twoNotes(): Promise<TestRepository> {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    await createNote(services, 'One', { id: 'one' })
    await createNote(services, 'Two', { id: 'two' })
    await services.workTreeUpToDate()
    await services.close()
    return repository
  }

  /** Expects that a read of the first note names the lost object and that the second note is served. */
  async function isNamed({ url }: RunningServer, lost: string): Promise<void> {
    const refused = await fetch(`${url}api/v1/metadata/one`)
    expect(refused.status).to.equal(500)
    expect(refused.headers.get('content-type')).to.equal('application/problem+json')
    const { detail } = (await refused.json()) as { readonly detail: string }
    expect(detail).to.include(lost).and.to.include('git-metastore repair --from')
    expect(await (await fetch(`${url}api/v1/metadata/two`)).text()).to.equal(noteDocument('Two').toString())
  }

  async function isKnownToHealth({ url, stderr }: RunningServer, lost: string): Promise<void> {
    const sick = await fetch(`${url}health`)
    expect(sick.status).to.equal(503)
    const { checks } = (await sick.json()) as { checks: { repository: { detail: string } } }
    expect(checks.repository.detail).to.include(lost)
    expect(stderr()).to.include(lost)
  }

  async function isWell({ url }: RunningServer): Promise<void> {
    expect((await fetch(`${url}health`)).status).to.equal(200)
    expect(await (await fetch(`${url}api/v1/metadata/one`)).text()).to.equal(noteDocument('One').toString())
  }

  for (const git of ['auto', 'none']) {
    it(`names the lost object and the remedy, and serves the other records (git: ${git})`, async () => {
      expectServerErrors()
      const repository = await twoNotes()
      const lost = blobId(noteDocument('One'))
      const pack = await packOf(repository, lost)
      const bytes = readFileSync(pack)
      const server = await startServer(['--data', repository.dir, '--git', git])
      const metadata = `${server.url}api/v1/metadata`
      chmodSync(pack, 0o644)
      writeFileSync(
        pack,
        bytes.map((byte, index) => (index > 20 && index < bytes.length - 20 ? byte ^ 0xff : byte)),
      )

      await isNamed(server, lost)
      expect((await fetch(metadata)).status).to.equal(200)
      const form = new FormData()
      form.append('document', new Blob([noteDocument('Two, again')]), 'document.json')
      const { headers } = await fetch(`${metadata}/two`)
      const tag = { 'If-Match': headers.get('etag') ?? '' }
      expect((await fetch(`${metadata}/two`, { method: 'PUT', headers: tag, body: form })).status).to.equal(
        200,
      )

      await isKnownToHealth(server, lost)

      writeFileSync(pack, bytes)
      await isWell(server)
    })
  }

  for (const git of ['auto', 'none']) {
    it(`names a loose object that is truncated while the server runs, and serves the other records (git: ${git})`, async () => {
      expectServerErrors()
      const repository = await twoNotes()
      await unpack(repository)
      const lost = blobId(noteDocument('One'))
      const file = join(repository.dir, '.git/objects', lost.slice(0, 2), lost.slice(2))
      const bytes = readFileSync(file)
      const options = ['--git', git, '--oai-admin', 'admin@example.org']
      const server = await startServer(['--data', repository.dir, ...options])
      chmodSync(file, 0o644)
      truncateSync(file, Math.floor(bytes.length / 2))

      await isNamed(server, lost)
      const harvest = await fetch(`${server.url}oaipmh?verb=ListRecords&metadataPrefix=datacite`)
      expect((await harvest.text()).match(/<metadata>/g)).to.have.length(2)
      await isKnownToHealth(server, lost)

      writeFileSync(file, bytes)
      await isWell(server)
    })
  }

  it('survives a pack that is truncated while the server runs', async () => {
    expectServerErrors()
    const repository = await twoNotes()
    await repository.git('repack', '-a', '-d', '-q')
    const server = await startServer(['--data', repository.dir])
    // Git maps the pack into memory to read this record.
    expect((await fetch(`${server.url}api/v1/metadata/two`)).status).to.equal(200)
    const [pack = ''] = packs(repository)
    chmodSync(pack, 0o644)
    truncateSync(pack, 100)

    expect((await fetch(`${server.url}api/v1/metadata/one`)).status).to.be.oneOf([200, 500])
    expect((await fetch(`${server.url}api/v1/metadata`)).status).to.equal(200)
    expect((await fetch(`${server.url}health`)).status).to.equal(503)
    expect((await server.stop()).code).to.equal(0)
    const { code, stdout } = await runMetastore(['repair', '--data', repository.dir])
    expect(code).to.equal(4)
    expect(stdout).to.include('damaged').and.to.include('metadata one version 1')
  })
})

function packs({ dir }: TestRepository): readonly string[] {
  const folder = join(dir, '.git/objects/pack')
  return readdirSync(folder)
    .filter(name => name.endsWith('.pack'))
    .map(name => join(folder, name))
}

/** Stores every object in its own file. */
async function unpack(repository: TestRepository): Promise<void> {
  const bytes = packs(repository).map(pack => readFileSync(pack))
  for (const pack of packs(repository))
    for (const end of ['pack', 'idx']) rmSync(pack.replace(/pack$/, end), { force: true })
  for (const input of bytes) {
    const { code, stderr } = await runProgram('git', ['-C', repository.dir, 'unpack-objects', '-q'], {
      input,
    })
    if (code !== 0) throw new Error(stderr)
  }
}

async function packOf(repository: TestRepository, oid: string): Promise<string> {
  for (const pack of packs(repository))
    if ((await repository.git('verify-pack', '-v', pack)).includes(oid)) return pack
  throw new Error(`No pack has ${oid}.`)
}
