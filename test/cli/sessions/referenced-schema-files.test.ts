import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import {
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

const xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
/** The document of each schema, then the files to which it refers, directly or indirectly. */
const schemas = {
  json: {
    'box.json': '{"type":"object","properties":{"size":{"$ref":"types/size.json#/$defs/size"}}}',
    'types/size.json': '{"$defs":{"size":{"properties":{"unit":{"$ref":"../units.json"}}}}}',
    'units.json': '{"enum":["mm","m"]}',
  },
  xml: {
    'box.xsd': `<xs:schema ${xs}><xs:include schemaLocation="types/size.xsd"/><xs:element name="box" type="Size"/></xs:schema>`,
    'types/size.xsd': `<xs:schema ${xs}><xs:include schemaLocation="../units.xsd"/><xs:complexType name="Size"><xs:attribute name="unit" type="Unit"/></xs:complexType></xs:schema>`,
    'units.xsd': `<xs:schema ${xs}><xs:simpleType name="Unit"><xs:restriction base="xs:token"><xs:enumeration value="mm"/></xs:restriction></xs:simpleType></xs:schema>`,
  },
} as const

describe('a schema of several files', () => {
  afterEach(stopProcesses)

  it('comes with the files of its folder that have the end of a URL', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    await mkdir(join(folder, 'example.org/2026'), { recursive: true })
    const element = (name: string) =>
      `<xs:schema ${xs} targetNamespace="urn:${name}"><xs:element name="${name}"/></xs:schema>`
    await writeFile(join(folder, 'example.org/2026/a.xsd'), element('a'))
    await writeFile(join(folder, 'b.xsd'), element('b'))
    await writeFile(
      join(folder, 'main.xsd'),
      `<xs:schema ${xs}>${['a', 'b'].map(name => `<xs:import namespace="urn:${name}" schemaLocation="https://example.org/2026/${name}.xsd"/>`).join('')}<xs:element name="m"/></xs:schema>`,
    )
    expect((await runMetastore(['init', data])).code).to.equal(0)
    const registered = await runMetastore(['register', 'urls', join(folder, 'main.xsd'), '--data', data])
    expect(registered.code, registered.stderr).to.equal(0)
    const { stdout } = await runProgram('git', [
      '-C',
      data,
      'ls-tree',
      '-r',
      '--name-only',
      'HEAD:schemas/urls',
    ])
    expect(stdout.trim().split('\n')).to.have.members([
      'b.xsd',
      'example.org/2026/a.xsd',
      'record.json',
      'schema.xsd',
    ])
  })

  it('is stored alike by a command that finds its files and by a form with its files, in JSON and in XML', async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const server = await startServer(['--data', data])
    const filesOf = async (id: string) => {
      const { stdout } = await runProgram('git', ['-C', data, 'ls-tree', '-r', `HEAD:schemas/${id}`])
      return stdout.split('\n').filter(line => line !== '' && !line.endsWith('\trecord.json'))
    }

    for (const [type, files] of Object.entries(schemas)) {
      const [[main, document], ...others] = Object.entries(files) as [[string, string], ...[string, string][]]
      for (const [file, text] of Object.entries(files)) {
        const path = join(folder, type, file)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, text)
      }
      await writeFile(join(folder, type, 'unrelated.txt'), 'not referred to')
      for (const [way, where] of Object.entries({ local: ['--data', data], remote: ['--url', server.url] })) {
        const file = join(folder, type, main)
        const registered = await runMetastore(['register', `${type}-${way}`, file, ...where])
        expect(registered.code, registered.stderr).to.equal(0)
      }
      const form = new FormData()
      form.set('record', new Blob([JSON.stringify({ schemaId: `${type}-form` })]), 'record.json')
      form.set('schema', new Blob([document]), 'schema')
      for (const [file, text] of others) form.append('include', new Blob([text]), file)
      const answer = await fetch(`${server.url}api/v1/schemas`, { method: 'POST', body: form })
      expect(answer.status, await answer.text()).to.equal(201)

      const found = await filesOf(`${type}-form`)
      expect(found).to.have.lengthOf(3)
      expect(await filesOf(`${type}-local`)).to.deep.equal(found)
      expect(await filesOf(`${type}-remote`)).to.deep.equal(found)
      const served = await fetch(`${server.url}api/v1/schemas/${type}-local/files/${others[0]?.[0]}`)
      expect(await served.text()).to.equal(others[0]?.[1])
    }
  })
})
