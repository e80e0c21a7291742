import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { copyRodWithTwoVersions, rodId } from '../../support/repository/example-repository.js'

describe('the command describe', () => {
  let folder: string
  beforeEach(async () => {
    folder = await temporaryFolder()
  })
  afterEach(stopProcesses)

  const file = (name: string) => join(folder, name)

  it('tells what a record of a data folder says, by a crosswalk from a file too', async () => {
    await copyRodWithTwoVersions(file('data'))
    await writeFile(file('crosswalk.json'), JSON.stringify({ version: 'sample.mass' }))
    const args = ['describe', rodId, '--data', file('data'), '--json']
    const now = await runMetastore([...args, '--crosswalk', file('crosswalk.json')])
    const first = await runMetastore([...args, '--crosswalk', file('crosswalk.json'), '--version', '1'])

    expect(now.code, now.stderr).to.equal(0)
    expect(JSON.parse(now.stdout).version).to.deep.equal([{ value: '48.20', path: 'sample.mass' }])
    expect(JSON.parse(first.stdout).version).to.deep.equal([{ value: '48.25', path: 'sample.mass' }])
  })

  it('tells what is wrong in a crosswalk, and applies the rest', async () => {
    await writeFile(file('d.json'), JSON.stringify({ name: 'A fibre' }))
    await writeFile(file('crosswalk.json'), JSON.stringify({ titel: 'x', version: { constant: '2' } }))
    const { code, stdout, stderr } = await runMetastore(
      ['describe', 'd.json', '--crosswalk', 'crosswalk.json'],
      { cwd: folder },
    )
    expect(code).to.equal(4)
    expect(stderr).to.contain('crosswalk.json/titel: There is no property "titel".')
    expect(stdout)
      .to.match(/titles +name +A fibre/)
      .and.match(/version +\(constant\) +2/)
  })

  it('tells for a record which paths its schema rules out', async () => {
    const schema = { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } }
    await writeFile(file('schema.json'), JSON.stringify(schema))
    await writeFile(file('d.json'), JSON.stringify({ name: 'A fibre' }))
    await writeFile(file('crosswalk.json'), JSON.stringify({ titles: 'nome', version: 'name' }))
    for (const args of [
      ['init', 'data'],
      ['register', 'fibre', 'schema.json', '--data', 'data'],
      ['add', 'fibre', 'https://example.org/7', 'd.json', '--id', 'seven', '--data', 'data'],
    ])
      expect((await runMetastore(args, { cwd: folder })).code, args.join(' ')).to.equal(0)
    const { code, stdout, stderr } = await runMetastore(
      ['describe', 'seven', '--data', 'data', '--crosswalk', 'crosswalk.json'],
      { cwd: folder },
    )
    expect(stderr).to.contain('crosswalk.json/titles: No document of this schema can have the path "nome".')
    expect(code).to.equal(4)
    expect(stdout).to.match(/version +name +A fibre/)

    await writeFile(file('second.json'), JSON.stringify({}))
    const added = ['add', 'fibre', 'https://example.org/8', 'second.json', '--id', 'eight', '--data', 'data']
    expect((await runMetastore(added, { cwd: folder })).code).to.equal(0)
    await writeFile(file('crosswalk.json'), JSON.stringify({ titles: 'name' }))
    const trial = ['describe', 'fibre', '--data', 'data', '--crosswalk', 'crosswalk.json', '--limit', '1']
    const newest = await runMetastore(trial, { cwd: folder })
    expect(newest.stdout).to.match(/eight +1 +titles, creators, publicationYear/)
    const [, after = ''] = /1 document: 1 without a title.*--after (\S+)/.exec(newest.stderr) ?? []
    const older = await runMetastore([...trial, '--after', after, '--json'], { cwd: folder })
    expect(JSON.parse(older.stdout)).to.deep.include({ checked: 1, more: false, faults: [] })
    expect(JSON.parse(older.stdout).documents[0]).to.deep.include({ id: 'seven' })

    await writeFile(file('large.json'), JSON.stringify({ name: 'x'.repeat(5 * 2 ** 20) }))
    const large = ['add', 'fibre', 'https://example.org/9', 'large.json', '--id', 'nine', '--data', 'data']
    expect((await runMetastore(large, { cwd: folder })).code).to.equal(0)
    const refused = await runMetastore(['describe', 'nine', '--data', 'data'], { cwd: folder })
    expect(refused.code).to.equal(2)
    expect(refused.stderr)
      .to.contain('The document of "nine" cannot be described')
      .and.contain('4194304 bytes')
    const all = await runMetastore(['describe', 'fibre', '--data', 'data'], { cwd: folder })
    expect(all.stderr).to.contain(
      '3 documents: 1 without a title, 2 without a creator, 2 without a year. Not read: nine, larger than 4194304 bytes.',
    )
    expect(all.stdout).to.not.contain('nine')
  })

  it('refuses what is no document, and a crosswalk that is no JSON', async () => {
    await writeFile(file('d.txt'), 'text')
    const plain = await runMetastore(['describe', 'd.txt'], { cwd: folder })
    expect(plain.code).to.equal(2)
    expect(plain.stderr).to.contain('d.txt is neither JSON nor XML.')
    await writeFile(file('d.xml'), '<!DOCTYPE a SYSTEM "a.dtd"><a><title>T</title></a>')
    const typed = await runMetastore(['describe', 'd.xml'], { cwd: folder })
    expect(typed.code).to.equal(2)
    expect(typed.stderr).to.contain('d.xml cannot be described').and.contain('has a DOCTYPE')
    const wrong = await runMetastore(['describe', 'd.txt', '--crosswalk', 'd.txt'], { cwd: folder })
    expect(wrong.stderr).to.contain('d.txt is not JSON.')
  })
})
