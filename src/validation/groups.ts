import type { Answer, Task } from './protocol.js'

/** What became of a group of tasks that one worker was given. */
export interface Outcome {
  /** In the order of the tasks; fewer than tasks where the rest was taken back, or the worker was lost. */
  readonly answers: readonly Answer[]
  /** The task that the worker was lost with, and what is to be said of it. */
  readonly lost?: { readonly at: number; readonly verdict: Answer | 'out of memory' }
}

export interface GroupsOptions {
  /** Groups that run at once. */
  readonly workers: number
  /**
   * Has a worker carry out the tasks one after the other. Where one takes long, the tasks `from` on are handed back:
   * the worker will not begin them, or nobody minds that it has.
   * @throws Error where the worker failed for no fault of a task
   */
  readonly attempt: (tasks: readonly Task[], handBack: (from: number) => void) => Promise<Outcome>
  /** What is said of a task that lost two workers by its need of memory. */
  readonly tooBig: Answer
}

/** Tasks that go to a worker together at most. */
const largestGroup = 16
/** Bytes that documents which go together have at most. */
const heaviestGroup = 64 * 1024

interface Entry {
  readonly task: Task
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  settled: boolean
  /** Lost a worker: it goes by itself from now on. */
  suspect: boolean
}

/**
 * Waking a worker costs more than checking a small document: what comes in one turn of the event loop, or while all
 * workers are busy, is handed out in groups.
 */
export function openGroups({ workers, attempt, tooBig }: GroupsOptions): (task: Task) => Promise<Answer> {
  let waiting: Entry[] = []
  let running = 0
  let isPlanned = false

  function start(): void {
    waiting = waiting.filter(entry => !entry.settled)
    while (running < workers && waiting.length > 0) {
      running++
      void carryOut(takeGroup()).finally(() => {
        running--
        start()
      })
    }
  }

  function takeGroup(): readonly Entry[] {
    let bytes = 0
    const end = waiting.findIndex((entry, place) => {
      bytes += sizeAmongOthers(entry)
      return place === largestGroup || bytes > heaviestGroup
    })
    return waiting.splice(0, end < 0 ? waiting.length : Math.max(1, end))
  }

  async function carryOut(group: readonly Entry[]): Promise<void> {
    const again = (entries: readonly Entry[]) => waiting.unshift(...entries.filter(entry => !entry.settled))
    let mine = group.length
    try {
      const { answers, lost } = await attempt(
        group.map(entry => entry.task),
        from => {
          mine = from
          again(group.slice(from))
          start()
        },
      )
      for (const [at, answer] of answers.entries()) settle(group[at] as Entry, entry => entry.resolve(answer))
      const guilty = lost && group[lost.at]
      if (lost && guilty) blame(guilty, lost.verdict)
      again(group.slice(0, mine))
    } catch (error) {
      const [only, second] = group
      if (only && !second) settle(only, entry => entry.reject(error))
      for (const entry of group) entry.suspect = true
      again(group.slice(0, mine))
    }
  }

  function blame(entry: Entry, verdict: Answer | 'out of memory'): void {
    if (verdict !== 'out of memory') settle(entry, ({ resolve }) => resolve(verdict))
    // Schemas compiled before may have used the memory up; the next worker starts with none of them.
    else if (entry.suspect) settle(entry, ({ resolve }) => resolve(tooBig))
    else entry.suspect = true
  }

  function settle(entry: Entry, how: (entry: Entry) => void): void {
    entry.settled = true
    how(entry)
  }

  return task =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ task, resolve, reject, settled: false, suspect: false })
      if (isPlanned) return
      isPlanned = true
      setImmediate(() => {
        isPlanned = false
        start()
      })
    })
}

/** Bytes of a document that may go with others; infinite for what goes by itself. */
function sizeAmongOthers({ task, suspect }: Entry): number {
  const isPlain = !suspect && task.kind === 'validate' && task.bundle === undefined
  return isPlain ? task.document.byteLength : Number.POSITIVE_INFINITY
}
