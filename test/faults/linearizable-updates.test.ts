import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { parseId } from '../../src/core/value-types.js'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { linearizabilityViolations, type Operation } from '../support/data/check-linearizability.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { createNote, registerNote } from '../support/repository/note-records.js'
import { removeRepositories, temporaryRepository, waitUntil } from '../support/repository/test-repository.js'

const documentOf = (id: string) => `${recordDirectory('metadata', parseId(id, 'id'))}/document.json`
const itemOf = ({ url }: RunningServer, id: string) => `${url}api/v1/metadata/${id}`

function put(server: RunningServer, id: string, etag: string, bytes: string): Promise<Response> {
  const body = new FormData()
  body.append('document', new Blob([bytes]), 'document.json')
  return fetch(itemOf(server, id), { method: 'PUT', headers: { 'If-Match': etag }, body })
}

async function seen(server: RunningServer, id: string) {
  const answer = await fetch(itemOf(server, id))
  const bytes = await answer.text()
  if (answer.status !== 200) throw new Error(`${id}: ${answer.status} ${bytes}`)
  return { etag: answer.headers.get('etag') ?? '', bytes }
}

/** A server with notes of these ids that accepts pushes. */
async function serving(...ids: readonly string[]): Promise<{ dir: string; server: RunningServer }> {
  const repository = await temporaryRepository()
  const services = await repository.compose()
  await registerNote(services)
  for (const id of ids) await createNote(services, `${id}, version 1`, { id })
  await services.workTreeUpToDate()
  await services.close()
  return { dir: repository.dir, server: await startServer(['--data', repository.dir, '--allow-push']) }
}

describe('the linearizability checker', () => {
  const at = (kind: Operation['kind'], asked: number, answered: number, version: number): Operation => ({
    ...{ kind, asked, answered, version },
    bytes: `${version}`,
    etag: `"${version}"`,
  })
  const written = [at('write', 0, 1, 1), at('write', 2, 5, 2)]

  it('accepts reads during a write of the state before or after it', () => {
    expect(linearizabilityViolations([...written, at('read', 3, 4, 1), at('read', 3, 4, 2)])).to.deep.equal(
      [],
    )
    expect(linearizabilityViolations([...written, at('refused', 3, 4, 1)])).to.deep.equal([])
  })

  it('rejects reads that go back, come too early or differ, and writes refused without reason', () => {
    for (const wrong of [
      [at('read', 6, 7, 1)],
      [at('read', 3, 4, 2), at('read', 4.5, 4.8, 1)],
      [at('read', 1.2, 1.5, 2)],
      [{ ...at('read', 6, 7, 2), bytes: 'other' }],
      [at('write', 6, 7, 2)],
      [at('refused', 1.2, 1.5, 1)],
    ]) {
      expect(linearizabilityViolations([...written, ...wrong]), JSON.stringify(wrong)).to.not.deep.equal([])
    }
  })
})

describe('many concurrent writers', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  it('with one ETag: of 64 clients one succeeds, and 63 get 412', async () => {
    const { dir, server } = await serving('one')
    const { etag } = await seen(server, 'one')

    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => put(server, 'one', etag, `{"title":"by client ${index}"}`)),
    )

    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).to.have.length(1)
    expect(statuses.filter(status => status === 412)).to.have.length(63)
    const winner = statuses.indexOf(200)
    expect((await seen(server, 'one')).bytes).to.equal(`{"title":"by client ${winner}"}`)
    expect((await runProgram('git', ['-C', dir, 'rev-list', '--count', 'HEAD'])).stdout.trim()).to.equal('4')
  })

  it('with updates, pushes, commits in the folder, gc and repack are linearizable and lose nothing', async () => {
    const ids = ['r0', 'r1', 'r2', 'r3']
    const { dir, server } = await serving(...ids, 'pushed', 'edited')
    const histories = new Map(ids.map(id => [id, [] as Operation[]]))
    const versionOf = new Map<string, number>()
    const ended = new AbortController()

    for (const id of ids) versionOf.set((await seen(server, id)).etag, 1)

    async function client(number: number): Promise<void> {
      for (let round = 0; round < 10; round++) {
        const id = ids[(number + round) % ids.length] as string
        const history = histories.get(id) ?? []
        const asked = performance.now()
        const read = await seen(server, id)
        // The version is unknown until its writer gets an answer.
        const answered = performance.now()
        const { version } = JSON.parse(read.bytes) as { readonly version?: number }
        history.push({ kind: 'read', asked, answered, version: version ?? 1, ...read })
        const bytes = JSON.stringify({ title: `${number}, ${round}`, version: (version ?? 1) + 1 })
        const put1 = performance.now()
        const answer = await put(server, id, read.etag, bytes)
        await answer.arrayBuffer()
        const times = { asked: put1, answered: performance.now() }
        const etag = answer.headers.get('etag') ?? ''
        expect(answer.status).to.be.oneOf([200, 412])
        if (answer.status === 200)
          history.push({ kind: 'write', ...times, version: (version ?? 1) + 1, bytes, etag })
        else history.push({ kind: 'refused', ...times, version: version ?? 1, bytes: '', etag: read.etag })
      }
    }

    const git = (folder: string, ...args: readonly string[]) => runProgram('git', ['-C', folder, ...args])

    /** A person who commits in a clone and repeats each push until it succeeds. */
    async function pusher(): Promise<number> {
      const clone = join(await temporaryFolder(), 'clone')
      expect((await runProgram('git', ['clone', '-q', `${server.url}repository.git`, clone])).code).to.equal(
        0,
      )
      let pushed = 0
      for (let round = 1; round <= 3; round++) {
        await writeFile(join(clone, documentOf('pushed')), `{"title":"push ${round}"}`)
        await git(clone, 'commit', '-q', '-am', `Push ${round}`)
        pushed += await waitUntil('a push', async () => {
          if ((await git(clone, 'push', '-q')).code === 0) return 1
          await git(clone, 'pull', '-q', '--rebase')
          return false
        })
      }
      return pushed
    }

    /** A person who commits in the data folder and repeats each commit that fails because the index is locked. */
    async function editor(): Promise<number> {
      let commits = 0
      for (let round = 1; round <= 3; round++) {
        const path = documentOf('edited')
        await writeFile(join(dir, path), `{"title":"edit ${round}"}`)
        await waitUntil(
          'a commit',
          async () => (await git(dir, 'commit', '-q', '-m', `Edit ${round}`, '--', path)).code === 0,
        )
        commits++
        await sleep(200)
      }
      return commits
    }

    async function housekeeper(): Promise<number> {
      let runs = 0
      while (!ended.signal.aborted) {
        const args = runs % 2 === 0 ? ['gc', '-q'] : ['repack', '-a', '-d', '-q']
        await git(dir, ...args)
        runs++
        await sleep(100)
      }
      return runs
    }

    const housekeeping = housekeeper()
    const all = Promise.all([pusher(), editor(), ...Array.from({ length: 8 }, (_, number) => client(number))])
    const [pushed, edited] = await all.finally(() => ended.abort())

    expect(await housekeeping).to.be.greaterThan(0)
    expect([pushed, edited]).to.deep.equal([3, 3])
    for (const [id, history] of histories) {
      expect(linearizabilityViolations(history), id).to.deep.equal([])
      for (const { version, bytes, etag } of history.filter(({ kind }) => kind === 'write')) {
        const answer = await fetch(`${itemOf(server, id)}?version=${version}`)
        expect(await answer.text(), `${id}, version ${version}`).to.equal(bytes)
        expect(answer.headers.get('etag')).to.equal(etag)
      }
    }
    for (const [id, last] of [
      ['pushed', '{"title":"push 3"}'],
      ['edited', '{"title":"edit 3"}'],
    ] as const) {
      await waitUntil(id, async () => (await seen(server, id)).bytes === last)
      // The work tree may lag behind the branch.
      await waitUntil(
        `the file of ${id}`,
        async () => (await readFile(join(dir, documentOf(id)), 'utf8')) === last,
      )
    }
    await waitUntil('a clean status', async () => (await git(dir, 'status', '--porcelain')).stdout === '')
    expect((await server.stop()).code).to.equal(0)
    const fsck = await git(dir, 'fsck', '--full', '--strict', '--no-dangling')
    expect(fsck.stdout + fsck.stderr).to.equal('')
    expect((await runMetastore(['verify', '--data', dir])).code).to.equal(0)
  })
})
