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
import { eventLoopVariable, holdLimit, longestHoldOfTest, longestHoldSince } from './event-loop-monitor.js'
import { type RunningServer, startServer, temporaryFolder } from './run-program.js'

/*
 * A server in a process of its own, seen from outside while somebody attacks it: whether it goes on, what it reads
 * and whom it calls, whether others are served, and what memory it takes.
 */

/** Answer to a request. */
export interface MonitoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they know it to be
  readonly body: any
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** What nobody may open: files outside of the repository, and a port that would gladly answer. */
export interface Canary {
  readonly folder: string
  /** A valid schema of either language, and a text. Whoever read one would get on with it. */
  readonly files: { readonly json: string; readonly xsd: string; readonly txt: string }
  /** The same as URLs. */
  readonly fileUrls: { readonly json: string; readonly xsd: string; readonly txt: string }
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  /** Stands in every file and in every answer of the port. */
  readonly secret: string
}

export interface MonitoredServer {
  readonly server: RunningServer
  readonly data: string
  readonly canary: Canary
  /** Asks, and fails where the server fails (a status from 500 but 503) or tells the secret. */
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
   * Fails where the server does not stand an attack: it ends, opens a canary, lets others wait for more than some
   * seconds, or takes, with all the processes it has started, more than `memory` mebibytes beyond what it had; or where
   * its event loop was held at once for more than `longestHoldOfTest` on a quiet machine.
   */
  stands<T>(attack: () => Promise<T>, limits?: { readonly memory?: number }): Promise<T>
}

type Bytes = string | Uint8Array
/** Header lines of a part, and its body. */
export type FormPart = readonly [headers: string, body: Buffer]

/** Seconds another client waits at most for a small answer. Machines that run tests are busy. */
const maxWait = 15
/** Milliseconds between two looks at all processes, and at first between two requests of the other client. */
const interval = 50
/** Milliseconds of an attack after which the other client asks less often, as little changes, and between its requests then. */
const later = { after: 3000, interval: 200 }
/** Mebibytes an attack may cost, where a test says nothing else. */
const usualMemory = 512

const canaries: Server[] = []

/** For `after`, beside `stopProcesses`. */
export function stopCanaryServers(): void {
  for (const canary of canaries.splice(0)) canary.close()
}

/** Starts a server over a fresh repository that has one schema, `note`, and one document, `probe`. */
export function startMonitoredServer(...args: readonly string[]): Promise<MonitoredServer> {
  return startWatchedIn({}, ...args)
}

/** The same with variables in the environment of the server. */
export async function startWatchedIn(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<MonitoredServer> {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  const agent = new Agent({ keepAlive: true })
  const { canary, opened } = await placeCanary(folder)
  const usual = Object.entries({ '--workers': '2', '--validation-time': '3000' })
  // Not beside the canaries: tests compare that folder.
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
    expect(answer.text.includes(canary.secret), `${what} tells the secret`).to.equal(false)
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
      // Others have connections of their own.
      const others = new Agent({ keepAlive: true })
      let over = false
      let longest = 0
      const served = (async () => {
        do {
          const start = performance.now()
          const answer = await exchange(others, server.port, 'GET', '/api/v1/metadata/probe', {})
          longest = Math.max(longest, performance.now() - start)
          expect(answer.status, `others are answered: ${answer.text.slice(0, 200)}`).to.equal(200)
          await sleep(Date.now() - began < later.after ? interval : later.interval)
        } while (!over)
      })()
      // Looked at below; an attack that goes on must not leave it to nobody.
      served.catch(() => undefined)
      let outcome: Awaited<ReturnType<typeof attack>>
      try {
        outcome = await attack()
      } finally {
        over = true
        memory.end()
      }
      await served
      others.destroy()
      expect(server.child.exitCode, `the server goes on: ${server.stderr()}`).to.equal(null)
      expect(longest, 'milliseconds that others waited').to.be.below(maxWait * 1000)
      expect(await opened(), 'what was opened').to.deep.equal([])
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

function textOf(record: unknown): Bytes {
  return typeof record === 'string' || record instanceof Uint8Array ? record : JSON.stringify(record)
}

/** The record of a form. */
export function recordPart(record: unknown): FormPart {
  return filePart('record', 'record.json', 'application/json', textOf(record))
}

/** A part of a form that is a file. */
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

/** What a server and all it has started take, from now on. Nothing where the system does not tell. */
function watchMemory(pid: number): { end(): void; taken(): number } {
  if (!canLook) return { end: () => undefined, taken: () => 0 }
  const before = memoryOfAll(pid)
  let max = before
  const looking = setInterval(() => {
    max = Math.max(max, memoryOfAll(pid))
  }, interval)
  return {
    end: () => clearInterval(looking),
    // Of the server itself the system knows it, whenever that was.
    taken: () => Math.max(max, look(pid).peakMemory) - before,
  }
}

/** Puts out what nobody may open. @returns what was opened of it so far, by asking again */
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

  // A file whose time of access is before that of its last change shows the next access, also where a file system
  // notes them rarely. @see mount(8), relatime
  const long = new Date(Date.now() - 3_600_000)
  for (const kind of kinds) await utimes(place(kind), long, new Date())
  const control = join(folder, 'control')
  await writeFile(control, 'x')
  await utimes(control, long, new Date())
  readFileSync(control)
  expect((await stat(control)).atimeMs, 'a file system that notes when a file was read').to.be.above(
    long.getTime() + 1000,
  )

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
