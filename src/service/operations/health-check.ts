import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.js'
import { hasPermission, type Principal, seesEverything } from '../../core/access-control.js'
import { shareResult } from '../../core/data-structures/lazy-value.js'
import { errorText } from '../../core/problem.js'
import type { Fault } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import type { BlobCache } from '../../store/blobs/blob-reader.js'
import { type StaleLock, staleLockText } from '../../store/locks/lock-file.js'
import { hasObject } from '../../store/objects/object-reader.js'
import { strayText } from '../../store/repository/head-watch.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { openGitFileCheck } from '../../store/repository-folder/damaged-git-files.js'
import type { Writer } from '../../store/write/writer-interface.js'
import { type UndoneUpdates, type UndoneVersion, undoneText } from '../manual-edits/report-undone-updates.js'
import { isVisible } from '../rules/record-rules.js'
import type { OperationHooks } from './feature-hooks.js'

/**
 * What warnings are about. `branch`: whether HEAD is at the served branch. `edits`: whether commits undid updates.
 * `records`: whether the newest commits of records break a rule, so that older versions are served.
 */
export type Warning = 'branch' | 'edits' | 'records'

export interface Health {
  readonly status: 'UP' | 'DOWN'
  /** The commit of the branch, and the commit that the catalog reflects. */
  readonly head?: Oid
  readonly catalog?: Oid
  readonly checks: Readonly<
    Record<'repository' | 'writable' | 'catalog', { readonly ok: boolean; readonly detail?: string }>
  >
  /** Problems that a person has to solve. They stop no work, so they do not change `status`. */
  readonly warnings: Readonly<Record<Warning, { readonly ok: boolean; readonly detail?: string }>>
  /** Those of records that the caller may read. */
  readonly faults: readonly Fault[]
  /** Updates that are missing because a commit undid them. */
  readonly undone: readonly UndoneVersion[]
  /**
   * Git's lock files that are older than the longest wait of an update, and what to do about each. Callers who may not
   * read everything get only those that block updates.
   */
  readonly locks?: readonly (StaleLock & { readonly detail: string })[]
  /** What features say, by the name of the member, for callers who may read everything. */
  readonly ofFeatures?: Readonly<Record<string, unknown>>
}

/** Written to test for free space: an empty file would fit on a full disk. */
const probeBytes = Buffer.alloc(4096)

/**
 * Milliseconds for which callers who may not read everything get the same result: anyone may ask, and each check writes
 * to the disk.
 */
const cacheMilliseconds = 1000

/** Limit of the records that a warning names. */
const maxNamed = 10

type Check = Health['checks']['repository']

export interface HealthOptions {
  readonly repository: Repository
  readonly catalog: Catalog
  readonly writer: Writer
  readonly documents: Pick<BlobCache, 'lost'>
  /** The open features. The list may grow after the call. */
  readonly features: readonly OperationHooks[]
  readonly undone: UndoneUpdates
}

/**
 * Checks whether the service works: the branch, its commit and git's own files can be read, no document is lost, the
 * folders of the server can be written to, the writer accepts updates, and the catalog reflects the branch. Requests
 * during a check share its result.
 */
export function openHealth(options: HealthOptions): (caller: Principal) => Promise<Health> {
  const { repository, catalog, writer, undone, features } = options
  const isStopping = ({ stops }: StaleLock) =>
    stops === 'updates' || features.some(({ needsUnlocked }) => needsUnlocked?.includes(stops))

  const checkGitFiles = openGitFileCheck(repository.gitDir)
  const check = shareResult(0, async () => {
    const locks = writer.staleLocks()
    const [read, written, followed] = await Promise.all([
      checkReadable(options, checkGitFiles),
      checkWritable(options, locks.filter(isStopping)),
      checkUpToDate(options),
    ])
    return { read, written, followed, locks }
  })
  const recentCheck = shareResult(cacheMilliseconds, check)

  /** What was found about records that the caller administers, or may read. */
  function permittedTo<T extends Pick<Fault, 'kind' | 'id'>>(
    caller: Principal,
    permission: 'READ' | 'ADMINISTRATE',
    found: readonly T[],
  ): readonly T[] {
    if (seesEverything(caller)) return found
    return found.filter(({ kind, id }) => {
      const served = id && catalog.committed.newest(kind, id)
      return served && isVisible(caller, served.record) && hasPermission(caller, served.record, permission)
    })
  }

  return async caller => {
    const checked = await (seesEverything(caller) ? check() : recentCheck())
    const { written, followed } = checked
    const { head, ...read } = checked.read
    const reflected = catalog.head()
    const status = read.ok && written.ok && followed.ok ? 'UP' : 'DOWN'
    // A catalog that is being rebuilt has no findings yet.
    const broken = reflected === undefined ? [] : catalog.committed.faults()
    const missing = reflected === undefined ? [] : undone.all().filter(({ isMissing }) => isMissing)
    const lost = permittedTo(caller, 'ADMINISTRATE', missing)
    const branch = checkBranch(repository)
    const edits = missing.length === 0 ? { ok: true } : { ok: false, detail: missingText(missing) }
    const records = broken.length === 0 ? { ok: true } : { ok: false, detail: brokenText(broken) }
    const locks = checked.locks.filter(lock => seesEverything(caller) || isStopping(lock))
    const held = locks.length > 0 && { locks: locks.map(lock => ({ ...lock, detail: staleLockText(lock) })) }
    // Details would reveal commits of others and paths of the machine.
    const shown = (check: Check): Check => (seesEverything(caller) ? check : { ok: check.ok })
    const common = {
      checks: { repository: shown(read), writable: shown(written), catalog: shown(followed) },
      warnings: { branch: shown(branch), edits: shown(edits), records: shown(records) },
      faults: permittedTo(caller, 'READ', broken),
      undone: lost,
      ...held,
    }
    if (!seesEverything(caller)) return { status, ...common }
    return {
      status,
      ...(head === undefined ? {} : { head }),
      ...(reflected === undefined ? {} : { catalog: reflected }),
      ...common,
      ofFeatures: Object.assign({}, ...features.map(feature => feature.health?.())),
    }
  }
}

async function checkReadable(
  { repository, documents }: HealthOptions,
  checkGitFiles: () => Promise<void>,
): Promise<Check & { readonly head?: Oid }> {
  return await failedCheckOnError(async () => {
    await checkGitFiles()
    const head = await repository.head()
    if (!(await hasObject(repository.objects, head)))
      return { ok: false, head, detail: `The commit ${head} is missing.` }
    const lost = await documents.lost()
    if (lost.length > 0) return { ok: false, head, detail: lossText(lost) }
    return { ok: true, head }
  })
}

/** Submits an update without changes, which the writer refuses if it would refuse any other. */
async function checkWritable(
  { repository, writer }: HealthOptions,
  stoppingLocks: readonly StaleLock[],
): Promise<Check> {
  return await failedCheckOnError(async () => {
    if (stoppingLocks.length > 0) return { ok: false, detail: stoppingLocks.map(staleLockText).join(' ') }
    // The catalog may be on another disk.
    for (const folder of new Set([repository.ownDir, repository.stagingDir])) await probeFolder(folder)
    await writer.probe()
    return { ok: true }
  })
}

async function checkUpToDate({ repository, catalog, writer }: HealthOptions): Promise<Check> {
  return await failedCheckOnError(async () => {
    for (let attempt = 1; ; attempt++) {
      await writer.catchUp()
      const head = await repository.head()
      const reflected = catalog.head()
      if (head === reflected) return { ok: true }
      // The branch may have moved between the two reads, but not in every attempt.
      if (attempt === 3)
        return { ok: false, detail: `The catalog reflects ${reflected ?? 'nothing'}, not ${head}.` }
    }
  })
}

function checkBranch(repository: Repository): Check {
  const detail = strayText(repository)
  return detail === undefined ? { ok: true } : { ok: false, detail }
}

/** Writes and removes a file. @throws the error of the system if the folder cannot be written to */
async function probeFolder(folder: string): Promise<void> {
  const file = join(folder, `probe-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(file, probeBytes)
  } finally {
    await rm(file, { force: true })
  }
}

function missingText(missing: readonly UndoneVersion[]): string {
  return `${missing.map(undoneText).join(' ')} How to get them back: git-metastore status.`
}

function brokenText(broken: readonly Fault[]): string {
  const shown = broken
    .slice(0, maxNamed)
    .map(({ directory, commit }) => `${directory} (${commit.slice(0, 10)})`)
  const more = broken.length > maxNamed ? ` and ${broken.length - maxNamed} more` : ''
  return `The newest commits of these records break a rule and are not served: ${shown.join(', ')}${more}. What is wrong: git-metastore status.`
}

function lossText(lost: readonly Oid[]): string {
  return `Objects are missing or damaged: ${lost.join(', ')}. Restore them with git-metastore repair --from <copy>.`
}

/** Turns an error into a failed check with the reason. */
async function failedCheckOnError<T extends Check>(
  check: () => Promise<T>,
): Promise<T | (Check & { head?: never })> {
  try {
    return await check()
  } catch (error) {
    return { ok: false, detail: errorText(error) }
  }
}
