import { setImmediate } from 'node:timers/promises'
import type { Instant, Oid } from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'

/** Finds commits of the served first-parent chain. */
export interface FirstParentChain {
  /** Position of a commit, from 1; undefined if it is not on the chain. */
  positionOf(commit: Oid): number | undefined
  /** The commits whose names begin with the prefix; at most two. @param prefix hex digits in lower case */
  startingWith(prefix: string): readonly Oid[]
  first(): Oid | undefined
  /** The last commit that changed a record and whose time is not after `time`; undefined if there is none. */
  lastCommitUntil(time: Instant): Promise<Oid | undefined>
  /**
   * The time of the first revision after a commit; undefined if there is none, or if the commit is not on the chain.
   * @param commit undefined: the time of the first revision of all
   */
  firstChangeAfter(commit: Oid | undefined): Instant | undefined
}

/** Number of revisions in a block. For each block, the earliest time is kept. */
const blockSize = 4096

export function openFirstParentChain(connection: Connection): FirstParentChain {
  const sql = {
    position: connection.prepare<readonly [sequence: number]>('SELECT sequence FROM chain WHERE oid = ?'),
    between: connection.prepare<readonly [oid: string]>(
      'SELECT oid FROM chain WHERE oid >= ? AND oid < ? ORDER BY oid LIMIT 2',
    ),
    first: connection.prepare<readonly [oid: string]>('SELECT oid FROM chain WHERE sequence = 1'),
    identity: connection.prepare<readonly [identity: string]>('SELECT identity FROM state'),
    latest: connection.prepare<readonly [rev: number]>('SELECT coalesce(max(rev), 0) FROM revision'),
    after: connection.prepare<readonly [time: number]>(
      'SELECT time FROM revision WHERE rev > (SELECT rev FROM chain WHERE oid = ?) ORDER BY rev LIMIT 1',
    ),
    oldest: connection.prepare<readonly [time: number]>('SELECT time FROM revision ORDER BY rev LIMIT 1'),
    earliest: connection.prepare<readonly [time: number | null]>(
      'SELECT min(time) FROM revision WHERE rev > ? AND rev <= ?',
    ),
    until: connection.prepare<readonly [oid: string]>(
      'SELECT oid FROM revision WHERE rev > ? AND rev <= ? AND time <= ? ORDER BY rev DESC LIMIT 1',
    ),
  }
  /** The earliest time of each complete block that was read, in one build of the catalog. */
  let known: { readonly identity: string; readonly earliest: Map<number, number> } | undefined

  /*
   * Times do not always increase along the chain, because clocks differ. An index by time would slow down every update.
   * Revisions are only added, so the earliest time of a full block never changes. If it is too late, skip the block.
   */
  async function lastCommitUntil(time: Instant): Promise<Oid | undefined> {
    const identity = sql.identity.get()?.[0] ?? ''
    if (known?.identity !== identity) known = { identity, earliest: new Map() }
    const { earliest } = known
    const latest = sql.latest.get()?.[0] ?? 0
    for (let block = Math.floor((latest - 1) / blockSize); block >= 0; block--) {
      const [after, upTo] = [block * blockSize, (block + 1) * blockSize]
      let first = earliest.get(block)
      if (first === undefined) {
        // The first query reads the times of the whole history. Other work may run between two blocks.
        await setImmediate()
        first = sql.earliest.get(after, upTo)?.[0] ?? Number.POSITIVE_INFINITY
        if (upTo <= latest) earliest.set(block, first)
      }
      if (first <= time) return sql.until.get(after, upTo, time)?.[0] as Oid | undefined
    }
    return undefined
  }

  return {
    positionOf: commit => sql.position.get(commit)?.[0],
    startingWith: prefix => sql.between.all(prefix, `${prefix}g`).map(([oid]) => oid as Oid),
    first: () => sql.first.get()?.[0] as Oid | undefined,
    lastCommitUntil,
    firstChangeAfter(commit) {
      const found = commit === undefined ? sql.oldest.get() : sql.after.get(commit)
      return found?.[0] as Instant | undefined
    },
  }
}
