import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Catalog, RuleCheck } from '../../catalog/catalog.js'
import { copyCatalog } from '../../catalog/read/read-only-snapshot.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { CommitChanges, History } from '../../store/commit-history/first-parent-history.js'
import type { ScratchRepository } from '../../store/local-clone/scratch-repository.js'
import { metastoreFileName } from '../../store/records/repository-layout.js'
import { readMetastoreFile } from '../../store/repository/metastore-json.js'
import { type CommitViolation, violationsOfRevision } from './commit-violations.js'
import { type FileSizeLimits, findFaultsOfFiles } from './incoming-files.js'

export interface CheckResult {
  /** Commits along first parents. */
  readonly commits: number
  /** What they did to records: a commit that changes three records makes three revisions. */
  readonly revisions: number
  readonly faults: readonly CommitViolation[]
}

export interface CheckOptions {
  /** The clone's folder, for messages. */
  readonly dir: string
  /** Where the commits are, and what is made for the check goes. */
  readonly borrowed: ScratchRepository
  /** The catalog of the clone: what it knows already need not be read again. */
  readonly known: string
  /** Opens a catalog of its own. */
  readonly open: (parts: { file: string; history: History; checkRules: RuleCheck }) => Catalog
  readonly checkRules: RuleCheck
  /** Commits read so far. */
  readonly progress: (commits: number) => void
}

/** Checks commits by the rules of the repository, whoever made them. */
export interface CommitChecker {
  /**
   * @param from the commit before the first one; undefined: all of history
   * @param limits of files that come in; undefined: the commits are stored already, and no server takes their files
   *   again
   * @throws MissingObject where the clone lacks an object of its own history
   */
  check(from: Oid | undefined, to: Oid, limits?: FileSizeLimits): Promise<CheckResult>
}

export function openCommitChecker({
  dir,
  borrowed,
  known,
  open,
  checkRules,
  progress,
}: CheckOptions): CommitChecker {
  const { objects, history, folder } = borrowed
  let done = 0

  function counted(commits: AsyncIterable<CommitChanges>): AsyncIterable<CommitChanges> {
    return (async function* () {
      for await (const entry of commits) {
        progress(++done)
        yield entry
      }
    })()
  }

  /** What the rules look back at: the state before the first commit that is checked. */
  async function readBefore(file: string, from: Oid): Promise<void> {
    const isBefore = async (head: Oid) => /^(same|ahead)$/.test(await history.relation(head, from))
    await copyCatalog(known, file, isBefore)
    const before = { ...history, walk: (old: Oid | undefined, to: Oid) => counted(history.walk(old, to)) }
    const catalog = open({ file, history: before, checkRules })
    try {
      if (catalog.head() !== from) await catalog.writer.catchUp(from)
    } finally {
      await catalog.close()
    }
  }

  async function checkChain(
    from: Oid | undefined,
    to: Oid,
    limits: FileSizeLimits | undefined,
  ): Promise<CheckResult> {
    const ofFiles = limits ? await findFaultsOfFiles(borrowed, from, to, limits) : []
    const file = join(folder, `catalog-${randomUUID()}.sqlite`)
    if (from !== undefined) await readBefore(file, from)
    const markers = new Set([to])
    let commits = 0
    const strict = {
      ...history,
      walk: (old: Oid | undefined, now: Oid) =>
        withoutServerMark(counted(history.walk(old, now)), ({ commit, changes }) => {
          commits++
          const begins = from === undefined && commits === 1
          if (begins || changes.some(({ path }) => path === metastoreFileName)) markers.add(commit.oid)
        }),
    }
    const catalog = open({ file, history: strict, checkRules })
    try {
      await catalog.writer.catchUp(to)
      const { revisions, faults } = catalog.committed.since(from)
      const marked = (await Promise.all([...markers].map(markerFaults))).flat()
      const named = new Set(ofFiles.map(placeOf))
      const others = [...marked, ...faults.flatMap(violationsOfRevision)]
      return {
        commits,
        revisions,
        faults: [...ofFiles, ...others.filter(fault => !named.has(placeOf(fault)))],
      }
    } finally {
      await catalog.close()
    }
  }

  async function markerFaults(commit: Oid): Promise<readonly CommitViolation[]> {
    try {
      await readMetastoreFile(dir, commit, objects, history)
      return []
    } catch (error) {
      if (!(error instanceof ProblemError) || error.kind !== 'unusable-repository') throw error
      return [{ commit, path: metastoreFileName, message: error.message }]
    }
  }

  return {
    async check(from, to, limits) {
      const relation = from === undefined ? 'ahead' : await history.relation(from, to)
      if (relation === 'same') return { commits: 0, revisions: 0, faults: [] }
      if (relation === 'rewritten') {
        const message = `It does not continue ${from}: history must only grow. Merge that commit into it first (git merge), or make the commits again on top of it (git rebase).`
        return { commits: 0, revisions: 0, faults: [{ commit: to, message }] }
      }
      if (relation === 'ahead') return await checkChain(from, to, limits)
      // A merge that put `from` on a side: what counts is what the server makes of it, one step from there.
      const step = await borrowed.commit((await history.commit(to)).tree, [from as Oid, to])
      const checked = await checkChain(from, step, limits)
      return { ...checked, faults: checked.faults.map(fault => ({ ...fault, commit: to })) }
    },
  }
}

function placeOf({ commit, path }: CommitViolation): string {
  return `${commit} ${path}`
}

/** A server judges what it writes; whoever sends its commits may have made them. */
async function* withoutServerMark(
  commits: AsyncIterable<CommitChanges>,
  met: (entry: CommitChanges) => void,
): AsyncGenerator<CommitChanges> {
  for await (const { commit, changes } of commits) {
    met({ commit, changes })
    const { recordedAt: _, ...others } = commit
    yield { commit: others, changes }
  }
}
