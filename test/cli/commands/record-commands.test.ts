// test-schedule: waits
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type FinishedProcess,
  programScript,
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'

const boxSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="types/size.xsd"/>
  <xs:element name="box" type="Size"/>
</xs:schema>
`
const sizeTypes = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="units.xsd"/>
  <xs:complexType name="Size"><xs:attribute name="unit" type="Unit" use="required"/></xs:complexType>
</xs:schema>
`
const unitTypes = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="Unit"><xs:restriction base="xs:token"><xs:enumeration value="mm"/></xs:restriction></xs:simpleType>
</xs:schema>
`

/** The modes of the commands, all on the same data folder. */
const ways = [
  'on a data folder',
  'on a data folder beside its running server',
  'on a running server',
] as const

for (const way of ways) {
  describe(`the record commands ${way}`, () => {
    let folder: string
    let server: RunningServer | undefined
    let where: readonly string[]

    const run = (...args: string[]): Promise<FinishedProcess> =>
      runMetastore([...args, ...where], { cwd: folder })
    const json = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { stdout, stderr, code } = await run(...args, '--json')
      expect(code, stderr).to.equal(0)
      return JSON.parse(stdout) as Record<string, unknown>
    }
    const git = async (...args: string[]) =>
      (await runProgram('git', ['-C', join(folder, 'data'), ...args])).stdout.trim()

    /**
     * Ids of the schema and of the first document, which are new for each test, because all tests share the repository.
     */
    let [box, first, count] = ['', '', 0]

    before(async () => {
      folder = await temporaryFolder()
      await copyPrepared('empty', join(folder, 'data'), made => initialise(made, ['--empty']))
      server = way === 'on a data folder' ? undefined : await startServer(['--data', join(folder, 'data')])
      where =
        way === 'on a running server' && server ? ['--url', server.url] : ['--data', join(folder, 'data')]
    })
    beforeEach(async () => {
      count++
      box = `box-${count}`
      first = `first-${count}`
      await mkdir(join(folder, 'box', 'types'), { recursive: true })
      await writeFile(join(folder, 'box', 'box.xsd'), boxSchema)
      await writeFile(join(folder, 'box', 'types', 'size.xsd'), sizeTypes)
      await writeFile(join(folder, 'box', 'types', 'units.xsd'), unitTypes)
      await writeFile(join(folder, 'good.xml'), '<box unit="mm"/>')
      await writeFile(join(folder, 'bad.xml'), '<box unit="miles"/>')
    })
    after(stopProcesses)

    it('register a schema with all its files, and store, update and read documents', async () => {
      const schema = await json('register', box, 'box/box.xsd')
      expect(schema).to.include({ kind: 'schema', id: box, version: 1, type: 'XML' })
      expect(schema.commit).to.equal(await git('rev-parse', 'HEAD'))
      expect(
        (await git('ls-tree', '-r', '--name-only', 'HEAD', `schemas/${box}`)).split('\n'),
      ).to.have.members([
        `schemas/${box}/record.json`,
        `schemas/${box}/schema.xsd`,
        `schemas/${box}/types/size.xsd`,
        `schemas/${box}/types/units.xsd`,
      ])

      const added = await json('add', box, 'https://example.org/things/1', 'good.xml', '--id', first)
      expect(added).to.include({ kind: 'metadata', id: first, version: 1 })
      expect(added.schema).to.deep.equal({ schemaId: box, version: 1 })
      await writeFile(join(folder, 'good.xml'), '<box  unit="mm"></box>')
      expect(await json('update', first, 'good.xml')).to.include({ version: 2 })

      expect((await run('get', first)).stdout).to.equal('<box  unit="mm"></box>')
      expect((await run('get', first, '--version', '1')).stdout).to.equal('<box unit="mm"/>')
      expect((await run('get', box)).stdout).to.equal(boxSchema)
      expect(await json('get', first, '--record')).to.include({ id: first, recordVersion: 2 })
    })

    it('make no version from the current document', async () => {
      await run('register', box, 'box/box.xsd')
      await run('add', box, 'https://example.org/things/1', 'good.xml', '--id', first)
      const before = await git('rev-parse', 'HEAD')

      const { stdout, code } = await run('update', first, 'good.xml')

      expect(stdout).to.match(new RegExp(`^Nothing changed: metadata ${first}, version 1 `))
      expect(code).to.equal(0)
      expect(await git('rev-parse', 'HEAD')).to.equal(before)
    })

    it('exit with 4 for an invalid document, name the place, and store nothing', async () => {
      await run('register', box, 'box/box.xsd')
      const before = await git('rev-parse', 'HEAD')

      const validated = await run('validate', box, 'good.xml', 'bad.xml')
      const added = await run('add', box, 'https://example.org/things/1', 'bad.xml')

      expect(validated.code).to.equal(4)
      expect(validated.stdout).to.match(/^valid {4}good\.xml\ninvalid {2}bad\.xml\n {2}line 1: .*unit/)
      expect(added.code).to.equal(4)
      expect(added.stderr).to.match(/line 1: .*unit/)
      expect(await git('rev-parse', 'HEAD')).to.equal(before)
    })

    it('validate each document even if one is empty', async () => {
      await run('register', box, 'box/box.xsd')
      await writeFile(join(folder, 'empty.xml'), '')

      const validated = await run('validate', box, 'good.xml', 'empty.xml', 'bad.xml')
      const missing = await run('validate', `${box}-none`, 'empty.xml')

      expect(validated.code, validated.stderr).to.equal(4)
      expect(validated.stdout).to.match(
        /^valid {4}good\.xml\ninvalid {2}empty\.xml\n.*[Dd]ocument is empty.*\ninvalid {2}bad\.xml\n/,
      )
      expect(missing.code).to.equal(3)
    })

    it('exit with 3 for a missing record, a taken id, or a changed record', async () => {
      await run('register', box, 'box/box.xsd')
      await run('add', box, 'https://example.org/things/1', 'good.xml', '--id', first)

      expect((await run('get', 'second')).code).to.equal(3)
      expect((await run('get', first, '--version', '7')).code).to.equal(3)
      expect((await run('add', 'crate', 'https://example.org/things/2', 'good.xml')).code).to.equal(3)
      expect((await run('register', box, 'box/box.xsd')).code).to.equal(3)
      expect((await run('add', box, 'https://example.org/things/1', 'good.xml')).code).to.equal(3)
      await writeFile(join(folder, 'good.xml'), '<box  unit="mm"/>')
      expect((await run('update', first, 'good.xml', '--if-match', '0'.repeat(40))).code).to.equal(3)
    })

    it('exit with 2 for a wrong command line', async () => {
      expect((await run('get', 'a/b')).code).to.equal(2)
      expect((await run('get', first, '--version', 'one')).code).to.equal(2)
      expect((await run('register', 'box', 'nowhere.xsd')).code).to.equal(2)
      expect((await run('lists')).code).to.equal(2)
      expect((await run('list', '--colour')).code).to.equal(2)
      expect((await run()).code).to.equal(2)
    })

    it('refuse a schema whose files are missing or outside its folder', async () => {
      await writeFile(join(folder, 'box', 'box.xsd'), boxSchema.replace('types/size.xsd', 'types/none.xsd'))
      const missing = await run('register', box, 'box/box.xsd')
      await writeFile(join(folder, 'box', 'box.xsd'), boxSchema.replace('types/size.xsd', '../secret.xsd'))
      await writeFile(join(folder, 'secret.xsd'), sizeTypes)
      const outside = await run('register', box, 'box/box.xsd')

      expect(missing.code).to.equal(4)
      expect(missing.stderr).to.contain('line 2: types/none.xsd is not there')
      expect(outside.code).to.equal(4)
      expect(outside.stderr).to.contain('line 2: ../secret.xsd is not below the folder')
    })

    it('list the records that match the filters, as a table or as JSON', async () => {
      await run('register', box, 'box/box.xsd')
      await writeFile(join(folder, 'any.json'), '{ "type": "object" }')
      const any = `any-${count}`
      const before = Number((await json('list')).total)
      await run('register', any, 'any.json')
      await writeFile(join(folder, 'some.json'), '{}')
      await run('add', box, 'https://example.org/things/1', 'good.xml', '--id', first)
      await run('add', any, 'https://example.org/things/1', 'some.json', '--id', `second-${count}`)

      const all = await json('list')
      const filtered = await json('list', '--schema', box, '--resource', 'https://example.org/things/1')
      const xml = await run('list', 'schemas', '--type', 'XML')

      expect(all.total).to.equal(before + 2)
      expect(filtered.entries).to.have.length(1)
      expect(filtered.entries).to.have.nested.property('[0].id', first)
      expect(xml.stdout).to.match(
        /^ID {5}VERSION {2}TYPE {2}LAST UPDATE\n(?:box-\d {2}1 {8}XML {3}20\S+Z\n)+$/,
      )
      expect(xml.stdout).to.contain(`\n${box} `)
    })
  })
}

describe('a document on standard input', () => {
  afterEach(stopProcesses)

  it('is read when the file argument is a dash', async () => {
    const data = join(await temporaryFolder(), 'data')
    await runMetastore(['init', data])
    const document = await readFile(
      join(data, 'metadata/1/1/d/5/11d5f0c6-6a2b-4f0e-9d53-0b8f3f7a52c4/document.json'),
    )

    const validate = [programScript, 'validate', 'measurement', '-', '--data', data]
    const { code, stderr } = await runProgram(process.execPath, validate, { input: document })

    expect(code, stderr).to.equal(0)

    const args = ['add', 'measurement', 'https://example.org/dash', '-', '--id', 'dash', '--data', data]
    const added = await runMetastore(args, { input: document })
    expect(added.code, added.stderr).to.equal(0)
    expect((await runMetastore(['get', 'dash', '--data', data])).bytes.equals(document)).to.equal(true)
  })
})
