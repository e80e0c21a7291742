import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventLoopVariable, longestHoldSince } from '../support/program/event-loop-monitor.js'
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
  /** What stands before the server, by the port of the latter. @returns its own */
  readonly front?: (port: number) => Promise<number>
}

const program = fileURLToPath(new URL('../support/program/program-entry.js', import.meta.url))

export async function startTarget({ longestAnswer = 60_000, front }: TargetOptions = {}): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'git-metastore-fuzz-'))
  const data = join(folder, 'data')
  const wrong = join(folder, 'wrong-answers')
  const holds = join(folder, 'event-loop')
  const env = {
    ...process.env,
    WRONG_ANSWERS_FILE: wrong,
    [eventLoopVariable]: holds,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Fuzz',
    GIT_AUTHOR_EMAIL: 'fuzz@example.org',
    GIT_COMMITTER_NAME: 'Fuzz',
    GIT_COMMITTER_EMAIL: 'fuzz@example.org',
  }
  const args = ['serve', '--port', '0', '--data', data, '--max-document', '1', '--validation-time', '2000']
  const child = spawn(
    process.execPath,
    [program, ...args, '--allow-push', '--oai-admin', 'admin@example.org'],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-20_000)
  })
  const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)))
  const own = await readyPort(child)
  const port = front ? await front(own) : own
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
      return longestHoldSince(holds, since)
    },
    stderr: () => stderr,
    get alive() {
      return child.exitCode === null && child.signalCode === null
    },
    async finish() {
      agent.destroy()
      child.kill('SIGTERM')
      const code = await ended
      const run = promisify(execFile)
      const complaints = code === 0 ? [] : [`The server ended with ${code}: ${stderr}`]
      const commands: readonly (readonly [string, readonly string[]])[] = [
        ['git', ['-C', data, 'fsck', '--full', '--strict']],
        ['git', ['-C', data, 'diff', '--exit-code', '--stat', 'HEAD']],
        [process.execPath, [program, 'verify', '--data', data]],
      ]
      for (const [command, args] of commands) {
        try {
          await run(command, args, { env, maxBuffer: 2 ** 26 })
        } catch (error) {
          const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string }
          complaints.push(`${args.slice(-3).join(' ')} failed: ${stdout}${stderr}`)
        }
      }
      return complaints
    },
    kill: () => void child.kill('SIGKILL'),
    async remove() {
      agent.destroy()
      target.kill()
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return target
}

function readyPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    child.once('close', code => reject(new Error(`The server ended with ${code} before it was ready.`)))
    child.stdout?.on('data', (bytes: Buffer) => {
      stdout += bytes.toString()
      const port = /^listening on http:\/\/localhost:(\d+)\/$/m.exec(stdout)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
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
