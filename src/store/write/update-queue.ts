import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { MetricsRecorder } from '../../core/metrics-recorder.js'
import { ProblemError, shuttingDown } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { errorCode } from '../file-system/durable-files.js'
import { openDumbHttpFiles } from '../git-http/dumb-http-files.js'
import { longestGitTurn } from '../locks/index-lock-turns.js'
import { usualPatience } from '../locks/stale-locks.js'
import { serviceIdentity } from '../objects/commit-encoder.js'
import { openBackgroundMerger } from '../packs/background-merger.js'
import { recordDirectory } from '../records/repository-layout.js'
import { readRef } from '../refs/compare-and-swap.js'
import type { RemoteBranch } from '../remotes/remote-branch.js'
import type { Repository } from '../repository/open-repository.js'
import { spreadOf } from '../repository/staging-folder.js'
import { Checkout } from '../work-tree/checkout.js'
import type { CatalogWriter } from './catalog-interface.js'
import type { TreeCache } from './commit-batch.js'
import type { CommitSigner } from './commit-signer.js'
import { openFlush, type QueuedUpdate } from './flush.js'
import { openBatchPersister } from './persist-batch.js'
import { openServedBranch } from './served-branch.js'
import { openWorkTreeRefresh, retryRefresh } from './work-tree-refresh.js'
import type { Writer } from './writer.js'
import { openWriteLocks } from './writer-and-index-locks.js'

export interface WriterOptions {
  readonly repository: Repository
  readonly ledger: CatalogWriter
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
  /** Milliseconds to wait for other processes of ours and for a person's git commands; default 5,000. */
  readonly patience?: number
  /**
   * Milliseconds that a turn of git commands lasts where there is a work tree; default 200, 0: they get none under
   * load.
   */
  readonly gitTurn?: number | undefined
  /** Signs every commit. */
  readonly sign?: CommitSigner | undefined
  readonly observer?: Pick<MetricsRecorder, 'flushed'> | undefined
  /** How often packs are merged, as a multiple of the usual; default 1. */
  readonly mergePace?: number
  /** Gets every update before that is answered; other servers add to it too. Needs a git binary. */
  readonly log?: RemoteBranch | undefined
}

/** Most updates in one flush: enough to share the cost of an fsync, few enough to keep the wait short. */
const largestBatch = 256
/**
 * Bytes of raw trees kept in memory, with what keeping each costs. The upper levels, which every update goes through,
 * take 2 MB however large the repository is; of the level above the records no cache of a bearable size holds much.
 */
const treeCacheSize = 16 * 1024 * 1024
const costOfKeeping = 300
/** Content waiting for the work tree, in bytes, from which it is brought up to date without more delay. */
const mostWaiting = 64 * 1024 * 1024
/** Milliseconds without an update that count as quiet, after one update and after many. */
const quiet = { after: 10, afterMany: 150 }
/**
 * Failures to bring the work tree up to date after which a writer that closes leaves the rest to the next start. One
 * may be of the very signal that has it close: a terminal sends it to the server and to the git that was at it.
 */
const mostFailuresAtEnd = 2
/** Updates since the locks were taken from which more are expected. */
const many = 20
/**
 * Milliseconds of others' turn where only our own processes wait, as in a bare repository: they look every few of them.
 */
const turnOfProcesses = 15
/** Milliseconds that nothing is waited for longer than, beside the work tree that is being brought up to date. */
const longestWait = 3000

interface Follower {
  resolve(): void
  reject(error: unknown): void
}

interface Guest extends Follower {
  readonly move: (head: Oid) => Promise<void>
}

/**
 * Opens the write path: a queue with one writer. What waits is planned on the newest state and written as one commit
 * each, with one flush for all: objects durable in one pack, branch moved by compare-and-swap, catalog told.
 */
export function openWriter(options: WriterOptions): Writer {
  const { repository, ledger, report, patience = usualPatience, sign, observer, log, mergePace = 1 } = options
  const { gitDir, stagingDir } = repository
  const checkout = repository.bare ? undefined : new Checkout(repository, report)
  const gitTurn = checkout ? (options.gitTurn ?? longestGitTurn) : 0
  const locks = openWriteLocks({ repository, checkout, patience, report })
  const dumbHttpFiles = openDumbHttpFiles(repository, report)
  const packs = openBackgroundMerger(repository, {
    report,
    onMerged: dumbHttpFiles.changed,
    frequency: mergePace,
  })
  const publisher = openBatchPersister(gitDir, stagingDir)
  const trees: TreeCache = new LRUCache<Oid, Buffer>({
    maxSize: treeCacheSize,
    sizeCalculation: tree => tree.length + costOfKeeping,
  })
  const shared = { repository, ledger, locks, checkout, trees, sign }
  const branch = openServedBranch({ ...shared, publisher, packs, dumbHttpFiles, patience, log, report })
  const flush = openFlush({
    ...shared,
    branch,
    stored(updates, milliseconds) {
      updatesHeld += updates
      refresh.flushed(milliseconds)
      observer?.flushed(updates, milliseconds)
    },
  })
  const refresh = openWorkTreeRefresh({ checkout, locks, gitTurn, report })
  const queue: QueuedUpdate[] = []
  const following: Follower[] = []
  const guests: Guest[] = []
  let running: Promise<void> | undefined
  let closing = false
  /** Failures to bring the work tree up to date before that. */
  let failuresBefore = 0
  /** Updates written since the locks were taken. */
  let updatesHeld = 0
  /** Resolves the wait of an idle writer. */
  let arrived: (() => void) | undefined
  /** Why nothing can be written any more, once a flush failed in a way that must not be repeated. */
  let broken: ProblemError | undefined

  /** Releases every lock; a disk that does not allow it is asked again. @param turn milliseconds for git commands */
  function letGo(turn = 0): void {
    try {
      locks.release(turn)
    } catch (thrown) {
      report(`Locks could not be released, which is tried again: ${String(thrown)}`)
      // Whatever is left of them at the end is cleared up at the next start.
      const again = () => {
        if (!running && !closing) letGo()
      }
      setTimeout(again, retryRefresh).unref()
    }
  }

  function isAsked(): boolean {
    return queue.length > 0 || following.length > 0 || guests.length > 0
  }

  function wake(): void {
    arrived?.()
    running ??= work().finally(() => {
      running = undefined
      if (isAsked()) wake()
    })
  }

  /** Waits for the next update, for so long at most, or for something else. */
  async function arrival(milliseconds: number, other?: Promise<void>): Promise<void> {
    if (isAsked()) return
    let timer: NodeJS.Timeout | undefined
    await Promise.race([
      new Promise<void>(resolve => {
        arrived = resolve
        timer = setTimeout(resolve, milliseconds)
      }),
      ...(other ? [other] : []),
    ])
    clearTimeout(timer)
    arrived = undefined
  }

  /** Lets go of the locks for a moment, with the work tree at the branch; updates wait meanwhile. */
  async function giveTurn(): Promise<void> {
    await refresh.settle()
    letGo(gitTurn)
    locks.restartHoldTimer()
    updatesHeld = many
    if (!locks.held) await sleep(gitTurn || turnOfProcesses)
  }

  /** Runs until there is nothing to do: nothing queued, the work tree at the branch, no lock held. */
  async function work(): Promise<void> {
    for (;;) {
      if (isAsked() && refresh.isOthersTurn) await giveTurn()
      if (isAsked()) {
        await serve(queue.splice(0, largestBatch), following.splice(0))
        for (const guest of guests.splice(0, 1)) await receive(guest)
        packs.mergeIfDue()
        if (refresh.isDue) void refresh.start()
        // Waiting content is held in memory: beyond this, writing waits for the work tree.
        if (checkout && checkout.waiting >= mostWaiting) await refresh.start()
      } else if (refresh.underWay) {
        await arrival(longestWait, refresh.underWay)
      } else if (checkout?.behind && (!closing || refresh.failures < failuresBefore + mostFailuresAtEnd)) {
        await arrival(updatesHeld < many ? quiet.after : quiet.afterMany)
        if (!isAsked()) void refresh.start()
      } else {
        break
      }
    }
    if (checkout?.behind) {
      report('The work tree is left behind the branch, and locked; the next start brings it up to date.')
    }
    letGo()
  }

  async function receive({ move, resolve, reject }: Guest): Promise<void> {
    try {
      if (broken) throw broken
      if (!locks.held) updatesHeld = 0
      await locks.take()
      await branch.rejoin()
      await branch.runWhileLocked(move)
      resolve()
    } catch (thrown) {
      reject(explain(thrown))
    }
  }

  async function serve(updates: readonly QueuedUpdate[], followers: readonly Follower[]): Promise<void> {
    if (updates.length === 0 && followers.length === 0) return
    try {
      if (broken) throw broken
      if (!locks.held) updatesHeld = 0
      await locks.take()
      await branch.rejoin()
      if (updates.length > 0) await flush.run(updates)
      else await branch.catchUp()
      for (const follower of followers) follower.resolve()
    } catch (thrown) {
      const error = explain(thrown)
      for (const waiting of [...updates, ...followers]) waiting.reject(error)
    }
  }

  function explain(thrown: unknown): unknown {
    if (thrown instanceof ProblemError) return thrown
    const code = errorCode(thrown)
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const what = branch.isUnsure
        ? 'whether the update was stored shows when there is room'
        : 'nothing was stored'
      return new ProblemError('no-space', `The disk is full; ${what}.`, {}, { cause: thrown })
    }
    if (code === 'EIO') {
      broken = new ProblemError(
        'unavailable',
        'The disk reported an error while writing. The server takes no more updates until it is started again.',
        {},
        { cause: thrown },
      )
      report(`${broken.message} ${String(thrown)}`)
      return broken
    }
    if (code === 'EXDEV') return spreadOf(repository) ?? thrown
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
      return new ProblemError('unavailable', 'The repository cannot be written to.', {}, { cause: thrown })
    }
    return thrown
  }

  function caughtUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      following.push({ resolve, reject })
      wake()
    })
  }

  return {
    write(author, plan, near) {
      if (closing) return Promise.reject(shuttingDown())
      if (near) flush.readAhead(recordDirectory(near.kind, near.id))
      return new Promise<Oid | undefined>((resolve, reject) => {
        queue.push({ author, plan, resolve, reject })
        wake()
      })
    },
    async catchUp() {
      if (closing) throw shuttingDown()
      const isCurrent = () => readRef(gitDir, repository.branch) === ledger.head() && !checkout?.isBack
      if (await locks.otherWriterCatchesUp(isCurrent)) return
      if (locks.recovered && isCurrent()) return
      await caughtUp()
    },
    async syncSharedLog() {
      if (closing) throw shuttingDown()
      branch.forgetSharedLog()
      await caughtUp()
    },
    async runWhileLocked(move) {
      if (closing) throw shuttingDown()
      await new Promise<void>((resolve, reject) => {
        guests.push({ move, resolve, reject })
        wake()
      })
    },
    async probe() {
      if (closing) throw shuttingDown()
      await new Promise<unknown>((resolve, reject) => {
        queue.unshift({ author: serviceIdentity, plan: () => undefined, resolve, reject })
        wake()
      })
    },
    staleLocks: locks.stale,
    status: () => ({ waiting: queue.length, takesUpdates: !broken && !closing }),
    async settled() {
      while (running) await running
      await packs.settled()
      await dumbHttpFiles.settled()
    },
    async close() {
      closing = true
      failuresBefore = refresh.failures
      while (running) await running
      await packs.close()
      await dumbHttpFiles.close()
      await checkout?.close()
      await publisher.close()
      locks.close()
    },
  }
}
