import { LRUCache } from 'lru-cache'
import type { MetricsRecorder } from '../../core/metrics-recorder.js'
import { isPlain } from '../../core/plain-mode.js'
import { shuttingDown } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { usualPatience } from '../locks/lock-file.js'
import { BackgroundMerger } from '../packs/background-merger.js'
import { recordDirectory } from '../records/repository-layout.js'
import { readRef } from '../refs/read-refs.js'
import { DumbHttpFiles } from '../repository/dumb-http-files.js'
import type { Repository } from '../repository/open-repository.js'
import { Checkout } from '../work-tree/checkout.js'
import type { CatalogWriter } from './catalog-interface.js'
import { noTrees, type TreeCache } from './commit-batch.js'
import type { CommitLog } from './commit-log.js'
import type { CommitSigner } from './commit-signer.js'
import { StaleFileRemoval } from './crash-recovery.js'
import { Flush } from './flush.js'
import { BatchPersister } from './persist-batch.js'
import { ServedBranch } from './served-branch.js'
import { WorkTreeRefresh } from './work-tree-refresh.js'
import { WriteLoop } from './write-loop.js'
import { maxGitTurn, WriteLocks } from './writer-and-index-locks.js'
import type { Writer } from './writer-interface.js'

interface WriterOptions {
  readonly repository: Repository
  readonly catalog: CatalogWriter
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** Milliseconds to wait for other git-metastore processes and for git commands of users; default 5,000. */
  readonly patience?: number
  /** Length of a turn of git commands in milliseconds, with a work tree; default 200; 0: no turns under load. */
  readonly gitTurn?: number | undefined
  /** Signs each commit. */
  readonly sign?: CommitSigner | undefined
  readonly observer?: Pick<MetricsRecorder, 'flushed'> | undefined
  /** Multiplies how often packs are merged; default 1. */
  readonly mergePace?: number
  /** Gets each update before it counts as stored. */
  readonly log?: CommitLog | undefined
}

/**
 * Size in bytes of the cache of raw trees, and the overhead of an entry. The upper levels, which each update changes,
 * fit at any size of the repository. The level above the records does not fit in a cache of reasonable size.
 */
const treeCacheSize = 16 * 1024 * 1024
const entryOverhead = 300

/**
 * Opens the write path: a queue with one writer. Waiting updates are planned on the newest state, and each becomes a
 * commit. One flush writes all commits: objects in one pack, the branch by compare-and-swap, then the catalog.
 */
export function openWriter(options: WriterOptions): Writer {
  const { repository, catalog, log } = options
  const { checkout, locks, branch, flush, loop, packs, staleFiles, dumbHttpFiles, persister } =
    connectParts(options)

  function assertOpen(): void {
    if (loop.isClosing) throw shuttingDown()
  }

  return {
    write(author, plan, near) {
      if (loop.isClosing) return Promise.reject(shuttingDown())
      if (near) flush.readAhead(recordDirectory(near.kind, near.id))
      return loop.update({ author, plan })
    },
    async catchUp() {
      assertOpen()
      const isCurrent = () =>
        readRef(repository.gitDir, repository.branch) === catalog.head() &&
        !checkout?.isBack &&
        !locks.isIndexUnchecked
      if (locks.recovered && isCurrent()) return
      if (await locks.otherWriterCatchesUp(isCurrent)) return
      await loop.catchUp()
    },
    async synchronize() {
      assertOpen()
      branch.forgetLog()
      await loop.catchUp()
    },
    async runWhileLocked(move) {
      assertOpen()
      await loop.runWhileLocked(move)
    },
    async probe() {
      assertOpen()
      await loop.probe()
      log?.assertAccepts()
    },
    isIndexUnchecked: () => locks.isIndexUnchecked,
    staleLocks: () => locks.stale(),
    status: () => ({ waiting: loop.waiting, takesUpdates: loop.takesUpdates }),
    async settled() {
      await loop.settled()
      await packs.settled()
      await staleFiles.settled()
      await dumbHttpFiles.settled()
    },
    async close() {
      await loop.close()
      await packs.close()
      await staleFiles.settled()
      await dumbHttpFiles.close()
      await checkout?.close()
      await persister.close()
      locks.close()
    },
  }
}

/** Opens the parts of the write path and connects them. */
function connectParts(options: WriterOptions) {
  const { repository, catalog, report, patience = usualPatience, sign, observer, log } = options
  const checkout = repository.bare ? undefined : new Checkout(repository, report)
  const gitTurn = checkout ? (options.gitTurn ?? maxGitTurn) : 0
  const locks = new WriteLocks({ repository, checkout, patience, report })
  const dumbHttpFiles = new DumbHttpFiles(repository, report)
  const packs = new BackgroundMerger(repository, {
    report,
    onMerged: () => dumbHttpFiles.changed(),
    mergePace: options.mergePace ?? 1,
  })
  const staleFiles = new StaleFileRemoval(repository.gitDir, report)
  const persister = new BatchPersister(repository.gitDir, repository.stagingDir)
  const shared = { repository, catalog, locks, checkout, trees: openTreeCache(), sign }
  const branch = new ServedBranch({ ...shared, persister, packs, dumbHttpFiles, patience, log, report })
  const refresh = new WorkTreeRefresh({ checkout, locks, gitTurn, report })
  const flush = new Flush({
    ...shared,
    branch,
    onFlushed(updates, milliseconds) {
      loop.flushed(updates)
      refresh.flushed(milliseconds)
      observer?.flushed(updates, milliseconds)
    },
  })
  const loop = new WriteLoop({
    repository,
    checkout,
    locks,
    branch,
    flush,
    refresh,
    packs,
    staleFiles,
    gitTurn,
    report,
  })
  return { checkout, locks, dumbHttpFiles, packs, staleFiles, persister, branch, flush, loop }
}

function openTreeCache(): TreeCache {
  if (isPlain) return noTrees
  return new LRUCache<Oid, Buffer>({
    maxSize: treeCacheSize,
    sizeCalculation: tree => tree.length + entryOverhead,
  })
}
