import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.js'
import { hasPermission, type Principal, seesEverything } from '../../core/access-control.js'
import type { RuleViolation } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { type StaleLock, staleLockText } from '../../store/locks/stale-locks.js'
import type { BlobCache } from '../../store/objects/blob-cache.js'
import { strayText } from '../../store/repository/head-watch.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Writer } from '../../store/write/writer.js'
import { type UndoneUpdates, type UndoneVersion, undoneText } from '../git/report-undone-updates.js'
import type { ConnectionStatus, ConnectionStatusFile } from '../remotes/connection-status.js'
import { errorText } from '../remotes/periodic-task.js'
import { onceIn } from './short-lived-cache.js'

/** `branch`: HEAD is at the served branch; `edits`: no commit has undone an update. */
export type Warning = 'branch' | 'edits'

export interface Health {
  readonly status: 'UP' | 'DOWN'
  /** The branch's commit, and the one the catalog reflects. */
  readonly head?: Oid
  readonly catalog?: Oid
  readonly checks: Readonly<
    Record<'repository' | 'writable' | 'catalog', { readonly ok: boolean; readonly detail?: string }>
  >
  /** What a person has to put right, while all work goes on: the status does not tell of it. */
  readonly warnings: Readonly<Record<Warning, { readonly ok: boolean; readonly detail?: string }>>
  readonly faults: readonly RuleViolation[]
  /** Updates that are missing because a commit undid them. */
  readonly undone: readonly UndoneVersion[]
  /**
   * Git's lock files that are older than the longest wait of an update, and what to do about each. Callers who may not
   * read everything get only those that block updates.
   */
  readonly locks?: readonly (StaleLock & { readonly detail: string })[]
  /** How things stand with the repository that is followed or pushed to, and how many commits that lacks. */
  readonly remote?: ConnectionStatus & { readonly lag?: number }
}

/** What is written to see whether there is room. */
const probeBytes = Buffer.alloc(4096)

/**
 * Milliseconds for which what was seen is said again to whoever does not see everything: a look writes to the disk, and
 * anybody may ask.
 */
const lookEvery = 1000

type Check = Health['checks']['repository']

export interface HealthOptions {
  readonly repository: Repository
  readonly catalog: Catalog
  readonly writer: Writer
  readonly documents: Pick<BlobCache, 'lost'>
  /** Pushes are updates too. */
  readonly takesPushes: boolean
  /** Undefined: the service has to do with no other repository. */
  readonly book: ConnectionStatusFile | undefined
  readonly undone: UndoneUpdates
}

/**
 * Looks whether the service can do its work: the branch and its commit can be read and no document was found to be
 * lost, our folder can be written to, the writer takes updates, the catalog reflects the branch. Whoever asks while
 * somebody looks is told what that one sees.
 */
export function openHealth(options: HealthOptions): (caller: Principal) => Promise<Health> {
  const { repository, catalog, writer, documents, takesPushes, book, undone } = options

  /** How many commits a mirror lacks. */
  function withLag(standing: ConnectionStatus, head: Oid | undefined): NonNullable<Health['remote']> {
    if (standing.role !== 'mirror' || head === undefined || standing.commit === undefined) return standing
    const [there, here] = [standing.commit, head].map(catalog.chain.positionOf)
    return there === undefined || here === undefined ? standing : { ...standing, lag: here - there }
  }

  async function readable(): Promise<Check & { readonly head?: Oid }> {
    return await outcome(async () => {
      const head = await repository.head()
      if (!(await repository.objects.has(head)))
        return { ok: false, head, detail: `The commit ${head} is missing.` }
      const lost = await documents.lost()
      if (lost.length > 0) return { ok: false, head, detail: lossText(lost) }
      return { ok: true, head }
    })
  }

  /** Has the writer take an update that changes nothing: refused where every other would be. */
  async function writable(locks: readonly StaleLock[]): Promise<Check> {
    return await outcome(async () => {
      const stopping = locks.filter(isStopping)
      if (stopping.length > 0) return { ok: false, detail: stopping.map(staleLockText).join(' ') }
      // The catalog may be on a disk of its own.
      for (const folder of new Set([repository.ownDir, repository.stagingDir])) await probe(folder)
      await writer.probe()
      return { ok: true }
    })
  }

  function isStopping({ stops }: StaleLock): boolean {
    return stops === 'updates' || (stops === 'pushes' && takesPushes)
  }

  async function upToDate(): Promise<Check> {
    return await outcome(async () => {
      for (let look = 1; ; look++) {
        await writer.catchUp()
        const head = await repository.head()
        const reflected = catalog.head()
        if (head === reflected) return { ok: true }
        // The branch may move while we look; it does not do so every time.
        if (look === 3)
          return { ok: false, detail: `The catalog reflects ${reflected ?? 'nothing'}, not ${head}.` }
      }
    })
  }

  /** What is wrong with records that are the caller's to correct. */
  function ownOf<T extends Pick<RuleViolation, 'kind' | 'id'>>(
    caller: Principal,
    found: readonly T[],
  ): readonly T[] {
    if (seesEverything(caller)) return found
    return found.filter(({ kind, id }) => {
      const served = id && catalog.committed.newest(kind, id)
      return served && hasPermission(caller, served.record, 'ADMINISTRATE')
    })
  }

  function branchKept(): Check {
    const detail = strayText(repository)
    return detail === undefined ? { ok: true } : { ok: false, detail }
  }

  const look = onceIn(0, async () => {
    const locks = writer.staleLocks()
    const [read, written, followed] = await Promise.all([readable(), writable(locks), upToDate()])
    return { read, written, followed, locks }
  })
  const recentLook = onceIn(lookEvery, look)

  return async caller => {
    const looked = await (seesEverything(caller) ? look() : recentLook())
    const { written, followed } = looked
    const { head, ...read } = looked.read
    const reflected = catalog.head()
    const all = { repository: read, writable: written, catalog: followed }
    const status = Object.values(all).every(check => check.ok) ? 'UP' : 'DOWN'
    // A catalog that is being made anew knows of none yet.
    const faults = reflected === undefined ? [] : ownOf(caller, catalog.committed.faults())
    const missing = reflected === undefined ? [] : undone.all().filter(({ isMissing }) => isMissing)
    const lost = ownOf(caller, missing)
    const branch = branchKept()
    const edits = missing.length === 0 ? { ok: true } : { ok: false, detail: missingText(missing) }
    const locks = looked.locks.filter(lock => seesEverything(caller) || isStopping(lock))
    const held = locks.length > 0 && { locks: locks.map(lock => ({ ...lock, detail: staleLockText(lock) })) }
    if (!seesEverything(caller)) {
      // Neither that somebody has changed something, nor what the machine says of itself.
      const checks = { repository: only(read), writable: only(written), catalog: only(followed) }
      const warnings = { branch: only(branch), edits: only(edits) }
      return { status, checks, warnings, faults, undone: lost, ...held }
    }
    return {
      status,
      ...(head === undefined ? {} : { head }),
      ...(reflected === undefined ? {} : { catalog: reflected }),
      checks: all,
      warnings: { branch, edits },
      faults,
      undone: lost,
      ...held,
      ...(book && { remote: withLag(book.now(), reflected) }),
    }
  }
}

/** Looks whether a folder can be written to. */
async function probe(folder: string): Promise<void> {
  const file = join(folder, `probe-${randomBytes(6).toString('hex')}`)
  try {
    // An empty file would fit on a full disk.
    await writeFile(file, probeBytes)
  } finally {
    await rm(file, { force: true })
  }
}

function only({ ok }: Check): Check {
  return { ok }
}

function missingText(missing: readonly UndoneVersion[]): string {
  return `${missing.map(undoneText).join(' ')} How to get them back: git-metastore status.`
}

function lossText(lost: readonly Oid[]): string {
  return `Objects are missing or damaged: ${lost.join(', ')}. Restore them with git-metastore repair --from <copy>.`
}

/** A failure, as a check that says why. What the machine says goes to whoever watches it. */
async function outcome<T extends Check>(check: () => Promise<T>): Promise<T | (Check & { head?: never })> {
  try {
    return await check()
  } catch (error) {
    return { ok: false, detail: errorText(error) }
  }
}
