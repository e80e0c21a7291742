// test-schedule: waits
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { startServer, stopProcesses } from '../../support/program/run-program.js'
import {
  listOf,
  rodFile,
  type ServerAndEditor,
  startServerAndEditor,
} from '../../support/servers/server-and-editor.js'

const rodRecord = rodFile.replace('document.xml', 'record.json')

interface Told {
  readonly status: string
  readonly catalog: string
  readonly warnings: Readonly<Record<'branch' | 'edits', { readonly ok: boolean; readonly detail?: string }>>
  readonly undone: readonly { readonly path: string; readonly undone: object }[]
}

interface Change {
  readonly id: string
  readonly commit: string
  readonly undoes?: { readonly commit: string; readonly version?: number }
}

let started: ServerAndEditor
/** Starts a server, and a person who works on its data folder. */
async function start(): Promise<void> {
  started = await startServerAndEditor()
}

async function get<T>(path: string, url = started.server.url): Promise<T> {
  return (await (await fetch(`${url}${path}`)).json()) as T
}
const health = (url?: string) => get<Told>('health', url)
async function changeOf(commit: string, url?: string): Promise<Change | undefined> {
  const { items } = await get<{ readonly items: readonly Change[] }>('api/changes?limit=1000', url)
  return items.find(item => item.commit === commit)
}
/** Waits until the server has read the commits of the person. @returns the head */
async function readIn(): Promise<string> {
  const head = await started.hand.git('rev-parse', 'HEAD')
  await started.until(async () => (await health()).catalog === head)
  return head
}
async function undo(...options: string[]): Promise<string> {
  await started.both()
  await started.hand.git('commit', '-qam', 'Edit', ...options)
  return await readIn()
}

describe('a commit with plain git that undoes an update', () => {
  beforeEach(start)
  afterEach(stopProcesses)

  it('is reported to every caller, with details only to callers who may read everything', async () => {
    const { hand } = started
    await undo()
    const env = { METASTORE_JWT_SECRET: 'a secret of at least thirty-two bytes' }
    const { url } = await startServer(['--data', hand.data, '--auth'], { env })

    const told = await health(url)

    expect(told.status).to.equal('UP')
    expect(told.warnings).to.deep.equal({ branch: { ok: true }, edits: { ok: false }, records: { ok: true } })
    expect(told.undone).to.deep.equal([])
  })

  it('is still reported after a restart and after a rebuild of the catalog', async () => {
    const { hand, server } = started
    const commit = await undo()
    await server.stop()
    await rm(join(hand.data, '.git/git-metastore/catalog.sqlite'))
    const { url } = await startServer(['--data', hand.data])

    expect((await health(url)).undone).to.have.length(1)
    expect((await changeOf(commit, url))?.undoes?.version).to.equal(2)
  })

  it('is found if it was made without a server, also by a command', async () => {
    const { hand, server } = started
    await started.both()
    await server.stop()
    await hand.git('commit', '-qam', 'Edit')
    expect((await hand.run('list')).code).to.equal(0)

    expect((await hand.run('status')).stdout).to.contain('undid version 2')
  })

  it('is found if the catalog was lost in the meantime', async () => {
    const { hand, server } = started
    await started.both()
    await server.stop()
    await hand.git('commit', '-qam', 'Edit')
    await rm(join(hand.data, '.git/git-metastore/catalog.sqlite'))
    const { url } = await startServer(['--data', hand.data])

    expect((await health(url)).undone).to.have.length(1)
  })

  it('is reported with all undone versions, and the last one can be restored', async () => {
    const { hand, update } = started
    await hand.edit(rodFile, text => text.replace('six', 'SIX'))
    await update('rod-7', listOf('ONE', 'two', 'three', 'four', 'five', 'six'))
    await update('rod-7', listOf('ONE', 'TWO', 'three', 'four', 'five', 'six'))
    await started.followed()
    await hand.git('commit', '-qam', 'Edit')
    await readIn()

    const { stdout } = await hand.run('status')
    expect(stdout).to.contain('undid versions 2 to 3').and.contain('restore rod-7 3')
  })

  it('is reported if it undid an update of only the record, with the commands to restore it', async () => {
    const { hand, server, until } = started
    await hand.edit(rodRecord, text => text.replace('{', '{\n  "titles": [{ "value": "Mine" }],'))
    const body = new FormData()
    const answer = await fetch(`${server.url}api/v2/metadata/rod-7`, {
      headers: { accept: 'application/vnd.datacite.org+json' },
    })
    const edited = { ...((await answer.json()) as object), titles: [{ value: 'Theirs' }] }
    body.set('record', new Blob([JSON.stringify(edited)], { type: 'application/json' }), 'record.json')
    const put = await fetch(`${server.url}api/v2/metadata/rod-7`, {
      method: 'PUT',
      headers: { 'if-match': '*' },
      body,
    })
    expect(put.status).to.equal(200)
    await started.followed()
    await hand.git('commit', '-qam', 'Edit')
    await readIn()

    expect((await health()).undone[0]).to.include({ path: rodRecord })
    const { stdout } = await hand.run('status')
    const [, source = '', path = ''] =
      /restore --source=(\w+) -- (\S+) && git-metastore commit/.exec(stdout) ?? []
    await hand.git('restore', `--source=${source}`, '--', path)
    expect((await hand.run('commit', '-m', 'Restore')).code).to.equal(0)
    await until(async () => (await health()).undone.length === 0)
  })

  it('is reported if --no-verify skipped the hook', async () => {
    const { hand } = started
    await hand.run('hooks', 'install')
    await started.both()
    const stopped = await hand.tryGit('commit', '-am', 'Edit')
    expect(stopped.code).to.not.equal(0)
    expect(stopped.stdout + stopped.stderr).to.contain('based on version 1, the newest is version 2')

    await hand.git('commit', '-qam', 'Edit', '--no-verify')

    await readIn()
    expect((await health()).undone).to.have.length(1)
  })

  it('is not reported if it contains the update, was made with --ours, or the edit began again', async () => {
    const { hand, update, until } = started
    await started.both()
    await hand.edit(rodFile, text => text.replace('one', 'ONE'))
    await hand.git('commit', '-qam', 'Merge by hand')
    await readIn()
    expect((await health()).undone).to.deep.equal([])

    await hand.edit(rodFile, text => text.replace('two', 'zwei'))
    await update('rod-7', listOf('ONE', 'two', 'drei', 'four', 'five', 'SIX'))
    await started.followed()
    expect((await hand.run('commit', '-m', 'Ours', '--ours')).code).to.equal(0)
    await readIn()
    expect((await health()).undone).to.deep.equal([])

    await hand.edit(rodFile, text => text.replace('zwei', 'two'))
    await update('rod-7', listOf('uno', 'zwei', 'three', 'four', 'five', 'SIX'))
    await started.followed()
    await hand.git('checkout', '--', rodFile)
    await until(
      async () => !(await started.read('.git/git-metastore/edit-bases').catch(() => '')).includes(rodFile),
    )
    await hand.edit(rodFile, text => text.replace('uno', 'one'))
    await hand.git('commit', '-qam', 'Knowing')
    await readIn()
    expect((await health()).undone).to.deep.equal([])
  })
})

describe('a commit with plain git that undid an update', () => {
  let commit: string
  let update: { readonly commit: string; readonly version: number }
  let told: Told
  let status: string
  before(async () => {
    await start()
    commit = await undo()
    update = { commit: (await started.hand.git('rev-parse', 'HEAD~1')).trim(), version: 2 }
    told = await health()
    status = (await started.hand.run('status')).stdout
  })
  after(stopProcesses)

  it('is a warning of /health, which is up', () => {
    expect(told.status).to.equal('UP')
    expect(told.warnings.edits.ok).to.equal(false)
    expect(told.warnings.edits.detail).to.contain('undid version 2').and.contain(commit.slice(0, 10))
  })

  it('is listed by /health with the update', () => {
    expect(told.undone).to.have.length(1)
    expect(told.undone[0]).to.deep.include({
      ...{ kind: 'metadata', id: 'rod-7', path: rodFile },
      ...{ commit, version: 3, basedOn: 1, undone: update },
    })
  })

  it('is a change in the feed that names the update', async () => {
    expect((await changeOf(commit))?.undoes).to.deep.equal(update)
    expect((await changeOf(update.commit))?.undoes).to.equal(undefined)
  })

  it('is reported in the log', () => {
    expect(started.server.stderr()).to.contain(`undid updates of ${rodFile}`)
  })

  it('is shown by status with its author', async () => {
    const author = await started.hand.git('log', '-1', '--format=%an')
    expect(status).to.contain(`by ${author} made version 3 of metadata "rod-7" and undid version 2`)
  })

  describe('before the command of status, which restores the update', () => {
    before(async () => {
      const [, command = ''] = /git-metastore (restore rod-7 2) --data/.exec(status) ?? []
      await started.through(...command.split(' '))
    })

    it('is no longer a warning of /health', async () => {
      const { warnings, undone } = await health()
      expect(warnings.edits).to.deep.equal({ ok: true })
      expect(undone).to.deep.equal([])
    })

    it('is no longer shown by status', async () => {
      expect((await started.hand.run('status')).stdout).to.not.match(/^undone/m)
    })

    it('is still a change in the feed that names the update', async () => {
      expect((await changeOf(commit))?.undoes?.version).to.equal(2)
    })

    it('is replaced in the work tree', async () => {
      await started.shown(rodFile, 'ONE')
      expect(await started.read(rodFile)).to.contain('>six<')
    })
  })
})
