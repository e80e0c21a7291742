// test-schedule: first
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openModel } from './expected-state.js'
import { type Fuzzed, fuzz } from './fuzz-loop.js'
import { startTarget, type Target } from './fuzz-target.js'
import { filePart, type Request } from './shrinkable-request.js'

/* Checks that `npm run fuzz` finds errors: a proxy between it and a real server falsifies answers. */

/** An answer of the server before the proxy passes it on. */
interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Falsifies an answer. @returns false to drop the answer */
type Falsify = (asked: IncomingMessage, answered: Answered) => boolean | undefined

const fronts: Server[] = []
const targets: Target[] = []

function frontThat(falsify: Falsify): (port: number) => Promise<number> {
  return async port => {
    const front = createServer((asked, answer) => {
      const { method, url, rawHeaders } = asked
      const options = { host: '127.0.0.1', port, method, path: url, headers: rawHeaders, setHost: false }
      const passed = request(options, got => {
        if (got.headers['content-type']?.startsWith('text/event-stream')) {
          answer.writeHead(got.statusCode ?? 0, got.headers)
          got.on('error', () => undefined)
          return void got.pipe(answer)
        }
        const chunks: Buffer[] = []
        got.on('data', (chunk: Buffer) => chunks.push(chunk))
        got.on('end', () => {
          const answered = { status: got.statusCode ?? 0, headers: got.headers, body: Buffer.concat(chunks) }
          if (falsify(asked, answered) === false) return
          const { 'transfer-encoding': _, ...headers } = answered.headers
          answer.writeHead(answered.status, headers)
          answer.end(answered.body)
        })
      })
      // If the server has ended, the proxy closes the connection of the client.
      passed.on('error', () => void answer.destroy())
      answer.on('close', () => void passed.destroy())
      asked.pipe(passed)
    })
    fronts.push(front)
    await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
    return (front.address() as AddressInfo).port
  }
}

describe('the fuzz target', () => {
  afterEach(async () => {
    for (const target of targets.splice(0)) await target.remove()
    for (const front of fronts.splice(0)) {
      front.close()
      front.closeAllConnections()
    }
  })

  /** @param requests default: enough to call every operation once and to compare the state */
  async function fuzzed(falsify: Falsify, { longestAnswer = 30_000, requests = 400 } = {}): Promise<Fuzzed> {
    const target = await startTarget({ longestAnswer, countsHolds: false, front: frontThat(falsify) })
    targets.push(target)
    return await fuzz(target, { seconds: 100, seed: 7, requests })
  }

  const isList = ({ url = '' }: IncomingMessage) => /^\/api\/v1\/metadata\?size=1$/.test(url)
  const document = ({ method, url = '', headers }: IncomingMessage) =>
    headers.accept === undefined && method === 'GET'
      ? /^\/api\/v1\/metadata\/[^/?]+$/.exec(url)?.[0]
      : undefined

  it('finds no error in a correct server and succeeds in every operation', async () => {
    const { wrong, unsuccessful, count } = await fuzzed(() => true)

    expect(wrong).to.equal(undefined)
    expect(unsuccessful).to.deep.equal([])
    expect(count).to.equal(400)
  })

  it('records a DELETE by a persistent identifier as a change of its record', async () => {
    const target = await startTarget({ countsHolds: false })
    targets.push(target)
    const model = await openModel(target)
    const exchange = async (request: Pick<Request, 'method' | 'path'> & Partial<Request>) => {
      const sent = { query: [], headers: [], ...request }
      return await model.note(sent, await target.ask(sent), true)
    }
    const [followed] = model.there('metadata')
    const record = {
      id: 'named',
      pid: { identifier: 'urn:example:1', identifierType: 'URN' },
      relatedResource: { identifier: 'http://example.org/1', identifierType: 'URL' },
      schema: { identifier: followed?.follows?.[0], identifierType: 'INTERNAL' },
    }
    const parts = [filePart('record', JSON.stringify(record)), filePart('document', followed?.document ?? '')]
    expect(await exchange({ method: 'POST', path: '/api/v1/metadata', parts })).to.deep.equal([])
    expect(model.there('metadata').map(({ id }) => id)).to.include('named')

    const headers = [['If-Match', '*']] as const
    const wrong = await exchange({ method: 'DELETE', path: '/api/v1/metadata/urn:example:1', headers })

    expect(wrong).to.deep.equal([])
    expect(
      model
        .there('metadata')
        .filter(({ revoked }) => revoked)
        .map(({ id }) => id),
    ).to.deep.equal(['named'])
    expect(await model.check()).to.deep.equal([])
  })

  it('reports an operation that never succeeds', async () => {
    const { wrong, unsuccessful } = await fuzzed(
      ({ url = '' }, answered) => {
        if (url.includes('/dashboard')) answered.status = 404
        return true
      },
      { requests: 180 },
    )

    expect(wrong).to.equal(undefined)
    expect(unsuccessful).to.deep.equal(['dashboard'])
  })

  it('reports a status of 500 or more, with the smallest request that causes it', async () => {
    const { wrong } = await fuzzed(({ url = '' }, answered) => {
      if (/^\/api\/v2\/schemas\/[^?]+\/blame/.test(url)) answered.status = 502
      return true
    })

    expect(wrong).to.match(/^It is answered 502: /)
    expect(wrong).to.match(
      /\ncurl -i .* -X 'GET' 'http:\/\/127\.0\.0\.1:\d+\/api\/v2\/schemas\/[^/]+\/blame'$/,
    )
  })

  it('reports a 503 without Retry-After', async () => {
    const { wrong } = await fuzzed(({ url }, answered) => {
      if (url === '/health/live') answered.status = 503
      return true
    })

    expect(wrong).to.match(/^It is answered 503: /)
  })

  it('reports a missing response', async () => {
    const { wrong } = await fuzzed(({ url }) => url !== '/metrics', { longestAnswer: 2000 })

    expect(wrong).to.match(/^There is no answer: none in 2 seconds/)
  })

  it('reports a list with an extra record', async () => {
    const { wrong } = await fuzzed((asked, { headers }) => {
      const range = headers['content-range']
      if (isList(asked)) headers['content-range'] = range?.replace(/\d+$/, total => `${Number(total) + 1}`)
      return true
    })

    expect(wrong).to.match(/^\d+ metadata are listed; there are \d+$/m)
  })

  it('reports a lost version', async () => {
    const { wrong } = await fuzzed(({ url = '' }, answered) => {
      if (/^\/api\/v1\/metadata\/[^?]+\?version=1$/.test(url)) answered.status = 404
      return true
    })

    expect(wrong).to.match(/^(?: {2})?version 1 of metadata \S+ is not what it was, but 404$/m)
  })

  it('reports a document that has changed without an acknowledged update', async () => {
    const told = new Map<string, number>()
    const { wrong } = await fuzzed((asked, answered) => {
      const path = document(asked)
      if (path === undefined || answered.status !== 200) return true
      const times = (told.get(path) ?? 0) + 1
      told.set(path, times)
      if (times > 1) answered.body = Buffer.from(answered.body.toString().replace('x', 'y'))
      return true
    })

    expect(wrong).to.match(/^the document of metadata \S+ is another one$|has a document that was not sent/m)
  })

  it('reports a writer that received another ETag than the stored one', async () => {
    const { wrong } = await fuzzed(({ method }, { status, headers }) => {
      if (method === 'PUT' && status === 200) headers.etag = `"${'0'.repeat(40)}"`
      return true
    })

    expect(wrong).to.match(/ has the ETag "[0-9a-f]{40}" now; its writer was told "0{40}"/)
  })

  it('reports an event loop that the same requests hold again, but not one that is held once', async () => {
    const heldAt = async (isHeld: (look: number) => boolean) => {
      const target = await startTarget({ countsHolds: false })
      targets.push(target)
      let looks = 0
      const longest = () => (isHeld(++looks) ? 300.4 : 0)
      const watched: Target = Object.create(target, { longestHold: { value: longest } })
      return (await fuzz(watched, { seconds: 100, seed: 7, requests: 20 })).wrong
    }

    expect(await heldAt(look => look === 10)).to.equal(undefined)
    expect(await heldAt(look => look === 10 || look === 14)).to.match(
      /^The event loop was held twice, now for 300 ms\.\n\n.*curl/,
    )
  })

  it('reports a lost acknowledged update', async () => {
    const { wrong } = await fuzzed(({ method, url = '' }, answered) => {
      if (method === 'GET' && /^\/api\/v1\/metadata\/document-/.test(url)) answered.status = 404
      return true
    })

    expect(wrong).to.match(/ was created, and cannot be read/)
  })

  // This test is the last one because it kills the targets. The tests of a file share a process and run in order.
  it('reports a server that has ended', async () => {
    const { wrong } = await fuzzed(({ url }) => {
      if (url === '/actuator/info') for (const target of targets) target.kill()
      return url !== '/actuator/info'
    })

    expect(wrong).to.match(/^The server has ended/)
  })
})
