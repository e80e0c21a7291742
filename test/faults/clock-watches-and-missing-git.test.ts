// test-schedule: waits
import { spawnSync } from 'node:child_process'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { parseId } from '../../src/core/value-types.js'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { metadataType } from '../support/http/test-service.js'
import { childrenOf, killProcess } from '../support/program/child-processes.js'
import {
  programScript,
  type RunningServer,
  runProgram,
  start,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { createNote, registerNote } from '../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../support/repository/test-repository.js'
import { replaceDocument } from '../support/servers/server-requests.js'

/*
 * Failures around a server: a wrong clock, missing watches, missing git. For the disk see
 * full-or-read-only-disk.test.ts. For kills and failing calls see kills-and-failing-calls.test.ts.
 */

async function withNotes(...ids: readonly string[]): Promise<TestRepository> {
  const repository = await temporaryRepository()
  const services = await repository.compose()
  await registerNote(services)
  for (const id of ids) await createNote(services, id, { id })
  await services.workTreeUpToDate()
  await services.close()
  return repository
}

describe('a server with a wrong clock, without watches or without git', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  it('keeps versions and times in order when the clock goes back an hour, also over a restart', async () => {
    const { dir, git } = await withNotes('one')
    const folder = await temporaryFolder()
    const back = join(folder, 'back')
    const clock = join(folder, 'clock.mjs')
    await writeFile(
      clock,
      `import { existsSync } from 'node:fs'
       const now = Date.now
       Date.now = () => now() - (existsSync(${JSON.stringify(back)}) ? 3_600_000 : 0)`,
    )
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(clock).href}` }
    const times: string[] = []
    const update = async (server: RunningServer, text: string) => {
      await replaceDocument(server, 'one', `{"title":"${text}"}`)
      const answer = await fetch(`${server.url}api/v1/metadata/one`, { headers: { Accept: metadataType } })
      times.push(((await answer.json()) as { readonly lastUpdate: string }).lastUpdate)
    }
    const first = await startServer(['--data', dir], { env })
    await update(first, 'before')
    await writeFile(back, '')
    await update(first, 'after')
    await update(first, 'after, again')
    expect((await first.stop()).code).to.equal(0)
    const second = await startServer(['--data', dir], { env })
    await update(second, 'after a restart')

    expect(times).to.deep.equal(times.toSorted((a, b) => Date.parse(a) - Date.parse(b)))
    expect(new Set(times).size).to.equal(times.length)
    const answer = await fetch(`${second.url}api/v1/metadata/one?version=5`)
    expect(await answer.text()).to.equal('{"title":"after a restart"}')
    const seconds = (await git('log', '--reverse', '--format=%ct')).split('\n').map(Number)
    expect(seconds).to.deep.equal(seconds.toSorted((a, b) => a - b))
  })

  for (const [call, error] of [
    ['inotify_init1', 'EMFILE'],
    ['inotify_add_watch', 'ENOSPC'],
  ] as const) {
    it(`starts without watches (${call}: ${error}), reports it, and still sees commits`, async function () {
      // Without this filter, strace stops the server at each of its system calls.
      const tracing = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${call}`]
      const inject = [...tracing, '-e', `inject=${call}:error=${error}`]
      // strace is missing, or it may not trace processes.
      if (spawnSync('strace', [...inject, 'true']).status !== 0) this.skip()
      const { dir, commit } = await withNotes('one')
      const traced = [...inject, process.execPath, programScript, 'serve', '--port', '0', '--data', dir]
      const server = await start('strace', traced)

      await commit('Edit by hand', {
        [`${recordDirectory('metadata', parseId('one', 'id'))}/document.json`]: '{"title":"by hand"}',
      })

      await waitUntil(
        'the commit',
        async () =>
          (await (await fetch(`${server.url}api/v1/metadata/one`)).text()) === '{"title":"by hand"}',
      )
      expect(server.stderr()).to.include('the branch is checked every 3000 ms')
    })
  }

  it('answers 503 while git is missing, and continues when it is back', async () => {
    const { dir } = await withNotes('one', 'two')
    const git = join(await temporaryFolder(), 'git')
    const real = (await runProgram('sh', ['-c', 'command -v git'])).stdout.trim()
    await symlink(real, git)
    const server = await startServer(['--data', dir, '--git', git])
    const get = (path: string) => fetch(server.url + path)
    // The second read puts the document into a cache.
    for (let time = 0; time < 2; time++) expect((await get('api/v1/metadata/one')).status).to.equal(200)

    await rm(git)
    for (const reader of childrenOf(server, 'cat-file')) killProcess(reader)

    for (const path of ['api/v1/metadata/two', 'repository.git/info/refs?service=git-upload-pack']) {
      const answer = await get(path)
      expect(answer.status, path).to.equal(503)
      expect(answer.headers.get('retry-after')).to.match(/^\d+$/)
      expect(await answer.text()).to.include('Git cannot be run')
    }
    // The server still answers requests that need no git.
    expect((await get('api/v1/metadata')).status).to.equal(200)
    expect(await (await get('api/v1/metadata/one')).text()).to.equal('{"title":"one"}')

    await symlink(real, git)

    expect(await (await get('api/v1/metadata/two')).text()).to.equal('{"title":"two"}')
    await replaceDocument(server, 'two', '{"title":"two, again"}')
    expect((await get('health')).status).to.equal(200)
  })

  it('continues after git was killed during its work', async () => {
    const { dir } = await withNotes('one', 'two')
    const server = await startServer(['--data', dir])
    expect((await fetch(`${server.url}api/v1/metadata/one`)).status).to.equal(200)

    for (const reader of childrenOf(server, 'cat-file')) killProcess(reader)
    expect((await fetch(`${server.url}api/v1/metadata/two`)).status).to.equal(200)

    const clone = join(await temporaryFolder(), 'clone')
    expect((await runProgram('git', ['clone', '-q', `${server.url}repository.git`, clone])).code).to.equal(0)
    await replaceDocument(server, 'one', '{"title":"one, again"}')
  })
})
