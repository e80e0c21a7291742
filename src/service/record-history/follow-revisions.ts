import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../catalog/catalog.js'
import type { FeedEntry } from '../../catalog/revision-history/change-feed.js'
import { errorText, ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'

/** A reader of every revision, in the order of history. It keeps its own position, which may survive restarts. */
export interface RevisionReader {
  /** The commit whose revisions were read last. Undefined: none were read. */
  position(): Oid | undefined
  /**
   * Takes the next revisions. The part has all revisions of its commits.
   * @param position the new position, which the reader has to keep
   */
  read(revisions: readonly FeedEntry[], position: Oid): Promise<void> | void
  /** Forgets what was read and its position: the served history does not have the commit any more. */
  rewind(): Promise<void> | void
}

export interface FollowOptions {
  readonly name: string
  readonly catalog: Pick<Catalog, 'feed' | 'headChanges'>
  readonly report: (line: string) => void
}

/** Number of revisions that a reader gets at once. */
const revisionsAtOnce = 500
/** Milliseconds before a failed part is repeated: after the first failure, and the longest time. */
const retryDelays = { first: 500, longest: 30_000 }
/** Milliseconds after which a reader looks for revisions although it was told of none. */
const longestWait = 60_000

/**
 * Gives a reader all revisions, then each new one, in the background. A part that fails is repeated after growing delays;
 * the operator is told once.
 */
export function followRevisions(
  reader: RevisionReader,
  { name, catalog, report }: FollowOptions,
): { close(): Promise<void> } {
  const closing = new AbortController()
  const { signal } = closing

  /** Reads the next part. @returns whether there is more to read at once */
  async function step(): Promise<boolean> {
    const part = await nextPart(reader, catalog)
    if (part === 'rewound') return true
    const { entries, next, more } = part
    if (entries.length > 0 || next !== reader.position()) await reader.read(entries, next)
    return more
  }

  async function follow(): Promise<void> {
    let delay = retryDelays.first
    let reported = ''
    while (!signal.aborted) {
      const { count } = catalog.headChanges
      try {
        const more = await step()
        delay = retryDelays.first
        if (!more) await catalog.headChanges.next(count, longestWait, signal)
      } catch (thrown) {
        if (signal.aborted) return
        const text = errorText(thrown)
        if (text !== reported) report(`The feature ${name} cannot read the newest revisions: ${text}`)
        reported = text
        await sleep(delay, undefined, { signal }).catch(() => undefined)
        delay = Math.min(2 * delay, retryDelays.longest)
      }
    }
  }

  const following = follow()
  return {
    async close() {
      closing.abort()
      await following
    },
  }
}

/** The part after the position of the reader. Rewinds the reader if the served history does not have its commit. */
async function nextPart(reader: RevisionReader, { feed }: FollowOptions['catalog']) {
  try {
    return feed.after(reader.position(), revisionsAtOnce)
  } catch (thrown) {
    if (!(thrown instanceof ProblemError) || thrown.kind !== 'not-found') throw thrown
    await reader.rewind()
    return 'rewound'
  }
}
