import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventLoopVariable, longestHoldSince } from '../support/program/event-loop-monitor.js'
import {
  type FinishedProcess,
  runMetastore,
  runProgram,
  startServer,
} from '../support/program/run-program.js'
import { address, bytesOf, headersOf, type Request } from './shrinkable-request.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/** A server over a fresh repository, in a process of its own. */
export interface Target {
  /** Without a slash at the end. */
  readonly base: string
  /** @throws NoAnswer; TypeError where Node.js does not send such a request */
  ask(request: Request): Promise<Answer>
  /** What the branch file says: changes with every commit. */
  head(): string
  /** What the server's own comparison with its description found since the last call. */
  undescribed(): string
  /** The longest time the event loop of the server was held at once since the last call, in milliseconds. */
  longestHold(): number
  stderr(): string
  readonly alive: boolean
  /** Ends the server as its operator would. @returns what is wrong with how it ended, and with what it leaves */
  finish(): Promise<readonly string[]>
  /** Ends the server as no operator would. */
  kill(): void
  /** Ends the server, and removes everything. */
  remove(): Promise<void>
}

/** Why an answer did not come. */
export class NoAnswer extends Error {}

export interface TargetOptions {
  /** Milliseconds an answer may take; default: a minute, as a validation is stopped before, and machines that run this are busy. */
  readonly longestAnswer?: number
  /** Whether it counts how long the event loop is held, which depends on what else the machine does. Default: true. */
  readonly countsHolds?: boolean
  /** What stands before the server, by the port of the latter. @returns its own */
  readonly front?: (port: number) => Promise<number>
}

export async function startTarget({
  longestAnswer = 60_000,
  countsHolds = true,
  front,
}: TargetOptions = {}): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-fuzz-'))
  const data = join(folder, 'data')
  const wrong = join(folder, 'wrong-answers')
  const holds = join(folder, 'event-loop')
  const env = { WRONG_ANSWERS_FILE: wrong, [eventLoopVariable]: holds }
  const options = ['--max-document', '1', '--validation-time', '2000', '--oai-admin', 'admin@example.org']
  const server = await startServer(['--data', data, '--allow-push', ...options], { env })
  const { child } = server
  let isOver = false
  const port = front ? await front(server.port) : server.port
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let told = 0
  let lookedAt = Date.now()

  const target: Target = {
    base: `http://127.0.0.1:${port}`,
    ask: request => exchange(agent, port, request, longestAnswer),
    head: () => readFileSync(join(data, '.git', 'refs', 'heads', 'main'), 'latin1').trim(),
    undescribed() {
      if (!existsSync(wrong)) return ''
      const text = readFileSync(wrong, 'utf8')
      const found = text.slice(told)
      told = text.length
      return found
    },
    longestHold() {
      const since = lookedAt
      lookedAt = Date.now()
      return countsHolds ? longestHoldSince(holds, since) : 0
    },
    stderr: () => server.stderr().slice(-20_000),
    get alive() {
      return !isOver && child.exitCode === null && child.signalCode === null
    },
    async finish() {
      agent.destroy()
      isOver = true
      const { code, stderr } = await server.stop()
      const complaints = code === 0 ? [] : [`The server ended with ${code}: ${stderr}`]
      for (const args of [
        ['fsck', '--full', '--strict'],
        ['diff', '--exit-code', '--stat', 'HEAD'],
      ])
        complaints.push(...complaintOf(args, await runProgram('git', ['-C', data, ...args])))
      complaints.push(...complaintOf(['verify'], await runMetastore(['verify', '--data', data])))
      return complaints
    },
    kill: () => void child.kill('SIGKILL'),
    async remove() {
      agent.destroy()
      await server.end()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return target
}

function complaintOf(args: readonly string[], { code, stdout, stderr }: FinishedProcess): readonly string[] {
  return code === 0 ? [] : [`${args.join(' ')} failed: ${stdout}${stderr}`]
}

function exchange(agent: Agent, port: number, request: Request, longest: number): Promise<Answer> {
  const body = bytesOf(request)
  return new Promise((resolve, reject) => {
    const failed = ({ message }: Error) => reject(new NoAnswer(message))
    const sent = send(
      { host: '127.0.0.1', port, agent, method: request.method, path: address(request), setHost: false },
      response => {
        const chunks: Buffer[] = []
        const done = () => {
          clearTimeout(late)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          })
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', failed)
        response.on('end', done)
        // It goes on as long as somebody listens.
        if (/^text\/event-stream/.test(response.headers['content-type'] ?? '')) {
          done()
          response.removeListener('error', failed)
          response.on('error', () => {})
          response.destroy()
        }
      },
    )
    const late = setTimeout(() => sent.destroy(new Error(`none in ${longest / 1000} seconds`)), longest)
    sent.on('error', error => {
      clearTimeout(late)
      failed(error)
    })
    sent.setHeader('Host', `127.0.0.1:${port}`)
    for (const [name, value] of headersOf(request)) sent.appendHeader(name, value)
    if (body !== undefined && !sent.hasHeader('Content-Length')) sent.setHeader('Content-Length', body.length)
    sent.end(body)
  })
}
