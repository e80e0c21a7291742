// test-schedule: waits
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { initialise } from '../../../support/repository/example-repository.js'
import { copyPrepared } from '../../../support/repository/prepared-folder.js'

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
  afterEach(stopProcesses)

  for (const where of ['--data', '--url'] as const) {
    it(`stores the document of an older version again, with its schema version: ${where}`, async () => {
      const target = where === '--data' ? data : (await startServer(['--data', data])).url
      const run = (...args: string[]) => runMetastore([...args, where, target])
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
      const commits = await runProgram('git', ['-C', data, 'rev-list', '--count', 'main'])
      const again = await run('restore', 'rod-7', '--version', '1')
      expect(again.code).to.equal(3)
      expect(again.stderr).to.contain('nothing is stored')
      expect((await runProgram('git', ['-C', data, 'rev-list', '--count', 'main'])).stdout).to.equal(
        commits.stdout,
      )
      expect((await run('restore', 'rod-7', '--version', '9')).code).to.equal(3)
      const old = ['restore', 'rod-7', '--version', '2', '--if-match', '0'.repeat(40)]
      expect((await run(...old)).code).to.equal(3)
    })
  }

  for (const where of ['--data', '--url'] as const) {
    it(`restores a schema with its further files, and stores the message: ${where}`, async () => {
      const target = where === '--data' ? data : (await startServer(['--data', data])).url
      const run = (...args: string[]) => runMetastore([...args, where, target])
      const main = join(folder, 'main.json')
      await mkdir(join(folder, 'parts'))
      await writeFile(join(folder, 'parts/a b.json'), '{ "type": "string" }\n')
      await writeFile(main, '{ "properties": { "a": { "$ref": "parts/a%20b.json" } } }\n')
      expect((await run('register', 'sample', main)).code).to.equal(0)
      await writeFile(join(folder, 'parts/a b.json'), '{ "type": "number" }\n')
      expect((await run('update', 'sample', main)).code).to.equal(0)

      const { code, stdout, stderr } = await run('restore', 'sample', '--version', '1', '-m', 'Back to texts')

      expect(code, stderr).to.equal(0)
      expect(stdout).to.contain('version 3')
      const git = async (...args: string[]) => (await runProgram('git', ['-C', data, ...args])).stdout
      expect(await git('show', 'HEAD:schemas/sample/parts/a b.json')).to.equal('{ "type": "string" }\n')
      expect(await git('log', '-1', '--format=%s')).to.equal('Back to texts\n')
      expect((await run('restore', 'sample', '--version', '2')).code).to.equal(0)
      expect(await git('show', 'HEAD:schemas/sample/parts/a b.json')).to.equal('{ "type": "number" }\n')
      expect((await run('restore', 'sample', '--version', '1', '-m', 'a\nb')).stderr).to.contain('one line')
    })

    it(`stores the message in the commit of a metadata document: ${where}`, async () => {
      const target = where === '--data' ? data : (await startServer(['--data', data])).url
      const run = (...args: string[]) => runMetastore([...args, where, target])
      const file = join(folder, 'file')
      for (const [text, ...args] of [
        [schema('mass'), 'register', 'sample', file],
        ['{"mass": 1}\n', 'add', 'sample', 'https://example.org/rod', file, '--id', 'rod-7'],
        ['{"mass": 2}\n', 'update', 'rod-7', file],
      ]) {
        await writeFile(file, text as string)
        expect((await run(...args)).code).to.equal(0)
      }
      const again = ['restore', 'rod-7', '--version', '1', '--message', 'It was one']

      const { code, stdout, stderr } = await run(...again)

      expect(code, stderr).to.equal(0)
      expect(stdout).to.contain('version 3 (sample, version 1)')
      const { stdout: told } = await runProgram('git', ['-C', data, 'log', '-1', '--format=%s'])
      expect(told).to.equal('It was one\n')
      expect((await run(...again)).stderr).to.contain('nothing is stored')
    })
  }
})
