// test-schedule: quick
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  programScript,
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

/**
 * At the exit, prints the modules that were loaded by require(). An import of a CommonJS module also loads it this way.
 */
const watcher = `process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))))`

describe('a command that reads no records', () => {
  afterEach(stopProcesses)

  it('does not load the modules that only other commands need', async () => {
    const folder = await temporaryFolder()
    const [data, script] = [join(folder, 'data'), join(folder, 'watcher.cjs')]
    await writeFile(script, watcher)
    expect((await runMetastore(['init', '--empty', data])).code).to.equal(0)

    const args = ['--require', script, programScript, 'status', '--data', data]
    const { code, stdout, stderr } = await runProgram(process.execPath, args)

    expect(code, stderr).to.equal(0)
    expect(stdout).to.contain('Server   not running')
    const loaded = JSON.parse(stderr) as string[]
    expect(loaded.filter(file => file.includes('/node_modules/libsql/'))).not.to.have.length(0)
    for (const name of ['ajv', 'isomorphic-git', 'koa', 'libxml2-wasm'])
      expect(loaded.filter(file => file.includes(`/node_modules/${name}/`))).to.deep.equal([])
  })
})
