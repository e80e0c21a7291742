// test-schedule: waits
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  exampleRepositoryAt,
  goodDocument,
  initialise,
  postExampleRecord,
} from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'
import { waitUntil } from '../../support/repository/test-repository.js'

interface Told {
  readonly status: string
  readonly head: string
  readonly catalog: string
  readonly warnings: Readonly<Record<'branch' | 'edits', { readonly ok: boolean; readonly detail?: string }>>
}

const toBranch = {
  title: 'at another branch with a commit of its own',
  async leave({ git, write }: ExampleRepository) {
    await git('switch', '-q', '-c', 'own')
    await write(`${exampleRecordFolder}/document.json`, goodDocument('Draft'))
    await git('commit', '-qam', 'Draft')
  },
  says: 'at the branch own',
  back: ['switch main'],
}

/**
 * Ways in which HEAD can leave `main`: the commands that cause it, the text of the warning, and the commands that end
 * it.
 */
const ways = [
  toBranch,
  {
    title: 'at an older branch',
    leave: ({ git }: ExampleRepository) => git('switch', '-q', '-c', 'old', 'HEAD~1'),
    says: 'at the branch old',
    back: ['switch main'],
  },
  {
    title: 'detached',
    leave: ({ git }: ExampleRepository) => git('checkout', '-q', 'HEAD~1'),
    says: 'detached at commit',
    back: ['switch main'],
  },
  {
    title: 'in the middle of a bisect',
    async leave({ git }: ExampleRepository) {
      await git('bisect', 'start')
      await git('bisect', 'bad')
      await git('bisect', 'good', 'HEAD~2')
    },
    says: 'in the middle of a bisect',
    back: ['bisect reset'],
  },
  {
    title: 'in the middle of a rebase',
    async leave({ git, tryGit, write }: ExampleRepository) {
      await git('switch', '-q', '-c', 'own', 'HEAD~1')
      await write(`${exampleRecordFolder}/document.json`, goodDocument('Draft'))
      await git('commit', '-qam', 'Draft')
      expect((await tryGit('rebase', '-q', 'main')).code).to.not.equal(0)
    },
    says: 'in the middle of a rebase',
    back: ['rebase --abort', 'switch main'],
  },
]

/** Makes the example repository with two updates of its record. */
async function makeUpdatedRepository(data: string): Promise<void> {
  await initialise(data, [])
  const file = join(await temporaryFolder(), 'document.json')
  for (const title of ['Long before', 'Before']) {
    await writeFile(file, goodDocument(title))
    const { code, stderr } = await runMetastore(['update', exampleRecordId, file, '--data', data])
    expect(code, stderr).to.equal(0)
  }
}

let hand: ExampleRepository
let server: RunningServer
/** Starts a server of the example repository with two updates of its record. */
async function start(): Promise<void> {
  const folder = await temporaryFolder()
  hand = exampleRepositoryAt(folder, join(folder, 'data'))
  await copyPrepared('updated', hand.data, makeUpdatedRepository)
  server = await startServer(['--data', hand.data])
}

const health = async () => (await (await fetch(`${server.url}health`)).json()) as Told
const document = async () => (await fetch(`${server.url}api/v1/metadata/${exampleRecordId}`)).text()

const until = (what: () => Promise<boolean>) => waitUntil('what a person does is noticed', what)

/** Waits until the work tree equals the branch and the index is not locked. */
const followed = () =>
  until(
    async () =>
      !existsSync(join(hand.data, '.git/index.lock')) && (await hand.git('status', '--porcelain')) === '',
  )

async function update(title: string, ...where: readonly string[]): Promise<void> {
  const file = join(hand.folder, 'document.json')
  await writeFile(file, goodDocument(title))
  const target = where.length > 0 ? where : ['--url', server.url]
  const { code, stderr } = await runMetastore(['update', exampleRecordId, file, ...target])
  expect(code, stderr).to.equal(0)
}

/** The work tree and the index of a person, and the position of HEAD. */
const theirs = async () =>
  [
    await hand.git('status', '--porcelain', '--branch'),
    await hand.git('rev-parse', 'HEAD'),
    await hand.git('ls-files', '-s'),
    await readFile(join(hand.data, exampleRecordFolder, 'document.json'), 'utf8'),
  ].join('\n')

for (const { title, leave, says, back } of ways) {
  describe(`HEAD of a data folder that is ${title}`, () => {
    const file = () => readFile(join(hand.data, exampleRecordFolder, 'document.json'), 'utf8')
    let left: string
    let commands: string
    let main: string
    let told: Told
    before(async () => {
      await start()
      commands = back.map(each => `git -C ${hand.data} ${each}`).join(' && ')
      await leave(hand)
      left = await theirs()
      main = await hand.git('rev-parse', 'main')
      await until(async () => !(await health()).warnings.branch.ok)
      told = await health()
    })
    after(stopProcesses)

    it('is reported by /health, with the commands that lead back', () => {
      expect(told.status).to.equal('UP')
      expect(told.warnings.branch.detail).to.contain(says)
      expect(told.warnings.branch.detail).to.contain(`To go back: ${commands}.`)
    })

    it('is reported in the log', () => until(async () => server.stderr().includes(says)))

    it('does not change what is served', async () => {
      expect(told).to.include({ head: main, catalog: main })
      expect(await document()).to.contain('Before')
    })

    describe('during updates by clients and commands', () => {
      before(async () => {
        await update('Meanwhile')
        expect(await postExampleRecord(server, 'rod-8')).to.equal(201)
        await update('By a command', '--data', hand.data)
      })

      it('does not hide the updates, which are on the served branch', async () => {
        expect(await document()).to.contain('By a command')
        expect((await health()).catalog).to.equal(await hand.git('rev-parse', 'main'))
      })

      it('stays where it is, with its index and work tree', async () => {
        expect(await theirs()).to.equal(left)
      })

      it('is reported by a command, which lists the served branch', async () => {
        const listed = await hand.run('list', '--json')
        expect(JSON.parse(listed.stdout).entries.map(({ id }: { id: string }) => id)).to.contain('rod-8')
        expect(listed.stderr).to.contain(says)
      })

      it('is reported by status, with the commands that lead back', async () => {
        expect((await hand.run('status')).stdout)
          .to.match(/^Branch {3}main, commit/m)
          .and.contain(commands)
      })

      it('prevents a commit by a command, which names the commands that lead back', async () => {
        expect((await hand.run('commit', '-m', 'Mine')).stderr).to.contain(commands)
      })

      describe('and that went back', () => {
        before(async () => {
          for (const each of back) await hand.git(...each.split(' '))
          await until(async () => (await health()).warnings.branch.ok)
        })

        it('has a clean work tree with the updates', async () => {
          expect(await hand.git('status', '--porcelain')).to.equal('')
          expect(await file()).to.contain('By a command')
        })

        it('has a work tree that follows the next update', async () => {
          await update('Afterwards')
          await until(async () => (await file()).includes('After'))
          await followed()
        })

        // The server tells its health at each request, and its log when it notices a change of the Git directory.
        it('is reported in the log as back', () =>
          until(async () => server.stderr().includes('HEAD is back at the branch main')))
      })
    })
  })
}

describe('HEAD of a data folder that leaves the served branch', () => {
  beforeEach(start)
  afterEach(stopProcesses)

  it('does not change the served branch after a restart', async () => {
    await toBranch.leave(hand)
    const left = await theirs()
    await server.stop()

    server = await startServer(['--data', hand.data])

    expect(await document()).to.contain('Before')
    expect((await health()).warnings.branch.detail).to.contain('at the branch own')
    await update('Meanwhile')
    await server.stop()
    expect(await theirs()).to.equal(left)
    await hand.git('switch', '-q', 'main')
    server = await startServer(['--data', hand.data])
    expect(await hand.git('status', '--porcelain')).to.equal('')
    expect((await health()).warnings.branch).to.deep.equal({ ok: true })
  })

  it('can change the served branch with the steps of the warning', async () => {
    await toBranch.leave(hand)
    await until(async () => !(await health()).warnings.branch.ok)
    const { detail = '' } = (await health()).warnings.branch
    const [, folder = ''] = /delete served-branch and catalog\.sqlite\* in (\S+),/.exec(detail) ?? []
    await server.stop()
    const files = ['served-branch', 'catalog.sqlite', 'catalog.sqlite-wal', 'catalog.sqlite-shm']
    for (const file of files) await rm(join(folder, file), { force: true })

    server = await startServer(['--data', hand.data])

    expect(await document()).to.contain('Draft')
    expect((await health()).warnings.branch).to.deep.equal({ ok: true })
    await update('On it')
    await until(async () =>
      (await readFile(join(hand.data, exampleRecordFolder, 'document.json'), 'utf8')).includes('On it'),
    )
  })

  it('follows a branch that is renamed while no server runs', async () => {
    await server.stop()
    await hand.git('branch', '-m', 'main', 'trunk')

    server = await startServer(['--data', hand.data])

    expect(await document()).to.contain('Before')
    expect((await health()).warnings.branch).to.deep.equal({ ok: true })
  })

  it('does not change the branch of clones from the server', async () => {
    for (const { leave, title } of ways.slice(0, 3)) {
      await leave(hand)
      const copy = join(hand.folder, title)
      const cloned = await runProgram('git', ['clone', '-q', `${server.url}repository.git`, copy])
      expect(cloned.code, cloned.stderr).to.equal(0)
      const head = await runProgram('git', ['-C', copy, 'symbolic-ref', 'HEAD'])
      expect(head.stdout).to.equal('refs/heads/main\n')
      expect(await readFile(join(copy, exampleRecordFolder, 'document.json'), 'utf8')).to.contain('Before')
      await hand.git('switch', '-q', 'main')
    }
  })

  it('leaves the work tree clean after an update at the moment of its return', async () => {
    await hand.git('switch', '-q', '-c', 'own')
    await until(async () => !(await health()).warnings.branch.ok)
    // Git updates the files and the index first and HEAD last. An update comes in between.
    await hand.git('read-tree', '-m', '-u', 'main')
    await update('In between')
    await hand.git('symbolic-ref', 'HEAD', 'refs/heads/main')

    await until(async () => (await hand.git('status', '--porcelain')) === '')
    expect(await readFile(join(hand.data, exampleRecordFolder, 'document.json'), 'utf8')).to.contain(
      'In between',
    )
  })
})
