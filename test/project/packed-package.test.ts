// test-schedule: first
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { runProgram, start, stopProcesses, temporaryFolder } from '../support/program/run-program.js'

describe('the package that npm packs', () => {
  let folder: string
  before(async () => {
    const place = await temporaryFolder()
    const packed = await runProgram('npm', ['pack', '--ignore-scripts', '--pack-destination', place], {
      cwd: packageFolder(),
    })
    expect(packed.code, packed.stderr).to.equal(0)
    const archive = (await readdir(place)).find(name => name.endsWith('.tgz')) ?? ''
    folder = join(place, 'installed')
    await mkdir(folder)
    expect((await runProgram('tar', ['-xzf', join(place, archive), '-C', folder])).code).to.equal(0)
    folder = join(folder, 'package')
    // An installation has the packages that the program needs beside it.
    await symlink(join(packageFolder(), 'node_modules'), join(folder, 'node_modules'))
  })
  after(stopProcesses)

  const built = () => join(folder, 'dist', 'program', 'browser')
  async function serve() {
    const data = join(await temporaryFolder(), 'data')
    return await start(
      process.execPath,
      ['bin/git-metastore.js', 'serve', '--data', data, '--port', '0', '--search', 'none'],
      { cwd: folder },
    )
  }

  it('has the browser application, and a server of it serves all of its files', async () => {
    const { files } = JSON.parse(await readFile(join(built(), 'manifest.json'), 'utf8')) as {
      files: string[]
    }
    const there = new Set(await readdir(built()))
    expect(
      files.flatMap(name => [name, `${name}.br`, `${name}.gz`]).filter(name => !there.has(name)),
    ).to.deep.equal([])
    const server = await serve()
    const page = await (await fetch(new URL('app/search', server.url))).text()
    const [, script = ''] = /<script type="module" src="([^"]+)">/.exec(page) ?? []
    for (const name of [
      new URL(script, new URL('app/search', server.url)).href,
      ...files.map(each => `${server.url}assets/${each}`),
    ])
      expect((await fetch(name)).status, name).to.equal(200)
    await server.stop()
  })

  it('serves its plain pages without the files of the application, and says so once', async () => {
    await rm(built(), { recursive: true })
    const server = await serve()
    expect((await fetch(new URL('app/search', server.url))).status).to.equal(404)
    const dashboard = await fetch(new URL('dashboard', server.url), { headers: { Accept: 'text/html' } })
    expect(dashboard.status).to.equal(200)
    expect(await dashboard.text()).to.not.contain('app/')
    await server.stop()
    expect(server.stderr().match(/the browser application was not built/g)).to.have.lengthOf(1)
  })
})
