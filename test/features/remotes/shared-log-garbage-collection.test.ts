import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { cloneIntoEmptyFolder } from '../../../src/features/remotes/initial-clone.js'
import { type GitHttp, gitOverHttp } from '../../support/git/git-http-server.js'
import { metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { registerNote } from '../../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const run = promisify(execFile)

/** Whether a server sets this configuration line in a log on its own machine. */
const isOurs = (line: string) => /^(?:receive\.unpacklimit|gc\.)/i.test(line)

describe('a shared log with garbage collections during pushes', () => {
  let folder: string
  let log: string
  let http: GitHttp | undefined
  async function makeLog(): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'git-metastore-log-'))
    log = join(folder, 'log.git')
    await run('git', ['init', '-q', '--bare', '-b', 'main', log])
    await run('git', ['-C', log, 'config', 'http.receivepack', 'true'])
  }
  const usualPath = process.env.PATH
  async function removeLog(): Promise<void> {
    await removeRepositories()
    process.env.PATH = usualPath
    await http?.close()
    http = undefined
    await rm(folder, { recursive: true, force: true })
  }

  const share = (repository: TestRepository, remote: string) =>
    startService({ features: { 'push-to': remote, 'ack-remote': true, interval: '300ms' } }, {}, repository)
  async function servers(remote: string, count: number): Promise<readonly TestService[]> {
    const first = await share(await temporaryRepository(), remote)
    await registerNote(first.services)
    const clone = () =>
      temporaryRepository({ make: dir => cloneIntoEmptyFolder(dir, { remote, git: 'auto' }) })
    const others = Array.from({ length: count - 1 }, async () => share(await clone(), remote))
    return [first, ...(await Promise.all(others))]
  }
  const gitInLog = async (...args: readonly string[]) =>
    (await run('git', ['-C', log, ...args])).stdout.trim()
  const create = ({ postMetadata }: TestService, id: string) =>
    postMetadata(metadataRecordV1(`https://example.org/${id}`, 'note', { id }), `{"title":"${id}"}`)

  /**
   * Makes an SSH address of a repository on another machine, and a program that connects to it. The program runs the
   * command on this machine, without the environment of the client.
   */
  async function sshTo(path: string): Promise<{ readonly ssh: string; readonly address: string }> {
    const ssh = join(folder, 'programs', 'ssh')
    await mkdir(dirname(ssh))
    const there = `env -i PATH='${usualPath}' GIT_CONFIG_NOSYSTEM=1 HOME='${folder}'`
    const lines = [
      '#!/bin/sh',
      '[ "$1" = -o ] && shift 2',
      `echo "$1" >>${ssh}-hosts`,
      `exec ${there} sh -c "$2"`,
    ]
    await writeFile(ssh, `${lines.join('\n')}\n`, { mode: 0o755 })
    return { ssh, address: `ssh://jane@log.example.org${path}` }
  }

  /** Collects garbage in the log between the arrival of pushed objects and the move of the branch. */
  async function collectBetween(condition = 'true'): Promise<void> {
    const path = join(log, 'hooks', 'reference-transaction')
    const clean = 'env -u GIT_OBJECT_DIRECTORY -u GIT_ALTERNATE_OBJECT_DIRECTORIES -u GIT_QUARANTINE_PATH'
    const collect = `${clean} git gc -q --prune=now >>${folder}/collected 2>&1`
    await writeFile(
      path,
      `#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/main && ${condition} && ${collect}\nexit 0\n`,
    )
    await chmod(path, 0o755)
  }
  const collectNoMore = () => rm(join(log, 'hooks', 'reference-transaction'))

  const refsInLog = () => gitInLog('for-each-ref', '--format=%(refname)')

  /** Waits until all services have the log's branch. Expects every acknowledged record in each of them. */
  async function together(all: readonly TestService[], ids: readonly string[]): Promise<void> {
    await waitUntil(
      'all servers have the head of the log',
      async () => {
        const there = await gitInLog('rev-parse', 'refs/heads/main')
        const heads = await Promise.all(all.map(service => service.http.get('/health')))
        return heads.every(({ body }) => body.catalog === there && body.status === 'UP')
      },
      60_000,
    )
    for (const service of all)
      for (const id of ids) {
        const { body } = await service.http.get(`/api/v1/metadata/${id}`).expect(200)
        expect(body.title).to.equal(id)
      }
    expect(await gitInLog('fsck', '--full', '--strict', '--no-dangling')).to.equal('')
    await waitUntil('the log has no other refs', async () => {
      return (await refsInLog()) === 'refs/heads/main'
    })
  }

  describe('of some servers', () => {
    beforeEach(makeLog)
    afterEach(removeLog)

    it('loses nothing when the server can write its configuration', async () => {
      const all = await servers(log, 2)
      await collectBetween()
      const ids: string[] = []
      for (let round = 0; round < (isLongForm ? 4 : 2); round++) {
        const id = `note-${round}`
        await create(all[round % 2] as TestService, id).expect(201)
        ids.push(id)
      }
      await collectNoMore()

      await together(all, ids)
      expect(await gitInLog('config', 'receive.unpackLimit')).to.equal('1')
    })

    it('keeps existing settings', async () => {
      await gitInLog('config', 'receive.unpackLimit', '50')
      await servers(log, 1)
      expect(await gitInLog('config', 'receive.unpackLimit')).to.equal('50')
      expect(await gitInLog('config', 'gc.pruneExpire')).to.equal('never')
    })

    it('keeps its configuration on another machine, reached by `core.sshCommand`', async () => {
      const { ssh, address } = await sshTo(log)
      const repository = await temporaryRepository()
      await repository.git('config', 'core.sshCommand', ssh)
      const service = await share(repository, address)
      await registerNote(service.services)
      await create(service, 'before').expect(201)

      await rename(ssh, `${ssh}-of-before`)
      await writeFile(ssh, '#!/bin/sh\necho "ssh: connect to host $1: No route to host" >&2\nexit 255\n', {
        mode: 0o755,
      })
      const { body } = await create(service, 'during').expect(503)
      expect(body.detail).to.include('No route to host')
      await rename(`${ssh}-of-before`, ssh)
      await create(service, 'after').expect(201)

      await together([service], ['before', 'after'])
      expect((await readFile(`${ssh}-hosts`, 'utf8')).split('\n')).to.include('jane@log.example.org')
      expect((await gitInLog('config', '--local', '--list')).split('\n').filter(isOurs)).to.deep.equal([])
    })

    it('deletes temporary refs later if it could not delete them at once', async () => {
      const hook = join(log, 'hooks', 'pre-receive')
      await writeFile(hook, '#!/bin/sh\n! grep -q " 0000000000"\n', { mode: 0o755 })
      const all = await servers(log, 1)
      await create(all[0] as TestService, 'before').expect(201)
      await waitUntil('the log has a temporary ref', async () =>
        (await refsInLog()).includes('refs/git-metastore/moment/'),
      )
      await rm(hook)

      await together(all, ['before'])
    })

    it('gets partly lost objects back', async () => {
      await gitInLog('config', 'receive.unpackLimit', '100')
      const all = await servers(log, 2)
      const [one, two] = all as [TestService, TestService]
      await collectBetween()
      await create(one, 'lost').expect(201)
      await collectNoMore()
      // The commit exists, but not its tree. Git there accepts pushes on top of it.
      const commit = join(folder, 'commit')
      await writeFile(commit, `${await one.repository.git('cat-file', 'commit', 'HEAD')}\n`)
      await gitInLog('hash-object', '-w', '-t', 'commit', '--literally', commit)
      const missing = await run('git', ['-C', log, 'fsck', '--full']).catch(({ stdout }) => ({ stdout }))
      expect(missing.stdout).to.contain('missing tree')

      await together(all, ['lost'])
      await create(two, 'after').expect(201)
      await together(all, ['lost', 'after'])
    })

    it('loses nothing in a loop of pushes and collections', async () => {
      await gitInLog('config', 'receive.unpackLimit', '100')
      const all = await servers(log, 3)
      // A collection runs during every third push, before its branch moves. Others run at any time.
      await collectBetween(`[ $(( $(date +%s%N) / 1000000 % 3 )) = 0 ]`)
      const ids: string[] = []
      const end = Date.now() + 25_000
      const isOver = () => ids.length >= (isLongForm ? 10 : 6) || Date.now() > end
      let refusals = 0
      async function write(service: TestService, name: string): Promise<void> {
        for (let round = 0; !isOver(); round++) {
          const id = `${name}-${round}`
          const { status } = await create(service, id)
          if (status === 201) ids.push(id)
          else expect(status).to.equal(503)
          if (status !== 201) refusals++
        }
      }
      async function collect(): Promise<void> {
        while (!isOver()) await run('git', ['-C', log, 'gc', '-q', '--prune=now']).catch(() => undefined)
      }
      await Promise.all([...all.map((service, index) => write(service, `server-${index}`)), collect()])
      await collectNoMore()

      expect(ids.length, `${refusals} refusals`).to.be.greaterThan(3)
      await together(all, ids)
    })
  })

  for (const over of ['a path', 'HTTP', 'ssh'] as const)
    describe(`over ${over}`, () => {
      let all: readonly TestService[]
      before(async () => {
        await makeLog()
        all = await servers(await unguarded(), 3)
      })
      after(removeLog)

      /** Prepares the log like one on another machine: small pushes become loose objects. @returns its address */
      async function unguarded(): Promise<string> {
        await gitInLog('config', 'receive.unpackLimit', '100')
        if (over === 'a path') return log
        if (over === 'ssh') {
          const { ssh, address } = await sshTo(log)
          process.env.PATH = `${dirname(ssh)}:${usualPath}`
          return address
        }
        http = await gitOverHttp(folder)
        return `${http.url}log.git`
      }

      it('gets lost objects back with the next update of the server that stored them', async () => {
        const [one, two, three] = all as [TestService, TestService, TestService]
        await create(two, 'before').expect(201)
        await together(all, ['before'])
        await collectBetween()
        await create(one, 'lost').expect(201)
        await collectNoMore()
        const lost = await gitInLog('rev-parse', 'refs/heads/main')

        await create(one, 'after').expect(201)
        await create(two, 'second').expect(201)
        await create(three, 'third').expect(201)

        expect(await gitInLog('cat-file', '-t', lost)).to.equal('commit')
        await together(all, ['before', 'lost', 'after', 'second', 'third'])
      })

      // The server finds the loss in the same way over all of them.
      if (over !== 'HTTP' && !isLongForm) return
      it('gets lost objects back without further updates', async () => {
        const [one, two] = all as [TestService, TestService]
        await collectBetween()
        await create(one, 'lost-again').expect(201)
        await collectNoMore()

        await together(all, ['lost-again'])
        await create(two, 'at-last').expect(201)
        await together(all, ['lost-again', 'at-last'])
      })
    })
})
