import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { catalogFile } from '../../../catalog/open-catalog.js'
import { type ObjectOwners, openObjectOwners } from '../../../catalog/read/object-owners.js'
import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { undefinedIfMissingAsync } from '../../../store/file-system/file-errors.js'
import { makeFolder } from '../../../store/file-system/make-folder.js'
import { findGitBinary } from '../../../store/git-commands/git-binary.js'
import { isServerRunning, openMergeLock, openProcessLock } from '../../../store/locks/process-lock.js'
import { packedRefsFile } from '../../../store/refs/read-refs.js'
import { ownFolder } from '../../../store/repository/open-repository.js'
import {
  findDamagedGitDir,
  readConfig,
  unusableRepository,
} from '../../../store/repository-folder/inspect-folder.js'
import { stagingIn } from '../../../store/repository-folder/staging-folder.js'
import { writeRef } from '../../../store/work-tree/create-repository.js'
import { readDamagedRefs } from './damaged-refs.js'
import { type FetchedCopy, fetchCopy } from './fetch-copy.js'
import { fsck } from './fsck.js'
import { findLostObjects, ownersOf, refsToCheck } from './lost-objects.js'
import { type ObjectRebuild, openObjectRebuild } from './rebuild-objects.js'
import { repairIndex } from './repair-index.js'
import { type BrokenRef, findBrokenRefs, repairRef } from './repair-refs.js'
import type { Damage, RefRepair, RepairReport } from './repair-report.js'
import type { MissingReference } from './temporary-repository.js'

export interface RepairOptions {
  /** The data folder. */
  readonly data: string
  /** The git binary, as in the configuration. */
  readonly git: string
  /** Another copy: the name of a remote, a URL or a path. Undefined: nothing is changed. */
  readonly from?: string | undefined
}

/** Limit in milliseconds of the wait for a merge of packs, which removes files. */
const maxWaitForMerge = 60_000

/**
 * Finds damaged and missing objects and refs of a repository, and restores them from another copy. Rebuilds a damaged
 * index.
 * @throws ProblemError `unusable-repository`, `unavailable`, `damaged` if git cannot read its configuration: nothing
 *   was changed
 */
export async function repairRepository({ data, git, from }: RepairOptions): Promise<RepairReport> {
  const dir = resolve(data)
  const gitDir = await findDamagedGitDir(dir)
  await readConfig(dir, gitDir)
  const binary = await requireGit(git)
  const ownDir = join(gitDir, ownFolder)
  await makeFolder(ownDir)
  if (isServerRunning(ownDir)) {
    throw new ProblemError('unavailable', `A server runs on ${dir}. Stop it, then repair.`)
  }
  const { isComplete, ...report } = await repairObjects({ git: binary, gitDir, ownDir, from })
  const index = gitDir === dir ? undefined : await repairIndex({ dir, gitDir, binary, sound: isComplete })
  const complaints = isComplete || from !== undefined ? await fsck(binary, gitDir) : []
  const sound = isComplete && complaints.length === 0 && index?.rebuilt !== false
  return { ...report, ...(index && { index }), fsck: complaints, sound }
}

/**
 * Finds damage as {@link repairRepository} does, while others work on the repository. It changes nothing.
 * @throws ProblemError `unusable-repository` without a git binary, or if the folder is no repository
 */
export async function findDamage({ data, git }: Pick<RepairOptions, 'data' | 'git'>): Promise<Damage> {
  const gitDir = await findDamagedGitDir(resolve(data))
  const binary = await requireGit(git)
  const ownDir = join(gitDir, ownFolder)
  await makeFolder(ownDir)
  const stagingDir = stagingIn(gitDir, ownDir)
  await makeFolder(stagingDir)
  const merging = openMergeLock(ownDir)
  try {
    await merging.acquire(maxWaitForMerge)
    const folder = join(stagingDir, `look-${randomBytes(6).toString('hex')}`)
    const place = { git: binary, gitDir, ownDir, setAsideDir: join(folder, 'aside'), from: undefined }
    return await rebuildInFolder(place, folder)
  } finally {
    merging.close()
  }
}

async function requireGit(git: string): Promise<string> {
  const binary = await findGitBinary(git)
  if (binary !== undefined) return binary
  throw unusableRepository('A repository can only be repaired with a git binary, 2.31 or newer.')
}

/** The repair of objects and refs. */
interface ObjectRepair extends Omit<RepairReport, 'fsck' | 'index' | 'sound'> {
  /** Whether no object and no ref is lost now. */
  readonly isComplete: boolean
}

interface RepairPlace {
  readonly git: string
  readonly gitDir: string
  readonly ownDir: string
  /** The folder for damaged files. */
  readonly setAsideDir: string
  readonly from: string | undefined
}

/** Repairs objects and refs while it holds the writer lock. Removes what earlier, killed repairs left. */
async function repairObjects(place: Omit<RepairPlace, 'setAsideDir'>): Promise<ObjectRepair> {
  const { gitDir, ownDir } = place
  const stagingDir = stagingIn(gitDir, ownDir)
  await makeFolder(stagingDir)
  const lock = openProcessLock(join(ownDir, 'writer.lock'))
  try {
    if (!lock.tryAcquire()) {
      throw new ProblemError(
        'unavailable',
        'Another git-metastore process is writing to the repository. Try again.',
      )
    }
    for (const name of await readdir(stagingDir)) {
      if (/^repair-[0-9a-f]{12}$/.test(name)) await rm(join(stagingDir, name), { recursive: true })
    }
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const setAsideDir = join(stagingDir, 'damaged', `${time}-${randomBytes(2).toString('hex')}`)
    const folder = join(stagingDir, `repair-${randomBytes(6).toString('hex')}`)
    return await rebuildInFolder({ ...place, setAsideDir }, folder)
  } finally {
    lock.close()
  }
}

/** Rebuilds the objects. @param folder where they are rebuilt; created here, and removed at the end */
async function rebuildInFolder(place: RepairPlace, folder: string): Promise<ObjectRepair> {
  const rebuild = await openObjectRebuild({ ...place, folder })
  const owners = openObjectOwners(join(place.ownDir, catalogFile))
  try {
    return await rebuildObjects(place, rebuild, owners)
  } finally {
    owners?.close()
    await rebuild.close()
  }
}

async function rebuildObjects(
  place: RepairPlace,
  rebuild: ObjectRebuild,
  owners: ObjectOwners | undefined,
): Promise<ObjectRepair> {
  const { gitDir, ownDir, git, from, setAsideDir } = place
  const { store } = rebuild
  const found = await readDamagedRefs(gitDir)
  const damaged = [
    ...rebuild.damaged,
    ...(found.packed ? [{ path: packedRefsFile, what: found.packed.what }] : []),
  ]
  const copy =
    from === undefined ? undefined : await fetchCopy({ git, gitDir }, from, await rebuild.another())
  const { heads, broken } = await findBrokenRefs({ gitDir, ownDir, owners }, found, copy)
  const checked = refsToCheck(found.good, broken)

  const lost = await findLostObjects(store, checked, owners)
  let restored = 0
  let remaining = lost
  if (copy) {
    const tips = broken.flatMap(({ name }) => copy.refs.get(name) ?? [])
    restored = await rebuild.take(copy.store, [...lost.map(({ oid }) => oid), ...tips])
    remaining = await findLostObjects(store, checked, owners)
    // A restored object can make others readable that are stored as deltas of it, or lead to more lost objects.
    for (let more = 1; more > 0; ) {
      more = await rebuild.take(
        copy.store,
        remaining.map(({ oid }) => oid),
      )
      restored += more
      if (more > 0) remaining = await findLostObjects(store, checked, owners)
    }
  }

  if (copy) broken.push(...(await lostBranches(rebuild, copy, found.good, remaining)))
  const refs: RefRepair[] = [...heads]
  for (const ref of broken) refs.push(await repairRef(store, owners, ref, copy?.refs.get(ref.name)))
  const withOwners = ownersOf(owners, [...lost, ...remaining])
  const report = {
    damaged: damaged.map(({ path, what }) => ({ path, what })),
    lost: lost.map(withOwners),
    restored,
    remaining: remaining.map(withOwners),
    refs,
  }
  const isIntact = damaged.length === 0 && lost.length === 0 && refs.length === 0
  if (!copy || isIntact) return { ...report, isComplete: isIntact }

  await rebuild.install()
  if (found.packed) {
    await rebuild.keepCopy(packedRefsFile)
    await writeRef(gitDir, packedRefsFile, found.packed.intact)
  }
  await writeRefs(gitDir, rebuild, refs)
  const isMoved = (await undefinedIfMissingAsync(stat(setAsideDir))) !== undefined
  const isComplete = remaining.length === 0 && refs.every(({ value }) => value !== undefined)
  return {
    ...report,
    ...(isMoved && { aside: setAsideDir }),
    isComplete,
  }
}

/** The branches whose newest commit the other copy lacks, too. Takes from the copy what it has of these branches. */
async function lostBranches(
  rebuild: ObjectRebuild,
  copy: FetchedCopy,
  good: ReadonlyMap<string, Oid>,
  remaining: readonly MissingReference[],
): Promise<readonly BrokenRef[]> {
  const lost = new Set(remaining.map(({ oid }) => oid))
  const branches = [...good].filter(([name, oid]) => name.startsWith('refs/heads/') && lost.has(oid))
  await rebuild.take(
    copy.store,
    branches.flatMap(([name]) => copy.refs.get(name) ?? []),
  )
  return branches.map(([name, oid]) => ({ name, was: 'lost', known: [oid] }))
}

async function writeRefs(gitDir: string, rebuild: ObjectRebuild, refs: readonly RefRepair[]): Promise<void> {
  for (const { name, was, value } of refs) {
    if (value === undefined) continue
    if (was === 'garbage') await rebuild.setAside(name)
    await writeRef(gitDir, name, `${value}\n`)
  }
}
