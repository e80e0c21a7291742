import { readdirSync, rmdirSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { ProblemError } from '../../../core/problem.js'
import type { Id, Oid } from '../../../core/value-types.js'
import { syncFolder } from '../../../store/file-system/durable-files.js'
import { undefinedIfMissing } from '../../../store/file-system/file-errors.js'
import { linesOf, runGit } from '../../../store/git-commands/git-command.js'
import { packFolder, pausedEnding } from '../../../store/git-commands/git-directory.js'
import { isUnfinishedPack } from '../../../store/packs/list-packs.js'
import { writeDumbHttpFiles } from '../../../store/repository/dumb-http-files.js'
import { purgedFileIn, purgedFileName } from '../../../store/repository/purged-records.js'
import { unfinishedFile } from '../../../store/repository-folder/unfinished-purge.js'
import { gitOutput, inWorkTree, named, type PurgeRepository, pathspecs } from './purge-commands.js'
import type { PurgePlan } from './rewrite-without-record.js'

/** Removes files derived from the old history. Keeps locks, which other processes have open, and what is paused. */
export function clearDerived(ownDir: string): void {
  for (const entry of readdirSync(ownDir, { withFileTypes: true })) {
    const { name } = entry
    if (name === unfinishedFile || name === 'locks' || /\.lock(?:-|$)/.test(name)) continue
    if (entry.isDirectory()) clearFolder(join(ownDir, name))
    else rmSync(join(ownDir, name))
  }
}

function clearFolder(folder: string): void {
  for (const name of readdirSync(folder))
    if (!name.endsWith(`.${pausedEnding}`)) rmSync(join(folder, name), { recursive: true })
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

/** Moves all refs of the plan in one transaction of git. @see git-update-ref(1), "--stdin" */
export async function moveRefs({ git, gitDir }: PurgeRepository, { refs }: PurgePlan): Promise<void> {
  if (refs.length === 0) return
  const settings = ['-c', 'core.fsync=all', '-c', `core.hooksPath=${devNull}`]
  const args = [...settings, 'update-ref', '--no-deref', '-z', '--stdin']
  const commands = refs.map(({ name, from, to }) =>
    to === undefined ? `delete ${name}\0${from}\0` : `update ${name}\0${to}\0${from}\0`,
  )
  const { code, stderr } = await runGit(git, gitDir, args, { input: commands.join('') })
  if (code === 0) return
  throw new ProblemError('unavailable', `The branches cannot be moved. Git says: ${stderr}. Run it again.`)
}

/** Folders in which git keeps content of objects in files. @see git-fsck(1), "--lost-found"; git-rerere(1) */
const copiesOfContent = ['lost-found', 'rr-cache']

/** Removes the objects of the old history. @returns paths of other records that have content of the purged record */
export async function erase(
  place: PurgeRepository,
  id: Id,
  { erased, renamed, head }: PurgePlan,
): Promise<readonly string[]> {
  const { gitDir, bare, history, objects } = place
  if (!bare) {
    await inWorkTree(place, ['rm', '-r', '-f', '-q', '--ignore-unmatch', '--', ...pathspecs(id)])
    const { tree } = await history.commit(head.to)
    if (purgedFileIn((await objects.read(tree)).bytes) !== undefined)
      await inWorkTree(place, ['checkout', '-q', head.to, '--', purgedFileName])
  }
  emptyReflogs(gitDir)
  for (const name of ['ORIG_HEAD', 'FETCH_HEAD']) undefinedIfMissing(() => unlinkSync(join(gitDir, name)))
  for (const name of copiesOfContent) rmSync(join(gitDir, name), { recursive: true, force: true })
  for (const name of readdirSync(join(gitDir, 'objects')).filter(isQuarantine)) {
    rmSync(join(gitDir, 'objects', name), { recursive: true })
  }
  for (const name of readdirSync(packFolder(gitDir)).filter(isUnfinishedPack)) {
    rmSync(join(packFolder(gitDir), name))
  }
  for (const name of ['commit-graph', 'commit-graphs']) {
    rmSync(join(gitDir, 'objects', 'info', name), { recursive: true, force: true })
  }
  const settings = ['-c', 'core.fsync=all']
  await gitOutput(place, [...settings, 'repack', '-a', '-d', '-n', '-q', '--window-memory=64m'])
  await gitOutput(place, ['prune', '--expire=now'])
  await gitOutput(place, ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress'])
  syncFolder(packFolder(gitDir))
  await writeDumbHttpFiles(place)
  return await pathsLeft(place, [...erased], [...renamed.keys()])
}

/** Whether a folder is a quarantine, which a killed push has left behind. */
function isQuarantine(name: string): boolean {
  return name.startsWith('tmp_objdir-') || name.startsWith('incoming-')
}

/** Empties the reflogs, because they name old commits, except that of the stash, which keeps the stashed edits. */
function emptyReflogs(gitDir: string): void {
  const logs = join(gitDir, 'logs')
  for (const entry of undefinedIfMissing(() => readdirSync(logs, { recursive: true, withFileTypes: true })) ??
    []) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && path !== join(logs, 'refs', 'stash')) truncateSync(path)
  }
}

/**
 * Checks that the objects of the record are gone, except objects that other records have too.
 * @returns the paths at which other records have such objects
 */
async function pathsLeft(
  place: PurgeRepository,
  files: readonly Oid[],
  commits: readonly Oid[],
): Promise<readonly string[]> {
  const left = await presentOf(place, [...files, ...commits])
  if (left.length === 0) return []
  const listed = linesOf(await gitOutput(place, ['rev-list', '--all', '--objects']))
  const reachable = new Map(listed.map(line => [line.slice(0, 40), line.slice(41)]))
  const lost = left.filter(oid => !reachable.has(oid))
  if (lost.length > 0)
    throw new Error(`Objects of the old history are still in ${place.gitDir}: ${named(lost)}`)
  return [...new Set(left.map(oid => reachable.get(oid) ?? ''))].toSorted()
}

/** The objects that the repository still has. */
async function presentOf(place: PurgeRepository, oids: readonly Oid[]): Promise<readonly Oid[]> {
  const args = ['cat-file', '--batch-check=%(objectname)']
  const asked = oids.map(oid => `${oid}\n`).join('')
  return linesOf(await gitOutput(place, args, asked)).filter(line => !line.endsWith(' missing')) as Oid[]
}
