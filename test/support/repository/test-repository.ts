import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ComposedServices, type ComposeOptions, compose } from '../../../src/compose/compose.js'
import { type Config, defaults } from '../../../src/config.js'
import { openersOf, tablesOf } from '../../../src/feature.js'
import { features } from '../../../src/features.js'
import { renderingThread } from '../../../src/http/rendering/rendered-record.js'
import { runProgram, useLauncher } from '../../../src/store/process/launcher.js'
import { createRepository } from '../../../src/store/work-tree/create-repository.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { keepThreads } from '../program/kept-threads.js'
import { closeReports, openReports } from './operator-reports.js'

/** A repository of the server's layout in a temporary folder, for the real `git` and the services. */
export interface TestRepository {
  readonly dir: string
  /** The lines for the operator so far. */
  readonly reports: readonly string[]
  /** Runs `git` in the repository as a person named Jane. @returns standard output without the last line break */
  git(...args: string[]): Promise<string>
  /** Runs a `git` command that needs the index, again for a while if a server has locked the index. */
  patiently(...args: string[]): Promise<string>
  /** The commit of HEAD. */
  head(): Promise<string>
  /** Writes files into the work tree (`null` removes one) and commits them as Jane, without the services. */
  commit(subject: string, files: Readonly<Record<string, string | Uint8Array | null>>): Promise<string>
  /** Opens the services of the repository. `removeRepositories` closes them. */
  compose(config?: Partial<Config>, options?: Partial<ComposeOptions>): Promise<ComposedServices>
  /** Makes `removeRepositories` call a function. It calls them in reverse order. */
  closeWhenRemoved(close: () => Promise<void>): void
}

interface Opened {
  readonly dir: string
  readonly reports: readonly string[]
  readonly closers: (() => Promise<void>)[]
}
const open: Opened[] = []

/** For `afterEach`: closes all services and removes all folders. */
export async function removeRepositories(): Promise<void> {
  for (const { dir, reports, closers } of open.splice(0)) {
    for (const close of closers.reverse()) await close()
    closeReports(reports)
    await rm(dir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Opens an existing repository, and closes everything of it at the end. */
export async function withRepositoryAt<T>(
  dir: string,
  use: (repository: TestRepository) => Promise<T>,
): Promise<T> {
  const closers: Opened['closers'] = []
  try {
    return await use(repositoryAt(dir, closers, []))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

const validatorSettings: readonly (keyof Config)[] = [
  'workers',
  'validationTime',
  'validationMemory',
  'validationDepth',
  'xmlEngine',
]
let validator: Validator | undefined

/**
 * A validator for all tests of a file, because the start of a worker process takes a third of a second of processor
 * time.
 */
function sharedValidator(): Validator {
  validator ??= openValidator({ workers: 1 })
  return validator
}
// Processes without mocha use other exports of this file.
if ('after' in globalThis) after(() => validator?.close())

// Uses the launcher, as a server does: starting git directly from a process of this size takes several milliseconds.
useLauncher()
keepThreads()

/** An environment without the configuration of the user. */
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Jane',
  GIT_AUTHOR_EMAIL: 'jane@example.org',
  GIT_COMMITTER_NAME: 'Jane',
  GIT_COMMITTER_EMAIL: 'jane@example.org',
}

export interface RepositoryOptions {
  readonly bare?: boolean
  /** Parent folder of the repository; default: the folder for temporary files. */
  readonly inside?: string
  /** Makes the repository in a folder that does not exist yet; default: a repository without records. */
  readonly make?: (dir: string) => Promise<void>
}

/** Makes a repository in a new folder. Tests that use it call `afterEach(removeRepositories)`. */
export async function temporaryRepository(options: RepositoryOptions = {}): Promise<TestRepository> {
  const root = await mkdtemp(join(options.inside ?? tmpdir(), 'git-metastore-'))
  const dir = join(root, 'data')
  const closers: Opened['closers'] = []
  const reports = openReports()
  open.push({ dir: root, reports, closers })
  await (options.make ?? (folder => createRepository(folder, { bare: options.bare ?? false })))(dir)
  return repositoryAt(dir, closers, reports)
}

function repositoryAt(dir: string, closers: Opened['closers'], reports: string[]): TestRepository {
  async function git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram({ command: 'git', args, cwd: dir, env: environment })
    const said = stdout.toString()
    if (code !== 0)
      throw Object.assign(new Error(`git ${args.join(' ')} failed: ${stderr}`), {
        code,
        stdout: said,
        stderr,
      })
    return said.replace(/\n$/, '')
  }

  /**
   * Reads the head from files. Tests do this often, and starting a process takes longer.
   * @see gitrepository-layout(5)
   */
  async function head(): Promise<string> {
    const gitDir = existsSync(join(dir, '.git')) ? join(dir, '.git') : dir
    const [, branch] = /^ref: (\S+)$/m.exec(await readFile(join(gitDir, 'HEAD'), 'utf8')) ?? []
    const loose = branch && (await readFile(join(gitDir, branch), 'utf8').catch(() => undefined))
    return loose?.trim() ?? git('rev-parse', 'HEAD')
  }

  /** Repeats a command while the index is locked, as a person would do. */
  function patiently(...args: string[]): Promise<string> {
    return waitUntil(`git ${args[0]}, which needs the index`, () =>
      git(...args).catch((error: Error) => {
        if (/index\.lock': File exists|Unable to write index/.test(error.message)) return undefined
        throw error
      }),
    )
  }

  return {
    dir,
    reports,
    git,
    patiently,
    head,
    async commit(subject, files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(dir, path)
        if (content === null) {
          await rm(file, { recursive: true })
        } else {
          await mkdir(dirname(file), { recursive: true })
          await writeFile(file, content)
        }
      }
      await patiently('add', '-A', '--', ...Object.keys(files))
      await patiently('commit', '-q', '-m', subject)
      return head()
    },
    async compose(config = {}, options = {}) {
      const ownValidator = validatorSettings.some(name => name in config)
      const composed = await compose(
        { ...defaults, data: dir, workers: 1, ...config },
        {
          report: message => reports.push(message),
          readingThread: renderingThread,
          features: await openersOf(features, {}),
          tables: tablesOf(features),
          validator: ownValidator ? undefined : sharedValidator(),
          ...options,
        },
      )
      closers.push(() => composed.close())
      return composed
    },
    closeWhenRemoved(close) {
      closers.push(close)
    },
  }
}

/**
 * Waits until `check` returns a value, for events without a notification, such as a commit that the server notices.
 * @param patience milliseconds after which the wait fails; large, because the machine may be busy
 */
export async function waitUntil<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  patience = 240_000,
): Promise<T> {
  const start = Date.now()
  for (;;) {
    const found = await check()
    if (found !== undefined && found !== false) return found
    const waited = Date.now() - start
    if (waited > patience) throw new Error(`Timed out after ${patience} ms: ${what}`)
    // A check often asks a server or starts git: in a long wait, checks are rarer.
    await new Promise(resolve => setTimeout(resolve, Math.max(20, Math.min(200, waited / 10))))
  }
}
