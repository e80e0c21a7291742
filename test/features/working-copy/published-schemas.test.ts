import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { xsd } from '../../support/data/schema-bundles.js'
import { startService } from '../../support/http/test-service.js'
import {
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('a published schema in a clone', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  it('is checked as a request is, and the advice for a missing file of a URL helps', async () => {
    const service = await startService()
    const clone = join(await temporaryFolder(), 'clone')
    await runProgram('git', ['clone', '-q', service.repository.dir, clone])
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(clone, path)), { recursive: true })
      await writeFile(join(clone, path), text)
    }
    await write('schemas/dashes/record.json', '{}')
    await write(
      'schemas/dashes/schema.xsd',
      `<!DOCTYPE xs:schema [<!ENTITY unused SYSTEM "names.ent">]>${xsd(
        '<xs:annotation><xs:documentation><xs:include schemaLocation="yours.xsd"/></xs:documentation></xs:annotation><xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://example.org/xml.xsd"/><xs:include schemaLocation="19999/-3/a.xsd"/>',
      )}`,
    )
    await write(
      'schemas/dashes/19999/-3/a.xsd',
      xsd(
        '<xs:import namespace="urn:e" schemaLocation="https://example.org/2026/e.xsd"/><xs:element name="a"/>',
      ),
    )
    const check = () => runMetastore(['check', '--json', '--data', clone])

    const { faults } = JSON.parse((await check()).stdout) as { faults: { path: string; message: string }[] }
    expect(faults).to.have.length(1)
    const advised = /Add the file as "(.*?)" or "(.*?)"\.$/.exec(faults[0]?.message ?? '')
    expect(advised?.slice(1)).to.deep.equal(['e.xsd', 'example.org/2026/e.xsd'])
    for (const name of ['e.xsd', 'example.org/2026/e.xsd']) {
      const path = join(clone, 'schemas/dashes', name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, xsd('<xs:element name="e"/>', 'targetNamespace="urn:e"'))
      const checked = await check()
      expect(checked.code, checked.stdout + checked.stderr).to.equal(0)
      await runProgram('rm', [path])
    }
  })
})
