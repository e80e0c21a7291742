import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import Koa, { type Context } from 'koa'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { openRawConnection, type RawConnection } from '../../support/http/raw-connection.js'

const get = 'GET / HTTP/1.1\r\nHost: metastore.test\r\n\r\n'
const post = 'POST / HTTP/1.1\r\nHost: metastore.test\r\nTransfer-Encoding: chunked\r\n\r\n'
const garbage = 'this is no request\r\n\r\n'

describe('bytes that are not a request', () => {
  let server: RunningServer
  let connection: RawConnection
  /** Functions that answer the received requests, one for each. */
  let finish: (() => void)[]
  /** Wakes the test when the app has received another request. */
  let arrived: () => void
  let answer: (ctx: Context) => void

  beforeEach(async () => {
    finish = []
    arrived = () => undefined
    answer = ctx => {
      ctx.body = 'the answer'
    }
    const app = new Koa()
    app.silent = true
    const handle = Reflect.get(app, 'handleRequest') as (ctx: Context, use: typeof serve) => Promise<void>
    // Koa's own callback compares its answers with the OpenAPI description.
    app.callback = () => (incoming, response) => {
      const ctx = app.createContext(incoming as IncomingMessage, response as ServerResponse)
      return handle.call(app, ctx, serve)
    }
    server = await listen(app, { port: 0, headersTimeout: 100 })
    connection = await openRawConnection(server.port)
  })
  afterEach(async () => {
    connection.destroy()
    await server.stop(100)
  })

  function serve(ctx: Context): Promise<void> {
    return new Promise(resolve => {
      finish.push(() => {
        answer(ctx)
        resolve()
      })
      arrived()
    })
  }

  /** Waits until the app has received this number of requests. */
  async function received(count: number): Promise<void> {
    while (finish.length < count)
      await new Promise<void>(resolve => {
        arrived = resolve
      })
  }

  /** Waits until the server has read all earlier bytes. */
  async function hasRead(): Promise<void> {
    const probe = await openRawConnection(server.port)
    probe.send(garbage)
    await probe.closed()
  }

  it('are answered at once if no request precedes them', async () => {
    connection.send(garbage)
    expect(statusesIn(await connection.closed())).to.deep.equal([400])
  })

  it('are answered with content after a HEAD request in the same packet', async () => {
    connection.send(get.replace('GET', 'HEAD') + garbage)
    await received(1)
    finish[0]?.()
    const received400 = (await connection.closed()).split('HTTP/1.1 400')[1] ?? ''
    const [headers = '', content = ''] = received400.split('\r\n\r\n')
    expect(content.length).to.equal(Number(/content-length: (\d+)/i.exec(headers)?.[1]))
    expect(content).to.contain('not a readable HTTP request')
  })

  it('are answered after the response to the preceding request', async () => {
    connection.send(get + garbage)
    await received(1)
    await hasRead()
    connection.send(garbage)
    await hasRead()
    finish[0]?.()

    const answers = await connection.closed()

    expect(statusesIn(answers)).to.deep.equal([200, 400])
    expect(answers).to.match(/\r\n\r\nthe answerHTTP\/1\.1 400 /)
  })

  it('are answered after the responses to all preceding requests', async () => {
    connection.send(get + get + get + garbage)
    await received(1)
    await hasRead()
    for (const number of [0, 1, 2]) {
      await received(number + 1)
      finish[number]?.()
    }

    expect(statusesIn(await connection.closed())).to.deep.equal([200, 200, 200, 400])
  })

  it('are answered after a response that has begun', async () => {
    const body = new PassThrough()
    answer = ctx => {
      ctx.body = body
    }
    connection.send(get)
    await received(1)
    finish[0]?.()
    body.write('the beginning,')
    await connection.until(/the beginning,/)
    connection.send(garbage)
    await hasRead()
    body.end('the end')

    const answers = await connection.closed()

    expect(statusesIn(answers)).to.deep.equal([200, 400])
    expect(answers).to.match(/the beginning,\r\n7\r\nthe end\r\n0\r\n\r\nHTTP\/1\.1 400 /)
  })

  it('are answered after the response to the preceding request if they arrive late', async () => {
    connection.send(`${get}GET / HT`)
    await received(1)
    const other = await openRawConnection(server.port)
    other.send('GET / HT')
    expect(statusesIn(await other.closed())).to.deep.equal([408])
    finish[0]?.()

    expect(statusesIn(await connection.closed())).to.deep.equal([200, 408])
  })

  it('are answered instead of the request if they are its body', async () => {
    connection.send(`${post}no length\r\n`)
    expect(statusesIn(await connection.closed())).to.deep.equal([400])
    finish[0]?.()
  })

  it('are answered instead of a waiting request if they are its body', async () => {
    connection.send(`${get}${post}no length\r\n`)
    await received(1)
    await hasRead()
    finish[0]?.()

    expect(statusesIn(await connection.closed())).to.deep.equal([200, 400])
    expect(finish).to.have.length(1)
  })

  it('end the connection if they are in the body of a request whose response has begun', async () => {
    const body = new PassThrough()
    answer = ctx => {
      ctx.body = body
    }
    connection.send(post)
    await received(1)
    finish[0]?.()
    body.write('the beginning')
    await connection.until(/the beginning/)
    connection.send('no length\r\n')

    const answers = await connection.closed()

    expect(statusesIn(answers)).to.deep.equal([200])
    expect(answers).to.match(/the beginning\r\n$/)
  })

  it('end the connection if they are in the body of a request that has its response', async () => {
    connection.send(post)
    await received(1)
    finish[0]?.()
    await connection.until(/the answer/)
    connection.send('no length\r\n')

    expect(await connection.closed()).to.match(/the answer$/)
  })
})

function statusesIn(answers: string): readonly number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
