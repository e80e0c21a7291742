import { connect, type Socket } from 'node:net'

/** A connection on which a test says byte for byte what it wants. */
export interface RawConnection {
  /** Neither side has closed it. */
  readonly open: boolean
  send(text: string | Buffer): void
  /** Reads nothing any more. */
  pause(): void
  /** Reads again. */
  resume(): void
  /** Says that nothing more comes; answers still do. */
  end(): void
  /** Everything received so far, once it has what is looked for. @throws Error where the connection ends before */
  until(pattern: RegExp): Promise<string>
  /** Everything received so far, once it is enough, or the connection has ended. One byte is one character. */
  once(enough: (received: string) => boolean): Promise<string>
  /**
   * Everything received so far, once it ends with this text of a few bytes, or the connection has ended. Of a long answer
   * `once` would copy all that has come, again for each piece. @param look is told the number of bytes so far
   */
  ending(text: string, look?: (bytes: number) => void): Promise<string>
  /** Everything received, once the other side has closed. */
  closed(): Promise<string>
  destroy(): void
}

/** @param localAddress where it comes from: the server tells clients without a token apart by it */
export async function openRawConnection(port: number, localAddress = '127.0.0.1'): Promise<RawConnection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let received = ''
  let lastBytes = ''
  let over = false
  let wake = () => {}
  socket.on('data', chunk => {
    const text = chunk.toString('latin1')
    received += text
    lastBytes = (lastBytes + text).slice(-32)
    wake()
  })
  // an error is an end as well: what was received before it counts
  socket.on('error', () => {})
  socket.on('close', () => {
    over = true
    wake()
  })
  async function wait(done: () => boolean): Promise<string> {
    while (!done()) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
    return received
  }
  return {
    get open() {
      return !over
    },
    send: text => void socket.write(text),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    async until(pattern) {
      await wait(() => over || pattern.test(received))
      if (!pattern.test(received)) throw new Error(`The connection ended after: ${received}`)
      return received
    },
    once: enough => wait(() => over || enough(received)),
    ending: (text, look) =>
      wait(() => {
        look?.(received.length)
        return over || lastBytes.endsWith(text)
      }),
    closed: () => wait(() => over),
    destroy: () => void socket.destroy(),
  }
}

/** A form by hand. @param parts header lines and body of each part */
export function multipartBody(
  ...parts: readonly (readonly [headers: string, body: string | Buffer])[]
): Buffer {
  return Buffer.concat([
    ...parts.flatMap(([headers, body]) => [
      Buffer.from(`--boundary\r\n${headers}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--boundary--\r\n'),
  ])
}

export const formType = 'multipart/form-data; boundary=boundary'
