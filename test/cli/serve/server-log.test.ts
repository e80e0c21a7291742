import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import { openRawConnection } from '../../support/http/raw-connection.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  start as startProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'

interface Line {
  readonly level: string
  readonly time: string
  readonly msg: string
  readonly [member: string]: unknown
}

function linesOf(stderr: string): readonly Line[] {
  return stderr
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)
}

/** Characters of escape sequences and forged lines. */
const notPrintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

async function start(...args: string[]): Promise<RunningServer & { readonly data: string }> {
  const data = join(await temporaryFolder(), 'data')
  return { ...(await startServer(['--data', data, ...args])), data }
}

function schemaForm(id: string, document = '{"type":"object"}'): FormData {
  const body = new FormData()
  body.append('record', new Blob([JSON.stringify({ schemaId: id })], { type: 'application/json' }), 'record')
  body.append('schema', new Blob([document]), 'schema.json')
  return body
}

/** Commits a revision with git that breaks a rule. */
async function commitFault(data: string, text = 'no JSON'): Promise<void> {
  const found = await runProgram('git', ['-C', data, 'ls-files', '*/record.json'])
  const [record = ''] = found.stdout.split('\n')
  await writeFile(join(data, record), text)
  const { code, stderr } = await runProgram('git', ['-C', data, 'commit', '-qam', 'break it'])
  expect(code, stderr).to.equal(0)
}

describe('the log of a server', () => {
  afterEach(stopProcesses)

  it('names the caller of each request with --auth', async () => {
    const env = { METASTORE_JWT_SECRET: 'x'.repeat(32) }
    const token = await runMetastore(['token', 'jane', '--first-name', 'Jane', '--last-name', 'Doe'], { env })
    const data = join(await temporaryFolder(), 'data')
    const server = await startServer(['--data', data, '--auth', '--log', 'json', '--log-level', 'info'], {
      env,
    })
    const headers = { Authorization: `Bearer ${token.stdout.trim()}` }
    const body = () => schemaForm('note')
    await fetch(`${server.url}api/v1/schemas`, { method: 'POST', body: body(), headers })
    await fetch(`${server.url}api/v1/schemas`, { method: 'POST', body: body() })
    await fetch(`${server.url}api/v1/schemas`, { headers })
    await fetch(`${server.url}api/v1/schemas`)

    const { stderr } = await server.stop()
    const requests = linesOf(stderr).filter(({ msg }) => msg === 'request')
    expect(requests.map(({ status, caller }) => [status, caller])).to.deep.equal([
      [201, 'jane'],
      [401, 'anonymousUser'],
      [200, 'jane'],
      [200, 'anonymousUser'],
    ])
  })

  it('never contains a token, a query or a body', async () => {
    const server = await start('--log', 'json', '--log-level', 'info')
    await fetch(`${server.url}api/v1/schemas?page=0&access_token=hush`, {
      headers: { Authorization: 'Bearer hush', Cookie: 'session=hush' },
    })
    await fetch(`${server.url}api/v1/schemas`, { method: 'POST', body: schemaForm('note', '{"hush":') })
    await fetch(`${server.url}api/v1/schemas`, {
      method: 'POST',
      body: schemaForm('note', '{"title":"hush"}'),
    })

    const { stderr } = await server.stop()
    expect(linesOf(stderr)).to.have.length(3)
    expect(stderr).to.not.contain('hush')
  })

  for (const form of ['text', 'json']) {
    it(`escapes control characters from requests, as ${form}`, async () => {
      const server = await start('--log', form, '--log-level', 'info')
      const connection = await openRawConnection(server.port)
      const sent = [
        'GET /%1b[2J HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a b\r\n\r\n',
        'GET /%0anote:%20forged HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: \x9b31m\r\n\r\n',
        `GET /${'a'.repeat(9000)} HTTP/1.1\r\nHost: localhost\r\ntraceparent: 00-\xe2\x80\xa8-1-01\r\n\r\n`,
      ]
      for (const [index, request] of sent.entries()) {
        connection.send(Buffer.from(request, 'latin1'))
        await connection.until(new RegExp(`(?:HTTP/1.1 40[04][^]*?){${index + 1}}`))
      }
      connection.destroy()
      // The message quotes text of the file.
      await commitFault(server.data, 'x\u001b[2J\nnote: forged \u202e')
      await waitUntil('the line', () => server.stderr().includes('note: forged'))

      const all = (await server.stop()).stderr.split('\n')
      for (const line of all) expect(line).to.not.match(notPrintable)
      const note = all.find(line => line.includes('note: forged'))
      const lines = all.filter(line => line.includes('GET'))
      expect(lines).to.have.length(3)
      expect(note).to.match(/note: forged \\+u\{202e\}/)
      expect(note).to.match(form === 'text' ? /^note: / : /^\{"level":"warn"/)
      if (form === 'text') for (const line of lines) expect(line).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z GET \//)
      else for (const { path } of linesOf(lines.join('\n'))) expect(path).to.not.match(notPrintable)
    })
  }

  it('has only warnings by default', async () => {
    const server = await start()
    await fetch(`${server.url}nowhere`)
    await commitFault(server.data)
    await waitUntil('the line', () => server.stderr().includes('no JSON'))

    const { stderr } = await server.stop()
    expect(stderr)
      .to.match(/^note: .*no JSON/m)
      .and.not.to.contain('nowhere')
  })

  it('has the same entries as JSON', async () => {
    const server = await start('--log', 'json')
    await commitFault(server.data)
    await waitUntil('the line', () => server.stderr().includes('no JSON'))

    const { stderr } = await server.stop()
    const note = linesOf(stderr).find(({ msg }) => msg.includes('no JSON'))
    expect(note).to.include({ level: 'warn' })
    expect(note?.msg).to.contain('record.json')
  })

  it('is empty with --log off, also from the environment', async () => {
    const data = join(await temporaryFolder(), 'data')
    const server = await startServer(['--data', data], {
      env: { METASTORE_LOG: 'off', METASTORE_LOG_LEVEL: 'info' },
    })
    await fetch(`${server.url}nowhere`)
    await commitFault(data)
    await fetch(`${server.url}health`)

    expect((await server.stop()).stderr).to.equal('')
  })

  it('names a failed request by the X-Request-Id of its answer', async () => {
    const data = join(await temporaryFolder(), 'data')
    // A separate process: a test server would report the failure as a failure of the test.
    const server = await startProgram(process.execPath, [
      join(packageFolder(), 'bin', 'git-metastore.js'),
      ...['serve', '--data', data, '--port', '0', '--log', 'json'],
    ])
    const made = await fetch(`${server.url}api/v1/schemas`, { method: 'POST', body: schemaForm('note') })
    expect(made.status).to.equal(201)
    await runProgram(
      'sh',
      ['-c', 'find .git/objects -type f -exec chmod u+w {} + -exec truncate -s 0 {} +'],
      {
        cwd: data,
      },
    )

    const failed = await fetch(`${server.url}api/v1/schemas/measurement`)
    expect(failed.status).to.equal(500)
    await waitUntil('the line', () => server.stderr().includes('"request"}'))
    await server.stop('SIGKILL')

    const lines = linesOf(server.stderr())
    const line = lines.find(({ msg }) => msg === 'failed')
    expect(line).to.include({ level: 'error', request: failed.headers.get('X-Request-Id') })
    expect(line?.doing).to.equal('GET /api/v1/schemas/measurement')
    expect(line?.error).to.match(/^\w+: .*\n\s+at /)
    expect(lines.find(({ msg }) => msg === 'request')).to.include({ level: 'error', status: 500 })
  })
})

describe('the log of a server as JSON', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c'
  let made: Response
  let read: Response
  let body: string
  let missing: Response
  let head: string
  let requests: readonly Line[]
  before(async () => {
    const server = await start('--log', 'json', '--log-level', 'info')
    made = await fetch(`${server.url}api/v1/schemas`, { method: 'POST', body: schemaForm('note') })
    read = await fetch(`${server.url}metastore/api/v1/schemas/note?version=1`, {
      headers: { 'X-Request-Id': 'job-7/step.2' },
    })
    body = await read.text()
    missing = await fetch(`${server.url}nowhere`, {
      headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
    })
    for (const step of ['REVOKED', 'GONE']) {
      const { headers } = await fetch(`${server.url}api/v1/schemas/note`)
      const removed = await fetch(`${server.url}api/v1/schemas/note`, {
        method: 'DELETE',
        headers: { 'If-Match': headers.get('ETag') ?? '' },
      })
      expect(removed.status, step).to.equal(204)
    }
    head = (await runProgram('git', ['-C', server.data, 'rev-parse', 'HEAD'])).stdout.trim()
    const { stderr } = await server.stop()
    requests = linesOf(stderr).filter(({ msg }) => msg === 'request')
  })
  after(stopProcesses)

  it('has one line for each request, with an id of its own', () => {
    expect(requests).to.have.length(7)
    expect(new Set(requests.map(({ request }) => request))).to.have.property('size', 7)
  })

  it('has the route, the caller, the commit and the id of an update', () => {
    expect(requests[0]).to.include({
      level: 'info',
      method: 'POST',
      path: '/api/v1/schemas',
      route: '/api/v1/schemas',
      status: 201,
      caller: 'SELF',
      commit: made.headers.get('ETag')?.slice(1, -1),
      request: made.headers.get('X-Request-Id'),
    })
  })

  it('has the time of a request, and how long it took', () => {
    expect(Date.parse(requests[0]?.time ?? '')).to.be.closeTo(Date.now(), 60_000)
    expect(requests[0]?.milliseconds).to.be.a('number').above(0)
  })

  it('has the id that a client sends, which the answer repeats, and the bytes of the answer', () => {
    expect(requests[1]).to.include({
      request: 'job-7/step.2',
      path: '/metastore/api/v1/schemas/note',
      route: '/api/v1/schemas/{id}',
      status: 200,
      bytes: body.length,
    })
    expect(read.headers.get('X-Request-Id')).to.equal('job-7/step.2')
  })

  it('has the id of a trace, and no route for an unknown address', () => {
    expect(requests[2]).to.include({ request: trace, status: 404 }).and.not.to.have.property('route')
    expect(missing.headers.get('X-Request-Id')).to.equal(trace)
  })

  it('has the commit of a deletion', () => {
    expect(requests[6]).to.include({ method: 'DELETE', status: 204, commit: head, bytes: 0 })
  })
})
