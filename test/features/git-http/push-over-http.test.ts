// test-schedule: first

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { verifyRepository } from '../../../src/features/maintenance/verify/verify-repository.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { closeListeners, type GitClient, gitClient, listenOnPort } from '../../support/git/git-client.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { type FinishedProcess, runProgram, stopProcesses } from '../../support/program/run-program.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

type Files = Readonly<Record<string, string | null>>

const place = (name: string) => recordDirectory('metadata', parseTestId(name))

/** The files of a record, by default about a resource with the name of the record. */
function note(name: string, document: unknown = { title: name }, resource = name): Files {
  const relatedIdentifiers = [
    { identifierType: 'URL', value: `https://example.org/${resource}`, relationType: 'IS_METADATA_FOR' },
  ]
  const record = { id: name, schema: { schemaId: 'note', version: 1 }, relatedIdentifiers }
  return {
    [`${place(name)}/record.json`]: JSON.stringify(record),
    [`${place(name)}/document.json`]: JSON.stringify(document),
  }
}

describe('a push over HTTP', () => {
  let service: TestService
  let url: string
  let client: GitClient

  async function start(bare = false): Promise<void> {
    const repository = await temporaryRepository({ bare })
    service = await startService(
      { limits: { document: 10_000 }, features: { 'allow-push': true } },
      {},
      repository,
    )
    url = `${await listenOnPort(service)}/repository.git`
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(
        metadataRecordV1('https://example.org/first', 'note', { id: 'first' }),
        '{"title":"first"}',
      )
      .expect(201)
    await service.services.workTreeUpToDate()
    client = await gitClient()
    await client.git('clone', '-q', url, 'clone')
  }
  async function commit(files: Files, clone = 'clone', ...how: readonly string[]): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      const file = join(client.folder, clone, path)
      await mkdir(dirname(file), { recursive: true })
      if (content === null) await rm(file)
      else await writeFile(file, content)
    }
    await client.git('-C', clone, 'add', '-A')
    await client.git('-C', clone, 'commit', '-q', '-m', `Change ${Object.keys(files).join(', ')}`, ...how)
    return await client.git('-C', clone, 'rev-parse', 'HEAD')
  }
  const push = (...args: readonly string[]) => client.attempt('-C', 'clone', 'push', 'origin', ...args)
  async function listed(): Promise<readonly string[]> {
    const { body } = await service.http.get('/api/v1/metadata?size=1000').expect(200)
    return (body as { id: string }[]).map(record => record.id).toSorted((a, b) => (a < b ? -1 : 1))
  }
  /** Fails if the push was accepted or has left a trace. @returns the message to the pusher */
  async function refused(pushed: () => Promise<FinishedProcess>): Promise<string> {
    const before = [await service.head(), await listed()]
    const { code, stderr } = await pushed()
    expect(code, stderr).to.not.equal(0)
    expect([await service.head(), await listed()]).to.deep.equal(before)
    const id = `after-${before[1]?.length}`
    await service
      .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'note', { id }), '{"title":"after"}')
      .expect(201)
    expect(await service.repository.git('fsck', '--strict')).to.equal('')
    return stderr
  }
  async function sound(): Promise<void> {
    await service.services.workTreeUpToDate()
    expect(await service.repository.git('status', '--porcelain')).to.equal('')
    expect(await service.repository.git('fsck', '--strict', '--no-dangling')).to.equal('')
    const { body } = await service.http.get('/health').expect(200)
    expect(body.faults).to.deep.equal([])
    for await (const complaint of verifyRepository(service.services.parts))
      throw new Error(JSON.stringify(complaint))
  }

  async function stopAll(): Promise<void> {
    await closeListeners()
    await removeRepositories()
    await stopProcesses()
  }

  describe('to the served branch', () => {
    beforeEach(() => start())
    afterEach(stopAll)

    it('appears in lists and in the work tree when git push returns', async () => {
      const files = {
        ...note('mine'),
        'README.md': 'hello\n',
        [`${place('first')}/document.json`]: '{"title":"new"}',
      }
      const head = await commit(files)

      const { code, stderr } = await push('main')

      expect(code, stderr).to.equal(0)
      expect(await listed()).to.deep.equal(['first', 'mine'])
      const changed = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)
      expect([changed.body.recordVersion, etagOf(changed)]).to.deep.equal([2, `"${head}"`])
      await sound()
      for (const [path, content] of Object.entries(files)) {
        expect(await readFile(join(service.repository.dir, path), 'utf8')).to.equal(content)
      }
      await service.putMetadata('first', etagOf(changed), undefined, '{"title":"newer"}').expect(200)
      await client.inClone('pull', '-q', '--ff-only')
      expect(await client.inClone('rev-parse', 'HEAD')).to.equal(await service.head())
    })

    it('is refused with each fault, its commit and its path', async () => {
      const first = await commit(note('bad', { name: 'no title' }))
      const second = await commit({
        ...note('good'),
        ...note('worse'),
        [`${place('worse')}/record.json`]: '{',
        ...note('worst'),
        [`${place('worst')}/record.json`]: '{\n  "id": "worst",\n  "colour": "red"\n}\n',
      })

      const told = await refused(() => push('main'))

      expect(told).to.contain('remote: Nothing was changed.')
      expect(told).to.match(
        new RegExp(`remote: *${first.slice(0, 10)}  ${place('bad')}/document.json:1: must have .*'title'`),
      )
      expect(told).to.contain(
        `${second.slice(0, 10)}  ${place('worse')}/record.json:1: It is not well-formed JSON`,
      )
      expect(told).to.contain(`${second.slice(0, 10)}  ${place('worst')}/record.json:3: at /colour: `)
      expect(told).to.contain('git rebase -i')
      expect(told).to.contain('[remote rejected] main -> main (pre-receive hook declined)')
    })

    it('is refused even if a later commit corrects a wrong one', async () => {
      const first = await commit(note('mine', { name: 'no title' }))
      await commit(note('mine'))

      expect(await refused(() => push('main'))).to.contain(first.slice(0, 10))

      await client.inClone('reset', '-q', '--soft', 'origin/main')
      await client.inClone('commit', '-q', '-m', 'Both in one')
      await client.inClone('pull', '-q', '--rebase')
      const { code, stderr } = await push('main')
      expect(code, stderr).to.equal(0)
      expect(await listed()).to.deep.equal(['after-1', 'first', 'mine'])
    })

    it('is checked even if a commit claims to come from a server', async () => {
      const env = { GIT_COMMITTER_NAME: 'git-metastore', GIT_COMMITTER_EMAIL: 'service@git-metastore' }
      const recorded = async (files: Files, time: string) => {
        await commit(files)
        const args = ['commit', '-q', '--amend', '-m', `Create it\n\nRecorded-At: ${time}`]
        const { code } = await runProgram('git', args, { cwd: join(client.folder, 'clone'), env })
        expect(code).to.equal(0)
      }
      await recorded(note('forged', { name: 'no title' }), new Date().toISOString())
      expect(await refused(() => push('main'))).to.contain(`${place('forged')}/document.json`)

      await client.inClone('reset', '-q', '--hard', 'origin/main')
      await client.inClone('pull', '-q')
      await recorded(note('early'), '2999-01-01T00:00:00.000Z')
      const { code, stderr } = await push('main')
      expect(code).to.not.equal(0)
      expect(stderr).to.contain('(Recorded-At) is in the future')
    })

    it('cannot remove the branch, and cannot move a ref that is neither a branch nor a tag', async () => {
      await refused(() => push('--delete', 'main'))
      const { code, stderr } = await push('HEAD:refs/notes/commits')

      expect(code).to.not.equal(0)
      expect(stderr).to.contain('hidden ref')
    })

    it('may merge the served history into another one, which changes no version', async () => {
      await service.putMetadata('first', '*', undefined, '{"title":"second"}').expect(200)
      const before = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)
      await commit(note('mine'))
      await client.inClone('pull', '-q', '--no-rebase', '--no-edit')

      const { code, stderr } = await push('main')

      expect(code, stderr).to.equal(0)
      expect(await listed()).to.deep.equal(['first', 'mine'])
      const after = await service.http.get('/api/v1/metadata/first').set('Accept', metadataType).expect(200)
      expect([after.body, etagOf(after)]).to.deep.equal([before.body, etagOf(before)])
      await sound()
      await client.inClone('pull', '-q', '--ff-only')
    })

    it('is refused if such a merge breaks a rule', async () => {
      await service.putMetadata('first', '*', undefined, '{"title":"second"}').expect(200)
      await commit(note('bad', { name: 'no title' }))
      await client.inClone('pull', '-q', '--no-rebase', '--no-edit')

      expect(await refused(() => push('main'))).to.contain(`${place('bad')}/document.json`)
    })

    it('may be sent in chunks', async () => {
      const files = Array.from({ length: 30 }, (_, index) => [
        `notes/${index}.txt`,
        randomBytes(4000).toString('hex'),
      ])
      await commit(Object.fromEntries(files))

      const { code, stderr } = await client.attempt(
        '-C',
        'clone',
        '-c',
        'http.postBuffer=65536',
        'push',
        'origin',
        'main',
      )

      expect(code, stderr).to.equal(0)
      await sound()
    })

    it('does not change edits in the work tree', async () => {
      const edited = join(service.repository.dir, place('first'), 'document.json')
      await writeFile(edited, '{"title":"being edited"}')
      await commit({ [`${place('first')}/document.json`]: '{"title":"pushed"}', ...note('mine') })

      const { code, stderr } = await push('main')

      expect(code, stderr).to.equal(0)
      await service.services.workTreeUpToDate()
      expect(await readFile(edited, 'utf8')).to.equal('{"title":"being edited"}')
      expect(await service.repository.git('status', '--porcelain')).to.equal(
        ` M ${place('first')}/document.json`,
      )
    })

    it('loses no update and breaks no rule during other pushes and updates', async () => {
      const clones = ['clone', 'second', 'third']
      for (const clone of clones.slice(1)) await client.git('clone', '-q', url, clone)
      let running = true
      let updates = 0
      async function update(): Promise<void> {
        while (running) {
          const title = `update-${updates++}`
          await service
            .postMetadata(
              metadataRecordV1(`https://example.org/${title}`, 'note', { id: title }),
              `{"title":"${title}"}`,
            )
            .expect(201)
          // The pauses grow, so that a push finds a gap on any machine.
          await new Promise(resolve => setTimeout(resolve, 500 + updates * 250))
        }
      }
      async function pushAll(clone: string): Promise<void> {
        for (let index = 0; index < 2; index++) {
          await commit(note(`${clone}-${index}`), clone)
          for (let attempt = 1; ; attempt++) {
            const { code, stderr } = await client.attempt('-C', clone, 'push', '-q', 'origin', 'main')
            if (code === 0) break
            if (attempt === 50) throw new Error(stderr)
            await client.git('-C', clone, 'pull', '-q', attempt % 2 ? '--rebase' : '--no-rebase', '--no-edit')
          }
          expect(await listed()).to.include(`${clone}-${index}`)
        }
      }
      const updating = update()
      await Promise.all(clones.map(pushAll)).finally(() => {
        running = false
      })
      await updating

      expect(updates).to.be.greaterThan(1)
      const wanted = [
        'first',
        ...clones.flatMap(clone => [0, 1].map(at => `${clone}-${at}`)),
        ...Array.from({ length: updates }, (_, index) => `update-${index}`),
      ]
      expect(await listed()).to.have.members(wanted)
      await sound()
    })
  })

  describe('to the served branch, by a client that pulls after each refusal', () => {
    before(() => start())
    beforeEach(async () => {
      await client.inClone('fetch', '-q')
      await client.inClone('reset', '-q', '--hard', 'origin/main')
    })
    after(stopAll)

    const wrong: Readonly<Record<string, readonly [change: () => Promise<unknown>, told: string]>> = {
      'a second document about a resource': [
        () => commit(note('other', undefined, 'first')),
        'already has a document',
      ],
      'a record in a wrong place': [
        () =>
          commit({ 'metadata/0/0/0/0/mine/record.json': note('mine')[`${place('mine')}/record.json`] ?? '' }),
        'metadata/0/0/0/0/mine',
      ],
      'a schema that is removed though documents follow it': [
        () => commit({ 'schemas/note/schema.json': null, 'schemas/note/record.json': null }),
        'follows a version of the schema',
      ],
      'a file that is too large': [
        () => commit(note('large', { title: 'x'.repeat(20_000) })),
        'at most 10000 are accepted',
      ],
      'a symbolic link': [
        async () => {
          await symlink('/etc/passwd', join(client.folder, 'clone', 'link'))
          await commit({ 'a.txt': '' })
        },
        'a symbolic link',
      ],
      'no marker': [
        () => commit({ 'metastore.json': null }),
        'has no metastore.json. Restore it, and push again.',
      ],
      'a marker that is no JSON': [
        () => commit({ 'metastore.json': '{' }),
        ': the committed metastore.json cannot be read: ',
      ],
      'history that is rewritten': [
        async () => {
          await client.inClone('reset', '-q', '--hard', 'HEAD~1')
          await commit({ 'a.txt': '' })
        },
        'This would rewrite history',
      ],
    }
    for (const [what, [change, told]] of Object.entries(wrong)) {
      it(`is refused with ${what}`, async () => {
        await change()

        expect(await refused(() => push('--force', 'main'))).to.contain(told)
      })
    }
  })

  describe('to another branch, with a document that breaks a rule and good ones', () => {
    let pushed: FinishedProcess
    const first = async (at = '') => (await service.http.get(`/api/v1/metadata/first${at}`).expect(200)).text
    before(async () => {
      await start()
      await client.inClone('checkout', '-q', '-b', 'draft')
      await commit(note('draft', { name: 'no title' }))
      await commit({ ...note('good'), [`${place('first')}/document.json`]: '{"title":"drafted"}' })
      await client.inClone('tag', 'v1', 'main')
      pushed = await push('draft', 'v1')
    })
    after(stopAll)

    it('is accepted', async () => {
      expect(pushed.code, pushed.stderr).to.equal(0)
      expect(await service.repository.git('branch', '--format=%(refname:short)')).to.equal('draft\nmain')
    })

    it('does not change what is served', async () => {
      expect(await listed()).to.deep.equal(['first'])
      expect(await first()).to.equal('{"title":"first"}')
      await service.http.get('/api/v1/metadata/good').expect(404)
    })

    it('is shown with `at`', async () => {
      expect(await first('?at=draft')).to.equal('{"title":"drafted"}')
      await service.http.get('/api/v1/metadata/good?at=draft').expect(200)
    })

    it('may have a tag, which is shown with `at`', async () => {
      expect(await first('?at=v1')).to.equal('{"title":"first"}')
    })

    it('is listed with `at`, without the document that breaks the rule', async () => {
      const { body } = await service.http.get('/api/v1/metadata?at=draft').expect(200)
      expect((body as { id: string }[]).map(record => record.id)).to.have.members(['first', 'good'])
    })

    it('may be followed by one that deletes the branch, which `at` does not find then', async () => {
      expect((await push('--delete', 'draft')).code).to.equal(0)
      await service.http.get('/api/v1/metadata/first?at=draft').expect(404)
      await sound()
    })
  })

  describe('to any branch or tag', () => {
    afterEach(stopAll)

    it('is refused for an ambiguous name of a branch or tag', async () => {
      await start()
      const id = await client.git('-C', 'clone', 'rev-parse', 'HEAD')
      const names = {
        'refs/heads/refs/heads/main': 'the ref of another folder',
        'refs/heads/HEAD': 'a ref of the work tree',
        'refs/tags/FETCH_HEAD': 'a ref of the work tree',
        [`refs/heads/${id}`]: 'the id of an object',
        'refs/tags/main': 'the name of the served branch',
        'refs/tags/heads/main': 'the ref of another folder',
        // On file systems that ignore case, these names are the same file.
        'refs/heads/Main': 'the name of the served branch',
        'refs/heads/head': 'a ref of the work tree',
        'refs/heads/REFS/heads/main': 'the ref of another folder',
        'refs/heads/AUTO_MERGE': 'a ref of the work tree',
        'refs/heads/main-worktree/HEAD': 'the ref of another folder',
        'refs/tags/stash': 'the ref of another folder',
        'refs/tags/origin/main': 'the branch of a remote repository',
        'refs/heads/m\u200bain': 'invisible characters',
        'refs/heads/\u202eniam': 'invisible characters',
        'refs/heads/-x': 'an option',
        [`refs/heads/${'a'.repeat(64)}`]: 'the id of an object',
      }
      for (const [ref, why] of Object.entries(names)) {
        const pushed = await push(`HEAD:${ref}`)
        expect(pushed.code, ref).to.not.equal(0)
        expect(pushed.stderr, ref).to.contain(why)
      }
      const there = await client.git('ls-remote', url)
      for (const ref of Object.keys(names)) expect(there.includes(`\t${ref}\n`), ref).to.equal(false)
      const { code, stderr } = await push('HEAD:refs/tags/v1', 'HEAD:refs/heads/feature/main')
      expect(code, stderr).to.equal(0)
    })

    it('is refused for a branch that is checked out beside the server', async () => {
      await start()
      const { git, dir } = service.repository
      await git('worktree', 'add', '-q', '-b', 'beside', join(dirname(dir), 'beside'))
      await git('checkout', '-q', '-b', 'theirs')
      await commit({ 'a.txt': 'hello' })

      for (const branch of ['theirs', 'beside']) {
        const { code, stderr } = await push(`HEAD:${branch}`)

        expect(code).to.not.equal(0)
        expect(stderr).to.contain(`refs/heads/${branch} is checked out on the server`)
      }
      // No work tree has the served branch checked out now.
      expect((await push('main')).code).to.equal(0)
    })

    it('works for a bare repository', async () => {
      await start(true)
      await commit(note('mine'))

      const { code, stderr } = await push('main')

      expect(code, stderr).to.equal(0)
      expect(await listed()).to.deep.equal(['first', 'mine'])
    })
  })
})
