import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Oid, toOid } from '../../../src/core/value-types.js'
import { gitSync, janesEnvironment } from '../program/run-synchronously.js'

/** A plain repository in a temporary folder, for work with the real `git`. */
export interface PlainRepository {
  readonly dir: string
  readonly gitDir: string
  /** @returns standard output without the last line break */
  git(...args: string[]): string
  gitLater(...args: string[]): Promise<void>
  /** Runs `git` with standard input. @returns standard output without the last line break */
  feed(input: string | Uint8Array, ...args: string[]): string
  write(path: string, content: string | Uint8Array): void
  /** Commits everything in the work tree. */
  commit(message: string): Oid
  head(): Oid
}

const made: string[] = []

/** A folder in memory, if the machine has one. Packs are then merged as often as the processor allows. */
export const quickFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Makes a folder that {@link removePlainRepositories} removes. */
export function temporaryFolderSync(inside = tmpdir()): string {
  const dir = mkdtempSync(join(inside, 'git-metastore-'))
  made.push(dir)
  return dir
}

/** For `afterEach`: removes all folders. */
export function removePlainRepositories(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
}

/** Opens the repository in a folder. */
export function plainRepositoryAt(dir: string, gitDir = join(dir, '.git')): PlainRepository {
  const feed = (input: string | Uint8Array, ...args: string[]) =>
    gitSync(args, dir, input).toString().replace(/\n$/, '')
  const git = (...args: string[]) => feed('', ...args)
  return {
    dir,
    gitDir,
    git,
    feed,
    async gitLater(...args) {
      await promisify(execFile)('git', args, { cwd: dir, env: janesEnvironment })
    },
    write(path, content) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), content)
    },
    commit(message) {
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '--allow-empty-message', '--cleanup=verbatim', '-m', message)
      return toOid(git('rev-parse', 'HEAD'))
    },
    head: () => toOid(git('rev-parse', 'HEAD')),
  }
}

export function plainRepository(inside?: string): PlainRepository {
  const dir = temporaryFolderSync(inside)
  gitSync(['init', '-q', '-b', 'main', dir])
  const scratch = plainRepositoryAt(dir)
  scratch.git('config', 'gc.auto', '0')
  return scratch
}
