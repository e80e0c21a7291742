import type { Oid } from '../../core/value-types.js'
import { decodeUtf8Lossless } from '../file-system/lossless-utf8.js'
import { type CommitInfo, parseCommitMessage, toCommitTime } from '../objects/commit-format.js'
import type { CommitChanges, PathChange } from './first-parent-history.js'

/** Number of fields of a commit: H, T, P, an, ae, cn, ct, B, and an empty one, because `-z` adds another NUL. */
const fieldCount = 9

/**
 * Parses the output of `git log -z --raw` in the format of `git-log.ts`. The fields of a commit are followed by its
 * changes: pairs of `:<mode> <mode> <blob> <blob> <letter>` and path. A newline is before the first pair.
 * @throws Error if the output has another format
 */
export function openLogParser() {
  let pending: Buffer[] = []
  let fields: Buffer[] = []
  let meta: string | undefined
  let commit: CommitInfo | undefined
  let changes: PathChange[] = []

  function token(bytes: Buffer): CommitChanges | undefined {
    if (meta !== undefined) {
      changes.push(toChange(meta, decodeUtf8Lossless(bytes)))
      meta = undefined
      return undefined
    }
    if (fields.length === 0 && (bytes[0] === 0x3a || (bytes[0] === 0x0a && bytes[1] === 0x3a))) {
      meta = bytes.toString('latin1').trim()
      return undefined
    }
    const before = fields.length === 0 ? flush() : undefined
    fields.push(bytes)
    if (fields.length === fieldCount) {
      commit = toCommit(fields)
      fields = []
    }
    return before
  }

  function flush(): CommitChanges | undefined {
    const done = commit && { commit, changes }
    commit = undefined
    changes = []
    return done
  }

  return {
    /** @returns the commits that the chunk completes */
    take(chunk: Buffer): readonly CommitChanges[] {
      const done: CommitChanges[] = []
      let offset = 0
      for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, offset)) {
        const piece = chunk.subarray(offset, end)
        const whole = pending.length === 0 ? piece : Buffer.concat([...pending, piece])
        pending = []
        offset = end + 1
        const before = token(whole)
        if (before) done.push(before)
      }
      if (offset < chunk.length) pending.push(chunk.subarray(offset))
      return done
    },
    /** @returns the last commit */
    end(): readonly CommitChanges[] {
      if (pending.length > 0 || fields.length > 0 || meta !== undefined) {
        throw new Error('The output of git log is cut off.')
      }
      const last = flush()
      return last ? [last] : []
    },
  }
}

function toCommit(fields: readonly Buffer[]): CommitInfo {
  const ascii = (index: number) => fields[index]?.toString('latin1') ?? ''
  const text = (index: number) => decodeUtf8Lossless(fields[index] as Buffer)
  const [oid, tree, parents, seconds] = [ascii(0), ascii(1), ascii(2), ascii(6)]
  if (!/^[0-9a-f]{40}$/.test(oid)) throw new Error(`Unexpected output of git log: ${oid.slice(0, 200)}`)
  return {
    oid: oid as Oid,
    tree: tree as Oid,
    parents: parents === '' ? [] : (parents.split(' ') as Oid[]),
    authorName: text(3),
    authorEmail: text(4),
    committedAt: toCommitTime(Number(seconds)),
    ...parseCommitMessage(text(7), text(5)),
  }
}

function toChange(meta: string, path: string): PathChange {
  const [, mode, , after, letter] = meta.split(' ')
  if (mode === undefined || after === undefined || letter === undefined) {
    throw new Error(`Unexpected output of git log: ${meta.slice(0, 200)}`)
  }
  return letter === 'D' ? { path } : { path, after: after as Oid, mode }
}
