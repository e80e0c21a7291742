import { connect, type Socket } from 'node:net'

/** An answer. Its headers are parsed only on demand. */
export interface Answer {
  readonly status: number
  /** Status line and headers as they were sent. */
  readonly head: string
  readonly body: Buffer
  /** Returns the value of a header. @param name in lower case */
  header(name: string): string | undefined
}

/** A kept-alive connection for one request at a time. It costs much less than a full HTTP client. */
export interface Connection {
  /** Whether the connection is open. Servers close connections after a long idle time. */
  readonly isOpen: boolean
  /** @throws Error if the connection ends before the answer */
  send(request: Buffer): Promise<Answer>
  close(): void
}

const endOfHead = Buffer.from('\r\n\r\n')

/** The read buffer of all connections. Each connection copies its bytes before the next read. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** Opens a minimal HTTP client. @see RFC 9112 */
export async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: scratch, callback: take },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let received: Buffer = Buffer.alloc(0)
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  let failure: Error | undefined

  function fail(error: Error): void {
    failure ??= error
    waiting?.reject(failure)
    waiting = undefined
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The connection was closed.')))

  function take(length: number): boolean {
    received = Buffer.concat([received, scratch.subarray(0, length)])
    const answer = takeAnswer(received)
    if (!answer || !waiting) return true
    const { resolve } = waiting
    waiting = undefined
    received = received.subarray(answer.length)
    resolve(answer)
    return true
  }

  return {
    get isOpen() {
      return failure === undefined
    },
    send(request) {
      return new Promise((resolve, reject) => {
        if (failure) return reject(failure)
        waiting = { resolve, reject }
        socket.write(request)
      })
    },
    close: () => void socket.destroy(),
  }
}

/** @returns the answer and its length in bytes; undefined if it is incomplete */
function takeAnswer(bytes: Buffer): (Answer & { readonly length: number }) | undefined {
  const end = bytes.indexOf(endOfHead)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  const lower = head.toLowerCase()
  const header = (name: string) => headerIn(head, lower, name)
  const start = end + endOfHead.length
  if (status === 204 || status === 304) return { status, head, header, body: Buffer.alloc(0), length: start }
  const size = header('content-length')
  if (size === undefined) return takeChunks(bytes, start, answer => ({ status, head, header, ...answer }))
  const length = start + Number(size)
  if (bytes.length < length) return undefined
  return { status, head, header, body: bytes.subarray(start, length), length }
}

/** @param lower the head in lower case */
function headerIn(head: string, lower: string, name: string): string | undefined {
  const index = lower.indexOf(`\r\n${name}:`)
  if (index < 0) return undefined
  const from = index + name.length + 3
  const to = head.indexOf('\r\n', from)
  return head.slice(from, to < 0 ? undefined : to).trim()
}

function takeChunks<T>(
  bytes: Buffer,
  start: number,
  make: (answer: { body: Buffer; length: number }) => T,
): T | undefined {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const from = line + 2
    if (bytes.length < from + size + 2) return undefined
    if (size === 0) return make({ body: Buffer.concat(parts), length: from + 2 })
    parts.push(bytes.subarray(from, from + size))
    at = from + size + 2
  }
}

export interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** The same host for every port, so that answers do not depend on the port. */
const host = 'localhost:8040'

export function requestBytes({ method, path, headers = {}, body }: RequestParts): Buffer {
  const all = { host, ...headers, ...(body && { 'content-length': String(body.length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return body ? Buffer.concat([head, body]) : head
}

const boundary = '----------------------------git-metastore-bench'

/** Makes a form like curl does. */
export function form(parts: Readonly<Record<string, Buffer>>): Pick<RequestParts, 'headers' | 'body'> & {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
} {
  const pieces = Object.entries(parts).flatMap(([name, bytes]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ])
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
