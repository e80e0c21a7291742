import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server of ours in a process of its own, as `git-metastore serve` starts it. */
export interface Server {
  readonly port: number
  readonly pid: number
  /** Milliseconds from its start until it said that it listens. */
  readonly startup: number
  /** What it told whoever runs it. */
  notes(): string
  /** Asks it to end. @throws Error where it ends with another code than 0 */
  stop(): Promise<void>
  /** Ends it as a crash would: it gets no chance to put anything in order. */
  kill(): Promise<void>
}

export const program = fileURLToPath(new URL('../../../bin/git-metastore.js', import.meta.url))

type Environment = Readonly<Record<string, string>>

/**
 * @param env options of it, beside the environment
 * @throws Error with what the server said where it ends before it listens
 */
export async function startServer(data: string, env: Environment = {}): Promise<Server> {
  return await startProcess([program, 'serve', '--data', data, '--port', '0'], env)
}

/** Starts a Node.js program that prints `listening on http://…:port/` and ends at SIGTERM. */
export async function startProcess(args: readonly string[], env: Environment = {}): Promise<Server> {
  const started = performance.now()
  const child: ChildProcess = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const ended = once(child, 'close')
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000)
  })
  const port = await new Promise<number>((resolve, reject) => {
    let out = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      const found = /listening on http:\/\/[^:]+:(\d+)\//.exec(out)
      if (found) resolve(Number(found[1]))
    })
    child.once('error', reject)
    child.once('close', code => reject(new Error(`The server ended with ${code}: ${said}`)))
  })
  const startup = performance.now() - started
  return {
    port,
    pid: child.pid as number,
    startup,
    notes: () => said,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      if (code !== 0) throw new Error(`The server ended with ${code}: ${said}`)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Hands over a server, and ends it whatever comes. */
export async function withServer<T>(
  data: string,
  use: (server: Server) => Promise<T>,
  env: Environment = {},
): Promise<T> {
  const server = await startServer(data, env)
  let result: T
  try {
    result = await use(server)
  } catch (error) {
    // The first failure is the one to tell.
    await server.stop().catch(() => undefined)
    throw error
  }
  await server.stop()
  return result
}
