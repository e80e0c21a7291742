import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../core/json/try-parse.js'
import type { Oid } from '../../core/value-types.js'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { outputOf, runGit } from '../git-commands/git-command.js'
import { blobAt } from '../objects/tree-format.js'
import type { Repository } from '../repository/open-repository.js'
import { type GitIndexEntry, indexEntriesIn, listEntries } from './index-file.js'

/*
 * Stores on which content of a file an edit in the work tree is based, when an update skips the file because of the
 * edit. Git does not keep this, because the index gets the new blob. Writers hold the writer lock.
 */

/** The content of a file on which an edit is based. */
export interface EditBase {
  /** Path relative to the work tree. */
  readonly path: string
  /** The blob before the edit; undefined if there was no file. */
  readonly blob: Oid | undefined
  /** The commit with which the work tree agreed then; undefined if it is unknown. */
  readonly commit: Oid | undefined
}

const fileIn = (ownDir: string) => join(ownDir, 'edit-bases')

/** Format of a line: blob and commit, `-` for none, and the path as a JSON string. */
const linePattern = /^([0-9a-f]{40}|-) ([0-9a-f]{40}|-) (".*")$/

/** The stored bases by path. Skips malformed lines. */
export function readEditBases(ownDir: string): ReadonlyMap<string, EditBase> {
  // Usually there is no such file, and an error costs more than this look.
  if (!existsSync(fileIn(ownDir))) return new Map()
  const text = undefinedIfMissing(() => readFileSync(fileIn(ownDir), 'utf8')) ?? ''
  const bases = new Map<string, EditBase>()
  for (const line of text.split('\n')) {
    const [, blob = '', commit = '', quoted = ''] = linePattern.exec(line) ?? []
    const path = tryParseJson(quoted)
    if (typeof path === 'string') bases.set(path, { path, blob: oidOf(blob), commit: oidOf(commit) })
  }
  return bases
}

export function writeEditBases(ownDir: string, bases: Iterable<EditBase>): void {
  const lines = Array.from(
    bases,
    ({ path, blob, commit }) => `${blob ?? '-'} ${commit ?? '-'} ${JSON.stringify(path)}\n`,
  )
  if (lines.length === 0) rmSync(fileIn(ownDir), { force: true })
  else replaceFileAtomically(fileIn(ownDir), lines.join(''))
}

/** Removes the bases of paths whose edits were committed or discarded. */
export function forgetEditBases(ownDir: string, paths: Iterable<string>): void {
  const bases = new Map(readEditBases(ownDir))
  let changed = false
  for (const path of paths) changed = bases.delete(path) || changed
  if (changed) writeEditBases(ownDir, bases.values())
}

/**
 * Whether the edit that is based on this content was discarded.
 * @param newest the blob in the last commit
 * @param entry the entry in the index
 */
export function isEditGone(
  { blob }: EditBase,
  newest: Oid | undefined,
  entry: GitIndexEntry | undefined,
): boolean {
  return newest === blob || (entry?.seen === true && entry.blob === newest)
}

/**
 * Paths of discarded edits. The index shows this only until the next commit.
 * @param head the last commit that the catalog has read
 */
export async function goneEdits(repository: Repository, head: Oid): Promise<readonly string[]> {
  const { dir, ownDir, git, gitDir, objects, history } = repository
  const bases = readEditBases(ownDir)
  if (bases.size === 0 || git === undefined) return []
  const args = [`--work-tree=${dir}`, '-C', dir, ...listEntries(bases.keys())]
  const entries = indexEntriesIn(outputOf(await runGit(git, gitDir, args), 'ls-files').toString())
  const { tree } = await history.commit(head)
  const gone: string[] = []
  for (const base of bases.values()) {
    if (isEditGone(base, await blobAt(objects, tree, base.path), entries.get(base.path))) gone.push(base.path)
  }
  return gone
}

function oidOf(text: string): Oid | undefined {
  return text === '-' ? undefined : (text as Oid)
}
