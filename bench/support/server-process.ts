import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server process, started with `git-metastore serve`. */
export interface Server {
  readonly port: number
  readonly pid: number
  /** Milliseconds from the start to the ready line. */
  readonly startup: number
  /** Returns the lines for the operator. */
  notes(): string
  /** Stops the server. @throws Error if its exit code is not 0 */
  stop(): Promise<void>
  /** Kills the server, as a crash would. */
  kill(): Promise<void>
}

export const program = fileURLToPath(new URL('../../../bin/git-metastore.js', import.meta.url))

type Environment = Readonly<Record<string, string>>

/**
 * @param env additional environment variables
 * @param script the script of the command line, today's or that of another build
 * @throws Error with the output of the server if it ends before it listens
 */
export async function startServer(data: string, env: Environment = {}, script = program): Promise<Server> {
  return await startProcess([script, 'serve', '--data', data, '--port', '0'], env)
}

/** Starts a Node.js program that prints `listening on http://…:port/` and ends on SIGTERM. */
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

/** Starts a server for some work and stops it in any case. */
export async function withServer<T>(
  data: string,
  use: (server: Server) => Promise<T>,
  env: Environment = {},
  script = program,
): Promise<T> {
  const server = await startServer(data, env, script)
  let result: T
  try {
    result = await use(server)
  } catch (error) {
    // The first error is the important one.
    await server.stop().catch(() => undefined)
    throw error
  }
  await server.stop()
  return result
}
