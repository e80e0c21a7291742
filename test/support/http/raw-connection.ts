import { connect, type Socket } from 'node:net'

/** A TCP connection on which a test sends and receives bytes. */
export interface RawConnection {
  /** Whether the connection is open on both sides. */
  readonly open: boolean
  send(text: string | Buffer): void
  /** Stops reading. */
  pause(): void
  /** Continues reading. */
  resume(): void
  /** Ends the sending side; answers still arrive. */
  end(): void
  /** Returns all received bytes as soon as they match a pattern. @throws Error if the connection ends before */
  until(pattern: RegExp): Promise<string>
  /**
   * Returns all received bytes as soon as they are enough, or if the connection has ended. One byte is one character.
   */
  once(enough: (received: string) => boolean): Promise<string>
  /**
   * Returns all received bytes as soon as they end with this short text, or if the connection has ended. For a long
   * answer, `once` would copy all bytes again for each chunk.
   * @param look receives the number of bytes so far
   */
  ending(text: string, look?: (bytes: number) => void): Promise<string>
  /** Returns all received bytes when the connection has ended. */
  closed(): Promise<string>
  destroy(): void
}

/** @param localAddress source address, by which the server distinguishes clients without a token */
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
  // Ignores errors, because the received bytes count even if an error ends the connection.
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

/** Sends the head of a request with a large form, but no byte of the form. @returns the status of the answer */
export async function statusBeforeBody(
  port: number,
  line: string,
  headers: readonly string[],
): Promise<number> {
  const raw = await openRawConnection(port)
  try {
    raw.send(
      [
        `${line} HTTP/1.1`,
        'Host: metastore.test',
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 100000000',
        ...headers,
        '\r\n',
      ].join('\r\n'),
    )
    const text = await raw.until(/^HTTP\/1\.1 [2-5]\d\d /)
    return Number(text.slice(9, 12))
  } finally {
    raw.destroy()
  }
}

/** Makes the bytes of a form. @param parts header lines and body of each part */
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
