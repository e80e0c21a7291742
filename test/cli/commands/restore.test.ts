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
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'

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

  type Target = '--data' | '--url'

  /** Makes two versions of the document `rod-7`, of two versions of its schema. @returns runs a command there */
  async function makeRod(where: Target) {
    const target = where === '--data' ? data : (await startServer(['--data', data])).url
    const run = (...args: string[]) => runMetastore([...args, where, target])
    for (const [text, ...args] of [
      [schema('mass'), 'register', 'sample'],
      ['{"mass": 1}\n', 'add', 'sample', 'https://example.org/rod', '--id', 'rod-7'],
      [schema('weight'), 'update', 'sample'],
      ['{"weight": 2}\n', 'update', 'rod-7', '--schema-version', '2'],
    ] as const) {
      const file = join(folder, 'file')
      await writeFile(file, text)
      const [command, ...more] = args
      const places =
        command === 'add'
          ? [...more.slice(0, 2), file, ...more.slice(2)]
          : [more[0] ?? '', file, ...more.slice(1)]
      const { code, stderr } = await run(command, ...places)
      expect(code, stderr).to.equal(0)
    }
    return run
  }

  for (const where of ['--data', '--url'] as const) {
    it(`stores the document of an older version again, with its schema version: ${where}`, async () => {
      const run = await makeRod(where)

      const said = await run('restore', 'rod-7', '1')

      expect(said.stdout).to.match(/^Restored version 1 of metadata rod-7, version 3 \(sample, version 1\)/)
      expect((await run('get', 'rod-7')).stdout).to.equal('{"mass": 1}\n')
      const named = await run('restore', 'rod-7', '--version', '2')
      expect(named.stdout).to.match(/^Restored version 2 of metadata rod-7, version 4 \(sample, version 2\)/)
    })

    it(`stores nothing if the version is the newest, unknown or missing: ${where}`, async () => {
      const run = await makeRod(where)
      const count = async () => (await runProgram('git', ['-C', data, 'rev-list', '--count', 'main'])).stdout
      const commits = await count()

      const newest = await run('restore', 'rod-7', '2')
      expect(newest.code).to.equal(3)
      expect(newest.stderr).to.contain('nothing is stored')
      expect((await run('restore', 'rod-7', '9')).code).to.equal(3)
      expect((await run('restore', 'rod-7', '1', '--if-match', '0'.repeat(40))).code).to.equal(3)
      const none = await run('restore', 'rod-7')
      expect(none.code).to.equal(2)
      expect(none.stderr).to.contain('git-metastore restore <id> <version>')
      expect((await run('restore', 'rod-7', '1', '--version', '2')).code).to.equal(2)
      expect(await count()).to.equal(commits)
    })
  }

  for (const where of ['--data', '--url'] as const) {
    it(`says why a version is not served, as get does: ${where}`, async () => {
      await makeRod('--data')
      const git = (...args: string[]) => runProgram('git', ['-C', data, ...args])
      const [document = ''] = (await git('ls-files', '*/rod-7/document.json')).stdout.split('\n')
      await writeFile(join(data, document), '{"mass": 3}\n')
      expect((await git('commit', '-qam', 'Break it')).code).to.equal(0)
      expect((await git('revert', '--no-edit', 'HEAD')).code).to.equal(0)
      const target = where === '--data' ? data : (await startServer(['--data', data])).url
      const run = (...args: string[]) => runMetastore([...args, where, target])

      for (const args of [
        ['restore', 'rod-7', '3'],
        ['get', 'rod-7', '--version', '3'],
      ]) {
        const { code, stderr } = await run(...args)
        expect(code).to.equal(3)
        expect(stderr).to.match(/Version '3' of ID 'rod-7' is not served: its commit \w{10} breaks a rule/)
      }
      const missing = await run('get', 'sample', '--version', '9')
      expect(missing.stderr).to.contain("Version '9' of ID 'sample' doesn't exist!")
      const unknown = await run('get', 'rod-8')
      expect(unknown.stderr).to.contain('There is no schema and no metadata record "rod-8".')
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
