import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Catalog, RuleCheck } from '../../catalog/catalog.js'
import { copyCatalog } from '../../catalog/read/read-only-snapshot.js'
import { ProblemError } from '../../core/problem.js'
import type { RevisionsSince } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import type { CommitChanges, History } from '../../store/commit-history/first-parent-history.js'
import type { ScratchRepository } from '../../store/local-clone/scratch-repository.js'
import { metastoreFileName } from '../../store/records/repository-layout.js'
import { readMetastoreFile } from '../../store/repository/metastore-json.js'
import { type CommitFault, faultsOfRevision } from './commit-fault.js'
import { type FileSizeLimits, findIncomingFaults } from './incoming-commit-rules.js'

export interface CheckResult {
  /** Number of commits on the first-parent chain. */
  readonly commits: number
  /** Number of revisions. A commit that changes three records has three. */
  readonly revisions: number
  readonly faults: readonly CommitFault[]
}

export interface CheckOptions {
  /** Folder of the clone, for messages. */
  readonly dir: string
  /** Temporary repository that reads the commits and holds the files of the check. */
  readonly scratch: ScratchRepository
  /** File of the clone's catalog, which saves reading the history again. It may be missing. */
  readonly knownCatalog: string
  /** Opens a catalog for the check. */
  readonly open: (parts: { file: string; history: History; checkRules: RuleCheck }) => Catalog
  readonly checkRules: RuleCheck
  /** Called with the number of commits that were read. */
  readonly progress: (commits: number) => void
}

/** Checks commits by the rules of the repository, including those that claim to be made by a server. */
export interface CommitChecker {
  /**
   * Checks all commits after `from`, up to `to`.
   * @param from the commit before the first one; undefined: all of history
   * @param limits of the files; undefined: sizes, kinds and paths of files are not checked, because the server has the
   *   commits already
   * @throws MissingObject if the clone lacks an object of its history
   */
  check(from: Oid | undefined, to: Oid, limits?: FileSizeLimits): Promise<CheckResult>
}

export function openCommitChecker(options: CheckOptions): CommitChecker {
  const { scratch, progress } = options
  const { history } = scratch
  let done = 0

  async function* counted(commits: AsyncIterable<CommitChanges>): AsyncGenerator<CommitChanges> {
    for await (const entry of commits) {
      progress(++done)
      yield entry
    }
  }

  async function checkChain(
    from: Oid | undefined,
    to: Oid,
    limits: FileSizeLimits | undefined,
  ): Promise<CheckResult> {
    const ofFiles = limits ? await findIncomingFaults(scratch, from, to, limits) : []
    const file = join(scratch.folder, `catalog-${randomUUID()}.sqlite`)
    if (from !== undefined) await fillCatalog(options, counted, file, from)
    const { commits, markers, revisions, faults } = await checkRevisions(options, counted, file, from, to)
    const ofMarkers = (await Promise.all(markers.map(commit => markerFaults(options, commit)))).flat()
    const named = new Set(ofFiles.map(placeOf))
    const others = [...ofMarkers, ...faults.flatMap(faultsOfRevision)]
    return {
      commits,
      revisions,
      faults: [...ofFiles, ...others.filter(fault => !named.has(placeOf(fault)))],
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
      // `to` is a merge whose first parent leads elsewhere. Checks the commit that the server would add on `from`.
      const merge = await scratch.commit((await history.commit(to)).tree, [from as Oid, to])
      const checked = await checkChain(from, merge, limits)
      return { ...checked, faults: checked.faults.map(fault => ({ ...fault, commit: to })) }
    },
  }
}

type Counted = (commits: AsyncIterable<CommitChanges>) => AsyncIterable<CommitChanges>

/** Makes a catalog of the repository before the first checked commit: rules compare the commits with it. */
async function fillCatalog(
  { scratch, knownCatalog, open, checkRules }: CheckOptions,
  counted: Counted,
  file: string,
  from: Oid,
): Promise<void> {
  const { history } = scratch
  const isBefore = async (head: Oid) => /^(same|ahead)$/.test(await history.relation(head, from))
  await copyCatalog(knownCatalog, file, isBefore)
  const before = { ...history, walk: (old: Oid | undefined, to: Oid) => counted(history.walk(old, to)) }
  const catalog = open({ file, history: before, checkRules })
  try {
    if (catalog.head() !== from) await catalog.writer.catchUp(from)
  } finally {
    await catalog.close()
  }
}

interface CheckedChain extends RevisionsSince {
  readonly commits: number
  /** Commits whose `metastore.json` is to be checked: the first, the last, and those that change it. */
  readonly markers: readonly Oid[]
}

/** Reads the commits into the catalog, which checks every revision. */
async function checkRevisions(
  { scratch, open, checkRules }: CheckOptions,
  counted: Counted,
  file: string,
  from: Oid | undefined,
  to: Oid,
): Promise<CheckedChain> {
  const { history } = scratch
  const markers = new Set([to])
  let commits = 0
  const strict = {
    ...history,
    walk: (old: Oid | undefined, now: Oid) =>
      withoutServerMark(counted(history.walk(old, now)), ({ commit, changes }) => {
        commits++
        const isFirst = from === undefined && commits === 1
        if (isFirst || changes.some(({ path }) => path === metastoreFileName)) markers.add(commit.oid)
      }),
  }
  const catalog = open({ file, history: strict, checkRules })
  try {
    await catalog.writer.catchUp(to)
    return { ...catalog.committed.since(from), commits, markers: [...markers] }
  } finally {
    await catalog.close()
  }
}

async function markerFaults({ dir, scratch }: CheckOptions, commit: Oid): Promise<readonly CommitFault[]> {
  try {
    await readMetastoreFile(dir, commit, scratch.objects, scratch.history)
    return []
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'unusable-repository') throw error
    return [{ commit, path: metastoreFileName, message: error.message }]
  }
}

function placeOf({ commit, path }: CommitFault): string {
  return `${commit} ${path}`
}

/** Removes the mark of commits by a server, so that the catalog checks every commit: anyone can forge the mark. */
async function* withoutServerMark(
  commits: AsyncIterable<CommitChanges>,
  onCommit: (entry: CommitChanges) => void,
): AsyncGenerator<CommitChanges> {
  for await (const { commit, changes } of commits) {
    onCommit({ commit, changes })
    const { recordedAt: _, ...others } = commit
    yield { commit: others, changes }
  }
}
