import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { listRefs } from '../refs/list-refs.js'
import type { Repository } from './open-repository.js'

type DumbHttpRepository = Pick<Repository, 'gitDir' | 'stagingDir' | 'objects'>

/** Shortest time between two writes, in milliseconds. */
const pause = 1000
/** Shortest time between two writes as a multiple of the duration of a write. */
const pauseFactor = 10
/** Milliseconds between two checks for changes by other processes. */
const checkEvery = 3000
/** Milliseconds in which two changes of a folder may get the same time stamp. @see https://git-scm.com/docs/racy-git */
const clockTick = 50

/**
 * Writes `info/refs` and `objects/info/packs`, the lists of refs and packs for clients that fetch from a plain file
 * server. The files are derived and written in the background, shortly after a change.
 * @see git-update-server-info(1)
 */
export class DumbHttpFiles {
  readonly #checks: NodeJS.Timeout
  readonly #closing = new AbortController()
  /** Result of {@link stateOf} before the last write; undefined if it is unknown. */
  #written: string | undefined
  #writing: Promise<void> | undefined
  #hasChanged: boolean
  #isFailing: boolean
  /** Duration of the last write in milliseconds. */
  #cost = 0

  constructor(
    private readonly place: DumbHttpRepository,
    private readonly report: (line: string) => void,
  ) {
    this.#hasChanged = false
    this.#isFailing = false
    this.#checks = setInterval(() => {
      this.#check().catch((thrown: unknown) => report(`Looking at ${place.gitDir} failed: ${String(thrown)}`))
    }, checkEvery)
  }

  /** Call it after a change of refs or packs. */
  changed(): void {
    this.#hasChanged = true
    this.#writing ??= this.#writeChanges().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when all changes are written. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async close(): Promise<void> {
    clearInterval(this.#checks)
    this.#closing.abort()
    await this.#writing
  }

  async #writeChanges(): Promise<void> {
    const { signal } = this.#closing
    do {
      // `close` aborts the pause.
      await sleep(Math.max(pause, this.#cost * pauseFactor), undefined, { signal }).catch(() => undefined)
      this.#hasChanged = false
      await this.#write()
    } while (this.#hasChanged)
  }

  async #write(): Promise<void> {
    const started = performance.now()
    const { gitDir } = this.place
    try {
      this.#written = await stateOf(gitDir)
      await writeDumbHttpFiles(this.place)
      this.#isFailing = false
    } catch (thrown) {
      this.#written = undefined
      const message = `The files for plain file servers in ${gitDir} (info/refs, objects/info/packs) could not be written: ${String(thrown)}`
      if (!this.#isFailing) this.report(message)
      this.#isFailing = true
    }
    this.#cost = performance.now() - started
  }

  /** Finds changes by other processes. */
  async #check(): Promise<void> {
    if (this.#writing || this.#closing.signal.aborted) return
    const now = await stateOf(this.place.gitDir)
    if (now === undefined || now !== this.#written) this.changed()
  }
}

/** Writes both files atomically if they have changed. */
export async function writeDumbHttpFiles({ gitDir, stagingDir, objects }: DumbHttpRepository): Promise<void> {
  // Refs are read before packs and written after packs, so that the listed packs have all objects of the listed refs.
  const refs = await listRefs(gitDir, objects)
  const lines = refs.map(
    ({ name, oid, peeled }) => `${oid}\t${name}\n${peeled === undefined ? '' : `${peeled}\t${name}^{}\n`}`,
  )
  const packs = packNames(gitDir).map(name => `P ${name}\n`)
  await replace(stagingDir, join(gitDir, 'objects', 'info', 'packs'), `${packs.join('')}\n`)
  await replace(stagingDir, join(gitDir, 'info', 'refs'), lines.join(''))
}

function packNames(gitDir: string): readonly string[] {
  const files = new Set(undefinedIfMissing(() => readdirSync(packFolder(gitDir))))
  return [...files]
    .filter(name => /^pack-[0-9a-f]{40}\.pack$/.test(name) && files.has(name.replace(/pack$/, 'idx')))
    .sort((a, b) => (a < b ? -1 : 1))
}

async function replace(stagingDir: string, path: string, text: string): Promise<void> {
  if (undefinedIfMissing(() => readFileSync(path, 'utf8')) === text) return
  // The writer lock is not held here. Its holder removes temporary files, but those with such a name only when old.
  const temporary = join(stagingDir, `info-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(temporary, text, { mode: 0o644 })
    if (!existsSync(dirname(path))) await mkdir(dirname(path), { recursive: true })
    await rename(temporary, path)
  } catch (thrown) {
    await rm(temporary, { force: true })
    throw thrown
  }
}

/**
 * Modification times of the folders of refs and packs. Each change creates or renames a file in one of them.
 * @returns undefined if the last change is so recent that another change may get the same time
 */
async function stateOf(gitDir: string): Promise<string | undefined> {
  const pauses = openEventLoopPauses()
  const lines: string[] = []
  let latest = 0n
  for (const path of watchedPaths(gitDir)) {
    const { mtimeNs = 0n } = statSync(path, { bigint: true, throwIfNoEntry: false }) ?? {}
    if (mtimeNs > latest) latest = mtimeNs
    lines.push(`${path} ${mtimeNs}`)
    await pauses.ifDue()
  }
  return latest > BigInt(Date.now() - clockTick) * 1_000_000n ? undefined : lines.join('\n')
}

function* watchedPaths(gitDir: string): Generator<string> {
  yield* foldersFrom(join(gitDir, 'refs'))
  yield join(gitDir, 'packed-refs')
  yield packFolder(gitDir)
}

/** A folder and all folders below it. */
function* foldersFrom(folder: string): Generator<string> {
  yield folder
  for (const entry of undefinedIfMissing(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    if (entry.isDirectory()) yield* foldersFrom(join(folder, entry.name))
}
