import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { initialise } from './support/by-hand.js'
import { cleanUpProcesses, execute, metastore, serve, temporaryFolder } from './support/cli.js'
import { copyPrepared } from './support/prepared-folder.js'

const schema = (required: string) =>
  JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', required: [required] })

describe('git-metastore restore', () => {
  let data: string
  let folder: string
  beforeEach(async () => {
    folder = await temporaryFolder()
    data = join(folder, 'data')
    await copyPrepared('empty', data, made => initialise(made, ['--empty']))
  })
  afterEach(cleanUpProcesses)

  for (const where of ['--data', '--url'] as const) {
    it(`stores the document of a version and its schema version again: ${where}`, async () => {
      const target = where === '--data' ? data : (await serve(['--data', data])).url
      const run = (...args: string[]) => metastore([...args, where, target])
      async function good(...args: string[]): Promise<string> {
        const { code, stdout, stderr } = await run(...args)
        expect(code, stderr).to.equal(0)
        return stdout
      }
      async function file(text: string): Promise<string> {
        await writeFile(join(folder, 'file'), text)
        return join(folder, 'file')
      }
      await good('register', 'sample', await file(schema('mass')))
      await good('add', 'sample', 'https://example.org/rod', await file('{"mass": 1}\n'), '--id', 'rod-7')
      await good('update', 'sample', await file(schema('weight')))
      const newer = ['update', 'rod-7', await file('{"weight": 2}\n'), '--schema-version', '2']
      await good(...newer)

      const said = await good('restore', 'rod-7', '--version', '1')

      expect(said).to.match(/^Restored version 1 of metadata rod-7, version 3 \(sample, version 1\)/)
      expect(await good('get', 'rod-7')).to.equal('{"mass": 1}\n')
      const commits = await execute('git', ['-C', data, 'rev-list', '--count', 'main'])
      const again = await run('restore', 'rod-7', '--version', '1')
      expect(again.code).to.equal(3)
      expect(again.stderr).to.contain('nothing is stored')
      expect((await execute('git', ['-C', data, 'rev-list', '--count', 'main'])).stdout).to.equal(
        commits.stdout,
      )
      expect((await run('restore', 'rod-7', '--version', '9')).code).to.equal(3)
      const old = ['restore', 'rod-7', '--version', '2', '--if-match', '0'.repeat(40)]
      expect((await run(...old)).code).to.equal(3)
    })
  }

  it('restores a schema with the further files it had', async () => {
    const run = (...args: string[]) => metastore([...args, '--data', data])
    const main = join(folder, 'main.json')
    await writeFile(join(folder, 'part.json'), '{ "type": "string" }\n')
    await writeFile(main, '{ "properties": { "a": { "$ref": "part.json" } } }\n')
    expect((await run('register', 'sample', main)).code).to.equal(0)
    await writeFile(join(folder, 'part.json'), '{ "type": "number" }\n')
    expect((await run('update', 'sample', main)).code).to.equal(0)

    const { code, stdout, stderr } = await run('restore', 'sample', '--version', '1')

    expect(code, stderr).to.equal(0)
    expect(stdout).to.contain('version 3')
    const git = (...args: string[]) => execute('git', ['-C', data, ...args])
    const part = await git('show', 'HEAD:schemas/sample/part.json')
    expect(part.stdout).to.equal('{ "type": "string" }\n')
  })
})
