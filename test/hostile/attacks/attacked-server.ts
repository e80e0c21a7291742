import { type ClientRequest, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { formType, multipartBody } from '../../support/http/raw-connection.js'
import { eventLoopVariable } from '../../support/program/event-loop-monitor.js'
import { type RunningServer, runMetastore, startServer } from '../../support/program/run-program.js'
import { filePart, recordPart } from '../../support/servers/monitored-server.js'

/** A server with a new repository, and the requests of attackers to it. */
export interface Victim {
  readonly server: RunningServer
  readonly port: number
  /** The data folder of the server. */
  readonly data: string
  /** The file to which the server writes how long its event loop was held. */
  readonly holds: string
  /** Sends a request from a loopback address and reads the answer to its end. @returns the status of the answer */
  ask(attacker: Attacker, method: string, path: string, sent?: Sent): Promise<number>
  /** Opens a paused connection: the caller writes the bytes and reads nothing. */
  open(attacker: Attacker): Promise<Socket>
  /** Stores a schema or a document before the attack. @throws Error if the server refuses it */
  store(method: 'POST' | 'PUT', path: string, sent: Sent): Promise<void>
}

export interface Attacker {
  /** Source address of the connections. The server tells callers without a token apart by their addresses. */
  readonly address: string
  /** Aborts the requests of the attacker. */
  readonly over: AbortSignal
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** A form with a record, and a document or a schema. */
export function upload(
  parts: Readonly<{ record?: unknown; document?: string | Buffer; schema?: string | Buffer }>,
  headers: Readonly<Record<string, string>> = {},
): Sent {
  const { record, ...files } = parts
  const body = multipartBody(
    ...(record === undefined ? [] : [recordPart(record)]),
    ...Object.entries(files).map(([name, bytes]) => filePart(name, name, 'application/octet-stream', bytes)),
  )
  return { headers: { 'Content-Type': formType, ...headers }, body }
}

/** @param folder a temporary folder */
export async function startVictim(folder: string, args: readonly string[]): Promise<Victim> {
  const holds = join(folder, 'event-loop')
  const data = join(folder, 'data')
  const made = await runMetastore(['init', '--empty', data])
  if (made.code !== 0) throw new Error(made.stderr)
  const server = await startServer(['--data', data, '--workers', '2', ...args], {
    env: { [eventLoopVariable]: holds },
    ownProcess: true,
  })
  const { port } = server
  const ask: Victim['ask'] = ({ address, over }, method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const length = body && { 'Content-Length': String(body.length) }
      const sent: ClientRequest = request(
        {
          host: '127.0.0.1',
          port,
          localAddress: address,
          method,
          path,
          headers: { Host: `localhost:${port}`, ...headers, ...length },
          signal: over,
          agent: false,
        },
        response => {
          response.on('error', reject)
          response.on('end', () => resolve(response.statusCode ?? 0))
          response.resume()
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  return {
    server,
    port,
    data,
    holds,
    ask,
    open: ({ address, over }) =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port, localAddress: address })
        socket.on('error', reject)
        socket.once('connect', () => resolve(socket.pause()))
        over.addEventListener('abort', () => socket.destroy())
      }),
    async store(method, path, sent) {
      const status = await ask(
        { address: '127.0.0.1', over: new AbortController().signal },
        method,
        path,
        sent,
      )
      if (status !== 200 && status !== 201)
        throw new Error(`The server answered ${method} ${path} with ${status}.`)
    },
  }
}
