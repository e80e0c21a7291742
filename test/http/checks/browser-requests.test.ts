import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { browserPath } from '../../support/browser/open-browser.js'
import { formType, multipartBody } from '../../support/http/raw-connection.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type RunningServer,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { filePart, recordPart } from '../../support/servers/monitored-server.js'

type HeaderLines = Readonly<Record<string, string>>

/** Sends a request that has only the headers of the test. */
function send(
  server: RunningServer,
  method: string,
  path: string,
  headers: HeaderLines,
  body?: Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: server.port, method, path, headers, agent: false },
      answer => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

let count = 0
function register(server: RunningServer, headers: HeaderLines) {
  const body = multipartBody(
    recordPart({ schemaId: `s${++count}` }),
    filePart('schema', 's', 'application/json', '{"type":"object"}'),
  )
  return send(
    server,
    'POST',
    '/api/v1/schemas',
    { Host: `localhost:${server.port}`, 'Content-Type': formType, ...headers },
    body,
  )
}

async function schemasOf(server: RunningServer): Promise<number> {
  const { text } = await send(server, 'GET', '/api/v1/schemas?size=2000', { Host: 'localhost' })
  return (JSON.parse(text) as unknown[]).length
}

async function started(...args: readonly string[]): Promise<RunningServer> {
  return await startServer(['--data', join(await temporaryFolder(), 'data'), ...args])
}

describe('A server without authentication', () => {
  afterEach(stopProcesses)

  it('answers only for the loopback names, --host and the hosts of --base-url', async () => {
    const server = await started('--base-url', 'https://repo.example.org/store')
    const { port } = server
    const status = async (host: string) =>
      (await send(server, 'GET', '/api/v1/schemas', { Host: host })).status
    for (const host of [
      'localhost',
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      'LOCALHOST',
      'repo.example.org',
    ])
      expect(await status(host), host).to.equal(200)
    for (const host of [
      `evil.test:${port}`,
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      'example.org',
      '10.0.0.1',
    ])
      expect(await status(host), host).to.equal(421)
    const { text } = await send(server, 'DELETE', '/api/v1/schemas/x', {
      Host: `evil.test:${port}`,
      'If-Match': '*',
    })
    expect(text).to.contain('does not answer for the host \\"evil.test\\"').and.to.contain('--base-url')
  })

  it('refuses changes by pages of other origins, and by browsers that do not name the page', async () => {
    const server = await started('--cors-origin', 'https://ui.example.org')
    const foreign: readonly HeaderLines[] = [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { Origin: `http://localhost:${server.port + 1}` },
      { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
    ]
    const before = await schemasOf(server)
    for (const headers of foreign) {
      const { status, text } = await register(server, headers)
      expect(status, `${JSON.stringify(headers)} ${text}`).to.equal(403)
      const away = { Host: 'localhost', 'If-Match': '*', ...headers }
      expect((await send(server, 'DELETE', '/api/v1/schemas/s1', away)).status).to.equal(403)
    }
    expect(await schemasOf(server)).to.equal(before)
    const own: readonly HeaderLines[] = [
      {},
      { 'User-Agent': 'curl/8.0' },
      { Origin: `http://localhost:${server.port}`, 'User-Agent': 'Mozilla/5.0' },
      { Origin: 'https://ui.example.org', 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-origin', 'User-Agent': 'Mozilla/5.0' },
    ]
    for (const headers of own)
      expect((await register(server, headers)).status, JSON.stringify(headers)).to.equal(201)
  })

  it('answers only for its own hosts if a proxy names the requested host', async () => {
    const server = await started(
      '--base-url',
      'https://repo.example.org/store',
      '--trusted-proxy',
      'loopback',
      '--former-base-url',
      'https://old.example.org',
    )
    const passedOn = (host: string) => ({
      'X-Forwarded-Host': host,
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-For': '203.0.113.9',
      Origin: `https://${host}`,
    })
    const before = await schemasOf(server)
    const refused = await register(server, passedOn('evil.test'))
    expect(refused.status, refused.text).to.equal(421)
    expect(refused.text).to.contain('\\"evil.test\\"')
    const own = { Host: 'localhost', 'X-Forwarded-Host': 'evil.test' }
    expect((await send(server, 'GET', '/api/v1/schemas', own)).status).to.equal(421)
    // A former name of the server may have another owner now.
    const former = { Origin: 'https://old.example.org' }
    expect((await register(server, former)).status).to.equal(403)
    expect(await schemasOf(server)).to.equal(before)
    const { status, text } = await register(server, passedOn('repo.example.org'))
    expect(status, text).to.equal(201)
  })

  it('accepts or refuses a change by Host, Origin, Sec-Fetch-Site and User-Agent, for every method', async () => {
    const server = await started()
    const { port } = server
    const hosts = [`localhost:${port}`, `LOCALHOST:${port}`, '127.0.0.1', `[::1]:${port}`]
    const foreignHosts = [
      'localhost.',
      '127.1',
      '0.0.0.0',
      '[::]',
      'evil@localhost',
      'localhost, evil.test',
      'a.localhost',
    ]
    const origins = [
      undefined,
      'own',
      'null',
      'https://evil.test',
      'http://localhost.evil.test',
      'http://0.0.0.0',
    ]
    const sites = [undefined, 'none', 'same-origin', 'same-site', 'cross-site', 'SAME-ORIGIN']
    const agents = ['curl/8.0', 'Mozilla/5.0']
    const statusOf = async (method: string, headers: HeaderLines) =>
      (await send(server, method, '/api/v1/schemas/none', { 'If-Match': '*', ...headers })).status
    for (const [row, method] of ['POST', 'PUT', 'DELETE', 'PATCH'].entries()) {
      const reached = (await statusOf(method, { Host: 'localhost' })) as number
      expect(reached, method).to.be.oneOf([404, 405, 415])
      for (const host of foreignHosts)
        expect(await statusOf(method, { Host: host }), `${method} ${host}`).to.equal(421)
      // In the short form, each method has all other headers with another host.
      for (const Host of hosts.filter((_, at) => isLongForm || at === row))
        for (const origin of origins)
          for (const site of sites)
            for (const agent of agents) {
              const headers = {
                Host,
                'User-Agent': agent,
                ...(origin && { Origin: origin === 'own' ? `http://${Host.toLowerCase()}` : origin }),
                ...(site && { 'Sec-Fetch-Site': site }),
              }
              const byPage =
                site === undefined ? agent === 'curl/8.0' : ['none', 'same-origin'].includes(site)
              const may = origin === undefined ? byPage : origin === 'own'
              const told = `${method} ${JSON.stringify(headers)}`
              expect(await statusOf(method, headers), told).to.equal(may ? reached : 403)
            }
    }
  })

  it('accepts any host with --auth, because pages of other origins have no token', async () => {
    const server = await startServer(['--data', join(await temporaryFolder(), 'data'), '--auth'], {
      env: { METASTORE_JWT_SECRET: 'a secret that is long enough for HS256, and not used anywhere else' },
    })
    expect((await send(server, 'GET', '/api/v1/schemas', { Host: 'other.example.org' })).status).to.equal(200)
  })

  it('withstands pages of an attacker in a real browser', async function () {
    const browser = browserPath()
    if (browser === undefined) return void this.skip()
    const server = await started()
    const before = await schemasOf(server)
    const page = `<!DOCTYPE html><body><form method="post" enctype="multipart/form-data" action="http://127.0.0.1:${server.port}/api/v1/schemas">
<textarea name="record">{"schemaId": "stolen"}</textarea><textarea name="schema">{"type":"object"}</textarea></form>
<script>document.forms[0].submit()</script></body>`
    const attacker = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(page))
    await new Promise<void>(resolve => attacker.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = attacker.address() as AddressInfo
      const shown = async (url: string) => {
        const { code, stdout, stderr } = await runProgram(browser, [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-dev-shm-usage',
          `--user-data-dir=${await temporaryFolder()}`,
          '--host-resolver-rules=MAP *.test 127.0.0.1',
          '--virtual-time-budget=5000',
          '--dump-dom',
          url,
        ])
        expect(code, stderr).to.equal(0)
        return stdout
      }
      // One page is of another site. The other page is of the same site with another port.
      for (const host of ['evil.test', '127.0.0.1']) {
        expect(await shown(`http://${host}:${port}/`), host).to.contain(
          'may not change records of this server',
        )
      }
      // The host name of the attacker resolves to this machine.
      expect(await shown(`http://evil.test:${server.port}/dashboard`)).to.contain(
        'does not answer for the host',
      )
      expect(await shown(`http://localhost:${server.port}/dashboard`)).to.contain('Dashboard')
      expect(await schemasOf(server)).to.equal(before)
    } finally {
      attacker.close()
    }
  })
})
