import { join } from 'node:path'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import type { TestService } from '../http/test-service.js'
import { type FinishedProcess, runProgram, temporaryFolder } from '../program/run-program.js'

/** A person who uses git in a folder. `stopProcesses` removes the folder. */
export interface GitClient {
  readonly folder: string
  /** Runs git to its end, which may be a failure. */
  attempt(...args: readonly string[]): Promise<FinishedProcess>
  /** @returns standard output without the last line break. @throws Error if git fails */
  git(...args: readonly string[]): Promise<string>
  /** Runs `git` in the folder `clone`. */
  inClone(...args: readonly string[]): Promise<string>
}

export async function gitClient(): Promise<GitClient> {
  const folder = await temporaryFolder()
  const attempt = (...args: readonly string[]) => runProgram('git', args, { cwd: folder })
  async function git(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await attempt(...args)
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}:\n${stderr}`)
    return stdout.replace(/\n$/, '')
  }
  return { folder, attempt, git, inClone: (...args) => git('-C', join(folder, 'clone'), ...args) }
}

const listening: RunningServer[] = []

/** For `afterEach`, before `removeRepositories`: closes all listeners. */
export async function closeListeners(): Promise<void> {
  for (const server of listening.splice(0)) await server.stop(0)
}

/** Makes a service listen on a port. @returns its URL, without a slash at the end */
export async function listenOnPort(service: TestService): Promise<string> {
  const server = await listen(service.app, { port: 0 })
  listening.push(server)
  return server.url.replace(/\/$/, '')
}
