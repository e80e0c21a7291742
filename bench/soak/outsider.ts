import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { toVersion } from '../../src/core/values.js'
import { directoryOf, documentFile, recordFile } from '../../src/store/layout.js'
import { fresh } from '../support/bench.js'
import { documentFor, idOfRecord } from '../support/creates.js'
import { recordOf, schemaOf } from '../support/generated.js'
import { schemas, seed } from '../support/repositories.js'

const run = promisify(execFile)

/** Seconds somebody tries again whose git says that another git process is running. */
const patience = 120
/** Milliseconds between two tries. */
const pause = 5

/**
 * Somebody who commits a record with git while the server writes: in the work tree with `git add` and `git commit`, or
 * into a bare repository with git's plumbing.
 * @returns number of the record, and seconds from the first try of a git command to the one that went through
 */
export async function commitBeside(
  dir: string,
  bare: boolean,
): Promise<{ readonly number: number; readonly waited: number }> {
  const number = fresh(1)
  const folder = directoryOf('metadata', idOfRecord(number))
  const files = new Map([
    [`${folder}/${recordFile}`, recordOf(seed, number, toVersion(1), schemaOf(seed, number, schemas))],
    [`${folder}/${documentFile('metadata', 'JSON')}`, documentFor(number)],
  ])
  const message = `Add ${idOfRecord(number)} by hand`
  const waited = bare
    ? await withPlumbing(dir, files, message)
    : await inWorkTree(dir, folder, files, message)
  return { number, waited }
}

const person = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org']

async function inWorkTree(
  dir: string,
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  message: string,
): Promise<number> {
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), bytes)
  }
  const added = await untilDone(() => run('git', ['add', '--', folder], { cwd: dir }))
  // With the path: what the server has put into the index meanwhile is not theirs to commit.
  const commit = [...person, 'commit', '-q', '-m', message, '--', folder]
  return added + (await untilDone(() => run('git', commit, { cwd: dir })))
}

async function withPlumbing(
  dir: string,
  files: ReadonlyMap<string, Buffer>,
  message: string,
): Promise<number> {
  const scratch = join(dir, 'soak-scratch')
  const env = { ...process.env, GIT_INDEX_FILE: join(scratch, 'index') }
  const git = async (...args: string[]) => (await run('git', args, { cwd: dir, env })).stdout.trim()
  await mkdir(scratch, { recursive: true })
  try {
    const entries: string[] = []
    for (const [path, bytes] of files) {
      await writeFile(join(scratch, 'file'), bytes)
      entries.push('--cacheinfo', `100644,${await git('hash-object', '-w', join(scratch, 'file'))},${path}`)
    }
    return await untilDone(async () => {
      const head = await git('rev-parse', 'HEAD')
      await git('read-tree', head)
      await git('update-index', '--add', ...entries)
      const tree = await git('write-tree')
      const commit = await git(...person, 'commit-tree', tree, '-p', head, '-m', message)
      await git('update-ref', '-m', 'by hand', 'HEAD', commit, head)
    })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** @returns seconds it had to be tried. @throws Error where it never went through */
async function untilDone(command: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  for (;;) {
    const waited = (performance.now() - started) / 1000
    try {
      await command()
      return waited
    } catch (error) {
      // What git says while somebody else has the index or the branch.
      const isBusy = /index\.lock|cannot lock ref|\.lock': File exists|but expected/.test(String(error))
      if (!isBusy || waited > patience) throw error
      await sleep(pause)
    }
  }
}
