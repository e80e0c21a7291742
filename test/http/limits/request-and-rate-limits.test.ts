import { join } from 'node:path'
import { expect } from 'chai'
import type { AppOptions } from '../../../src/http/app.js'
import { type ListenOptions, listen, type RunningServer } from '../../../src/http/server/listen.js'
import { formType, multipartBody, openRawConnection } from '../../support/http/raw-connection.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import {
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const get = 'GET /api/v1/schemas HTTP/1.1\r\nHost: metastore.test\r\n\r\n'
const body = multipartBody(
  ['Content-Disposition: form-data; name="record"', JSON.stringify(metadataRecordV1('http://x/1', 'note'))],
  ['Content-Disposition: form-data; name="document"', '{}'],
)
const head = `POST /api/v1/metadata HTTP/1.1\r\nHost: metastore.test\r\nContent-Type: ${formType}\r\nContent-Length: ${body.length}\r\n\r\n`
const post = Buffer.concat([Buffer.from(head), body])

let service: TestService
let server: RunningServer

async function start(options: AppOptions = {}, listening: Partial<ListenOptions> = {}): Promise<void> {
  service = await startService(options)
  await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
  server = await listen(service.app, { port: 0, ...listening })
}

/** The server still answers other clients. */
async function serves(): Promise<void> {
  const connection = await openRawConnection(server.port)
  connection.send(get)
  await connection.until(/^HTTP\/1\.1 200 /)
  connection.destroy()
}

async function stop(): Promise<void> {
  await server.stop(100)
  await removeRepositories()
}

describe('limits of requests', () => {
  afterEach(stop)

  it('apply to the request line and the headers together', async () => {
    await start({}, { maxHeaderSize: 4096 })
    for (const long of [
      `GET /${'a'.repeat(5000)} HTTP/1.1\r\nHost: metastore.test\r\n\r\n`,
      get.replace('\r\n\r\n', `\r\nX-A: ${'a'.repeat(5000)}\r\n\r\n`),
      get.replace('\r\n\r\n', `${'\r\nX-A: a'.repeat(3000)}\r\n\r\n`),
    ]) {
      const connection = await openRawConnection(server.port)
      connection.send(long)
      const answer = await connection.closed()
      expect(answer).to.match(/^HTTP\/1\.1 431 /)
      expect(answer).to.contain('too long').and.to.contain('X-Content-Type-Options: nosniff')
    }
    await serves()
  })

  it('are configurable', async () => {
    await start({}, { maxHeaderSize: 65_536 })
    const connection = await openRawConnection(server.port)
    connection.send(get.replace('\r\n\r\n', `\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`))
    expect(await connection.until(/\r\n\r\n/)).to.match(/^HTTP\/1\.1 200 /)
    connection.destroy()
  })

  it('apply to slow headers and slow bodies', async () => {
    await start({}, { headersTimeout: 300, requestTimeout: 600 })
    const slow = await Promise.all([
      openRawConnection(server.port),
      openRawConnection(server.port),
      openRawConnection(server.port),
    ])
    slow[0]?.send('GET / HTTP/1.1\r\nHost: metas')
    slow[1]?.send(Buffer.concat([Buffer.from(head), body.subarray(0, 20)]))
    // The third connection sends nothing.
    const drops = setInterval(() => slow[0]?.send('t'), 100)
    await serves()

    const answers = await Promise.all(slow.map(connection => connection.closed()))
    clearInterval(drops)
    expect(answers[0]).to.match(/^HTTP\/1\.1 408 /)
    expect(answers[1]).to.match(/^(?:HTTP\/1\.1 408 |$)/)
    await serves()
    await service.http.get('/api/v1/metadata').expect(200).expect('Content-Range', '*/0')
  })

  it('apply to connections: a further one is closed, and accepted after another has ended', async () => {
    await start({}, { maxConnections: 2 })
    const [first, second] = [await openRawConnection(server.port), await openRawConnection(server.port)]
    first.send(get)
    await first.until(/^HTTP\/1\.1 200 /)
    const third = await openRawConnection(server.port)
    third.send(get)
    expect(await third.closed()).to.equal('')

    second.destroy()
    await waitUntil('a connection is accepted', async () => {
      const connection = await openRawConnection(server.port)
      connection.send(get)
      const answer = await connection.once(received => received.startsWith('HTTP/1.1 200 '))
      connection.destroy()
      return answer !== ''
    })
    first.destroy()
  })

  it('apply to concurrent updates: a further update gets 503, and succeeds when sent again', async () => {
    await start({ updates: { maxConcurrent: 1 } })
    const busy = await openRawConnection(server.port)
    busy.send(head.replace('\r\n', '\r\nExpect: 100-continue\r\n'))
    await busy.until(/^HTTP\/1\.1 100 Continue\r\n/)
    busy.send(body.subarray(0, body.length - 5))
    const other = await openRawConnection(server.port)
    await service.storesNothing(async () => {
      other.send(post)
      const refused = await other.until(/\r\n\r\n.*}/s)
      expect(refused)
        .to.match(/^HTTP\/1\.1 503 /)
        .and.to.contain('Retry-After: 1')
        .and.to.contain('send it again')
      await serves()
    })

    busy.send(body.subarray(body.length - 5))
    expect(await busy.until(/\r\n\r\n.*}/s)).to.contain('HTTP/1.1 201 ')
    await service.postMetadata(metadataRecordV1('http://x/2', 'note'), '{}').expect(201)
    for (const connection of [busy, other]) connection.destroy()
  })

  it('apply to all parts of a form together, which may have the size of two documents', async () => {
    await start({ limits: { document: 20_000 } })
    const file = (length: number) => JSON.stringify({ $comment: 'x'.repeat(length - 15) })
    const send = (last: number) =>
      service.postSchema({ schemaId: 'parts' }, file(20_000), {
        'a.json': file(20_000),
        'b.json': file(last),
      })

    await send(100).expect(201)
    const { body } = await send(17_000).expect(413)
    expect(body.detail).to.match(/^The request has \d+ bytes; at most 56384 are taken\.$/)
  })

  it('let a client send a JSON body, if it expects 100 Continue', async () => {
    await start({})
    const body = '{"query":{"match_all":{}}}'
    const raw = await openRawConnection(server.port)
    const length = `Content-Length: ${body.length}`
    const head = [
      'POST /api/v1/search HTTP/1.1',
      'Host: metastore.test',
      'Content-Type: application/json',
      length,
    ]
    raw.send([...head, 'Expect: 100-continue', '\r\n'].join('\r\n'))

    expect(await raw.until(/\r\n\r\n/)).to.equal('HTTP/1.1 100 Continue\r\n\r\n')
    raw.send(body)
    expect(await raw.until(/HTTP\/1\.1 (?!100)\d+ /)).to.match(/HTTP\/1\.1 (?:200|503) /)
  })

  it('do not depend on an unknown expectation', async () => {
    await start({})
    const raw = await openRawConnection(server.port)
    const unknown = post.toString().replace('\r\n', '\r\nExpect: unknown\r\n')
    raw.send(unknown)
    expect(await raw.until(/\r\n\r\n/)).to.match(/^HTTP\/1\.1 201 /)
    raw.destroy()
  })

  it('apply before the body is sent, if the client expects 100 Continue', async () => {
    await start({ updates: { maxConcurrent: 1 } })
    const polite = post.toString().replace('\r\n', '\r\nExpect: 100-continue\r\n')
    const [askingHead = '', askingBody = ''] = polite.split(/(?<=\r\n\r\n)(.*)/s)
    const busy = await openRawConnection(server.port)
    busy.send(askingHead)
    expect(await busy.until(/\r\n\r\n/)).to.equal('HTTP/1.1 100 Continue\r\n\r\n')
    const other = await openRawConnection(server.port)
    other.send(askingHead)
    const refused = await other.closed()
    expect(refused)
      .to.match(/^HTTP\/1\.1 503 /)
      .and.to.contain('Retry-After: 1')
    expect(refused).to.contain('Connection: close').and.to.not.contain('100 Continue')

    busy.send(askingBody)
    expect(await busy.until(/\r\n\r\n.*}/s)).to.contain('HTTP/1.1 201 ')
    busy.send(get)
    await busy.until(/HTTP\/1\.1 200 /)
    busy.destroy()
  })

  it('apply to the wait of updates: an update that would wait too long gets 503 at once', async () => {
    await start({ updates: { maxWaitMs: 1 } })
    // A pattern that takes long to match.
    const slow = { type: 'string', pattern: '^(?!x*x*x*y)x+$' }
    await service.postSchema({ schemaId: 'slow' }, JSON.stringify(slow)).expect(201)
    const check = () => {
      const body = new FormData()
      body.append('document', new Blob([JSON.stringify('x'.repeat(300))]), 'document.json')
      return fetch(`${server.url}api/v1/schemas/slow/validate`, { method: 'POST', body })
    }
    // The server estimates the throughput only after many requests have waited for a while.
    const refusals: Response[] = []
    async function keepAsking(): Promise<void> {
      while (refusals.length === 0) {
        const answer = await check()
        if (answer.status !== 204) refusals.push(answer)
      }
    }
    await Promise.all(Array.from({ length: 40 }, keepAsking))

    for (const refused of refusals) {
      expect(refused.status).to.equal(503)
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 30)
      expect(await refused.text()).to.match(/"Updates wait for \d+ s, which is longer than the limit\. /)
    }
    await serves()
    expect((await check()).status).to.equal(204)
  })
})

describe('the rate limit of a client', () => {
  afterEach(removeRepositories)

  it('is in every response, and requests over it are refused', async () => {
    service = await startService({ rateLimit: { requests: 3, seconds: 60 } })
    for (const left of [2, 1, 0]) {
      const { headers } = await service.http.get('/api/v1/schemas').expect(200)
      expect(headers['ratelimit-policy']).to.equal('"client";q=3;w=60')
      expect(headers.ratelimit).to.match(new RegExp(`^"client";r=${left};t=(59|60)$`))
    }

    const { body, headers } = await service.http.get('/api/v1/schemas').expect(429)

    expect(headers['content-type']).to.equal('application/problem+json')
    expect(Number(headers['retry-after'])).to.be.within(59, 60)
    expect(body).to.include({ title: 'Too Many Requests', status: 429 })
    expect(body.detail).to.contain('3 requests in 60 seconds')
  })

  it('is restored after its time', async () => {
    service = await startService({ rateLimit: { requests: 1, seconds: 1 } })
    const { headers } = await waitUntil('two requests within a second', async () => {
      const answer = await service.http.get('/health/live')
      return answer.status === 429 && answer
    })

    await new Promise(resolve => setTimeout(resolve, Number(headers['retry-after']) * 1000))
    await service.http.get('/health/live').expect(200)
  })

  it('counts by the configured proxy header, and by no other header', async () => {
    service = await startService({
      rateLimit: { requests: 1, seconds: 60 },
      trustedProxies: ['loopback', '10.0.0.0/8'],
      proxyHeaders: 'forwarded',
    })
    const from = (value: string) => service.http.get('/health/live').set('Forwarded', value)
    await from('for=203.0.113.3;proto=http, for=10.0.0.7').expect(200)
    await from('for="203.0.113.3:4711"').expect(429)
    await from('for=203.0.113.3').set('X-Forwarded-For', '203.0.113.77').expect(429)
    // The proxy hides the address of the client. Entries that the client wrote before it do not count.
    await from('for=198.51.100.1, proto=https').expect(200)
    await from('for=198.51.100.2, proto=https').expect(429)
  })

  it('counts by the address that a trusted proxy saw, not by an address that the client made up', async () => {
    const from = (value: string, name = 'X-Forwarded-For') =>
      service.http.get('/health/live').set(name, value)
    service = await startService({
      rateLimit: { requests: 1, seconds: 60 },
      trustedProxies: ['loopback', '10.0.0.0/8'],
    })
    await from('203.0.113.1').expect(200)
    await from('203.0.113.1').expect(429)
    await from('203.0.113.2, 10.0.0.7').expect(200)
    await from('198.51.100.9, 203.0.113.2').expect(429)
    // The proxy does not write this header, so it comes from the client.
    await from('203.0.113.2').set('Forwarded', 'for=203.0.113.77').expect(429)
    // All addresses of a network of IPv6 count as one client, because a client can use all of them.
    await from('2001:db8:1:2::1').expect(200)
    await from('2001:0db8:1:2:ffff::9').expect(429)
    await from('2001:db8:1:3::1').expect(200)
    await removeRepositories()

    service = await startService({ rateLimit: { requests: 1, seconds: 60 } })
    await from('203.0.113.1').expect(200)
    await from('203.0.113.2').expect(429)
  })
})

describe('the limit options of serve', () => {
  afterEach(stopProcesses)

  it('are applied, and invalid values are refused', async () => {
    const data = join(await temporaryFolder(), 'data')
    for (const wrong of [
      ['--rate-limit', '100'],
      ['--rate-limit', '0/s'],
      ['--rate-limit', '5/day'],
      ['--max-headers', '0'],
      ['--max-connections', '-1'],
      ['--max-updates', '1.5'],
      ['--max-wait', '0'],
      ['--max-record', '0'],
      ['--max-parts', '2.5'],
      ['--validation-depth', '513'],
      ['--headers-timeout', 'x'],
      ['--headers-timeout', '30', '--request-timeout', '20'],
      ['--cors-origin', 'ui.example.org'],
      ['--cors-origin', 'https://ui.example.org/'],
      ['--log', 'loud'],
      ['--log-level', 'debug'],
    ]) {
      const { code, stderr } = await runMetastore(['serve', '--data', data, ...wrong])
      expect(code, `${wrong.join(' ')}: ${stderr}`).to.equal(2)
    }

    const server = await startServer(
      ['--data', data, '--max-headers', '2', '--cors-origin', 'https://ui.example.org'],
      {
        env: { METASTORE_RATE_LIMIT: '3/min' },
      },
    )
    const long = await fetch(server.url, { headers: { 'X-A': 'a'.repeat(3000) } })
    expect(long.status).to.equal(431)
    const answers = [1, 2, 3, 4].map(async () => {
      const answer = await fetch(`${server.url}health/live`, {
        headers: { Origin: 'https://ui.example.org' },
      })
      expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('https://ui.example.org')
      expect(answer.headers.get('Access-Control-Expose-Headers'))
        .to.contain('Content-Range, ETag, Link, Location')
        .and.to.contain('X-Request-Id')
      return answer.status
    })
    expect((await Promise.all(answers)).sort()).to.deep.equal([200, 200, 200, 429])
  })

  it('apply to records, parts and depth', async () => {
    const data = join(await temporaryFolder(), 'data')
    const limits = ['--max-record', '2', '--max-parts', '3', '--validation-depth', '5']
    const { url } = await startServer(['--data', data, ...limits])
    async function register(id: string, document: string, ...more: readonly string[]): Promise<number> {
      const body = new FormData()
      body.append('record', new Blob([JSON.stringify({ schemaId: id, definition: more[0] })]), 'r')
      body.append('schema', new Blob([document]), 's')
      for (const [index, text] of more.slice(1).entries())
        body.append('include', new Blob([text]), `${index}.json`)
      return (await fetch(`${url}api/v1/schemas`, { method: 'POST', body })).status
    }
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    async function validated(schema: string, document: string): Promise<number> {
      const body = new FormData()
      body.append('document', new Blob([document]), 'd')
      return (await fetch(`${url}api/v1/schemas/${schema}/validate`, { method: 'POST', body })).status
    }

    expect(await register('any', '{"$ref": "0.json"}', 'x'.repeat(1500), '{}')).to.equal(201)
    expect(await register('long', '{}', 'x'.repeat(2500))).to.equal(413)
    expect(await register('many', '{}', 'x', '{}', '{}')).to.equal(413)
    expect(await register('flat', `{"const": ${nested(4)}}`)).to.equal(201)
    expect(await register('deep', `{"const": ${nested(5)}}`)).to.equal(422)
    expect(await validated('any', nested(5))).to.equal(204)
    expect(await validated('any', nested(6))).to.equal(422)
    const lax = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType><xs:sequence>
      <xs:any processContents="skip"/></xs:sequence></xs:complexType></xs:element></xs:schema>`
    expect(await register('lax', lax)).to.equal(201)
    const elements = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`
    expect(await validated('lax', elements(256))).to.equal(204)
    expect(await validated('lax', elements(257))).to.equal(422)
  })

  it('do not include a rate limit or CORS on the loopback address', async () => {
    const server = await startServer(['--data', join(await temporaryFolder(), 'data')])

    const { headers } = await fetch(`${server.url}health/live`, {
      headers: { Origin: 'https://ui.example.org' },
    })

    expect(headers.has('RateLimit')).to.equal(false)
    expect(headers.has('Access-Control-Allow-Origin')).to.equal(false)
  })

  it('include a rate limit if other machines can reach the server', async () => {
    const data = join(await temporaryFolder(), 'data')
    const server = await startServer(['--data', data, '--host', '0.0.0.0', '--insecure'])

    const { headers } = await fetch(`http://127.0.0.1:${server.port}/health/live`)

    expect(headers.get('RateLimit-Policy')).to.equal('"client";q=500;w=1')
  })
})

describe('security headers', () => {
  afterEach(removeRepositories)

  it('are on every response: no sniffing, no scripts, no frames, no other sites', async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const pages = [
      '/dashboard',
      '/schema-management',
      '/schema-landing-page?schemaId=note',
      '/swagger-ui.html',
    ]
    for (const path of [...pages, '/', '/api/v1/schemas', '/api/v1/schemas/note', '/health', '/nowhere']) {
      const { headers } = await service.http.get(path)
      expect(headers, path).to.include({
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      const policy = headers['content-security-policy'] ?? ''
      expect(policy, path)
        .to.match(/^default-src 'none'; /)
        .and.to.contain("frame-ancestors 'none'")
      if (!pages.includes(path)) continue
      expect(policy, path).to.not.match(/script-src[^;]*unsafe|\*|https?:/)
      expect(headers, path).to.include({
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      })
    }
  })
})
