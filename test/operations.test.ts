import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../src/cli/template.js'
import { cleanUpProcesses, execute, freePort, serve, start, temporaryFolder } from './support/cli.js'
import { follow, linkProgram, programOnPath, stepsOf } from './support/shown.js'

const project = packageFolder()

describe('the page on operations', () => {
  afterEach(cleanUpProcesses)

  it('does what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    const server = await serve(['--data', 'data'], { cwd: folder })
    const steps = await stepsOf('docs/operations.md')
    expect(steps).to.have.length(3)

    await follow([programOnPath, ...steps], folder, server.port)
  })

  it('names metrics and options there are', async () => {
    const text = await readFile(join(project, 'docs', 'operations.md'), 'utf8')
    const server = await serve(['--data', join(await temporaryFolder(), 'data')])
    await fetch(server.url)
    const metrics = await (await fetch(`${server.url}metrics`)).text()
    const { stdout: help } = await execute(process.execPath, [
      join(project, 'bin', 'git-metastore.js'),
      'serve',
      '--help',
    ])

    const named = new Set(
      [...text.matchAll(/`((?:metastore|process|nodejs|http)_[a-z0-9_]*[a-z0-9])/g)].map(
        found => found[1] ?? '',
      ),
    )
    expect(named).to.have.property('size').above(15)
    for (const name of named)
      expect(metrics).to.match(new RegExp(`^# TYPE ${name.replace(/_count$/, '')} `, 'm'))
    const own = [...metrics.matchAll(/^# TYPE (metastore_\w+)/gm)].map(found => found[1])
    expect(own.filter(name => name !== undefined && !text.includes(name))).to.deep.equal([])
    for (const [, option = ''] of text.matchAll(/`--(?!no-)([a-z-]+)/g)) {
      if (option !== 'mirror') expect(help).to.contain(`--${option}`)
    }
  })
})

interface Instruction {
  readonly name: string
  readonly value: string
}

/** What the Dockerfile says for the image that is made, its last stage. */
async function lastStage(): Promise<readonly Instruction[]> {
  const text = await readFile(join(project, 'Dockerfile'), 'utf8')
  const all = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap(line => {
      const [, name, value] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
      return name && value ? [{ name, value }] : []
    })
  return all.slice(all.findLastIndex(({ name }) => name === 'FROM'))
}

describe('the image of the Dockerfile', () => {
  afterEach(cleanUpProcesses)

  it('has what the program needs: what is copied into it starts, is healthy, and ends well', async () => {
    const stage = await lastStage()
    const saidOf = (wanted: string) => stage.find(({ name }) => name === wanted)?.value ?? ''
    const folder = await temporaryFolder()
    for (const { name, value } of stage.filter(({ name }) => name === 'COPY')) {
      const [, source = '', target = ''] = /^--from=build \/app\/(\S+) \.\/(\S*)$/.exec(value) ?? []
      expect(source, `${name} ${value}`).to.not.equal('')
      const from = join(project, source)
      const to = target === '' ? join(folder, source) : join(folder, target)
      await mkdir(dirname(to), { recursive: true })
      if (source === 'node_modules') await symlink(from, to)
      else await cp(from, to, { recursive: true })
    }
    const env = Object.fromEntries(
      [...saidOf('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    )
    expect(env).to.include({ METASTORE_HOST: '0.0.0.0', METASTORE_LOG: 'json' })
    const port = String(await freePort())
    const here = {
      ...env,
      METASTORE_DATA: join(folder, 'data'),
      METASTORE_PORT: port,
      METASTORE_INSECURE: 'true',
    }
    const [node, ...args] = JSON.parse(saidOf('ENTRYPOINT')) as string[]
    expect(node).to.equal('node')
    const check = JSON.parse(/CMD (\[.*\])$/.exec(saidOf('HEALTHCHECK'))?.[1] ?? '[]') as string[]
    const isHealthy = () => execute(process.execPath, check.slice(1), { cwd: folder, env: here })

    const before = await isHealthy()
    const server = await start(process.execPath, [...args, ...(JSON.parse(saidOf('CMD')) as string[])], {
      cwd: folder,
      env: here,
    })
    const during = await isHealthy()
    const { code, stderr } = await server.stop(saidOf('STOPSIGNAL') as NodeJS.Signals)

    expect(before.code).to.not.equal(0)
    expect(during.code, during.stderr).to.equal(0)
    expect(code, stderr).to.equal(0)
    expect(server.port).to.equal(Number(port))
  })

  it('runs as nobody special, keeps its data in the volume, and gets no file it does not need', async () => {
    const stage = await lastStage()
    const saidOf = (wanted: string) => stage.find(({ name }) => name === wanted)?.value ?? ''

    expect(saidOf('USER')).to.equal('node')
    expect(saidOf('ENV')).to.match(new RegExp(`METASTORE_DATA=${saidOf('VOLUME')}/`))
    const ignored = (await readFile(join(project, '.dockerignore'), 'utf8')).trim().split('\n')
    expect(ignored[0]).to.equal('*')
    for (const kept of ignored.slice(1)) expect(existsSync(join(project, kept.slice(1))), kept).to.equal(true)
  })
})

describe('the unit for systemd', () => {
  it('starts the program there is, with variables there are', async function () {
    const unit = join(project, 'docs', 'git-metastore.service')
    const text = await readFile(unit, 'utf8')
    const documented = await readFile(join(project, 'docs', 'configuration.md'), 'utf8')

    const [, script = '', command = ''] =
      /^ExecStart=\/usr\/bin\/env node \/opt\/git-metastore\/(\S+) (\S+)$/m.exec(text) ?? []
    expect(existsSync(join(project, script))).to.equal(true)
    expect(command).to.equal('serve')
    for (const [name] of text.matchAll(/METASTORE_\w+/g)) expect(documented).to.contain(name)
    for (const wanted of [
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'StateDirectory=git-metastore',
      'DynamicUser=yes',
    ]) {
      expect(text).to.contain(`\n${wanted}\n`)
    }
    const { code } = await execute('sh', ['-c', 'command -v systemd-analyze'])
    if (code !== 0) return this.skip()
    const verified = await execute('systemd-analyze', ['verify', unit])
    expect(verified.stderr).to.not.match(/Unknown|Failed to parse/)
  })
})
