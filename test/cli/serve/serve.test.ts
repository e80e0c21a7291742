import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { terminationSignals } from '../../../src/core/child-processes.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

/** An address of this machine that other machines can reach. */
function outsideAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
}

describe('git-metastore serve without options', () => {
  let data: string
  let server: RunningServer
  before(async () => {
    data = join(await temporaryFolder(), 'data')
    server = await startServer(['--data', data], {
      env: { METASTORE_AUHT: 'true', METASTORE_MAX_WAIT: '20', METASTORE_TOKEN: 'secret' },
      ownProcess: true,
    })
  })
  after(stopProcesses)

  it('creates a missing folder, prints exactly one ready line, and serves', async () => {
    const answer = await fetch(`${server.url}api/v1/schemas`)

    expect(answer.status).to.equal(200)
    expect(await answer.json()).to.have.length(2)
    expect(server.stdout()).to.equal(`listening on ${server.url}\n`)
    expect(server.url).to.match(/^http:\/\/localhost:\d+\/$/)
    expect(server.stderr()).to.contain(`curl ${server.url}api/v1/schemas`)
  })

  it('listens only on its own machine', async function () {
    const outside = outsideAddress()
    if (outside === undefined) this.skip()

    const refused = await fetch(`http://${outside}:${server.port}/health`).catch((error: Error) => error)

    expect(refused).to.be.instanceOf(Error)
  })

  it('reports variables that resemble options but are not', () => {
    expect(server.stderr()).to.contain(
      'The environment has METASTORE_AUHT: there is no such option. It has no effect.',
    )
  })

  for (const signal of terminationSignals) {
    it(`exits with 0 at ${signal} and leaves the repository clean`, async () => {
      const running = signal === 'SIGINT' ? server : await startServer(['--data', data], { ownProcess: true })
      await fetch(`${running.url}api/v1/schemas`)

      const { code } = await running.stop(signal)

      expect(code).to.equal(0)
      expect((await runProgram('git', ['-C', data, 'status', '--porcelain'])).stdout).to.equal('')
    })
  }
})

describe('git-metastore serve', () => {
  afterEach(stopProcesses)

  it('listens on the given host', async function () {
    const outside = outsideAddress()
    if (outside === undefined) this.skip()
    const data = join(await temporaryFolder(), 'data')

    const open = await startServer(['--data', data, '--host', outside, '--insecure'])

    expect((await fetch(`http://${outside}:${open.port}/health`)).status).to.equal(200)
    expect(open.url).to.equal(`http://${outside}:${open.port}/`)
  })

  it('reports that the port is in use', async () => {
    const data = join(await temporaryFolder(), 'data')
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      const { code, stderr, stdout } = await runMetastore(['serve', '--data', data, '--port', String(port)])

      expect(code).to.equal(1)
      expect(stdout).to.equal('')
      expect(stderr).to.match(new RegExp(`git-metastore: Cannot listen on localhost, port ${port}: .*--port`))
    } finally {
      taken.close()
    }
  })

  it('reads options from the environment, and flags override them', async () => {
    const folder = await temporaryFolder()
    const env = {
      METASTORE_DATA: 'elsewhere',
      METASTORE_BASE_URL: 'https://example.org/store',
      METASTORE_TRUSTED_PROXY: 'loopback,10.0.0.0/8',
      METASTORE_METADATA_LANDING_PAGE: 'https://ui.example.org/$(id)?v=$(version)',
      METASTORE_PORT: '1',
    }

    const server = await startServer([], { cwd: folder, env })
    const [schema] = (await (await fetch(`${server.url}api/v1/schemas`)).json()) as {
      schemaDocumentUri: string
    }[]
    const listed = await runMetastore(['list', 'schemas'], { cwd: folder, env })

    expect(schema?.schemaDocumentUri).to.match(/^https:\/\/example\.org\/store\/api\/v1\/schemas\//)
    expect(listed.stdout).to.contain('measurement')
    for (const [path, location] of [
      ['api/v1/metadata/a?version=2', 'https://ui.example.org/a?v=2'],
      ['repository/api/v2/metadata/a', 'https://ui.example.org/a?v='],
      ['api/v1/schemas/a', '/store/schema-landing-page?schemaId=a&version='],
    ]) {
      const moved = await fetch(server.url + path, { headers: { Accept: 'text/html' }, redirect: 'manual' })
      expect(moved.headers.get('Location')).to.equal(location)
    }
  })

  it('refuses wrong options before it changes a file', async () => {
    const data = join(await temporaryFolder(), 'data')
    for (const wrong of [
      ['--port', '70000'],
      ['--port', 'http'],
      ['--base-url', 'example.org'],
      ['--trusted-proxy', 'nobody'],
      ['--trusted-proxy', '10.0.0.0/99'],
      ['--port', '1', '--port', '2'],
      ['--max-document', '0'],
      ['--auth=yes'],
      ['--allowPush=1'],
      ['--auth', '--jwt-secret-file', join(data, 'secret')],
      ['--auth', '--jwt-secret-file', '.'],
      ['--schema-landing-page', 'https://example.org/'],
      ['--metadata-landing-page', 'javascript:$(id)'],
      ['--oai-admin', 'nobody'],
      ['--oai-admin', 'a@example.org', '--oai-namespace', 'example'],
      ['--oai-namespace', 'example.org'],
      ['--oai-admin', 'a@example.org', '--oai-page', '1'],
    ]) {
      const { code, stderr } = await runMetastore(['serve', '--data', data, ...wrong])
      expect(code, `${wrong.join(' ')}: ${stderr}`).to.equal(2)
    }
    // If these values meant "false", a server would be open without authentication.
    for (const [name, value] of [
      ['METASTORE_AUTH', '1'],
      ['METASTORE_AUTH', 'TRUE'],
      ['METASTORE_ALLOW_PUSH', 'yes'],
      ['METASTORE_METRICS', 'nope'],
    ] as const) {
      const { code, stderr } = await runMetastore(['serve', '--data', data], { env: { [name]: value } })
      expect(code, `${name}=${value}: ${stderr}`).to.equal(2)
      expect(stderr).to.contain(`${name} is "${value}", but must be true or false.`)
    }
    expect((await runProgram('ls', [data])).code).to.not.equal(0)
  })
})

describe('the help', () => {
  it('names every command and the exit codes, and exits with 0', async () => {
    const { code, stdout } = await runMetastore(['--help'])

    expect(code).to.equal(0)
    for (const command of 'init serve register add update get list validate log diff verify completion'.split(
      ' ',
    )) {
      expect(stdout).to.contain(`git-metastore ${command}`)
    }
    expect(stdout).to.contain('Exit codes: 0 success')
  })

  it('is shown with a failure code if the command is missing', async () => {
    const { code, stdout, stderr } = await runMetastore([])

    expect(code).to.equal(2)
    expect(stdout).to.equal('')
    expect(stderr).to.contain('git-metastore register')
  })

  it('of a command begins with its own options, and omits rare ones', async () => {
    const { stdout } = await runMetastore(['list', '--help'])
    const all = await runMetastore(['list', '--help', '--show-hidden'])

    expect(stdout.indexOf('--resource')).to.be.within(1, stdout.indexOf('--data'))
    expect(stdout).to.not.contain('--xml-engine')
    expect(all.stdout).to.contain('--xml-engine')
  })

  it('of a command has --url only if the command takes it', async () => {
    for (const [command, takesUrl] of [
      ['list', true],
      ['restore', true],
      ['verify', false],
      ['serve', false],
    ] as const) {
      const { stdout } = await runMetastore([command, '--help'])
      expect(stdout.includes('--url '), command).to.equal(takesUrl)
    }
  })

  it('of a command is also `help` and its name; `help` alone is that of the program', async () => {
    for (const args of [['list'], ['list', '--show-hidden'], ['completion'], []]) {
      const asked = await runMetastore(['help', ...args])
      expect(asked.code).to.equal(0)
      expect(asked.stdout).to.equal((await runMetastore([...args, '--help'])).stdout)
    }
  })

  it('offers a completion script', async () => {
    const { code, stdout } = await runMetastore(['completion'])
    const completed = await runMetastore(['--get-yargs-completions', 'git-metastore', 'reg'])

    expect(code).to.equal(0)
    expect(stdout).to.contain('git-metastore')
    expect(completed.stdout).to.contain('register')
  })
})

describe('a wrong command line', () => {
  const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
    [['lst'], 'There is no command lst. Did you mean list?\n'],
    [['srve', '--port', '1'], 'There is no command srve. Did you mean serve?\n'],
    [['lsit', 'schemas'], 'There is no command lsit. Did you mean list?\n'],
    [['foo'], 'There is no command foo.\n'],
    [['foo', 'bar'], 'There is no command foo.\n'],
    [['help', 'lsit'], 'There is no command lsit. Did you mean list?\n'],
    [['help', 'foo'], 'There is no command foo.\n'],
    [['lst', '--help'], 'There is no command lst. Did you mean list?\n'],
    [['list', 'metdata'], 'must be one of "schemas", "metadata". Did you mean metadata?\n'],
    [['list', 'schemes'], 'must be one of "schemas", "metadata". Did you mean schemas?\n'],
    [['list', '--type', 'xlm'], 'must be one of "JSON", "XML". Did you mean XML?\n'],
    [['export', '--format', 'ro-crat'], 'Did you mean ro-crate?\n'],
    [['hooks', 'instal'], 'must be one of "install", "remove". Did you mean install?\n'],
    [['serve', '--log=jsno'], 'Did you mean json?\n'],
    [['list', '--nothing'], 'There is no option or argument nothing.\n'],
    [['list', '--jsn'], 'There is no option or argument jsn. Did you mean --json?\n'],
    [['serve', '--prot=1'], 'There is no option or argument prot. Did you mean --port?\n'],
    [['serve', '--alow-push'], 'Did you mean --allow-push?\n'],
    [['list', 'schemas', 'x'], 'There is no option or argument x.\n'],
    [['--jsn', 'list'], 'Name a command. Did you mean --json?\n'],
    [
      ['search', 'steel', '-draft'],
      'To search without a word, write NOT draft, or write -- before the query.',
    ],
    [['serve', '/tmp'], 'There is no option or argument /tmp. A data folder is given as --data /tmp.'],
    [['list', '--size'], 'The option --size needs a value.'],
    [['get', 'a', '--version'], 'The option --version needs a value.'],
    [['list', '--workers', 'many'], '--workers must be a whole number from 0.'],
    [['list', 'everything'], 'what is "everything", but must be one of "schemas", "metadata".\n'],
    [['register', 'a'], 'Arguments are missing: 1 given, 2 needed.'],
    [['diff', 'a', '--json=false'], 'Usage: git-metastore diff <id> <from> <to>'],
    [['list', '--data', 'a', '--data', 'b'], '--data is given twice.'],
    [['list', '--url', 'http://localhost:8040/metastore/api/v1/'], 'is too long: leave out /api/v1.'],
    [['list', '--url', 'localhost:8078/metastore'], 'write it as http://localhost:8078/metastore.'],
    [['list', '--url', 'ftp://localhost'], 'write it as http://localhost.'],
    [['list', '--url', ''], 'write it as http://localhost:8040/.'],
    [['list', '--json=yes'], '--json is "yes", but must be true or false.'],
  ]
  for (const [args, message] of wrong) {
    it(`is refused with a reason: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await runMetastore(args)

      expect(code).to.equal(2)
      expect(stdout).to.equal('')
      expect(stderr).to.contain(message).and.not.contain('node_modules')
    })
  }
})
