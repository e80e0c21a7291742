import { readFileSync } from 'node:fs'
import { stat, utimes, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { canLook, look, memoryOfAll } from '../../../bench/support/process-memory.js'
import { formType, multipartBody } from '../http/raw-connection.js'
import { metadataRecordV1 } from '../http/test-service.js'
import {
  eventLoopVariable,
  holdLimit,
  longestHoldOfTest,
  longestHoldSince,
} from '../program/event-loop-monitor.js'
import { type RunningServer, startServer, temporaryFolder } from '../program/run-program.js'

/*
 * A server process under attack: whether it survives, which files and hosts it accesses, its latency for others, and
 * its memory.
 */

/** An answer to a request. */
export interface MonitoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests know the form of the body
  readonly body: any
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Places that a server must not access: files outside of the repository, and a port that answers. */
export interface Canary {
  readonly folder: string
  /** A valid schema of each type, and a text. A server could use them. */
  readonly files: { readonly json: string; readonly xsd: string; readonly txt: string }
  /** The files as URLs. */
  readonly fileUrls: { readonly json: string; readonly xsd: string; readonly txt: string }
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  /** A text in every file and in every answer of the port. */
  readonly secret: string
}

export interface MonitoredServer {
  readonly server: RunningServer
  readonly data: string
  readonly canary: Canary
  /** Sends a request. Fails if the answer has a status of 500 or more, except 503, or contains the secret. */
  ask(method: string, path: string, sent?: Sent): Promise<MonitoredResponse>
  /** Sends a form. */
  send(
    method: string,
    path: string,
    parts: readonly FormPart[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<MonitoredResponse>
  postSchema(
    record: unknown,
    document: Bytes,
    files?: Readonly<Record<string, Bytes>>,
  ): Promise<MonitoredResponse>
  postMetadata(record: unknown, document: Bytes): Promise<MonitoredResponse>
  /**
   * Runs an attack and fails if the server does not withstand it. It must not end, access a canary or delay other
   * clients by more than some seconds. The memory of the server and its child processes must not grow by more than
   * `memory` mebibytes. Its event loop must not be held for more than `longestHoldOfTest`, on an idle machine.
   */
  stands<T>(attack: () => Promise<T>, limits?: { readonly memory?: number }): Promise<T>
}

type Bytes = string | Uint8Array
/** Header lines of a part, and its body. */
export type FormPart = readonly [headers: string, body: Buffer]

/** Limit of the waiting time of another client for a small answer, in seconds. Machines that run tests are busy. */
const maxWait = 15
/** Milliseconds between two measurements of the memory, and at first between two requests of the other client. */
const interval = 50
/**
 * Milliseconds after which the other client sends fewer requests, because little changes, and the milliseconds between
 * them.
 */
const later = { after: 3000, interval: 200 }
/** Default limit of the mebibytes that an attack may cost. */
const usualMemory = 512

const canaries: Server[] = []

/** For `after`, together with `stopProcesses`: closes the ports of all canaries. */
export function stopCanaryServers(): void {
  for (const canary of canaries.splice(0)) canary.close()
}

/** Starts a server with a new repository that has a schema `note` and a document `probe`. */
export function startMonitoredServer(...args: readonly string[]): Promise<MonitoredServer> {
  return startWatchedIn({}, ...args)
}

/** Starts such a server with additional environment variables. */
export async function startWatchedIn(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<MonitoredServer> {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  const agent = new Agent({ keepAlive: true })
  const { canary, opened } = await placeCanary(folder)
  const usual = Object.entries({ '--workers': '2', '--validation-time': '3000' })
  // Tests compare the folder of the canaries, so this file has a different one.
  const holds = join(await temporaryFolder(), 'event-loop')
  const server = await startServer(
    ['--data', data, ...usual.filter(([name]) => !args.includes(name)).flat(), ...args],
    { env: { ...env, [eventLoopVariable]: holds }, ownProcess: true },
  )
  const pid = server.child.pid as number

  async function ask(method: string, path: string, sent: Sent = {}): Promise<MonitoredResponse> {
    const answer = await exchange(agent, server.port, method, path, sent)
    const what = `${method} ${path.slice(0, 200)} → ${answer.status}: ${answer.text.slice(0, 500)}`
    expect(answer.status < 500 || answer.status === 503, what).to.equal(true)
    expect(answer.text.includes(canary.secret), `${what} contains the secret`).to.equal(false)
    return answer
  }
  const send: MonitoredServer['send'] = (method, path, parts, headers = {}) =>
    ask(method, path, { headers: { 'Content-Type': formType, ...headers }, body: multipartBody(...parts) })

  const watched: MonitoredServer = {
    server,
    data,
    canary,
    ask,
    send,
    postSchema: (record, document, files = {}) =>
      send('POST', '/api/v1/schemas', [
        recordPart(record),
        filePart('schema', 'schema', 'application/octet-stream', document),
        ...Object.entries(files).map(([path, bytes]) =>
          filePart('include', path, 'application/octet-stream', bytes),
        ),
      ]),
    postMetadata: (record, document) =>
      send('POST', '/api/v1/metadata', [
        recordPart(record),
        filePart('document', 'document', 'application/octet-stream', document),
      ]),
    async stands(attack, { memory: max = usualMemory } = {}) {
      const began = Date.now()
      const memory = watchMemory(pid)
      // The other client has its own connections.
      const others = new Agent({ keepAlive: true })
      let over = false
      let longest = 0
      const served = (async () => {
        do {
          const start = performance.now()
          const answer = await exchange(others, server.port, 'GET', '/api/v1/metadata/probe', {})
          longest = Math.max(longest, performance.now() - start)
          expect(answer.status, `answer to the other client: ${answer.text.slice(0, 200)}`).to.equal(200)
          await sleep(Date.now() - began < later.after ? interval : later.interval)
        } while (!over)
      })()
      // Prevents an unhandled rejection while the attack runs; the error surfaces when awaited.
      served.catch(() => undefined)
      let outcome: Awaited<ReturnType<typeof attack>>
      try {
        outcome = await attack()
      } catch (error) {
        // A request that fails because the server has ended says nothing about the cause.
        await sleep(interval)
        expectRunning(server)
        throw error
      } finally {
        over = true
        memory.end()
      }
      await served
      others.destroy()
      expectRunning(server)
      expect(longest, 'milliseconds that the other client waited').to.be.below(maxWait * 1000)
      expect(await opened(), 'accesses to canaries').to.deep.equal([])
      expect(Math.round(memory.taken()), 'mebibytes that were taken').to.be.below(max)
      const held = Math.round(longestHoldSince(holds, began))
      expect(held, 'milliseconds that the event loop was held').to.be.at.most(
        holdLimit(held, longestHoldOfTest),
      )
      return outcome
    },
  }
  const schema = JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } })
  expect((await watched.postSchema({ schemaId: 'note' }, schema)).status).to.equal(201)
  const probe = await watched.postMetadata(
    metadataRecordV1('http://example.org/probe', 'note', { id: 'probe' }),
    '{"title": "probe"}',
  )
  expect(probe.status, probe.text).to.equal(201)
  return watched
}

/** Fails if a server has ended: one that a signal has ended has no exit code. */
function expectRunning({ child, stderr }: RunningServer): void {
  expect(
    child.exitCode ?? child.signalCode,
    `exit code or signal of the server, which must still run: ${stderr()}`,
  ).to.equal(null)
}

function textOf(record: unknown): Bytes {
  return typeof record === 'string' || record instanceof Uint8Array ? record : JSON.stringify(record)
}

/** Makes the record part of a form. */
export function recordPart(record: unknown): FormPart {
  return filePart('record', 'record.json', 'application/json', textOf(record))
}

/** Makes a file part of a form. */
export function filePart(name: string, fileName: string, type: string, bytes: Bytes): FormPart {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`
  return [`${disposition}\r\nContent-Type: ${type}`, Buffer.from(bytes as string)]
}

function exchange(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: Sent,
): Promise<MonitoredResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }) },
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            text: bytes.toString(),
            get body() {
              return JSON.parse(bytes.toString())
            },
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Measures the memory of a server and its child processes from now on. Returns 0 if the system does not report it. */
function watchMemory(pid: number): { end(): void; taken(): number } {
  if (!canLook) return { end: () => undefined, taken: () => 0 }
  const before = memoryOfAll(pid)
  let max = before
  const looking = setInterval(() => {
    max = Math.max(max, memoryOfAll(pid))
  }, interval)
  return {
    end: () => clearInterval(looking),
    // The system remembers the peak memory of the server itself.
    taken: () => Math.max(max, look(pid).peakMemory) - before,
  }
}

/** Creates the canaries. @returns them, and a function that returns the accesses so far */
async function placeCanary(
  folder: string,
): Promise<{ readonly canary: Canary; readonly opened: () => Promise<readonly string[]> }> {
  const secret = 'canary-3f1c9a'
  const contents = {
    json: JSON.stringify({ $comment: secret, type: 'object' }),
    xsd: `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><!-- ${secret} --><xs:simpleType name="t"><xs:restriction base="xs:string"/></xs:simpleType></xs:schema>`,
    txt: secret,
  }
  const kinds = Object.keys(contents) as (keyof typeof contents)[]
  const place = (kind: keyof typeof contents) => join(folder, `canary.${kind}`)
  for (const kind of kinds) await writeFile(place(kind), contents[kind])

  // If the access time of a file is older than its last change, the file system notes the next access, even if it does
  // so rarely otherwise. @see mount(8), relatime
  const long = new Date(Date.now() - 3_600_000)
  for (const kind of kinds) await utimes(place(kind), long, new Date())
  const control = join(folder, 'control')
  await writeFile(control, 'x')
  await utimes(control, long, new Date())
  readFileSync(control)
  expect(
    (await stat(control)).atimeMs,
    'access time of a file, which the file system must update',
  ).to.be.above(long.getTime() + 1000)

  const calls: string[] = []
  const listener = createServer(socket => {
    calls.push(`a connection from port ${socket.remotePort}`)
    socket.on('error', () => {})
    socket.end(
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${contents.xsd.length}\r\n\r\n${contents.xsd}`,
    )
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  canaries.push(listener)
  const { port } = listener.address() as AddressInfo
  const entries = (of: (kind: keyof typeof contents) => string) =>
    ({ json: of('json'), xsd: of('xsd'), txt: of('txt') }) as const
  return {
    canary: {
      folder,
      files: entries(place),
      fileUrls: entries(kind => pathToFileURL(place(kind)).href),
      url: `http://127.0.0.1:${port}`,
      secret,
    },
    async opened() {
      const read = []
      for (const kind of kinds) {
        if ((await stat(place(kind))).atimeMs > long.getTime() + 1000) read.push(place(kind))
      }
      return [...read, ...calls]
    },
  }
}
