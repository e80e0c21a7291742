import { join } from 'node:path'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import type { TestService } from '../http/test-service.js'
import { type FinishedProcess, runProgram, temporaryFolder } from '../program/run-program.js'

/** A person with git, in a folder of their own. `stopProcesses` removes it. */
export interface GitClient {
  readonly folder: string
  /** Runs git to its end, whatever that is. */
  attempt(...args: readonly string[]): Promise<FinishedProcess>
  /** @returns what it printed, without the last line break. @throws Error where it fails */
  git(...args: readonly string[]): Promise<string>
  /** The same in the folder `clone`. */
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

/** For `afterEach`, before `removeRepositories`. */
export async function closeListeners(): Promise<void> {
  for (const server of listening.splice(0)) await server.stop(0)
}

/** Has a service listen on a port. @returns its address, without a slash at the end */
export async function listenOnPort(service: TestService): Promise<string> {
  const server = await listen(service.app, { port: 0 })
  listening.push(server)
  return server.url.replace(/\/$/, '')
}
