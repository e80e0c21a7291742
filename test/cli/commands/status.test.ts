import { chmod, readdir, truncate } from 'node:fs/promises'
import { expect } from 'chai'
import { runMetastore, runProgram, startServer, stopProcesses } from '../../support/program/run-program.js'
import {
  badDocument,
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  initExampleRepository,
  modificationTimes,
} from '../../support/repository/example-repository.js'

interface StatusJson {
  readonly branch?: string
  readonly head?: string
  readonly serving: boolean
  readonly catalog?: {
    readonly commit?: string
    readonly behind?: number
    readonly schemas: number
    readonly metadata: number
    readonly size: number
    readonly faults: readonly {
      readonly id?: string
      readonly directory: string
      readonly commit: string
      readonly findings: readonly { readonly message: string }[]
      readonly served?: { readonly version: number; readonly commit: string }
    }[]
  }
  readonly edits: readonly { readonly path: string; readonly change: string; readonly ours: boolean }[]
  readonly objects: { readonly packs: number; readonly packSize: number }
}

let hand: ExampleRepository
/** Makes the example repository. */
async function start(): Promise<void> {
  hand = await initExampleRepository()
}

async function status(data = hand.data): Promise<StatusJson> {
  const { code, stdout, stderr } = await runMetastore(['status', '--json', '--data', data])
  expect(code, stderr).to.equal(0)
  return JSON.parse(stdout) as StatusJson
}

describe('git-metastore status', () => {
  beforeEach(start)
  afterEach(stopProcesses)

  it('shows uncommitted edits', async () => {
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('rm', '-rqf', 'schemas/sample/types')
    await hand.write('notes.txt', 'x')

    expect((await status()).edits.map(({ path, change, ours }) => [path, change, ours])).to.deep.equal([
      [`${exampleRecordFolder}/document.json`, 'changed', true],
      ['schemas/sample/types/material.xsd', 'removed', true],
      ['schemas/sample/types/quantity.xsd', 'removed', true],
      ['notes.txt', 'added', false],
    ])
    expect((await hand.run('status')).stdout).to.contain('added    notes.txt (no part of a record)')
  })

  it('detects running servers, also after a kill', async () => {
    const [one, two] = [await startServer(['--data', hand.data]), await startServer(['--data', hand.data])]
    expect((await status()).serving).to.equal(true)
    await one.stop()
    expect((await status()).serving).to.equal(true)
    await two.stop('SIGKILL')
    expect((await status()).serving).to.equal(false)
  })

  it('reports a damaged repository and the next command', async () => {
    await hand.git('repack', '-adq')
    const packs = `${hand.data}/.git/objects/pack`
    const [pack = ''] = (await readdir(packs)).filter(name => name.endsWith('.pack'))
    await chmod(`${packs}/${pack}`, 0o600)
    await truncate(`${packs}/${pack}`, 500)

    const { code, stdout } = await hand.run('status')

    expect(code).to.equal(0)
    expect(stdout).to.match(/^damaged {2}.* HEAD leads to commit [0-9a-f]{40}, which cannot be read/m)
    expect(stdout).to.contain(`git-metastore repair --data ${hand.data}`).and.not.contain('hint:')
    expect(await status()).to.have.property('unread')
  })

  it('works on bare repositories and detached heads', async () => {
    await runProgram('git', ['clone', '-q', '--bare', hand.data, 'bare.git'], { cwd: hand.folder })
    expect(await status(`${hand.folder}/bare.git`)).to.deep.include({ branch: 'main', edits: [] })
    await hand.git('checkout', '-q', '--detach')
    expect(await status()).to.not.have.property('branch')
  })
})

describe('git-metastore status of a repository with a fault', () => {
  let good: string
  let bad: string
  let fresh: StatusJson
  let shown: StatusJson
  /** Times of the files before the second `status`, and after it. */
  let times: readonly unknown[]
  before(async () => {
    await start()
    good = await hand.git('rev-parse', 'HEAD')
    fresh = await status()
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('commit', '-qam', 'Break it')
    bad = await hand.git('rev-parse', 'HEAD')
    await hand.run('list')
    const untouched = await modificationTimes(hand.data)
    shown = await status()
    times = [untouched, await modificationTimes(hand.data)]
  })
  after(stopProcesses)

  it('shows the branch, before there is a catalog', () => {
    expect(fresh).to.deep.include({ branch: 'main', head: good, serving: false, edits: [] })
    expect(fresh).to.not.have.property('catalog')
  })

  it('is mentioned by a list of the records', async () => {
    const { stdout, stderr } = await hand.run('list')
    const json = JSON.parse((await hand.run('list', '--json')).stdout) as { entries: { id: string }[] }

    expect(stdout).to.contain(exampleRecordId)
    expect(stderr).to.contain(`${exampleRecordId}: its newest commit breaks a rule and is not served.`)
    expect(json.entries.filter(entry => 'isBroken' in entry).map(({ id }) => id)).to.deep.equal([
      exampleRecordId,
    ])
    expect((await hand.run('list', 'schemas')).stderr).to.equal('')
  })

  it('shows the commit and the number of records of the catalog', () => {
    expect(shown.catalog).to.deep.include({ commit: bad, behind: 0, schemas: 2, metadata: 2 })
  })

  it('shows the sizes of the catalog and of the packs', () => {
    expect(shown.catalog?.size).to.be.above(1000)
    expect(shown.objects.packs).to.be.above(0)
    expect(shown.objects.packSize).to.be.above(0)
  })

  it('shows the fault with the served version', () => {
    expect(shown.catalog?.faults).to.have.length(1)
    expect(shown.catalog?.faults[0]).to.deep.include({
      id: exampleRecordId,
      directory: exampleRecordFolder,
      commit: bad,
      served: { version: 1, commit: good },
    })
  })

  it('changes no file', () => {
    expect(times[1]).to.equal(times[0])
  })

  it('says as text that the catalog is behind, and since when there is the fault', async () => {
    await hand.git('commit', '-q', '--allow-empty', '-m', 'One more')
    const { stdout } = await hand.run('status')
    expect(stdout).to.contain('Server   not running')
    expect(stdout).to.contain('Catalog  1 commit behind the branch: 2 schemas, 2 metadata records, 1 fault')
    expect(stdout).to.contain(
      `${exampleRecordFolder} since commit ${bad.slice(0, 10)}; version 1 of commit ${good.slice(0, 10)} is served`,
    )
  })
})
