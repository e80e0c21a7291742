import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { undefinedIfMissingAsync } from '../file-system/durable-files.js'
import { packDirectory } from '../process/git-directory.js'
import { listRefs } from '../refs/list-refs.js'
import type { Repository } from '../repository/open-repository.js'

/**
 * `info/refs` and `objects/info/packs`, which say what there is to whoever fetches from a plain file server: that cannot
 * list folders. Derived, and written beside everything else, a moment after what they are about.
 * @see git-update-server-info(1)
 */
export interface DumbHttpFiles {
  /** Says that branches or packs have changed. */
  changed(): void
  /** Resolves when nothing is left to be written. */
  settled(): Promise<void>
  close(): Promise<void>
}

type Place = Pick<Repository, 'gitDir' | 'stagingDir' | 'objects'>

/** Milliseconds in which changes count as one: what changes under load is written so often at most. */
const pause = 200
/** Where reading what there is takes longer than usual, it is done at intervals of so many times as long. */
const pauseFactor = 10
/** Milliseconds between two looks for what others have changed. */
const lookEvery = 3000
/** Milliseconds in which a folder may change twice and have one time. @see https://git-scm.com/docs/racy-git */
const clockTick = 50

export function openServerInfo(place: Place, report: (line: string) => void): DumbHttpFiles {
  /** The state of the folders that what is written was read from; undefined: not known. */
  let written: string | undefined
  let writing: Promise<void> | undefined
  let again = false
  let closed = false
  let failing = false
  /** Milliseconds it took the last time. */
  let cost = 0
  const waiting = new AbortController()

  async function refresh(): Promise<void> {
    const started = performance.now()
    try {
      written = await stateOf(place.gitDir)
      await writeDumbHttpFiles(place)
      failing = false
    } catch (thrown) {
      written = undefined
      if (!failing)
        report(`What plain file servers need of ${place.gitDir} could not be written: ${String(thrown)}`)
      failing = true
    }
    cost = performance.now() - started
  }

  async function work(): Promise<void> {
    do {
      // Nobody waits at the end.
      await sleep(Math.max(pause, cost * pauseFactor), undefined, { signal: waiting.signal }).catch(
        () => undefined,
      )
      again = false
      await refresh()
    } while (again)
  }

  function changed(): void {
    again = true
    writing ??= work().finally(() => {
      writing = undefined
    })
  }

  async function look(): Promise<void> {
    if (writing || closed) return
    const now = await stateOf(place.gitDir)
    if (now === undefined || now !== written) changed()
  }

  const looks = setInterval(() => {
    look().catch((thrown: unknown) => report(`Looking at ${place.gitDir} failed: ${String(thrown)}`))
  }, lookEvery)

  return {
    changed,
    async settled() {
      await writing
    },
    async close() {
      closed = true
      clearInterval(looks)
      waiting.abort()
      await writing
    },
  }
}

/** Writes both files where they are not as they should be, each in one step. */
export async function writeDumbHttpFiles({ gitDir, stagingDir, objects }: Place): Promise<void> {
  // Branches are read before packs and written after them: what a branch leads to is in the packs that are named.
  const refs = await listRefs(gitDir, objects)
  const lines = refs.map(
    ({ name, oid, peeled }) => `${oid}\t${name}\n${peeled === undefined ? '' : `${peeled}\t${name}^{}\n`}`,
  )
  const packs = (await packNames(gitDir)).map(name => `P ${name}\n`)
  await replace(stagingDir, join(gitDir, 'objects', 'info', 'packs'), `${packs.join('')}\n`)
  await replace(stagingDir, join(gitDir, 'info', 'refs'), lines.join(''))
}

async function packNames(gitDir: string): Promise<readonly string[]> {
  const files = new Set(await undefinedIfMissingAsync(readdir(packDirectory(gitDir))))
  return [...files]
    .filter(name => /^pack-[0-9a-f]{40}\.pack$/.test(name) && files.has(name.replace(/pack$/, 'idx')))
    .sort((a, b) => (a < b ? -1 : 1))
}

async function replace(stagingDir: string, path: string, text: string): Promise<void> {
  if ((await undefinedIfMissingAsync(readFile(path, 'utf8'))) === text) return
  // Written without the writer lock: another name than those of files that its holder may clear away.
  const temporary = join(stagingDir, `info-${randomBytes(6).toString('hex')}`)
  await writeFile(temporary, text, { mode: 0o644 })
  await mkdir(dirname(path), { recursive: true })
  await rename(temporary, path)
}

/**
 * Which state the folders are in that refs and packs lie in: whoever changes one of these makes or renames a file.
 * @returns undefined where the clock is too coarse to tell it from the next one
 */
async function stateOf(gitDir: string): Promise<string | undefined> {
  const entries = await readdir(join(gitDir, 'refs'), { recursive: true, withFileTypes: true })
  const folders = entries
    .filter(entry => entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name))
  const paths = [join(gitDir, 'refs'), ...folders, join(gitDir, 'packed-refs'), packDirectory(gitDir)]
  const times = await Promise.all(
    paths.map(async path => (await undefinedIfMissingAsync(stat(path, { bigint: true })))?.mtimeNs ?? 0n),
  )
  const latest = times.reduce((a, b) => (a > b ? a : b))
  if (latest > BigInt(Date.now() - clockTick) * 1_000_000n) return undefined
  return paths.map((path, at) => `${path} ${times[at]}`).join('\n')
}
