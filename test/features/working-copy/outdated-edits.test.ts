// test-schedule: waits
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { stopProcesses } from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
} from '../../support/repository/example-repository.js'
import {
  listOf,
  rodFile,
  type ServerAndEditor,
  startServerAndEditor,
} from '../../support/servers/server-and-editor.js'

const json = `${exampleRecordFolder}/document.json`

describe('an edit of the work tree that is based on an older version', () => {
  let hand: ExampleRepository
  let through: ServerAndEditor['through']
  let update: ServerAndEditor['update']
  let read: ServerAndEditor['read']
  let until: ServerAndEditor['until']
  let shown: ServerAndEditor['shown']
  let followed: ServerAndEditor['followed']
  let both: ServerAndEditor['both']
  beforeEach(async () => {
    ;({ hand, through, update, read, until, shown, followed, both } = await startServerAndEditor())
  })
  afterEach(stopProcesses)

  it('is refused by commit, with both versions and the commands that show them', async () => {
    await both()
    const before = await hand.git('rev-parse', 'HEAD')

    const { code, stderr } = await hand.run('commit', '-m', 'Edit')

    expect(code).to.equal(3)
    expect(stderr).to.contain(rodFile)
    expect(stderr).to.contain('metadata "rod-7" is based on version 1, the newest is version 2')
    expect(await hand.git('rev-parse', 'HEAD')).to.equal(before)
    const commands = [...stderr.matchAll(/git -C \S+ diff ([^\n]+)/g)].map(([, args]) => args?.split(' '))
    expect(commands).to.have.length(2)
    const [edit = [], since = []] = commands
    expect(await hand.git('diff', ...(edit as string[]))).to.contain('+  <item>SIX</item>')
    expect(await hand.git('diff', ...(since as string[]))).to.contain('+  <item>ONE</item>')
    for (const option of ['--merge', '--ours', '--theirs']) expect(stderr).to.contain(option)
    expect(await read(rodFile)).to.contain('SIX')
  })

  it('is reported by status and check, also with --json', async () => {
    await both()

    const { stdout } = await hand.run('status')
    expect(stdout).to.contain('based on version 1, the newest is version 2')
    const { outdated } = JSON.parse((await hand.run('status', '--json')).stdout)
    expect(outdated).to.have.length(1)
    expect(outdated[0]).to.include({ path: rodFile, id: 'rod-7', basedOn: 1, version: 2 })
    const checked = await hand.run('check')
    expect(checked.code).to.equal(3)
    expect(checked.stdout).to.contain('based on version 1, the newest is version 2')
  })

  it('is refused by the pre-commit hook until the file has the newer changes', async () => {
    await hand.run('hooks', 'install')
    await both()

    const { code, stdout, stderr } = await hand.tryGit('commit', '-am', 'Edit')

    expect(code).to.not.equal(0)
    expect(stdout + stderr).to.contain('based on version 1, the newest is version 2')
    await hand.edit(rodFile, text => text.replace('one', 'ONE'))
    expect((await hand.run('status')).stdout).to.not.contain('based on')
    await hand.git('commit', '-qam', 'Edit')
    expect(await hand.git('show', `HEAD:${rodFile}`)).to.equal(
      listOf('ONE', 'two', 'three', 'four', 'five', 'SIX').trim(),
    )
  })

  it('is merged with the newest version by lines with --merge', async () => {
    await both()
    const { code, stderr } = await hand.run('commit', '-m', 'Edit', '--merge')

    expect(code, stderr).to.equal(0)
    const merged = listOf('ONE', 'two', 'three', 'four', 'five', 'SIX')
    expect(await read(rodFile)).to.equal(merged)
    await until(async () => (await through('get', 'rod-7')).stdout === merged)
    expect(await hand.git('status', '--porcelain')).to.equal('')
    expect((await hand.run('commit', '-m', 'Again')).stdout).to.contain('nothing to commit')
  })

  it('is not stored by --merge on a conflict, and the message names the place', async () => {
    await hand.edit(rodFile, text => text.replace('three', 'drei'))
    await update('rod-7', listOf('one', 'two', 'tre', 'four', 'five', 'six'))
    await followed()
    const [before, text] = [await hand.git('rev-parse', 'HEAD'), await read(rodFile)]

    const { code, stderr } = await hand.run('commit', '-m', 'Edit', '--merge')

    expect(code).to.equal(3)
    expect(stderr).to.contain(`${rodFile}: line 4`)
    expect(stderr).to.contain('Nothing is stored')
    expect(await hand.git('rev-parse', 'HEAD')).to.equal(before)
    expect(await read(rodFile)).to.equal(text)
  })

  it('is merged with the newest version by members with --merge, if it is JSON', async () => {
    const document = { title: 'A', date: '2026-03-14', instrument: { name: 'SEM' } }
    await update(exampleRecordId, `${JSON.stringify(document)}\n`)
    await shown(json, '"A"')
    await followed()
    await hand.write(json, `${JSON.stringify({ ...document, title: 'Mine' })}\n`)
    await update(exampleRecordId, `${JSON.stringify({ ...document, date: '2026-03-15' })}\n`)
    await followed()

    const { code, stderr } = await hand.run('commit', '-m', 'Edit', '--merge')

    expect(code, stderr).to.equal(0)
    expect(JSON.parse(await read(json))).to.deep.equal({ ...document, title: 'Mine', date: '2026-03-15' })
    await hand.write(json, `${JSON.stringify({ ...document, title: 'Mine again' })}\n`)
    await update(exampleRecordId, `${JSON.stringify({ ...document, title: 'Theirs' })}\n`)
    await followed()
    const second = await hand.run('commit', '-m', 'Edit', '--merge')
    expect(second.code).to.equal(3)
    expect(second.stderr).to.contain(`${json}: /title`)
  })

  it('is committed unchanged with --ours, and is not reported any more', async () => {
    await both()
    const text = await read(rodFile)

    const { code, stderr } = await hand.run('commit', '-m', 'Edit', '--ours')

    expect(code, stderr).to.equal(0)
    await until(async () => (await through('get', 'rod-7')).stdout === text)
    expect((await hand.run('status')).stdout).to.not.match(/based on|undone/)
  })

  it('is replaced by the newest version with --theirs, and Git keeps the edit as an object', async () => {
    await both()
    await hand.write('schemas/other/schema.json', '{ "type": "object" }\n')
    await hand.write('schemas/other/record.json', '{}\n')
    const edit = await read(rodFile)

    const { code, stderr } = await hand.run('commit', '-m', 'Edit', '--theirs')

    expect(code, stderr).to.equal(0)
    expect(await read(rodFile))
      .to.contain('ONE')
      .and.not.contain('SIX')
    expect(await hand.git('show', '--name-only', '--format=')).to.not.contain(rodFile)
    const [, blob = ''] = /cat-file -p ([0-9a-f]{40})/.exec(stderr) ?? []
    expect(`${await hand.git('cat-file', '-p', blob)}\n`).to.equal(edit)
  })

  it('is detected if it is staged, if it removes the file, and after several newer versions', async () => {
    await hand.edit(rodFile, text => text.replace('six', 'SIX'))
    await hand.git('add', rodFile)
    await rm(join(hand.data, json))
    await update('rod-7', listOf('ONE', 'two', 'three', 'four', 'five', 'six'))
    await update('rod-7', listOf('ONE', 'TWO', 'three', 'four', 'five', 'six'))
    const text = (await hand.git('show', `HEAD:${json}`)).replace('Ada', 'Eve')
    await update(exampleRecordId, `${text}\n`)
    await until(async () => (await hand.run('commit', '-m', 'Edit')).stderr.includes(json))

    const { code, stderr } = await hand.run('commit', '-m', 'Edit')

    expect(code).to.equal(3)
    expect(stderr).to.contain('metadata "rod-7" is based on version 1, the newest is version 3')
    expect(stderr).to.contain(json)
  })

  it('is forgotten after a checkout of the file: the next edit starts from the newest version', async () => {
    await both()
    await hand.git('checkout', '--', rodFile)
    await hand.edit(rodFile, text => text.replace('ONE', 'uno'))

    expect((await hand.run('commit', '-m', 'Edit')).stdout).to.contain('Committed')
    await hand.edit(rodFile, text => text.replace('six', 'SIX'))
    await update('rod-7', listOf('ONE', 'two', 'three', 'four', 'five', 'six'))
    await followed()
    expect((await hand.run('commit', '-m', 'Edit')).stderr).to.contain('is based on version 3')
  })
})
