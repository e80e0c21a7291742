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

/** A server process with a new repository. */
export interface Target {
  /** The URL of the server, without a slash at the end. */
  readonly base: string
  /** @throws NoAnswer; TypeError if Node.js refuses to send the request */
  ask(request: Request): Promise<Answer>
  /** The commit of the served branch. It changes with every commit. */
  head(): string
  /**
   * Differences between the answers since the last call and the OpenAPI description, as the server itself finds them.
   */
  undescribed(): string
  /** The longest time in milliseconds that the server held its event loop since the last call. */
  longestHold(): number
  stderr(): string
  readonly alive: boolean
  /** Stops the server as its operator does. @returns complaints about its end and about the repository */
  finish(): Promise<readonly string[]>
  /** Kills the server. */
  kill(): void
  /** Ends the server and removes its files. */
  remove(): Promise<void>
}

/** The reason of a missing answer. */
export class NoAnswer extends Error {}

export interface TargetOptions {
  /**
   * Time limit of an answer in milliseconds. Default: a minute, because a validation ends before that even on a busy
   * machine.
   */
  readonly longestAnswer?: number
  /** Whether to measure how long the event loop is held, which depends on the load of the machine. Default: true. */
  readonly countsHolds?: boolean
  /** Starts a proxy before the server. @param port of the server @returns the port of the proxy */
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
        // An event stream ends only when the client closes it.
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
