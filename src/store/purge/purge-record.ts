import { existsSync, readdirSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Oid } from '../../core/value-types.js'
import { syncDirectory, undefinedIfMissing } from '../file-system/durable-files.js'
import { writeDumbHttpFiles } from '../git-http/dumb-http-files.js'
import { openProcessLock } from '../locks/process-lock.js'
import { hashObject } from '../objects/hash-object.js'
import { openBufferedPackWriter } from '../packs/buffered-writer.js'
import { isUnfinishedPack, mergeLock } from '../packs/list-packs.js'
import { type NewObject, type WrittenPack, writePack } from '../packs/pack-writer.js'
import { type GitResult, runGit } from '../process/git-command.js'
import { packDirectory } from '../process/git-directory.js'
import { recordDirectory } from '../records/repository-layout.js'
import { targetOfTag } from '../refs/list-refs.js'
import { unusableRepository } from '../repository/inspect-folder.js'
import type { Repository } from '../repository/open-repository.js'
import { stagingFolders } from '../repository/staging-folder.js'
import { beginPurge, endPurge, unfinishedFile, unfinishedPurge } from '../repository/unfinished-purge.js'
import { type RewrittenHistory, rewriteHistory, rewriteTag } from './rewrite-history.js'

/** A repository with the git binary that a purge needs. */
export type PurgeRepository = Repository & { readonly git: string }

/** The effects of a purge on a repository. */
export interface PurgePlan {
  /** Branches and tags to move; `to` undefined: to delete. */
  readonly refs: readonly { readonly name: string; readonly from: Oid; readonly to: Oid | undefined }[]
  /** The served branch. */
  readonly head: { readonly from: Oid; readonly to: Oid }
  /** Number of commits that get another name. */
  readonly rewritten: number
  readonly dropped: number
  readonly unsigned: number
  /** Whether the record is a schema, which other records may use. */
  readonly schema: boolean
  readonly renamed: RewrittenHistory['renamed']
  readonly erased: RewrittenHistory['erased']
}

export interface PurgeResult extends PurgePlan {
  /** Paths of other records with the same content as an erased file or folder. */
  readonly shared: readonly string[]
}

type PurgeProgress = (done: number, total: number) => void

/** Bytes of new objects in one pack. */
const packSize = 32 * 1024 * 1024
/** Milliseconds to wait for a merge of packs in another process. */
const patience = 60_000
/** Limit of names in a message. */
const mostNamed = 20

/** Possible folders of a record with this id. */
function directoriesOf(id: Id): readonly string[] {
  return (['schema', 'metadata'] satisfies readonly Collection[]).map(kind => recordDirectory(kind, id))
}

/**
 * Plans a purge without writing.
 * @throws ProblemError as {@link purgeRecord}
 */
export async function planPurge(place: PurgeRepository, id: Id, progress: PurgeProgress): Promise<PurgePlan> {
  await refuseUnfit(place, id)
  return await plan(place, id, () => Promise.resolve(), progress)
}

/**
 * Removes a record from the whole history: from all branches and tags, and from every file of the Git directory. The
 * caller holds the writer lock. A kill leaves the old or the new history, and the next run finishes the purge.
 * @param agree called with the plan when the new history is written, before a ref leads to it; an error ends the purge
 * @throws ProblemError `not-found` if the history has nothing of the record; `conflict` if another ref or file keeps it
 */
export async function purgeRecord(
  place: PurgeRepository,
  id: Id,
  agree: (plan: PurgePlan) => Promise<void>,
  progress: PurgeProgress,
): Promise<PurgeResult> {
  await refuseUnfit(place, id)
  const packs: WrittenPack[] = []
  const sink = openBufferedPackWriter(packSize, async objects => {
    packs.push(await writePack(place.gitDir, place.stagingDir, objects))
  })
  const merging = openProcessLock(join(place.ownDir, mergeLock))
  try {
    // A concurrent merge of packs would copy the old objects.
    if (!(await merging.acquire(patience))) throw conflict('Another process is merging packs. Try again.')
    let planned: PurgePlan
    try {
      planned = await plan(place, id, sink.write, progress)
      await sink.end()
      await agree(planned)
    } catch (error) {
      for (const pack of packs) discard(place.gitDir, pack)
      throw error
    }
    beginPurge(place.ownDir, id)
    for (const folder of stagingFolders(place)) clearDerived(folder)
    await moveRefs(place, planned)
    for (const pack of packs) pack.release()
    const shared = await erase(place, id, planned)
    endPurge(place.ownDir)
    return { ...planned, shared }
  } finally {
    merging.close()
  }
}

/** Removes a pack of the new history after a failure. */
function discard(gitDir: string, { name, release }: WrittenPack): void {
  for (const ending of ['idx', 'pack'])
    rmSync(join(packDirectory(gitDir), `${name}.${ending}`), { force: true })
  release()
}

// ── what is refused ────────────────────────────────────────────────────────────────────────────────────────────────

async function refuseUnfit(place: PurgeRepository, id: Id): Promise<void> {
  const { dir, gitDir, ownDir } = place
  const unfinished = unfinishedPurge(ownDir)
  if (unfinished !== undefined && unfinished !== id) {
    throw new ProblemError(
      'conflict',
      `A purge of "${unfinished}" has not come to its end. Run that one again first.`,
    )
  }
  if (existsSync(join(gitDir, 'objects', 'info', 'alternates'))) {
    throw unusableRepository(
      `${dir} borrows objects from another repository, from which nothing can be purged here. Make it whole with ` +
        `\`git -C ${dir} repack -a -d\` and remove objects/info/alternates.`,
    )
  }
  const worktrees = undefinedIfMissing(() => readdirSync(join(gitDir, 'worktrees'))) ?? []
  if (worktrees.length > 0) {
    throw conflict(`There are linked work trees (${named(worktrees)}). Remove them with git worktree remove.`)
  }
  const kept = readdirSync(packDirectory(gitDir)).filter(name => /\.(?:keep|promisor)$/.test(name))
  if (kept.length > 0) {
    throw conflict(`Packs that git must not touch may hold it: ${named(kept)} in ${packDirectory(gitDir)}.`)
  }
  if (unfinished === undefined) await refuseEdits(place, id)
}

/** Files that exist during an unfinished merge or similar operation of git. */
const underWay = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'sequencer']

async function refuseEdits(place: PurgeRepository, id: Id): Promise<void> {
  if (place.bare) return
  const under = underWay.filter(name => existsSync(join(place.gitDir, name)))
  if (under.length > 0)
    throw conflict(`Git is in the middle of something (${named(under)}). Finish it first.`)
  const status = await inWorkTree(place, ['status', '--porcelain=v1', '-z', '--no-renames'])
  const edited = split(status).map(entry => entry.slice(3))
  // Includes ignored files.
  const others = split(await inWorkTree(place, ['ls-files', '-z', '--others', '--', ...pathspecs(id)]))
  const all = [...new Set([...edited, ...others])]
  if (all.length > 0) {
    throw conflict(`The work tree has edits: ${named(all)}. Commit them, or move them away.`)
  }
}

function conflict(message: string): ProblemError {
  return new ProblemError('conflict', message)
}

function named(names: readonly string[]): string {
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ''
  return `${names.slice(0, mostNamed).join(', ')}${more}`
}

// ── the new history ────────────────────────────────────────────────────────────────────────────────────────────────

interface FoundRef {
  readonly name: string
  readonly oid: Oid
  readonly type: string
}

async function plan(
  place: PurgeRepository,
  id: Id,
  write: (object: NewObject) => Promise<void>,
  progress: PurgeProgress,
): Promise<PurgePlan> {
  const { git, gitDir, objects, branch } = place
  const refs = await refsOf(place)
  const stashed = await stashesOf(place)
  const listed = await insist(git, gitDir, ['rev-list', '--topo-order', '--reverse', '--all', ...stashed])
  const commits = lines(listed) as Oid[]
  const rewritten = await rewriteHistory({
    objects,
    commits,
    directories: directoriesOf(id),
    write,
    progress,
  })
  const { renamed, dropped, unsigned, erased, touched } = rewritten
  if (renamed.size === 0 && unfinishedPurge(place.ownDir) === undefined) {
    throw new ProblemError('not-found', `There is nothing of "${id}" in the history of ${place.dir}.`)
  }

  const keeping: string[] = []
  const moved: PurgePlan['refs'][number][] = []
  for (const { name, oid, type } of refs) {
    const isOurs = /^refs\/(?:heads|tags)\//.test(name)
    if (type === 'tag') {
      const to = await retagged(place, oid, renamed, write)
      if (to === oid) continue
      if (isOurs) moved.push({ name, from: oid, to })
      else keeping.push(name)
    } else if (type !== 'commit') keeping.push(`${name} (a ${type})`)
    else if (renamed.has(oid)) {
      if (isOurs) moved.push({ name, from: oid, to: renamed.get(oid) })
      else keeping.push(name)
    }
  }
  if (stashed.some(oid => renamed.has(oid)) && !keeping.includes('refs/stash')) keeping.push('refs/stash')
  if (keeping.length > 0) {
    throw conflict(
      `These still lead to it, and are not rewritten: ${named(keeping)}. Do away with them first: remote-tracking ` +
        'branches with git remote remove, stashed edits with git stash drop, others with git update-ref -d.',
    )
  }
  const from = await place.head()
  const to = renamed.has(from) ? renamed.get(from) : from
  if (to === undefined) throw new Error(`Nothing would be left of ${branch}.`)
  return {
    ...{ refs: moved, head: { from, to }, rewritten: renamed.size - dropped, dropped, unsigned },
    ...{ schema: touched.has(recordDirectory('schema', id)), renamed, erased },
  }
}

/** @see git-for-each-ref(1) */
async function refsOf({ git, gitDir }: PurgeRepository): Promise<readonly FoundRef[]> {
  const format = '--format=%(objectname) %(objecttype) %(symref) %(refname)'
  return lines(await insist(git, gitDir, ['for-each-ref', format])).flatMap(line => {
    const [oid, type, symref, name] = line.split(' ')
    // Skips symbolic refs.
    return symref === '' ? [{ name, oid, type } as FoundRef] : []
  })
}

/** All stashed edits; the older ones are only in the reflog. */
async function stashesOf({ git, gitDir }: PurgeRepository): Promise<readonly Oid[]> {
  if (!existsSync(join(gitDir, 'logs', 'refs', 'stash'))) return []
  return lines(await insist(git, gitDir, ['reflog', 'show', '--format=%H', 'refs/stash'])) as Oid[]
}

/** @returns the same tag if its target stays; undefined if nothing is left of its target */
async function retagged(
  place: PurgeRepository,
  oid: Oid,
  renamed: RewrittenHistory['renamed'],
  write: (object: NewObject) => Promise<void>,
): Promise<Oid | undefined> {
  const tag = await place.objects.read(oid)
  const target = targetOfTag(tag)
  if (target === undefined) return renamed.has(oid) ? renamed.get(oid) : oid
  const now = await retagged(place, target, renamed, write)
  if (now === target || now === undefined) return now && oid
  const made = rewriteTag(tag.bytes, now)
  const name = hashObject('tag', made)
  await write({ oid: name, type: 'tag', bytes: made })
  return name
}

// ── the old one goes ───────────────────────────────────────────────────────────────────────────────────────────────

/** Removes files derived from the old history. Keeps locks, which other processes have open. */
function clearDerived(ownDir: string): void {
  for (const name of readdirSync(ownDir)) {
    if (name === unfinishedFile || name === 'locks' || /\.lock(?:-|$)/.test(name)) continue
    rmSync(join(ownDir, name), { recursive: true })
  }
}

/** Moves all refs in one transaction. @see git-update-ref(1), "--stdin" */
async function moveRefs({ git, gitDir }: PurgeRepository, { refs }: PurgePlan): Promise<void> {
  if (refs.length === 0) return
  const settings = ['-c', 'core.fsync=all', '-c', `core.hooksPath=${devNull}`]
  const args = [...settings, 'update-ref', '--no-deref', '-z', '--stdin']
  const commands = refs.map(({ name, from, to }) =>
    to === undefined ? `delete ${name}\0${from}\0` : `update ${name}\0${to}\0${from}\0`,
  )
  const { code, stderr } = await runGit(git, gitDir, args, {}, {}, commands.join(''))
  if (code === 0) return
  throw new ProblemError('unavailable', `The branches cannot be moved. Git says: ${stderr}. Run it again.`)
}

/** Removes the objects of the old history. @returns paths of other records with the same content, which stay */
async function erase(
  place: PurgeRepository,
  id: Id,
  { erased, renamed }: PurgePlan,
): Promise<readonly string[]> {
  const { git, gitDir, bare } = place
  if (!bare) await inWorkTree(place, ['rm', '-r', '-f', '-q', '--ignore-unmatch', '--', ...pathspecs(id)])
  emptyReflogs(gitDir)
  for (const name of ['ORIG_HEAD', 'FETCH_HEAD']) undefinedIfMissing(() => unlinkSync(join(gitDir, name)))
  for (const name of readdirSync(join(gitDir, 'objects')).filter(isQuarantine)) {
    rmSync(join(gitDir, 'objects', name), { recursive: true })
  }
  for (const name of readdirSync(packDirectory(gitDir)).filter(isUnfinishedPack)) {
    rmSync(join(packDirectory(gitDir), name))
  }
  for (const name of ['commit-graph', 'commit-graphs']) {
    rmSync(join(gitDir, 'objects', 'info', name), { recursive: true, force: true })
  }
  await insist(git, gitDir, ['-c', 'core.fsync=all', 'repack', '-a', '-d', '-n', '-q', '--window-memory=64m'])
  await insist(git, gitDir, ['prune', '--expire=now'])
  await insist(git, gitDir, ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress'])
  syncDirectory(packDirectory(gitDir))
  await writeDumbHttpFiles(place)
  return await pathsLeft(place, [...erased], [...renamed.keys()])
}

/** Whether a folder is left by a killed push. */
function isQuarantine(name: string): boolean {
  return name.startsWith('tmp_objdir-') || name.startsWith('incoming-')
}

/** Empties reflogs, which name old commits, except the one of the stash, which holds the stashed edits. */
function emptyReflogs(gitDir: string): void {
  const logs = join(gitDir, 'logs')
  for (const entry of undefinedIfMissing(() => readdirSync(logs, { recursive: true, withFileTypes: true })) ??
    []) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && path !== join(logs, 'refs', 'stash')) truncateSync(path)
  }
}

/**
 * Checks that the objects of the record are gone, except those that other records have too.
 * @returns the paths of the latter
 */
async function pathsLeft(
  place: PurgeRepository,
  files: readonly Oid[],
  commits: readonly Oid[],
): Promise<readonly string[]> {
  const { git, gitDir } = place
  const left = await presentOf(place, [...files, ...commits])
  if (left.length === 0) return []
  const listed = lines(await insist(git, gitDir, ['rev-list', '--all', '--objects']))
  const reachable = new Map(listed.map(line => [line.slice(0, 40), line.slice(41)]))
  const lost = left.filter(oid => !reachable.has(oid))
  if (lost.length > 0) throw new Error(`Objects of the old history are still in ${gitDir}: ${named(lost)}`)
  return [...new Set(left.map(oid => reachable.get(oid) ?? ''))].toSorted()
}

/** The objects that the repository still has. */
async function presentOf({ git, gitDir }: PurgeRepository, oids: readonly Oid[]): Promise<readonly Oid[]> {
  const args = ['cat-file', '--batch-check=%(objectname)']
  const asked = oids.map(oid => `${oid}\n`).join('')
  return lines(await insist(git, gitDir, args, asked)).filter(line => !line.endsWith(' missing')) as Oid[]
}

// ── git ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function pathspecs(id: Id): readonly string[] {
  return directoriesOf(id).map(directory => `:(top,literal)${directory}`)
}

async function insist(git: string, gitDir: string, args: readonly string[], input?: string): Promise<Buffer> {
  return told(await runGit(git, gitDir, args, {}, {}, input), args)
}

async function inWorkTree({ git, gitDir, dir }: PurgeRepository, args: readonly string[]): Promise<Buffer> {
  return told(await runGit(git, gitDir, [`--work-tree=${dir}`, '-C', dir, ...args]), args)
}

function told({ code, stdout, stderr }: GitResult, args: readonly string[]): Buffer {
  if (code === 0) return stdout
  throw new ProblemError('unavailable', `git ${args[0]} failed. Git says: ${stderr || `exit code ${code}`}`)
}

function lines(text: Buffer): readonly string[] {
  return text
    .toString()
    .split('\n')
    .filter(line => line !== '')
}

function split(text: Buffer): readonly string[] {
  return text
    .toString()
    .split('\0')
    .filter(entry => entry !== '')
}
