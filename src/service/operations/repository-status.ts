import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { catalogFile } from '../../catalog/open-catalog.js'
import { openReadOnlySnapshot } from '../../catalog/read/read-only-snapshot.js'
import { ProblemError } from '../../core/problem.js'
import type { Fault } from '../../core/records/revision.js'
import type { Oid, Version } from '../../core/value-types.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import { listUncommittedEdits, type UncommittedEdit } from '../../store/local-clone/dry-run-commit.js'
import { type Clone, lines, linesOrThrow } from '../../store/local-clone/open-clone.js'
import { openLockWatch, type StaleLock, staleLockText } from '../../store/locks/lock-file.js'
import { isServerRunning } from '../../store/locks/process-lock.js'
import { workTreeFiles } from '../../store/manual-edits/find-outdated-edits.js'
import { readRef } from '../../store/refs/read-refs.js'
import { strayText } from '../../store/repository/head-watch.js'
import { ownFolder, servedRef } from '../../store/repository/open-repository.js'
import { stagingIn } from '../../store/repository-folder/staging-folder.js'
import { type IndexFault, indexFault } from '../../store/work-tree/index-file.js'
import { type OutdatedEdit, outdatedEdits } from '../manual-edits/outdated-edits.js'
import { type UndoneVersion, undoneVersions } from '../manual-edits/report-undone-updates.js'

/** The state of a repository, as a command reads it, with or without a running server. */
export interface RepositoryStatus {
  /** Name of the served branch, such as `main`. Undefined: HEAD is detached, and no branch was served yet. */
  readonly branch?: string
  /** The newest commit of the branch. */
  readonly head?: Oid
  /** A sentence that says where HEAD is instead of the served branch, and how to return. */
  readonly stray?: string
  /** Whether a server is running on the repository. */
  readonly serving: boolean
  /** What the catalog has; undefined if there is no catalog that this version of the program can read. */
  readonly catalog?: CatalogStatus
  /** Uncommitted edits; empty without a work tree. */
  readonly edits: readonly UncommittedEdit[]
  /** The edits that are based on an older version than the newest one. */
  readonly outdated: readonly OutdatedEdit[]
  /** The reason why edits cannot be listed, such as damaged objects. */
  readonly unread?: string
  /** Lock files that block others, and what to do about each. */
  readonly locks: readonly (StaleLock & { readonly detail: string })[]
  /** The damage of the work tree's index; undefined if it is intact, or if there is none. */
  readonly index?: IndexFault
  readonly objects: ObjectSizes
}

export interface CatalogStatus {
  /** The commit that the catalog reflects; undefined if it is empty. */
  readonly commit?: Oid
  /** Number of commits of the branch after `commit`. Undefined: the branch lacks `commit`. */
  readonly behind?: number
  readonly schemas: number
  readonly metadata: number
  /** The faults at `commit`. */
  readonly faults: readonly ServedFault[]
  /** Updates that are missing because a commit undid them. */
  readonly undone: readonly UndoneVersion[]
  /** Bytes on disk, with the databases of features. */
  readonly size: number
}

export interface ServedFault extends Fault {
  /** The last valid version, which is served; undefined if there is none. */
  readonly served?: { readonly version: Version; readonly commit: Oid }
}

/** Numbers of packs and loose objects, and their sizes in bytes. */
export interface ObjectSizes {
  readonly packs: number
  readonly packSize: number
  /** Number of loose objects. */
  readonly loose: number
  readonly looseSize: number
}

/** Reads the state of a repository that others may be using. It takes no lock and changes nothing. */
export async function readRepositoryStatus(clone: Clone): Promise<RepositoryStatus> {
  const ownDir = join(clone.commonDir, ownFolder)
  const place = servedIn(clone)
  const { branch = clone.branch, head = clone.head } = place ?? {}
  const stray = place && strayText(place)
  const index = clone.workTree === undefined ? undefined : await indexFault(join(clone.gitDir, 'index'))
  const [edited, objects, catalog] = await Promise.all([
    readEdits(clone),
    sizesOf(clone),
    catalogStatus(clone, ownDir, head),
  ])
  return {
    ...(branch !== undefined && { branch: branch.replace('refs/heads/', '') }),
    ...(head !== undefined && { head }),
    ...(stray !== undefined && { stray }),
    serving: isServerRunning(ownDir),
    ...(catalog && { catalog }),
    ...edited,
    ...(index && { index }),
    locks: staleLocksOf(clone, ownDir),
    objects,
  }
}

function staleLocksOf({ gitDir, commonDir, branch, bare }: Clone, ownDir: string): RepositoryStatus['locks'] {
  // A linked work tree has its own index, to which no server writes.
  if (branch === undefined || gitDir !== commonDir) return []
  const stagingDir = existsSync(ownDir) ? stagingIn(gitDir, ownDir) : ownDir
  const staleLocks = openLockWatch({ gitDir, stagingDir, branch, bare })
  return staleLocks().map(lock => ({ ...lock, detail: staleLockText(lock) }))
}

async function readEdits(clone: Clone): Promise<Pick<RepositoryStatus, 'edits' | 'outdated' | 'unread'>> {
  const { workTree, head, fault } = clone
  try {
    if (fault) throw fault
    const edits = await listUncommittedEdits(clone)
    const files = workTree === undefined ? undefined : workTreeFiles(clone, workTree)
    return { edits, outdated: files ? await outdatedEdits(clone, head, files) : [] }
  } catch (error) {
    if (!isReportable(error)) throw error
    return { edits: [], outdated: [], unread: error.message }
  }
}

/** Whether the status reports an error, so that the rest can still be read. Other errors are thrown. */
function isReportable(error: unknown): error is ProblemError {
  return error instanceof ProblemError && (error.kind === 'unavailable' || error.kind === 'damaged')
}

async function catalogStatus(
  clone: Clone,
  ownDir: string,
  served: Oid | undefined,
): Promise<CatalogStatus | undefined> {
  const snapshot = openReadOnlySnapshot(join(ownDir, catalogFile))
  if (!snapshot) return undefined
  try {
    const { head, queries, neighbours } = snapshot
    const faults = queries.faults().map((fault): ServedFault => {
      const good = fault.id === undefined ? undefined : queries.newest(fault.kind, fault.id)
      return { ...fault, ...(good && { served: { version: good.version, commit: good.commit } }) }
    })
    const behind = head && (await commitsAfter(clone, head, served))
    const files = readdirSync(ownDir).filter(name => name.includes('.sqlite'))
    return {
      ...(head !== undefined && { commit: head }),
      ...(behind !== undefined && { behind }),
      ...queries.counts(),
      faults,
      undone: undoneVersions(ownDir, neighbours).filter(({ isMissing }) => isMissing),
      size: files.reduce((sum, name) => sum + sizeOf(join(ownDir, name)), 0),
    }
  } finally {
    snapshot.close()
  }
}

function sizeOf(file: string): number {
  return undefinedIfMissing(() => statSync(file).size) ?? 0
}

/** Reads the sizes, which git gives in kibibytes. @see git-count-objects(1) */
async function sizesOf({ git }: Clone): Promise<ObjectSizes> {
  const lines = linesOrThrow(await git(['count-objects', '-v']), 'git count-objects')
  const values = new Map(lines.map(line => line.split(': ') as [string, string]))
  const number = (name: string) => Number(values.get(name) ?? 0)
  return {
    packs: number('packs'),
    packSize: number('size-pack') * 1024,
    loose: number('count'),
    looseSize: number('size') * 1024,
  }
}

/** The served branch of a clone, and its commit; undefined in a linked work tree. */
export function servedIn({ dir, gitDir, commonDir, bare }: Clone) {
  const ownDir = join(commonDir, ownFolder)
  const branch = gitDir === commonDir ? servedRef({ gitDir, ownDir }) : undefined
  return branch === undefined ? undefined : { dir, gitDir, bare, branch, head: commitOf(gitDir, branch) }
}

/** The commit of a branch; undefined if there is none, or if the branch is damaged, which `Clone.fault` reports. */
function commitOf(gitDir: string, branch: string): Oid | undefined {
  try {
    return readRef(gitDir, branch)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Counts the commits from `commit` to `head`, by first parents. @returns undefined if `head` does not contain it */
export async function commitsAfter(
  { git }: Clone,
  commit: Oid,
  head: Oid | undefined,
): Promise<number | undefined> {
  if (head === undefined) return undefined
  const contained = await git(['merge-base', '--is-ancestor', commit, head])
  if (contained.code !== 0) return undefined
  const counted = await git(['rev-list', '--count', '--first-parent', `${commit}..${head}`])
  return counted.code === 0 ? Number(lines(counted)[0]) : undefined
}
