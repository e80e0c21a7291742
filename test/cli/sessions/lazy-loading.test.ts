// test-schedule: quick
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

/** Files of the bundle that a file imports, also through others, but not dynamically. */
async function importedBy(file: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path = ''] of (await readFile(file, 'utf8')).matchAll(/^import [^;]*?"(\.\/[^"]+)";$/gm))
    await importedBy(join(dirname(file), path), found)
  return found
}

describe('the bundle', () => {
  it('has no command for records that loads the features', async () => {
    const folder = dirname(programScript)
    const files = await readdir(folder)
    for (const command of ['add', 'get', 'list', 'log', 'register', 'restore', 'update', 'validate']) {
      const found: string[] = []
      for (const file of files.filter(name => name.startsWith(`${command}-`)))
        if ((await readFile(join(folder, file), 'utf8')).includes(`const ${command}Command = `))
          found.push(file)
      expect(found, command).not.to.deep.equal([])
      for (const file of found)
        expect([...(await importedBy(join(folder, file)))].join('\n'), file)
          .to.match(/\/command-line-/)
          .and.not.match(/\/features-/)
    }
  })
})

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
