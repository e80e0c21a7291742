// test-schedule: first
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { openRandom } from '../../bench/data/seeded-random.js'
import { packFolder } from '../../src/store/git-commands/git-directory.js'
import { PackMerger } from '../../src/store/packs/pack-merger.js'
import { type GitClient, gitClient } from '../support/git/git-client.js'
import { openHeldConnections } from '../support/git/held-connections.js'
import { jsonSchema, metadataRecordV1 } from '../support/http/test-service.js'
import {
  type ChildProcessInfo,
  childrenOf,
  descendantsOf,
  isRunning,
  killProcess,
  waitForChild,
} from '../support/program/child-processes.js'
import { isLongForm } from '../support/program/long-form.js'
import {
  type RunningServer,
  runMetastore,
  startServer,
  stopProcesses,
} from '../support/program/run-program.js'
import { initialise } from '../support/repository/example-repository.js'
import { plainRepository, removePlainRepositories } from '../support/repository/plain-git-repository.js'
import { copyPrepared } from '../support/repository/prepared-folder.js'
import { waitUntil } from '../support/repository/test-repository.js'
import { gitOutput, replaceDocument, sendAcceptedForm, sendForm } from '../support/servers/server-requests.js'

/*
 * Git processes that are killed while they work for a server. The operation fails with a message, the server continues,
 * and no lock or half-written file remains. For missing git see clock-watches-and-missing-git.test.ts.
 */

/** Number of git processes to kill while a server handles requests of all kinds. */
const maxKilled = isLongForm ? 1000 : 15

/** Random text, which compression does not shrink. */
const noise = (mebibytes: number) => randomBytes(mebibytes * 2 ** 20 * 0.75).toString('base64')

describe('a git process that is killed', () => {
  let folder: string
  let client: GitClient
  before(function () {
    if (!existsSync('/proc/self/stat')) this.skip()
  })
  beforeEach(async () => {
    client = await gitClient()
    folder = client.folder
    await copyPrepared('init', join(folder, 'data'), data => initialise(data, []))
  })
  afterEach(async () => {
    await stopProcesses()
    removePlainRepositories()
  })

  /** @param options for tests that send the server a signal, or in which git updates the index */
  async function started(
    args: readonly string[],
    options: { readonly ownProcess?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<RunningServer> {
    const server = await startServer(['--data', 'data', ...args], { cwd: folder, ...options })
    const schema = { record: { schemaId: 'note' }, part: 'schema', bytes: jsonSchema('title') } as const
    await sendAcceptedForm(server, 'POST', 'api/v1/schemas', schema)
    return server
  }
  async function create(server: RunningServer, id: string, document: string): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, 'note', { id })
    await sendAcceptedForm(server, 'POST', 'api/v1/metadata', { record, part: 'document', bytes: document })
  }
  /**
   * Starts a server with a wrapper of git that looks for two files at each `git update-index`. If there is a file
   * `early`, the wrapper kills itself. If there is a file `armed`, it ends its whole process group, as a terminal does.
   * The wrapper deletes the file first.
   */
  async function startedToEnd() {
    const [wrapper, early, armed] = [join(folder, 'git'), join(folder, 'early'), join(folder, 'armed')]
    const script = [
      '#!/bin/sh',
      'case "$*" in *update-index*)',
      `  if rm "${early}" 2>/dev/null; then kill -KILL $$; fi`,
      `  if rm "${armed}" 2>/dev/null; then kill -TERM 0; sleep 60; fi ;;`,
      'esac',
      'exec git "$@"',
    ]
    await writeFile(wrapper, `${script.join('\n')}\n`, { mode: 0o755 })
    return {
      early,
      armed,
      server: await started(['--git', wrapper], { ownProcess: true, env: { METASTORE_PLAIN: '1' } }),
    }
  }
  /** Expects that nothing in the repository is damaged, locked or half-written. */
  async function isSound(): Promise<void> {
    expect(await gitOutput(folder, 'data', 'fsck', '--strict', '--full', '--no-dangling')).to.equal('')
    await waitUntil('a clean work tree', async () => {
      const { stdout } = await client.attempt('-C', 'data', 'status', '--porcelain')
      return stdout === ''
    })
    // The server releases its locks after git reports a clean work tree.
    await waitUntil('no file is locked or half-written', async () => (await left()).length === 0).catch(
      async () => expect(await left()).to.deep.equal([]),
    )
  }
  async function left(): Promise<readonly string[]> {
    const names = await readdir(join(folder, 'data/.git'), { recursive: true })
    return names.filter(
      name =>
        /\.lock$|tmp_objdir|tmp_pack|tmp_idx/.test(name) &&
        // Locks of the server itself, which identify its own processes.
        !name.startsWith('git-metastore/'),
    )
  }

  it('by the signal that a terminal sends to the whole group leaves the work tree and its lock in order', async () => {
    const { armed, server } = await startedToEnd()
    await create(server, 'first', '{"title":"first"}')
    await waitUntil('the work tree follows', () => existsSync(join(folder, 'data/metadata')))
    await isSound()

    const ended = once(server.child, 'close')
    await writeFile(armed, '')
    await create(server, 'last', '{"title":"last"}')

    expect(await ended, server.stderr()).to.deep.equal([0, null])
    expect(existsSync(armed)).to.equal(false)
    expect(server.stderr()).to.not.contain('work tree')
    expect(existsSync(join(folder, 'data/.git/index.lock'))).to.equal(false)
    expect(await gitOutput(folder, 'data', 'status', '--porcelain')).to.equal('')
    await isSound()
  })

  it('by that signal is started again, even if an earlier one had failed', async () => {
    const { early, armed, server } = await startedToEnd()
    let stopping = false
    async function creating(client: number): Promise<void> {
      for (let at = 0; !stopping; at++) {
        await create(server, `${client}-${at}`, '{"title":"x"}').catch((error: unknown) => {
          if (!stopping) throw error
        })
      }
    }
    const ended = once(server.child, 'close').finally(() => {
      stopping = true
    })
    await writeFile(early, '')
    const load = Promise.all([1, 2, 3, 4, 5, 6].map(creating))
    await waitUntil('a git process fails', () => !existsSync(early))
    await sleep(500)

    stopping = true
    await writeFile(armed, '')
    await load
    // The work tree may already have all records of the load. Then git starts for this one.
    await create(server, 'last', '{"title":"last"}').catch((error: unknown) => {
      if (existsSync(armed)) throw error
    })

    expect(await ended, server.stderr()).to.deep.equal([0, null])
    expect(existsSync(armed)).to.equal(false)
    expect(existsSync(join(folder, 'data/.git/index.lock')), server.stderr()).to.equal(false)
    await isSound()
  })

  it('leaves no request waiting', async () => {
    const hanging = join(folder, 'ssh')
    await writeFile(hanging, '#!/bin/sh\ntrap "" HUP PIPE\nexec sleep 611\n', { mode: 0o755 })
    await gitOutput(folder, 'data', 'config', 'core.sshCommand', hanging)
    await gitOutput(folder, 'data', 'config', 'ssh.variant', 'simple')
    const server = await started(['--push-to', 'ssh://mirror.example.org/mirror.git'])
    const helper = await waitForChild(server, 'sleep 611')
    const talking = childrenOf(server, 'mirror.example.org').filter(({ command }) =>
      /^(\S*\/)?git /.test(command),
    )
    expect(talking).to.not.deep.equal([])
    for (const git of talking) killProcess(git)
    await sleep(200)

    const stopped = await Promise.race([server.stop(), sleep(20_000, undefined)])
    expect(stopped?.code, server.stderr()).to.equal(0)
    expect(isRunning(helper), 'whether the helper still runs').to.equal(false)
  })

  it('during a merge of packs leaves them unchanged, and they are merged later', async () => {
    const repo = plainRepository()
    const ownDir = join(repo.gitDir, 'git-metastore')
    mkdirSync(ownDir)
    repo.git('config', 'core.compression', '0')
    for (let index = 0; index < 30; index++) {
      repo.write('document', noise(isLongForm ? 0.7 : 0.3))
      repo.commit(`${index}`)
      repo.git('repack', '-q', '-d')
    }
    const packs = () =>
      readdirSync(packFolder(repo.gitDir)).filter(name => /^pack-.*\.pack$/.test(name)).length
    const merger = new PackMerger({ gitDir: repo.gitDir, ownDir, stagingDir: ownDir, git: 'git' })
    const merge = () => merger.repack()

    const saved = `${packFolder(repo.gitDir)}.saved`
    cpSync(packFolder(repo.gitDir), saved, { recursive: true })
    for (const what of ['pack-objects', 'repack']) {
      // A merge can end before its process is found, or before the process is killed.
      for (let ended = 'merged'; ended === 'merged'; ) {
        let isOver = false
        const merging = merge().then(
          () => 'merged',
          (error: Error) => error.message,
        )
        void merging.finally(() => {
          isOver = true
        })
        // Ignores launchers, whose command lines contain the same words.
        const isGit = ({ command }: ChildProcessInfo) => /^(\S*\/)?git /.test(command)
        const find = () => descendantsOf(process.pid, ` ${what} `).find(isGit)
        const found = await waitUntil(what, () => find() ?? isOver)
        if (found !== true) killProcess(found)
        ended = await merging
        if (ended !== 'merged') expect(ended).to.match(/git repack failed|SIG\w+ ended it/)
        else {
          rmSync(packFolder(repo.gitDir), { recursive: true })
          cpSync(saved, packFolder(repo.gitDir), { recursive: true })
        }
      }
      expect(packs()).to.equal(30)
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    }
    await waitUntil(
      'the last git process ends',
      () => descendantsOf(process.pid, ' pack-objects ').length === 0,
    )

    await merge()
    expect(packs()).to.be.below(10)
    expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    expect(repo.git('rev-list', '--count', 'main')).to.equal('30')
  })

  it('during a clone causes an error at the client, and the next clone succeeds', async () => {
    await writeFile(join(folder, 'data', 'notes.md'), noise(25))
    for (const args of [
      ['config', 'core.compression', '0'],
      ['add', 'notes.md'],
      ['commit', '-q', '-m', 'Notes'],
    ])
      await gitOutput(folder, 'data', ...args)
    const server = await started([])
    for (const what of ['upload-pack', 'pack-objects']) {
      // The client gets a part of the answer, so git cannot finish.
      const held = await openHeldConnections(server.port, 2 ** 20)
      const cloning = client.attempt('clone', '-q', `${held.url}repository.git`, `clone-${what}`)
      await held.holds
      killProcess(await waitForChild(server, what))
      held.release()

      const { code, stderr } = await cloning
      held.close()
      expect(code).to.equal(128)
      expect(stderr).to.match(/hung up|early EOF|unexpected disconnect|pack-objects died/)
    }
    expect((await client.attempt('clone', '-q', `${server.url}repository.git`, 'clone')).code).to.equal(0)
    await waitUntil('no git process is left', () => childrenOf(server, '-pack').length === 0)
    await isSound()
  })

  it('during a push causes an error at the client, changes nothing, and the client can push again', async () => {
    const server = await started(['--allow-push'])
    await create(server, 'one', '{"title":"one"}')
    await client.git('clone', '-q', `${server.url}repository.git`, 'clone')
    await client.inClone('config', 'core.compression', '0')
    await writeFile(join(folder, 'clone', 'notes.md'), noise(15))
    await client.inClone('add', '-A')
    await client.inClone('commit', '-q', '-m', 'Notes')
    const head = () => gitOutput(folder, 'data', 'rev-parse', 'main')
    const before = await head()
    const objects = join(folder, 'data/.git/objects')
    const apart = async () => (await readdir(objects)).filter(name => name.startsWith('tmp_objdir'))
    for (const what of ['index-pack', 'receive-pack']) {
      // The server gets a part of the pack, so git cannot finish.
      const held = await openHeldConnections(server.port, 4 * 2 ** 20)
      const pushing = client.attempt('-C', 'clone', 'push', '-q', `${held.url}repository.git`, 'main')
      await held.holds
      await waitForChild(server, 'index-pack')
      killProcess(await waitForChild(server, what))
      held.release()

      const { code, stderr } = await pushing
      held.close()
      expect(code, stderr).to.be.oneOf([1, 128])
      expect(stderr).to.match(/unpack failed|hung up|The conversation was ended/)
      expect(await head()).to.equal(before)
      await waitUntil('no git process is left', () => childrenOf(server, '-pack').length === 0)
      if (what === 'index-pack') expect(await apart()).to.deep.equal([])
    }
    await replaceDocument(server, 'one', '{"title":"one, again"}')
    await client.inClone('pull', '-q', '--rebase')
    await client.inClone('push', '-q', 'origin', 'main')
    expect(await head()).to.equal(await client.inClone('rev-parse', 'main'))

    // The received objects are useless. The server deletes them a day later.
    const [left = ''] = await apart()
    expect(left).to.not.equal('')
    const stopping = performance.now()
    expect((await server.stop()).code).to.equal(0)
    expect(
      performance.now() - stopping,
      'milliseconds that the server waited for a disconnected client',
    ).to.be.below(20_000)
    const old = [
      left,
      ...(await readdir(join(objects, left), { recursive: true })).map(name => join(left, name)),
    ]
    for (const name of old) utimesSync(join(objects, name), 0, 0)
    const ours = ['pack/tmp_pack_old', 'pack/.tmp-1-pack-old.idx', 'e6/tmp_obj_old']
    mkdirSync(join(objects, 'e6'), { recursive: true })
    for (const name of ours) {
      writeFileSync(join(objects, name), 'half of it')
      utimesSync(join(objects, name), 0, 0)
    }
    const fresh = ['pack/tmp_pack_fresh', 'tmp_objdir-incoming-fresh']
    for (const name of fresh) mkdirSync(join(objects, name))
    const next = await startServer(['--data', 'data'], { cwd: folder })
    await replaceDocument(next, 'one', '{"title":"one, at last"}')
    await waitUntil(
      'the old files are gone',
      () => ![left, ...ours].some(name => existsSync(join(objects, name))),
    )
    for (const name of fresh) {
      expect(existsSync(join(objects, name)), name).to.equal(true)
      rmdirSync(join(objects, name))
    }
    await isSound()
  })

  const seed = 7
  it(`does not make the server fail, even if it happens repeatedly and during any work (seed ${seed})`, async () => {
    const random = openRandom(seed)
    const server = await started(['--allow-push'])
    for (const id of ['one', 'two', 'three']) await create(server, id, `{"title":"${id}"}`)
    const answers = new Map<number, number>()
    const over = new AbortController()
    const { signal } = over
    let [killed, written] = [0, 0]
    async function killing(): Promise<void> {
      while (!signal.aborted) {
        for (const process of childrenOf(server, 'git')) {
          if (random.next() < 0.4 && killProcess(process)) killed++
        }
        await sleep(15)
      }
    }
    async function reading(path: string): Promise<void> {
      while (!signal.aborted) {
        const answer = await fetch(server.url + path)
        const text = await answer.text()
        answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
        expect(answer.status, `${path}: ${text}`).to.be.oneOf([200, 503])
        if (answer.status === 503) expect(answer.headers.get('retry-after'), text).to.match(/^\d+$/)
      }
    }
    async function writing(): Promise<void> {
      while (!signal.aborted) {
        const answer = await sendForm(server, 'PUT', 'api/v1/metadata/one', {
          part: 'document',
          bytes: `{"title":"${written}"}`,
          etag: '*',
        })
        expect(answer.status, await answer.text()).to.be.oneOf([200, 503])
        if (answer.status === 200) written++
      }
    }
    async function cloning(): Promise<void> {
      for (let at = 0; !signal.aborted; at++) {
        const { code, stderr } = await client.attempt(
          'clone',
          '-q',
          `${server.url}repository.git`,
          `clone-${at}`,
        )
        if (code !== 0) expect(stderr).to.not.equal('')
      }
    }
    await replaceDocument(server, 'one', '{"title":"one, again"}')
    const all = Promise.all([
      killing(),
      writing(),
      cloning(),
      reading('api/v1/metadata/one/diff?from=1&to=2'),
      reading('api/v1/metadata/two/blame'),
      reading('api/v1/metadata/one'),
    ])
    const enough = waitUntil(
      'enough kills, updates and reads',
      () => signal.aborted || (killed > maxKilled && written > 5 && (answers.get(200) ?? 0) > 10),
      120_000,
    )
    await Promise.race([all, enough]).finally(() => over.abort())
    await all

    await replaceDocument(server, 'one', '{"title":"at last"}')
    expect((await client.attempt('clone', '-q', `${server.url}repository.git`, 'clone')).code).to.equal(0)
    await isSound()
    expect((await server.stop()).code).to.equal(0)
    expect((await runMetastore(['verify', '--data', 'data'], { cwd: folder })).code).to.equal(0)
  })
})
