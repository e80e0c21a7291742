import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { copyRodWithTwoVersions, rodId } from '../../support/repository/example-repository.js'

describe('the commands diff and blame', () => {
  let data: string

  beforeEach(async () => {
    data = join(await temporaryFolder(), 'data')
    await copyRodWithTwoVersions(data)
  })
  afterEach(stopProcesses)

  it('show the changes between two versions', async () => {
    const { stdout } = await runMetastore(['diff', rodId, '1', '2', '--data', data])

    expect(stdout).to.contain('-  <mass unit="g">48.25</mass>\n+  <mass unit="g">48.20</mass>')
  })

  it('show the changes of a JSON document as a JSON Patch', async () => {
    const overview = (title: string) =>
      writeFile(join(data, '..', 'o.json'), JSON.stringify({ ...image, title }))
    const image = { date: '2026-03-14', instrument: { name: 'SEM' } }
    await overview('a')
    const added = await runMetastore([
      'add',
      'measurement',
      'http://x/1',
      join(data, '..', 'o.json'),
      '--data',
      data,
      '--id',
      'o',
    ])
    expect(added.code, added.stderr).to.equal(0)
    await overview('b')
    await runMetastore(['update', 'o', join(data, '..', 'o.json'), '--data', data])

    const { stdout } = await runMetastore(['diff', 'o', '1', '2', '--json-patch', '--data', data])
    const ofXml = await runMetastore(['diff', rodId, '1', '2', '--json-patch', '--data', data])

    expect(JSON.parse(stdout)).to.deep.equal([{ op: 'replace', path: '/title', value: 'b' }])
    expect(ofXml.code).to.equal(1)
    expect(ofXml.stderr).to.contain('XML')
  })

  it('name the last version that changed each part', async () => {
    const asJson = await runMetastore(['blame', rodId, '--data', data, '--json'])
    const table = await runMetastore(['blame', rodId, '--data', data, '--version', '1'])

    const { version, members } = JSON.parse(asJson.stdout) as {
      version: number
      members: { path: string; version: number }[]
    }
    const versions = new Map(members.map(member => [member.path, member.version]))
    expect(version).to.equal(2)
    expect(versions.get('/sample/mass[1]')).to.equal(2)
    expect(versions.get('/sample/mass[1]/@unit')).to.equal(1)
    expect(table.stdout).to.match(/^VERSION +COMMIT +TIME +AUTHOR +MEMBER\n1 .* \/sample\n/)
    expect((await runMetastore(['blame', 'none', '--data', data])).code).to.equal(3)
  })
})
