import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ComposeOptions, compose } from '../../../src/compose/compose.js'
import { type Config, defaults } from '../../../src/config.js'
import { indexEntryOf } from '../../../src/http/record-formats/search-index-entry.js'
import { renderingThread } from '../../../src/http/rendering/rendering-key.js'
import type { Services } from '../../../src/service/services.js'
import { runProgram, useLauncher } from '../../../src/store/process/launcher.js'
import { createRepository } from '../../../src/store/repository/create-repository.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { keepThreads } from '../program/kept-threads.js'
import { closeReports, openReports } from './operator-reports.js'

/** A repository of our layout in a temporary folder, seen with the real `git` binary and through our services. */
export interface TestRepository {
  readonly dir: string
  /** What the services said to the operator so far. */
  readonly reports: readonly string[]
  /** Runs `git` in the repository as a person called Jane. @returns its output without the last line break */
  git(...args: string[]): Promise<string>
  /** The same for what needs the index, which a server beside it may have locked: tries again for a while. */
  patiently(...args: string[]): Promise<string>
  /** The commit HEAD points at. */
  head(): Promise<string>
  /** Writes files (`null` removes one) into the work tree and commits them as Jane, beside the services. */
  commit(subject: string, files: Readonly<Record<string, string | Uint8Array | null>>): Promise<string>
  /** Opens the services over it; `removeRepositories` closes them. */
  compose(config?: Partial<Config>, options?: Partial<ComposeOptions>): Promise<Services>
  /** Has `removeRepositories` close what was opened over it. What was opened last is closed first. */
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

/** Opens a repository that exists, and closes what was opened over it in the end. */
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

/** Validates for all tests of a file: a worker process takes a third of a second of processor time to start. */
function sharedValidator(): Validator {
  validator ??= openValidator({ workers: 1 })
  return validator
}
// Processes without mocha use other exports of this file.
if ('after' in globalThis) after(() => validator?.close())

// As the server does: to start git from a process of this size takes several milliseconds.
useLauncher()
keepThreads()

/** What a person's own configuration could do to a test is kept out. */
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
  /** Folder it is made in; default: that of temporary files. */
  readonly inside?: string
  /** Makes it in a folder that is not there yet; default: one without records. */
  readonly make?: (dir: string) => Promise<void>
}

/** A repository in a fresh folder. Tests that use it say `afterEach(removeRepositories)`. */
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

  /** Tests ask for it often, and to start a process takes longer than to read a file. @see gitrepository-layout(5) */
  async function head(): Promise<string> {
    const gitDir = existsSync(join(dir, '.git')) ? join(dir, '.git') : dir
    const [, branch] = /^ref: (\S+)$/m.exec(await readFile(join(gitDir, 'HEAD'), 'utf8')) ?? []
    const loose = branch && (await readFile(join(gitDir, branch), 'utf8').catch(() => undefined))
    return loose?.trim() ?? git('rev-parse', 'HEAD')
  }

  /** As a person does who is told that the index is locked. */
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
          renderIndexEntry: indexEntryOf,
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
 * Waits until `check` gives a value: for what happens by itself, such as a commit that is seen.
 * @param patience milliseconds after which the wait fails; generous, the machine may be busy
 */
export async function waitUntil<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  patience = 60_000,
): Promise<T> {
  const end = Date.now() + patience
  for (;;) {
    const found = await check()
    if (found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`Waited ${patience} ms in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
