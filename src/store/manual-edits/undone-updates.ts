import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../core/json/try-parse.js'
import type { Oid } from '../../core/value-types.js'
import type { CommitChanges } from '../commit-history/first-parent-history.js'
import { replaceFileDurably } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { blobAt } from '../objects/tree-format.js'
import { parseRecordPath } from '../records/repository-layout.js'
import { isObjectName } from '../refs/read-refs.js'
import type { Repository } from '../repository/open-repository.js'
import { type EditBase, forgetEditBases, readEditBases } from '../work-tree/edit-bases.js'
import { holdsUpdate } from './merge-lines.js'

/*
 * Finds and stores commits with outdated edits: made with plain git, and based on an older version of a file than their
 * parent has. The history does not tell the base of an edit, so the bases in our own folder are used. The commits are
 * stored there too, because they cannot be derived again. Only the holder of the writer lock may store them.
 */

/** A commit that undid updates of a file. */
export interface UndoneUpdate {
  /** Path relative to the work tree. */
  readonly path: string
  readonly commit: Oid
  /** Name or e-mail of the commit's author. */
  readonly author: string
  /** The commit that was checked out when the edit began. */
  readonly basedOn: Oid | undefined
  /** Blobs of the file when the edit began, before the commit, and after the commit; undefined where it was missing. */
  readonly base: Oid | undefined
  readonly undone: Oid | undefined
  readonly edited: Oid | undefined
}

/** File name in our own folder. */
export const undoneFile = 'undone-updates'
const fileIn = (ownDir: string) => join(ownDir, undoneFile)

/** The stored commits, oldest first. Skips malformed lines. */
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
  return typeof value === 'string' && isObjectName(value)
}

/** Stores commits. @returns those that were not stored yet */
function addUndoneUpdates(ownDir: string, found: readonly UndoneUpdate[]): readonly UndoneUpdate[] {
  const known = readUndoneUpdates(ownDir)
  const added = found.filter(
    ({ commit, path }) => !known.some(each => each.commit === commit && each.path === path),
  )
  if (added.length === 0) return []
  const lines = [...known, ...added].map(each => `${JSON.stringify(each)}\n`)
  replaceFileDurably(fileIn(ownDir), lines.join(''))
  return added
}

/**
 * Finds commits with outdated edits among new commits and stores them. Called before the catalog reads the new commits:
 * after a crash in between, they are still new, so none is missed.
 * @param from the last commit that the catalog has read; undefined if it is unknown
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
  // With a new catalog, all commits are new. But all edits with a known base were committed after the oldest base.
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
  // Commits by a server are based on the newest state, and git refuses to merge over an edit.
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

/** Whether the edited file includes the updates since the edit began. False without a git binary. */
async function holdsBoth(
  { git, gitDir, objects }: Repository,
  { base, undone, edited }: UndoneUpdate,
): Promise<boolean> {
  if (git === undefined) return false
  const read = async (blob: Oid) => (await objects.read(blob)).bytes
  return await holdsUpdate(git, gitDir, { base, ours: edited, theirs: undone }, read)
}

function undoneLine({ path, commit, author }: UndoneUpdate): string {
  return `Commit ${commit.slice(0, 10)} by ${author} undid updates of ${path}: the edit was based on an older version. See \`git-metastore status\` for how to get them back.`
}
