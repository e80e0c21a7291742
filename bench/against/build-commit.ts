import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program } from '../support/server-process.js'

/** A built program that is measured. */
export interface Build {
  /** Its name in tables. */
  readonly name: string
  /** Path of the script of its command line. */
  readonly program: string
  /** Whether its servers have a search. */
  readonly hasSearch: boolean
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns the id of a commit of this repository; undefined if the repository has no such commit. */
export function commitNamed(name: string, repository = root): string | undefined {
  const args = ['-C', repository, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`]
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** Returns the build that this process belongs to. */
export function buildOfToday(): Build {
  return { name: 'today', program, hasSearch: hasSearch(program) }
}

/** Describes the sources of today's build: the commit, and whether files differ from it. */
export function sourcesOfToday(): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') !== ''
    return `${git('rev-parse', '--short=8', 'HEAD')}${changed ? ' with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

/**
 * Builds a commit of this repository in a folder, without its tests and benchmarks. Uses the installed packages of this
 * checkout if both have the same package-lock.json. A folder that already has the build is used as it is.
 * @param commit full id
 * @throws Error if a step fails
 */
export async function buildCommit(commit: string, folder: string): Promise<Build> {
  const built = join(folder, '.built')
  if (!existsSync(built)) {
    await rm(folder, { recursive: true, force: true })
    await writeCommit(commit, folder)
    await install(folder)
    run(folder, 'npm', 'run', '--silent', 'build')
    await writeFile(built, commit)
  }
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>
  }
  const script = join(folder, Object.values(bin)[0] ?? '')
  return { name: commit.slice(0, 8), program: script, hasSearch: hasSearch(script) }
}

/** Writes the files of a commit with an index of its own, so that neither the checkout nor its index changes. */
async function writeCommit(commit: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const env = { ...process.env, GIT_INDEX_FILE: join(folder, '.index') }
  for (const args of [
    ['read-tree', commit],
    ['checkout-index', '--all', `--prefix=${folder}/`],
  ])
    execFileSync('git', ['-C', root, ...args], { env, stdio: ['ignore', 2, 2] })
  // The build reads these folders, but their code would only make it slower.
  for (const name of ['test', 'bench']) {
    await rm(join(folder, name), { recursive: true, force: true })
    await mkdir(join(folder, name))
  }
}

async function install(folder: string): Promise<void> {
  const [lock, ours] = [folder, root].map(place => join(place, 'package-lock.json')) as [string, string]
  const packages = join(root, 'node_modules')
  if (existsSync(packages) && readFileSync(lock).equals(readFileSync(ours))) {
    await symlink(packages, join(folder, 'node_modules'), 'junction')
    // The build installs packages that are older than the lock file, which would change those of this checkout.
    await utimes(lock, 0, 0)
  } else run(folder, 'npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund')
}

/** Runs a step, whose output goes to standard error. @throws Error if it fails */
function run(cwd: string, command: string, ...args: readonly string[]): void {
  const shell = process.platform === 'win32'
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2], shell })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status} in ${cwd}.`)
}

function hasSearch(script: string): boolean {
  return execFileSync(process.execPath, [script, 'serve', '--help']).includes('--search ')
}
