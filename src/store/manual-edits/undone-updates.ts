import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../core/json/try-parse.js'
import type { Oid } from '../../core/value-types.js'
import type { CommitChanges } from '../commit-history/first-parent-history.js'
import { syncDirectory, undefinedIfMissing, writeFileDurably } from '../file-system/durable-files.js'
import { blobAt } from '../objects/blob-at-path.js'
import { parseRecordPath } from '../records/repository-layout.js'
import type { Repository } from '../repository/open-repository.js'
import { type EditBase, forgetEditBases, readEditBases } from '../work-tree/edit-bases.js'
import { holdsUpdate } from './merge-lines.js'

/*
 * Commits made with plain git of an edit that began with an older state of a file than the commit before them had. The
 * history does not say what an edit began with, so they are found by the bases that are kept in our own folder, and kept
 * there themselves: nothing of it can be derived again. Only the holder of the writer lock may write.
 */

/** A commit that undid updates of a file. */
export interface UndoneUpdate {
  /** Path from the root of the work tree. */
  readonly path: string
  /** The commit that undid them. */
  readonly commit: Oid
  /** Who made it. */
  readonly author: string
  /** The commit that the work tree reflected when the edit began. */
  readonly basedOn: Oid | undefined
  /** The file when the edit began, right before the commit, and after it; undefined: no file. */
  readonly base: Oid | undefined
  readonly undone: Oid | undefined
  readonly edited: Oid | undefined
}

/** Name of the file in our own folder. */
export const undoneFile = 'undone-updates'
const fileIn = (ownDir: string) => join(ownDir, undoneFile)

/** What is known, oldest first. Lines that cannot be read count as not there. */
export function readUndoneUpdates(ownDir: string): readonly UndoneUpdate[] {
  const text = undefinedIfMissing(() => readFileSync(fileIn(ownDir), 'utf8')) ?? ''
  return text.split('\n').flatMap(line => undoneIn(line) ?? [])
}

function undoneIn(line: string): UndoneUpdate | undefined {
  const value = tryParseJson(line)
  if (typeof value !== 'object' || value === null) return undefined
  const members: Readonly<Record<string, unknown>> = { ...value }
  const { path, commit, author } = members
  if (typeof path !== 'string' || typeof author !== 'string' || !isOid(commit)) return undefined
  const [basedOn, base, undone, edited] = ['basedOn', 'base', 'undone', 'edited'].map(name => {
    const oid = members[name]
    return isOid(oid) ? oid : undefined
  })
  return { path, commit, author, basedOn, base, undone, edited }
}

function isOid(value: unknown): value is Oid {
  return typeof value === 'string' && /^[0-9a-f]{40}$/.test(value)
}

/** @returns those that were not known yet */
function addUndoneUpdates(ownDir: string, found: readonly UndoneUpdate[]): readonly UndoneUpdate[] {
  const known = readUndoneUpdates(ownDir)
  const added = found.filter(
    ({ commit, path }) => !known.some(each => each.commit === commit && each.path === path),
  )
  if (added.length === 0) return []
  const lines = [...known, ...added].map(each => `${JSON.stringify(each)}\n`)
  const made = `${fileIn(ownDir)}.new`
  rmSync(made, { force: true })
  writeFileDurably(made, [Buffer.from(lines.join(''))])
  renameSync(made, fileIn(ownDir))
  syncDirectory(ownDir)
  return added
}

/**
 * Looks for commits of stale edits among those that others made, and keeps them. Called before the commits are taken
 * over, so that none is missed by a process that ends in between.
 * @param from the last commit that was taken over; undefined: none is known
 */
export async function noteUndoneUpdates(
  repository: Repository,
  from: Oid | undefined,
  to: Oid,
  report: (line: string) => void,
): Promise<void> {
  const { ownDir, history } = repository
  const bases = new Map(readEditBases(ownDir))
  if (bases.size === 0) return
  // A catalog that is made anew reads the whole history: edits whose base is known are all younger than the oldest base.
  const start = from ?? [...bases.values()].find(({ commit }) => commit !== undefined)?.commit
  if (start === undefined || (await history.relation(start, to)) !== 'ahead') return
  const found: UndoneUpdate[] = []
  for await (const step of history.walk(start, to)) {
    for (const undone of await undoneBy(repository, step, bases)) {
      found.push(undone)
      bases.delete(undone.path)
    }
  }
  for (const undone of addUndoneUpdates(ownDir, found)) report(undoneLine(undone))
  forgetEditBases(
    ownDir,
    found.map(({ path }) => path),
  )
}

async function undoneBy(
  repository: Repository,
  { commit, changes }: CommitChanges,
  bases: ReadonlyMap<string, EditBase>,
): Promise<readonly UndoneUpdate[]> {
  const [parent, ...others] = commit.parents
  // Ours are planned on the newest state, and git refuses to merge over an edit.
  if (commit.recordedAt !== undefined || parent === undefined || others.length > 0) return []
  const { objects, history } = repository
  const found: UndoneUpdate[] = []
  for (const { path, after } of changes) {
    const base = bases.get(path)
    if (!base || !parseRecordPath(path)) continue
    const before = await blobAt(objects, (await history.commit(parent)).tree, path)
    if (before === base.blob) continue
    const undone = {
      path,
      commit: commit.oid,
      author: commit.authorName || commit.authorEmail,
      basedOn: base.commit,
      base: base.blob,
      undone: before,
      edited: after,
    }
    if (!(await holdsBoth(repository, undone))) found.push(undone)
  }
  return found
}

/** Whether the file has what was stored since the edit began. Without a git binary it cannot be told: then it has not. */
async function holdsBoth(
  { git, gitDir, objects }: Repository,
  { base, undone, edited }: UndoneUpdate,
): Promise<boolean> {
  if (git === undefined || base === undefined || undone === undefined || edited === undefined) return false
  const read = async (blob: Oid) => (await objects.read(blob)).bytes
  return await holdsUpdate(git, gitDir, {
    base: await read(base),
    ours: await read(edited),
    theirs: await read(undone),
  })
}

function undoneLine({ path, commit, author }: UndoneUpdate): string {
  return `Commit ${commit.slice(0, 10)} by ${author} undid updates of ${path}: the edit was based on an older version. See \`git-metastore status\` for how to get them back.`
}
