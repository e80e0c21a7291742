import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import {
  freePort,
  runProgram,
  start,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const project = packageFolder()

describe('docs/run/operations.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/run/operations.md')
    expect(steps).to.have.length(3)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)
  })

  it('names all metrics of the server, and only options that exist', async () => {
    const text = await readFile(join(project, 'docs', 'run', 'operations.md'), 'utf8')
    const server = await startServer(['--data', join(await temporaryFolder(), 'data')])
    await fetch(server.url)
    const metrics = await (await fetch(`${server.url}metrics`)).text()
    const { stdout: help } = await runProgram(process.execPath, [
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

/** Reads the instructions of the last stage of the Dockerfile, which makes the image. */
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

/** Returns the files of the project in the image: path in the project, path in the image. */
async function copied(): Promise<readonly (readonly [source: string, target: string])[]> {
  const copies = (await lastStage()).filter(({ name }) => name === 'COPY')
  return copies.flatMap(({ value }) => {
    const [, sources = '', target = ''] = /^--from=build ((?:\/app\/\S+ )+)\.\/(\S*)$/.exec(value) ?? []
    expect(sources, `COPY ${value}`).to.not.equal('')
    return sources
      .trim()
      .split(' ')
      .map(path => path.slice('/app/'.length))
      .map(path => [path, target === '' || target.endsWith('/') ? target + basename(path) : target] as const)
  })
}

/** Makes a folder with the files of the image, and reads its commands and variables. */
async function unpackedImage() {
  const stage = await lastStage()
  const saidOf = (wanted: string) => stage.find(({ name }) => name === wanted)?.value ?? ''
  const folder = await temporaryFolder()
  for (const [source, target] of await copied()) {
    await mkdir(dirname(join(folder, target)), { recursive: true })
    if (source === 'node_modules') await symlink(join(project, source), join(folder, target))
    else await cp(join(project, source), join(folder, target), { recursive: true })
  }
  const said = Object.fromEntries(
    [...saidOf('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const port = await freePort()
  const env = {
    ...said,
    METASTORE_DATA: join(folder, 'data'),
    METASTORE_PORT: String(port),
    METASTORE_INSECURE: 'true',
  }
  const [init, ...entry] = JSON.parse(saidOf('ENTRYPOINT')) as string[]
  const [node, ...args] = entry.slice(entry.indexOf('--') + 1)
  const check = JSON.parse(/CMD (\[.*\])$/.exec(saidOf('HEALTHCHECK'))?.[1] ?? '[]') as string[]
  const serveArgs = [...args, ...(JSON.parse(saidOf('CMD')) as string[])]
  return {
    said,
    port,
    commands: { init, node, check: check[0] },
    stopSignal: saidOf('STOPSIGNAL') as NodeJS.Signals,
    start: () => start(process.execPath, serveArgs, { cwd: folder, env }),
    checkHealth: () => runProgram(process.execPath, check.slice(1), { cwd: folder, env }),
  }
}

describe('the image of the Dockerfile', () => {
  afterEach(stopProcesses)

  it('contains everything that the program needs to start, to be healthy, and to exit with 0', async () => {
    const image = await unpackedImage()
    expect(image.said).to.include({ METASTORE_HOST: '0.0.0.0', METASTORE_LOG: 'json' })
    expect(image.commands).to.deep.equal({ init: 'tini', node: 'node', check: 'node' })

    const before = await image.checkHealth()
    const server = await image.start()
    const during = await image.checkHealth()
    const { code, stderr } = await server.stop(image.stopSignal)

    expect(before.code).to.equal(1)
    expect(before.stderr).to.match(/^No answer from http:\S+: .+\n$/)
    expect(during.code, during.stderr).to.equal(0)
    expect(code, stderr).to.equal(0)
    expect(server.port).to.equal(image.port)
  })

  it('is unhealthy while the server hangs', async () => {
    const image = await unpackedImage()
    const server = await image.start()

    server.child.kill('SIGSTOP')
    const hanging = await image.checkHealth()
    server.child.kill('SIGCONT')

    expect(hanging.code).to.equal(1)
    expect(hanging.stderr).to.match(/^No answer from http:\S+: .*timeout\n$/)
    // A container repeats its check.
    await waitUntil('it is healthy again', async () => (await image.checkHealth()).code === 0)
  })

  it('contains the files of the npm package without the documents', async () => {
    const { files } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
      readonly files: readonly string[]
    }
    const sources = (await copied()).map(([source]) => source)

    for (const source of [...sources, ...files])
      expect(existsSync(join(project, source)), source).to.equal(true)
    // npm adds the manifest to a package and installs the dependencies.
    expect(sources.filter(source => !['package.json', 'node_modules'].includes(source))).to.have.members(
      files.filter(file => !['docs', 'README.md', 'CHANGELOG.md'].includes(file)),
    )
  })

  it('installs certificates for https, ssh, and an init process for git', async () => {
    const stage = await lastStage()
    const [, installed = ''] =
      /apt-get install [^&]*--no-install-recommends ([^&]+)/.exec(
        stage.find(({ name }) => name === 'RUN')?.value ?? '',
      ) ?? []

    expect(installed.trim().split(' ')).to.have.members(['ca-certificates', 'git', 'openssh-client', 'tini'])
  })

  it('runs as an unprivileged user, keeps its data in the volume, and ignores other files of the project', async () => {
    const stage = await lastStage()
    const saidOf = (wanted: string) => stage.find(({ name }) => name === wanted)?.value ?? ''

    expect(saidOf('USER')).to.equal('node')
    expect(saidOf('ENV')).to.match(new RegExp(`METASTORE_DATA=${saidOf('VOLUME')}/`))
    const ignored = (await readFile(join(project, '.dockerignore'), 'utf8')).trim().split('\n')
    expect(ignored[0]).to.equal('*')
    const kept = ignored.slice(1).map(line => line.slice(1))
    for (const name of kept) expect(existsSync(join(project, name)), name).to.equal(true)
    // The build context must contain all other files.
    for (const [source] of await copied()) {
      const [first = ''] = source.split('/')
      if (!['dist', 'node_modules'].includes(first)) expect(kept).to.include(first)
    }
  })
})

describe('the unit for systemd', () => {
  it('starts an existing program with documented variables', async function () {
    const unit = join(project, 'docs', 'run', 'git-metastore.service')
    const text = await readFile(unit, 'utf8')
    const documented = await readFile(join(project, 'docs', 'run', 'configuration.md'), 'utf8')

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
      // SIGTERM goes to the server only, because it needs its git processes to finish.
      'KillMode=mixed',
      // Without `pkey_alloc`, node is killed at its start.
      'SystemCallFilter=@system-service @pkey',
      'SystemCallErrorNumber=EPERM',
    ]) {
      expect(text).to.contain(`\n${wanted}\n`)
    }
    const { code } = await runProgram('sh', ['-c', 'command -v systemd-analyze'])
    if (code !== 0) return this.skip()
    const verified = await runProgram('systemd-analyze', ['verify', unit])
    expect(verified.stderr).to.not.match(/Unknown|Failed to parse/)
  })
})
