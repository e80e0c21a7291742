import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Observer } from '../core/observer.js'
import { ProblemError, type ProblemKind, shuttingDown } from '../core/problem.js'
import { type Instant, type Oid, toInstant } from '../core/values.js'
import { type AppliedChange, type Batch, openBatch, type TreeCache, warmTrees } from './batch.js'
import { openCheckout } from './checkout.js'
import { service, signature } from './commit.js'
import { errnoOf, syncDirectory } from './durable.js'
import { forwardBranch } from './forward.js'
import { directoryOf } from './layout.js'
import type { Ledger } from './ledger.js'
import { packFolder } from './pack-folder.js'
import { openPackKeeper } from './pack-keeper.js'
import { openPauses } from './pauses.js'
import { openPublisher } from './publish.js'
import { updatesBetween } from './recover.js'
import { readBranch } from './refs.js'
import type { RemoteBranch } from './remote-branch.js'
import type { Repository } from './repository.js'
import { openServerInfo } from './server-info.js'
import { openSharedLog, type SharedLog, type Step } from './shared-log.js'
import type { Signer } from './signer.js'
import { openWriteLocks } from './write-locks.js'
import type { Author, Change, ChangeSet, Writer } from './writer.js'

export interface WriterOptions {
  readonly repository: Repository
  readonly ledger: Ledger
  /** One line for whoever runs the program. */
  readonly report: (line: string) => void
  /** Milliseconds to wait for other processes of ours and for a person's git commands; default 5,000. */
  readonly patience?: number
  /** Signs every commit. */
  readonly sign?: Signer | undefined
  readonly observer?: Pick<Observer, 'flushed'> | undefined
  /** Gets every update before that is answered; other servers add to it too. Needs a git binary. */
  readonly log?: RemoteBranch | undefined
}

/** Updates a flush takes at most: enough to make an fsync cheap, few enough that nobody waits long. */
const largestBatch = 256
/**
 * Bytes of raw trees kept in memory, with what keeping each costs. The upper levels, which every update goes through,
 * take 2 MB however large the repository is; of the level above the records no cache of a bearable size holds much.
 */
const treeCacheSize = 16 * 1024 * 1024
const costOfKeeping = 300
/** Content waiting for the work tree, in bytes, from which it is brought up to date without more delay. */
const mostWaiting = 64 * 1024 * 1024
/** Under sustained load the index is refreshed at an interval of so many times its own cost. */
const refreshFactor = 10
/** Milliseconds without an update that count as quiet, after one update and after many. */
const quiet = { after: 10, afterMany: 150 }
/** Updates since the locks were taken that are many: whoever sends so many sends more. */
const many = 20
/** Milliseconds after which a refresh that failed is tried again. */
const retryRefresh = 1000
/**
 * Milliseconds after which others get a turn under sustained load: the locks are let go for a moment as soon as little
 * is left for the work tree, or after three times as long whatever is left.
 */
const longestHold = 3000
/** Content waiting for the work tree, in bytes, that is little. */
const littleWaiting = 256 * 1024
/** Milliseconds of that moment: our own processes look every few of them, a person's script tries again now and then. */
const turnForOthers = { bare: 15, withWorkTree: 100 }
/** Tries to flush on top of a branch that others keep moving. */
const tries = 20

/** Problems that concern all updates of a flush, and not the one that met them. */
const ofTheBatch: ReadonlySet<ProblemKind> = new Set(['unavailable', 'no-space'])

interface Job {
  readonly author: Author
  readonly plan: () => Change | ChangeSet | undefined
  resolve(commit: Oid | undefined): void
  reject(error: unknown): void
}

interface Follower {
  resolve(): void
  reject(error: unknown): void
}

interface Guest extends Follower {
  readonly move: (head: Oid) => Promise<void>
}

type Outcome = { readonly commit: Oid | undefined } | { readonly error: unknown }

/**
 * Opens the write path: a queue with one writer. What waits is planned on the newest state and written as one commit
 * each, with one flush for all: objects durable in one pack, branch moved by compare-and-swap, catalog told.
 */
export function openWriter(options: WriterOptions): Writer {
  const { repository, ledger, report, patience = 5000, sign, observer } = options
  const log = options.log && openSharedLog(repository, options.log)
  const { gitDir, ownDir, branch, objects, history } = repository
  const checkout = repository.bare ? undefined : openCheckout(repository, report)
  const locks = openWriteLocks({ repository, checkout, patience, report })
  const serverInfo = openServerInfo(repository, report)
  const packs = openPackKeeper(repository, report, serverInfo.changed)
  const publisher = openPublisher(gitDir, ownDir)
  const trees: TreeCache = new LRUCache<Oid, Buffer>({
    maxSize: treeCacheSize,
    sizeCalculation: tree => tree.length + costOfKeeping,
  })
  const queue: Job[] = []
  const following: Follower[] = []
  const guests: Guest[] = []
  let running: Promise<void> | undefined
  let closing = false
  /** Updates written since the locks were taken. */
  let updatesHeld = 0
  let lastRefresh = { ended: 0, cost: 0 }
  let refresh: Promise<void> | undefined
  let failures = 0
  let latestTime = toInstant(0)
  /** The newest commit that was looked at, and its tree. */
  let newest: { readonly commit: Oid; readonly tree: Oid } | undefined
  /** Resolves the wait of an idle writer. */
  let arrived: (() => void) | undefined
  /** A flush of which it is not known whether it moved the branch: a disk may fail once that is done. */
  let unsure: { readonly head: Oid; readonly note: () => void } | undefined
  /** Why nothing can be written any more, once a flush failed in a way that must not be repeated. */
  let broken: ProblemError | undefined

  // ── the branch ─────────────────────────────────────────────────────────────────────────────────────────────────

  function nextTime(): Instant {
    latestTime = toInstant(Math.max(Date.now(), latestTime + 1))
    return latestTime
  }

  /** Brings the ledger up to the branch, whoever moved it. @returns the commit both are at */
  async function catchUp(): Promise<Oid> {
    const head = log ? await meet(log) : await repository.head()
    await followUnsure(head)
    const known = ledger.head()
    const reached = await advance(head)
    if (reached !== known && checkout && !checkout.behind) checkout.remember(reached)
    return reached
  }

  /** Has the work tree follow a flush that failed and moved the branch all the same. @param head where that is */
  async function followUnsure(head: Oid): Promise<void> {
    if (!unsure) return
    if (head === unsure.head || (await history.relation(unsure.head, head)) === 'ahead') {
      await locks.takeIndex()
      unsure.note()
    }
    unsure = undefined
  }

  /** @param head where the branch was found */
  async function advance(head: Oid): Promise<Oid> {
    const known = ledger.head()
    latestTime = toInstant(Math.max(latestTime, ledger.latestTime() ?? 0))
    if (known === head) return head
    const relation = known === undefined ? 'ahead' : await history.relation(known, head)
    if (relation === 'rewritten') {
      throw new ProblemError(
        'unavailable',
        `The history was rewritten: ${branch} is at ${head}, which does not contain ${known}, a commit that was served. Put the branch back (git update-ref ${branch} ${known}) or merge what was lost into it.`,
      )
    }
    // What is in the log stays as it is: others have served it.
    if (relation === 'aside' && log) {
      const message = `${known}, a commit that was served here, has another place in the log, up to ${head}. Start anew with an empty data folder.`
      throw new ProblemError('unavailable', message)
    }
    if (relation === 'aside') {
      await ledger.catchUp((await continueServed(known as Oid, head, head)) ?? (known as Oid))
    } else {
      await ledger.catchUp(head)
    }
    serverInfo.changed()
    const reached = ledger.head()
    if (reached === undefined) throw new Error('The catalog is empty after catching up.')
    return reached
  }

  /**
   * Somebody merged the served branch into their own and made that the branch: versions are counted along first
   * parents, so what was served must stay there. One more commit on top says so.
   * @param at where the branch is
   * @returns that commit; undefined where somebody else moved the branch or the log
   */
  async function continueServed(served: Oid, theirs: Oid, at: Oid): Promise<Oid | undefined> {
    const { recordedAt = latestTime } = await history.commit(served)
    latestTime = toInstant(Math.max(latestTime, recordedAt))
    const { tree } = await history.commit(theirs)
    const batch = openBatch(objects, trees, served, tree, sign)
    const join = await batch.join(theirs, tree, service, nextTime())
    const moved = await publish(batch, at, `git-metastore: continue ${served.slice(0, 12)}`)
    return moved ? join : undefined
  }

  /** Brings the branch and the log together. @returns the commit both are at */
  async function meet(shared: SharedLog): Promise<Oid> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const here = await repository.head()
      if (shared.isAt(here)) return here
      const step = await shared.compare(here)
      if (step.how === 'append') {
        await shared.append(here)
      } else if (step.how !== 'nothing') {
        await locks.takeIndex()
        const reached = await take(step, here)
        if (reached !== undefined) await takeOver(here, reached)
      }
    }
    throw restless()
  }

  /** @returns where the branch is then; undefined where somebody else moved it or the log */
  async function take(step: Extract<Step, { how: 'forward' | 'join' }>, here: Oid): Promise<Oid | undefined> {
    if (step.how === 'join') return await continueServed(step.served, step.theirs, here)
    const moved = await forwardBranch(repository, here, step.to, 'git-metastore: follow the log')
    return moved === 'moved' ? step.to : undefined
  }

  /**
   * Makes the batch's objects durable, has the log take them where there is one, then moves the branch to its head.
   * @returns false where somebody else moved the branch or the log
   */
  async function publish(batch: Batch, from: Oid, reason: string): Promise<boolean> {
    const who = signature(service, toInstant(Date.now()))
    const move = { branch, from, to: batch.head(), reason, signature: who, patience }
    const agree = log && (() => log.append(batch.head()))
    const moved = await publisher.publish([...batch.objects.values()], move, agree)
    packs.added()
    serverInfo.changed()
    if (moved !== 'locked') return moved === 'moved'
    throw new ProblemError(
      'unavailable',
      `Another git command holds the lock of ${branch}. Try again when it has ended; if none is running, remove ${branch}.lock.`,
      { retryAfter: 2 },
    )
  }

  // ── one flush ──────────────────────────────────────────────────────────────────────────────────────────────────

  async function flush(jobs: readonly Job[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcomes = await tryFlush(jobs, attempt > 1)
      if (outcomes) return await tell(jobs, outcomes)
      if (attempt === tries) throw restless()
    }
  }

  /** Whoever is told has an answer to make of it. */
  async function tell(jobs: readonly Job[], outcomes: readonly Outcome[]): Promise<void> {
    const pauses = openPauses()
    for (const [at, job] of jobs.entries()) {
      const outcome = outcomes[at] as Outcome
      if ('error' in outcome) job.reject(outcome.error)
      else job.resolve(outcome.commit)
      // so that some of that work is done before the next one is told
      await undefined
      if (pauses.isDue()) await pauses.take()
    }
  }

  /**
   * @param isFresh the log has been asked since the jobs came
   * @returns undefined where nothing has happened, because somebody else moved the branch or may have: plan again
   */
  async function tryFlush(jobs: readonly Job[], isFresh: boolean): Promise<readonly Outcome[] | undefined> {
    const started = performance.now()
    const from = await catchUp()
    const batch = openBatch(objects, trees, from, await treeOf(from), sign)
    const applied: AppliedChange[] = []
    const outcomes: Outcome[] = []
    const pauses = openPauses()
    let committed = false
    ledger.begin()
    try {
      for (const job of jobs) {
        outcomes.push(await applyOne(batch, job, applied))
        if (pauses.isDue()) await pauses.take()
      }
      if (applied.length > 0) {
        await locks.takeIndex()
        const subject = applied.length === 1 ? '1 update' : `${applied.length} updates`
        const note = () => noteForWorkTree(batch, applied)
        unsure = { head: batch.head(), note }
        const isPublished = await publish(batch, from, `git-metastore: ${subject}`)
        unsure = undefined
        if (!isPublished) return undefined
        note()
        try {
          ledger.commit(batch.head())
        } catch (thrown) {
          throw storedAnyway(thrown)
        }
        committed = true
        newest = { commit: batch.head(), tree: batch.tree() }
        updatesHeld += applied.length
        observer?.flushed(applied.length, performance.now() - started)
      } else if (log && !isFresh) {
        // What the log takes was planned on the newest state; what it does not see may be refused for an old one.
        log.doubt()
        return undefined
      }
    } finally {
      if (!committed) ledger.rollback()
    }
    return outcomes
  }

  /** The branch has moved, and that is on disk: the ledger is brought up to it as soon as it can be. */
  function storedAnyway(thrown: unknown): unknown {
    if (!(thrown instanceof ProblemError)) return thrown
    const message = `${thrown.message} The update is in the history all the same, and is shown as soon as that is over.`
    return new ProblemError(thrown.kind, message, thrown.extra, { cause: thrown })
  }

  function restless(): ProblemError {
    return new ProblemError('unavailable', 'Others keep moving the branch. Try again.', { retryAfter: 2 })
  }

  async function applyOne(batch: Batch, job: Job, applied: AppliedChange[]): Promise<Outcome> {
    try {
      const change = job.plan()
      if (!change) return { commit: undefined }
      const result = await batch.apply(change, job.author, nextTime())
      if (!result) return { commit: undefined }
      ledger.add(result.revisions)
      applied.push(result)
      return { commit: result.commit }
    } catch (thrown) {
      // A refusal concerns this update alone; anything else, a catalog that is damaged too, is a failure of the batch.
      if (thrown instanceof ProblemError && !ofTheBatch.has(thrown.kind)) return { error: thrown }
      throw thrown
    }
  }

  async function treeOf(commit: Oid): Promise<Oid> {
    if (newest?.commit !== commit) newest = { commit, tree: (await history.commit(commit)).tree }
    return newest.tree
  }

  /** Reads ahead while an update waits: at flush time each of its trees would be waited for in turn. */
  function readAhead(directory: string): void {
    if (!newest) return
    // What cannot be read is met again by the update itself, which says so.
    warmTrees(objects, trees, newest.tree, directory).catch(() => undefined)
  }

  function noteForWorkTree(batch: Batch, applied: readonly AppliedChange[]): void {
    // Asked under the index lock, which `git checkout` needs too.
    if (!checkout?.isServed()) return
    const updates = applied.flatMap(({ paths }) =>
      paths.map(update => ({
        ...update,
        before: [update.before],
        bytes: update.after === undefined ? undefined : batch.objects.get(update.after)?.bytes,
      })),
    )
    checkout.note(updates, batch.head())
  }

  // ── somebody else's move ───────────────────────────────────────────────────────────────────────────────────────

  async function host(move: Guest['move']): Promise<void> {
    const from = await catchUp()
    await locks.takeIndex()
    try {
      await move(from)
    } finally {
      const head = await repository.head()
      if (head !== from) await takeOver(from, head)
    }
  }

  /** What was moved beside us, under our locks, is taken over as if it were ours. */
  async function takeOver(from: Oid, head: Oid): Promise<void> {
    syncDirectory(packFolder(gitDir))
    syncDirectory(dirname(join(gitDir, branch)))
    packs.added()
    const reached = await advance(head)
    if (!checkout) return
    const updates = checkout.isServed() ? await updatesBetween(repository, from, reached) : []
    if (updates.length > 0) checkout.note(updates, reached)
    else if (!checkout.behind) checkout.remember(reached)
  }

  // ── the work tree follows ──────────────────────────────────────────────────────────────────────────────────────

  /** Starts bringing the work tree and the index up to date, beside the flushes. */
  function startRefresh(): Promise<void> {
    refresh ??= bring().finally(() => {
      refresh = undefined
    })
    return refresh
  }

  async function bring(): Promise<void> {
    const started = performance.now()
    try {
      await checkout?.bring()
    } catch (thrown) {
      report(`The work tree could not be brought up to date, and is tried again: ${String(thrown)}`)
      failures += 1
      await sleep(retryRefresh)
    }
    const ended = performance.now()
    lastRefresh = { ended, cost: ended - started }
  }

  /** Whether, under load, the work tree and the index are to be brought up to date beside the flushes. */
  function isRefreshDue(): boolean {
    if (!checkout?.behind || refresh) return false
    const now = performance.now()
    return now - locks.since > longestHold || now >= lastRefresh.ended + lastRefresh.cost * refreshFactor
  }

  function isOthersTurn(): boolean {
    if (!locks.held) return false
    const held = performance.now() - locks.since
    const nearly = !checkout || (!refresh && checkout.waiting < littleWaiting)
    return held > (nearly ? longestHold : 3 * longestHold)
  }

  /** Work tree and index at the branch, then every lock released. */
  async function settle(): Promise<void> {
    await refresh
    if (locks.held && checkout?.behind) await startRefresh()
    letGo()
  }

  /** Releases every lock; a disk that does not allow it is asked again. */
  function letGo(): void {
    try {
      locks.release()
    } catch (thrown) {
      report(`Locks could not be released, which is tried again: ${String(thrown)}`)
      // Whatever is left of them at the end is cleared up at the next start.
      const again = () => {
        if (!running && !closing) letGo()
      }
      setTimeout(again, retryRefresh).unref()
    }
  }

  // ── the queue ──────────────────────────────────────────────────────────────────────────────────────────────────

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

  /** Waits for the next job, for so long at most, or for something else. */
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

  /** Runs until there is nothing to do: nothing queued, the work tree at the branch, no lock held. */
  async function work(): Promise<void> {
    failures = 0
    for (;;) {
      if (isOthersTurn()) {
        await settle()
        locks.restart()
        updatesHeld = many
        if (!locks.held) await sleep(checkout ? turnForOthers.withWorkTree : turnForOthers.bare)
      }
      if (isAsked()) {
        await serve(queue.splice(0, largestBatch), following.splice(0))
        for (const guest of guests.splice(0, 1)) await receive(guest)
        packs.tend()
        if (isRefreshDue()) void startRefresh()
        // The content that waits is in memory: nobody gets further ahead of the work tree than this.
        if (checkout && checkout.waiting >= mostWaiting) await startRefresh()
      } else if (refresh) {
        await arrival(longestHold, refresh)
      } else if (checkout?.behind && (!closing || failures === 0)) {
        await arrival(updatesHeld < many ? quiet.after : quiet.afterMany)
        if (!isAsked()) void startRefresh()
      } else {
        break
      }
    }
    letGo()
  }

  async function receive({ move, resolve, reject }: Guest): Promise<void> {
    try {
      if (broken) throw broken
      if (!locks.held) updatesHeld = 0
      await locks.take()
      await host(move)
      resolve()
    } catch (thrown) {
      reject(explain(thrown))
    }
  }

  async function serve(jobs: readonly Job[], followers: readonly Follower[]): Promise<void> {
    if (jobs.length === 0 && followers.length === 0) return
    try {
      if (broken) throw broken
      if (!locks.held) updatesHeld = 0
      await locks.take()
      if (jobs.length > 0) await flush(jobs)
      else await catchUp()
      for (const follower of followers) follower.resolve()
    } catch (thrown) {
      const error = explain(thrown)
      for (const waiting of [...jobs, ...followers]) waiting.reject(error)
    }
  }

  function explain(thrown: unknown): unknown {
    if (thrown instanceof ProblemError) return thrown
    const code = errnoOf(thrown)
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const what = unsure ? 'whether the update was stored shows when there is room' : 'nothing was stored'
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
      if (near) readAhead(directoryOf(near.kind, near.id))
      return new Promise<Oid | undefined>((resolve, reject) => {
        queue.push({ author, plan, resolve, reject })
        wake()
      })
    },
    async follow() {
      if (closing) throw shuttingDown()
      const isCurrent = () => readBranch(gitDir, branch) === ledger.head()
      if (await locks.isFollowedElsewhere(isCurrent)) return
      if (locks.recovered && isCurrent()) return
      await caughtUp()
    },
    async meet() {
      if (closing) throw shuttingDown()
      log?.doubt()
      await caughtUp()
    },
    async lend(move) {
      if (closing) throw shuttingDown()
      await new Promise<void>((resolve, reject) => {
        guests.push({ move, resolve, reject })
        wake()
      })
    },
    async prove() {
      if (closing) throw shuttingDown()
      await new Promise<unknown>((resolve, reject) => {
        queue.unshift({ author: service, plan: () => undefined, resolve, reject })
        wake()
      })
    },
    figures: () => ({ waiting: queue.length, takesUpdates: !broken && !closing }),
    async settled() {
      while (running) await running
      await packs.settled()
      await serverInfo.settled()
    },
    async close() {
      closing = true
      while (running) await running
      await packs.close()
      await serverInfo.close()
      await checkout?.close()
      await publisher.close()
      locks.close()
    },
  }
}
