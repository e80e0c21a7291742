import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asVersion } from '../../src/core/value-types.js'
import { documentFileName, recordDirectory, recordFile } from '../../src/store/records/repository-layout.js'
import { recordOf, schemaOf } from '../data/generated-records.js'
import { schemas, seed } from '../data/repository-cache.js'
import { documentFor, idOfRecord } from '../load/create-requests.js'
import { fresh } from '../support/measurement.js'

const run = promisify(execFile)

/** Seconds for which a person repeats a command that another git process prevents. */
const patience = 120
/** Milliseconds between two attempts. */
const pause = 5

/**
 * Commits a record with git, as a person, while the server writes. Uses `git add` and `git commit` in a work tree, and
 * `git fast-import` in a bare repository.
 * @returns number of the record, and seconds from the first attempt of each command to the successful one
 */
export async function commitWithGit(
  dir: string,
  bare: boolean,
): Promise<{ readonly number: number; readonly waited: number }> {
  const number = fresh(1)
  const folder = recordDirectory('metadata', idOfRecord(number))
  const files = new Map([
    [`${folder}/${recordFile}`, recordOf(seed, number, asVersion(1), schemaOf(seed, number, schemas))],
    [`${folder}/${documentFileName('metadata', 'JSON')}`, documentFor(number)],
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
  // The path limits the commit to this record, because the server has changed other entries of the index.
  const commit = [...person, 'commit', '-q', '-m', message, '--', folder]
  return added + (await untilDone(() => run('git', commit, { cwd: dir })))
}

/**
 * Commits with a single process, which reads and moves the branch within some milliseconds. A slower one would always
 * find a moved branch.
 */
async function withPlumbing(
  dir: string,
  files: ReadonlyMap<string, Buffer>,
  message: string,
): Promise<number> {
  const branch = (await run('git', ['symbolic-ref', 'HEAD'], { cwd: dir })).stdout.trim()
  const who = 'Somebody <somebody@example.org> now'
  const data = (bytes: Buffer) => [Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]
  const stream = Buffer.concat([
    Buffer.from(`commit ${branch}\ncommitter ${who}\n`),
    ...data(Buffer.from(message)),
    Buffer.from(`from ${branch}^0\n`),
    ...[...files].flatMap(([path, bytes]) => [Buffer.from(`M 100644 inline ${path}\n`), ...data(bytes)]),
  ])
  return await untilDone(async () => {
    const imported = run('git', ['fast-import', '--quiet', '--date-format=now'], { cwd: dir })
    imported.child.stdin?.end(stream)
    await imported
  })
}

/** @returns seconds until success @throws Error if the command never succeeds */
async function untilDone(command: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  for (;;) {
    const waited = (performance.now() - started) / 1000
    try {
      await command()
      return waited
    } catch (error) {
      // Messages of git while another process has locked the index or moved the branch.
      const isBusy = /index\.lock|cannot lock ref|\.lock': File exists|but expected|does not contain/.test(
        String(error),
      )
      if (!isBusy || waited > patience) throw error
      await sleep(pause)
    }
  }
}
