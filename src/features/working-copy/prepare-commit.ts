import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { outdatedText } from '../../cli/output/outdated-edits-report.js'
import type { Terminal } from '../../cli/output/terminal.js'
import type { CommitCheckSession } from '../../compose/compose-commit-check.js'
import { malformedRequest, ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { FileSizeLimits } from '../../service/git/incoming-commit-rules.js'
import { type OutdatedEdit, outdatedEdits } from '../../service/manual-edits/outdated-edits.js'
import { refuseLinkedFolders } from '../../store/file-system/regular-files.js'
import {
  type CommitSelection,
  type DryRunCommit,
  listUncommittedEdits,
  makeDryRunCommit,
} from '../../store/local-clone/dry-run-commit.js'
import { type EnvironmentVariables, linesOrThrow } from '../../store/local-clone/open-clone.js'
import { blobsIn, draftedFiles } from '../../store/manual-edits/find-outdated-edits.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { forgetEditBases, readEditBases } from '../../store/work-tree/edit-bases.js'
import { type Resolution, resolveEdits } from './resolve-edits.js'

/** What the command line of `commit` says. */
export interface CommitRequest {
  readonly messages: readonly string[]
  readonly all: boolean
  /** Relative to the data folder. */
  readonly paths: readonly string[]
  /** How to treat edits that are based on an older version. Undefined: the command refuses them. */
  readonly resolution: Resolution | undefined
  readonly limits: FileSizeLimits
}

/** A commit that is not made yet, with the edits that are based on an older version. */
export interface PreparedCommit {
  readonly draft: DryRunCommit
  readonly parts: CommitSelection
  readonly outdated: readonly OutdatedEdit[]
  /** Resolved content of outdated edits, by path. Undefined: the file is deleted. */
  readonly resolved: ReadonlyMap<string, Uint8Array | undefined>
}

/**
 * Makes the commit in a temporary repository only (`scratch`), and resolves edits that are based on an older version
 * as the request says. Branch and index stay as they are.
 * @throws ProblemError `conflict` for a merge with conflicts, and for outdated edits without a resolution;
 *   `malformed-request` for a symbolic link
 */
export async function prepareCommit(
  { clone, scratch }: CommitCheckSession,
  { all, paths, resolution }: CommitRequest,
): Promise<PreparedCommit> {
  const edits = await listUncommittedEdits(clone)
  const conflicts = edits.filter(({ change }) => change === 'conflict')
  if (conflicts.length > 0) {
    const named = conflicts.map(({ path }) => path).join(', ')
    throw new ProblemError(
      'conflict',
      `A merge has conflicts in ${named}. Resolve them, and \`git add\` them.`,
    )
  }
  const parts: CommitSelection = all
    ? { what: 'everything' }
    : paths.length > 0
      ? { what: 'only', paths: paths.map(path => resolve(clone.dir, path)) }
      : {
          what: 'staged-and',
          paths: edits.filter(({ ours, staged }) => ours && !staged).map(({ path }) => path),
        }
  if (parts.what === 'staged-and' && clone.workTree !== undefined) {
    for (const path of parts.paths) await refuseLinkedFolders(clone.workTree, path)
  }
  const draft = await makeDryRunCommit(clone, scratch, parts)
  refuseLinks(draft)
  const files = draftedFiles(clone, scratch, draft.tree)
  const outdated = await outdatedEdits(clone, draft.head, files)
  if (outdated.length === 0) return { draft, parts, outdated, resolved: new Map() }
  if (resolution === undefined) throw new ProblemError('conflict', outdatedText(outdated, clone.dir))
  const resolved = await resolveEdits(clone, outdated, resolution, files)
  const withResolved = resolved.size === 0 ? draft : await makeDryRunCommit(clone, scratch, parts, resolved)
  return { draft: withResolved, parts, outdated, resolved }
}

/** Checks the kinds of files. @throws ProblemError `malformed-request` if the commit adds a symbolic link */
function refuseLinks({ links: [link] }: DryRunCommit): void {
  if (link === undefined) return
  throw malformedRequest(
    `"${link}" is a symbolic link, and a commit holds regular files only: put a copy of what it points at in its place.`,
  )
}

/** Replaces edits by the resolved content. Git keeps the edits as objects. @param variables environment of git */
export async function writeResolvedEdits(
  { clone, scratch }: CommitCheckSession,
  { dir, ownDir, stagingDir }: Repository,
  { outdated, resolved }: PreparedCommit,
  terminal: Terminal,
  variables: EnvironmentVariables = {},
): Promise<void> {
  const git = async (args: readonly string[]) =>
    linesOrThrow(await clone.git(['-C', dir, '--literal-pathspecs', ...args], variables), `git ${args[0]}`)
  for (const [path, bytes] of resolved) {
    const edited = outdated.find(edit => edit.path === path)?.edited
    if (edited !== undefined) {
      const before = join(scratch.folder, 'edit')
      await writeFile(before, (await scratch.objects.read(edited)).bytes)
      await git(['hash-object', '-w', '--no-filters', '--', before])
      terminal.note(`Your edit of ${path} is kept: git -C ${clone.dir} cat-file -p ${edited}`)
    }
    const file = join(dir, path)
    if (bytes === undefined) await rm(file, { force: true })
    else {
      const made = join(stagingDir, `new-${randomBytes(6).toString('hex')}`)
      await writeFile(made, bytes)
      await chmod(made, 0o644)
      await mkdir(dirname(file), { recursive: true })
      await rename(made, file)
    }
    await git(['add', '--all', '--', path])
  }
  forgetEditBases(ownDir, resolved.keys())
}

/** Deletes the notes on which version an edit is based, for the edits that a commit has stored. */
export async function forgetCommittedBases(
  { clone }: CommitCheckSession,
  { ownDir }: Repository,
  before: Oid | undefined,
  commit: Oid,
): Promise<void> {
  const paths = [...readEditBases(ownDir).keys()]
  if (paths.length === 0 || before === undefined) return
  const [old, now] = await Promise.all([before, commit].map(each => blobsIn(clone, each, paths)))
  forgetEditBases(
    ownDir,
    paths.filter(path => old?.get(path) !== now?.get(path)),
  )
}
