import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { catalogFile } from '../../catalog/open-catalog.js'
import { type ObjectOwner, type ObjectOwners, openObjectOwners } from '../../catalog/read/object-owners.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../../store/file-system/durable-files.js'
import { makeFolder } from '../../store/file-system/make-directory.js'
import { openProcessLock } from '../../store/locks/process-lock.js'
import { isServerRunning } from '../../store/locks/server-presence.js'
import { mergeLock } from '../../store/packs/list-packs.js'
import { findGitBinary } from '../../store/process/git-binary.js'
import { idOfDirectory, parseRecordPath } from '../../store/records/repository-layout.js'
import { type FoundRefs, lastReflogValue, readDamagedRefs } from '../../store/repair/damaged-refs.js'
import { type FetchedCopy, fetchCopy } from '../../store/repair/fetch-copy.js'
import { fsck } from '../../store/repair/fsck.js'
import type { DamagedFile } from '../../store/repair/link-intact-files.js'
import { type ObjectRebuild, openObjectRebuild } from '../../store/repair/rebuild-objects.js'
import type { MissingReference, TemporaryRepository } from '../../store/repair/temporary-repository.js'
import { writeRef } from '../../store/repository/create-repository.js'
import { unusableRepository } from '../../store/repository/inspect-folder.js'
import { openRepository, ownFolder } from '../../store/repository/open-repository.js'
import { stagingIn } from '../../store/repository/staging-folder.js'
import { type IndexFault, indexFault } from '../../store/work-tree/index-file.js'
import { runExclusively } from '../../store/write/run-under-writer-lock.js'

export interface RepairOptions {
  /** The data folder. */
  readonly data: string
  /** As in the configuration. */
  readonly git: string
  /** Another copy: the name of a remote, a URL or a path. Undefined: only look, and change nothing. */
  readonly from?: string | undefined
}

/** An object that is in no file that can be read. */
export interface LostObject extends MissingReference {
  /** The revisions it belongs to; where no catalog knows that, the directory it was reached in. */
  readonly revisions: readonly Partial<ObjectOwner>[]
}

/** `HEAD` or a ref that says nothing of use. */
export interface RefRepair {
  readonly name: string
  readonly was: 'garbage' | 'missing'
  /** What it can be set to without going back behind anything that was known here; with `--from` it is set. */
  readonly value?: string
  /** The newest it was known to be at, which is nowhere any more. */
  readonly known?: Oid
  /** The newest there is, which does not contain that. */
  readonly newest?: Oid
  /** Revisions after `newest` that would be lost by going back to it, as far as the catalog knows them. */
  readonly lost?: readonly ObjectOwner[]
}

/** The index is derived: it is made anew without another copy. */
export interface IndexRepair {
  readonly was: IndexFault
  readonly rebuilt: boolean
  /** What was done, or why it could not be. */
  readonly detail: string
}

export interface RepairReport {
  readonly damaged: readonly Pick<DamagedFile, 'path' | 'what'>[]
  /** What was lacking at first. */
  readonly lost: readonly LostObject[]
  /** Objects taken from the other copy. */
  readonly restored: number
  /** What is lacking still. */
  readonly remaining: readonly LostObject[]
  readonly refs: readonly RefRepair[]
  /** Where damaged files were moved to; undefined where none were. */
  readonly aside?: string
  /** What `git fsck` says in the end; empty where nothing was done, or where all is well. */
  readonly fsck: readonly string[]
  /**
   * What was wrong with the index of the work tree, and what came of it; undefined where it is whole or there is none.
   */
  readonly index?: IndexRepair
  /** Nothing is or was wrong, or all of it has been put right. */
  readonly sound: boolean
}

/**
 * Finds out which objects of a repository are damaged or missing, and restores them from another copy.
 * @throws ProblemError `unusable-repository`, `unavailable`: nothing was changed
 */
export async function repairRepository({ data, git, from }: RepairOptions): Promise<RepairReport> {
  const dir = resolve(data)
  const gitDir = await findGitDir(dir)
  const binary = await insistOnGit(git)
  const ownDir = join(gitDir, ownFolder)
  await makeFolder(ownDir)
  if (isServerRunning(ownDir)) {
    throw new ProblemError('unavailable', `A server runs on ${dir}. Stop it, then repair.`)
  }
  const report = await repairObjects({ dir, gitDir, ownDir, binary, from })
  const index = gitDir === dir ? undefined : await repairIndex({ dir, gitDir, binary, sound: report.sound })
  return index ? { ...report, index, sound: report.sound && index.rebuilt } : report
}

async function repairObjects(place: {
  readonly dir: string
  readonly gitDir: string
  readonly ownDir: string
  readonly binary: string
  readonly from: string | undefined
}): Promise<RepairReport> {
  const { gitDir, ownDir, binary, from } = place
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
      // What a repair that was killed has left.
      if (/^repair-[0-9a-f]{12}$/.test(name)) await rm(join(stagingDir, name), { recursive: true })
    }
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const asideDir = join(stagingDir, 'damaged', `${time}-${randomBytes(2).toString('hex')}`)
    const folder = join(stagingDir, `repair-${randomBytes(6).toString('hex')}`)
    return await inFolder({ git: binary, gitDir, ownDir, asideDir, from }, folder)
  } finally {
    lock.close()
  }
}

/** @param folder for what is put together beside the repository; it is made, and removed at the end */
async function inFolder(place: Omit<Room, 'work' | 'traces'>, folder: string): Promise<RepairReport> {
  const work = await openObjectRebuild({ ...place, folder })
  const traces = openObjectOwners(join(place.ownDir, catalogFile))
  try {
    return await repairWith({ ...place, work, traces })
  } finally {
    traces?.close()
    await work.close()
  }
}

/** What of a repository is damaged or missing, and which records that belongs to. */
export type Damage = Pick<RepairReport, 'damaged' | 'lost' | 'refs'>

/** Milliseconds to wait for a merging of packs, which takes files away. */
const mergePatience = 60_000

/**
 * Looks for damage as {@link repairRepository} does, beside whoever works on the repository, and changes nothing.
 * @throws ProblemError `unusable-repository` where there is no git binary, or nothing is left of a repository
 */
export async function findDamage({ data, git }: Pick<RepairOptions, 'data' | 'git'>): Promise<Damage> {
  const gitDir = await findGitDir(resolve(data))
  const binary = await insistOnGit(git)
  const ownDir = join(gitDir, ownFolder)
  await makeFolder(ownDir)
  const stagingDir = stagingIn(gitDir, ownDir)
  await makeFolder(stagingDir)
  const merging = openProcessLock(join(ownDir, mergeLock))
  try {
    await merging.acquire(mergePatience)
    const folder = join(stagingDir, `look-${randomBytes(6).toString('hex')}`)
    const place = { git: binary, gitDir, ownDir, asideDir: join(folder, 'aside'), from: undefined }
    return await inFolder(place, folder)
  } finally {
    merging.close()
  }
}

async function insistOnGit(git: string): Promise<string> {
  const binary = await findGitBinary(git)
  if (binary !== undefined) return binary
  throw unusableRepository('A repository can only be repaired with a git binary, 2.31 or newer.')
}

async function repairIndex(place: {
  readonly dir: string
  readonly gitDir: string
  readonly binary: string
  readonly sound: boolean
}): Promise<IndexRepair | undefined> {
  const { dir, gitDir, binary, sound } = place
  const index = join(gitDir, 'index')
  const was = await indexFault(index)
  if (was === undefined) return undefined
  if (!sound) return { was, rebuilt: false, detail: 'It can be rebuilt once no object is missing.' }
  const told: string[] = []
  try {
    const repository = await openRepository(dir, { git: binary })
    try {
      await runExclusively(
        repository,
        { patience: 5000, report: line => told.push(line) },
        async () => undefined,
      )
    } finally {
      await repository.close()
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    told.push(error.message)
  }
  const rebuilt = (await indexFault(index)) === undefined
  return { was, rebuilt, detail: told.join(' ') }
}

/** What makes a folder a Git directory, as long as anything of it is left. */
export async function findGitDir(dir: string): Promise<string> {
  for (const gitDir of [join(dir, '.git'), dir]) {
    const objects = await undefinedIfMissingAsync(stat(join(gitDir, 'objects')))
    if (objects?.isDirectory()) return gitDir
  }
  throw unusableRepository(
    `${dir} is no Git repository, nor what is left of one: it has no folder of objects.`,
  )
}

/** What a commit that a ref was known to be at is called in front of its name. */
const knownRef = /^refs\/known\/\d+\//

interface Room {
  readonly git: string
  readonly gitDir: string
  readonly ownDir: string
  readonly asideDir: string
  readonly from: string | undefined
  readonly work: ObjectRebuild
  readonly traces: ObjectOwners | undefined
}

async function repairWith(room: Room): Promise<RepairReport> {
  const { gitDir, git, from, work, traces } = room
  const { store, damaged } = work
  const found = await readDamagedRefs(gitDir)
  const source = from === undefined ? undefined : await fetchCopy({ git, gitDir }, from, await work.another())
  const { heads, broken } = await brokenRefs(room, found, source)
  // What a ref was known to be at has to be there too.
  const roots = new Map(found.good)
  for (const { name, known } of broken) {
    for (const [at, oid] of known.entries()) roots.set(`refs/known/${at}/${name}`, oid)
  }

  const lost = await lackingIn(store, roots, traces)
  let restored = 0
  if (source) {
    const tips = broken.flatMap(({ name }) => source.refs.get(name) ?? [])
    restored += await work.take(source.store, [...lost.map(({ oid }) => oid), ...tips])
  }
  let remaining = source ? await lackingIn(store, roots, traces) : lost
  // What was a delta of something that has come from there can be read now, and may lead to more.
  for (let more = 1; source && more > 0; ) {
    more = await work.take(
      source.store,
      remaining.map(({ oid }) => oid),
    )
    restored += more
    if (more > 0) remaining = await lackingIn(store, roots, traces)
  }

  const refs = [...heads]
  for (const ref of broken) refs.push(await settled(room, ref, source?.refs.get(ref.name)))
  const unsettled = refs.filter(({ value }) => value === undefined)
  const nothing = damaged.length === 0 && lost.length === 0 && refs.length === 0
  const names = namesOf(traces, [...lost, ...remaining])
  const report = {
    damaged: damaged.map(({ path, what }) => ({ path, what })),
    lost: lost.map(names),
    restored,
    remaining: remaining.map(names),
    refs,
  }
  if (!source || nothing) return { ...report, fsck: [], sound: nothing }

  await work.install()
  for (const { name, was, value } of refs) {
    if (value === undefined) continue
    if (was === 'garbage') await work.setAside(name)
    await writeRef(gitDir, name, `${value}\n`)
  }
  const complaints = await fsck(git, gitDir)
  const isMoved = (await undefinedIfMissingAsync(stat(room.asideDir))) !== undefined
  return {
    ...report,
    ...(isMoved && { aside: room.asideDir }),
    fsck: complaints,
    sound: report.remaining.length === 0 && unsettled.length === 0 && complaints.length === 0,
  }
}

/**
 * What refs lead to and is not there. Git cannot tell what a commit or a tree that is lost led to; a catalog knows that
 * of every revision.
 */
async function lackingIn(
  store: TemporaryRepository,
  roots: ReadonlyMap<string, Oid>,
  traces: ObjectOwners | undefined,
): Promise<readonly MissingReference[]> {
  const told = (await store.lacking(roots)).map(object => ({
    ...object,
    name: object.name.replace(knownRef, ''),
  }))
  if (!traces || told.every(({ type }) => type === 'blob')) return told
  const known = traces.objects()
  const having = await store.having(known.keys())
  const named = new Set(told.map(({ oid }) => oid))
  const others = [...known].filter(([oid]) => !having.has(oid) && !named.has(oid))
  return [...told, ...others.map(([oid, type]) => ({ oid, type, name: '' }))]
}

interface BrokenRef {
  readonly name: string
  readonly was: 'garbage' | 'missing'
  /** What it was at, as far as anybody here has written that down. */
  readonly known: readonly Oid[]
}

/**
 * HEAD where it is broken, as what it has to say is told by the branches; and every ref whose value has to be found.
 */
async function brokenRefs(
  { gitDir, ownDir, traces }: Room,
  { good, garbage, branch, head }: FoundRefs,
  source: FetchedCopy | undefined,
): Promise<{ readonly heads: readonly RefRepair[]; readonly broken: readonly BrokenRef[] }> {
  const branches = [...good.keys(), ...garbage].filter(name => name.startsWith('refs/heads/'))
  const led = branch ?? (branches.length === 1 ? branches[0] : source?.head)
  const heads = head ? [{ name: 'HEAD', was: head, ...(led && { value: `ref: ${led}` }) }] : []
  const missing = led !== undefined && !branches.includes(led) ? [led] : []
  const broken: BrokenRef[] = []
  for (const name of new Set([...garbage, ...missing])) {
    const note =
      name === led ? await undefinedIfMissingAsync(readFile(join(ownDir, 'work-tree'), 'latin1')) : undefined
    const isNote = note !== undefined && /^[0-9a-f]{40}\n$/.test(note)
    const known = [
      name === led ? traces?.head : undefined,
      await lastReflogValue(gitDir, name),
      isNote ? (note.trim() as Oid) : undefined,
    ].filter(oid => oid !== undefined)
    broken.push({ name, was: garbage.includes(name) ? 'garbage' : 'missing', known: [...new Set(known)] })
  }
  return { heads, broken }
}

/** The newest commit that contains all others a ref was known to be at: never one behind them. */
async function settled(
  { work: { store }, traces }: Room,
  { name, was, known }: BrokenRef,
  theirs: Oid | undefined,
): Promise<RefRepair> {
  const options = new Set([...known, ...(theirs === undefined ? [] : [theirs])])
  const whole: Oid[] = []
  for (const oid of options) if ((await store.lacking(new Map([[name, oid]]))).length === 0) whole.push(oid)
  let newest: Oid | undefined
  for (const oid of whole) if (newest === undefined || (await isWithin(store, newest, oid))) newest = oid
  if (newest === undefined) return { name, was, ...(known[0] && { known: known[0] }) }
  for (const oid of options) {
    if (await isWithin(store, oid, newest)) continue
    const lost = traces?.after(newest)
    return { name, was, known: oid, newest, ...(lost && { lost }) }
  }
  return { name, was, value: newest }
}

async function isWithin(store: TemporaryRepository, oid: Oid, newest: Oid): Promise<boolean> {
  return (await store.git(['merge-base', '--is-ancestor', oid, newest])).code === 0
}

/** Says which revisions objects belong to. */
function namesOf(
  traces: ObjectOwners | undefined,
  lacking: readonly MissingReference[],
): (lacking: MissingReference) => LostObject {
  const known = traces?.of(new Set(lacking.map(({ oid }) => oid)))
  return object => {
    const revisions = known?.get(object.oid)
    if (revisions) return { ...object, revisions }
    const place = parseRecordPath(object.name.slice(object.name.indexOf(':') + 1))
    if (!place) return { ...object, revisions: [] }
    const { kind, directory } = place
    const id = idOfDirectory(kind, directory)
    return { ...object, revisions: [{ kind, directory, ...(id !== undefined && { id }) }] }
  }
}
