// test-schedule: quick
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import Koa from 'koa'
import { sendCompressed } from '../../../src/features/harvesting/answers/gzip-body.js'

describe('A compressed stream', () => {
  let server: Server
  let release: () => void
  let released: Promise<void>
  let errors: string[]

  beforeEach(async () => {
    errors = []
    released = new Promise(resolve => {
      release = resolve
    })
    async function* pieces(fails: boolean): AsyncGenerator<string, void> {
      yield 'begin '.repeat(10_000)
      await released
      if (fails) throw new Error('the end is missing')
      yield 'end'
    }
    const app = new Koa()
    app.on('error', (error: Error) => errors.push(error.message))
    const answer = async (ctx: Koa.Context) => {
      ctx.set('Content-Type', 'text/plain')
      const body = pieces(ctx.path === '/fails')
      await sendCompressed(ctx, Readable.from(body, { objectMode: false }))
    }
    // `app.callback` compares its answers with the OpenAPI description. These answers are not in it.
    const handle = Reflect.get(app, 'handleRequest') as (ctx: Koa.Context, use: typeof answer) => void
    server = createServer((incoming, response) => {
      handle.call(app, app.createContext(incoming, response), answer)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  async function begin(path = '/'): Promise<IncomingMessage> {
    const { port } = server.address() as AddressInfo
    const sent = request({ port, path, headers: { 'Accept-Encoding': 'gzip' } })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  const isCompressed = ({ headers }: IncomingMessage) => headers['content-encoding'] === 'gzip'

  it('is one of at most 32; further streams are sent uncompressed until one has ended', async () => {
    const open = await Promise.all(Array.from({ length: 34 }, () => begin()))
    expect(open.filter(isCompressed)).to.have.length(32)
    release()
    for (const response of open) {
      const body = await buffer(response)
      const text = (isCompressed(response) ? gunzipSync(body) : body).toString()
      expect(text).to.equal(`${'begin '.repeat(10_000)}end`)
    }
    const last = await begin()
    expect(isCompressed(last)).to.equal(true)
    await buffer(last)
    expect(errors).to.deep.equal([])
  })

  it('ends early when its source fails, and the error is reported', async () => {
    const response = await begin('/fails')
    expect(isCompressed(response)).to.equal(true)
    release()
    const failure = await buffer(response).catch((error: Error) => error)
    expect(failure).to.be.instanceOf(Error)
    expect([...new Set(errors)]).to.deep.equal(['the end is missing'])
  })

  it('frees its place when its client disconnects', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 32 }, () => begin()))
    expect([first, ...others].filter(each => each && isCompressed(each))).to.have.length(32)
    expect(isCompressed(await begin()), 'while every place is taken').to.equal(false)
    first?.destroy()
    let next = await begin()
    // The server notices the end of a connection a moment later.
    while (!isCompressed(next)) {
      next.destroy()
      next = await begin()
    }
    expect(isCompressed(await begin()), 'while another stream has the place').to.equal(false)
  })
})
