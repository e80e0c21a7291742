import { randomBytes } from 'node:crypto'
import type { Oid } from '../../core/value-types.js'
import { runGit } from '../git-commands/git-command.js'
import { metastoreFileName } from '../records/repository-layout.js'
import { sendingAll } from './push-all-objects.js'
import type { PushOutcome } from './push-outcome.js'

/**
 * Checks and restores the objects of a branch in another repository. A `git gc --prune=now` there can remove objects of
 * a push before the branch leads to them, and git moves the branch nevertheless.
 */
export interface RemoteObjects {
  /**
   * Whether the other repository has a commit of its branch and the objects of that commit. To find out, pushes the
   * commit to a temporary ref, because git checks the objects before a ref moves. False also if another server has
   * reported by `request` that it could not fetch, until this process has restored the commit.
   */
  has(commit: Oid): Promise<boolean>
  /** Tries whether pushes are accepted: pushes a commit to a temporary ref. */
  tryPush(commit: Oid): Promise<PushOutcome>
  /** Sends all objects of a commit, also those that the other repository claims to have. */
  restore(commit: Oid): Promise<PushOutcome>
  /**
   * Asks other servers to restore the missing objects, by pushing a ref. If the commit of the branch itself is missing,
   * git refuses that push too, but then the other servers notice the loss themselves.
   */
  request(): Promise<void>
}

interface RemoteObjectsOptions {
  /** The git binary. */
  readonly git: string
  readonly gitDir: string
  readonly branch: string
  push(refspecs: readonly string[], more?: NodeJS.ProcessEnv): Promise<PushOutcome>
  /** Whether the other repository has a ref. */
  hasRef(ref: string): Promise<boolean>
}

/** Prefix of temporary refs. */
const momentaryRefs = 'refs/git-metastore/moment'
/** Limit of the temporary refs that are remembered for deletion, because a repository may refuse all deletions. */
const maxLeftRefs = 100
/** Name of the ref that a server pushes if it cannot fetch because objects are missing. */
const requestRef = 'refs/git-metastore/lacks-objects'

export function openRemoteObjects(options: RemoteObjectsOptions): RemoteObjects {
  const { git, gitDir, branch, push, hasRef } = options
  /** The last commit that the other repository was found to have. */
  let proven: Oid | undefined
  /** The last restored commit. */
  let restored: Oid | undefined
  /** Temporary refs that the other repository may still have. */
  const leftRefs = new Set<string>()

  /** Pushes a commit to a temporary ref and deletes the ref. */
  async function pushForAMoment(commit: Oid, more?: NodeJS.ProcessEnv): Promise<PushOutcome> {
    const ref = `${momentaryRefs}/${randomBytes(6).toString('hex')}`
    const pushed = await push([`${commit}:${ref}`], more)
    const mayBeThere = pushed.how === 'moved' || pushed.how === 'unknown'
    if (mayBeThere && leftRefs.size < maxLeftRefs) leftRefs.add(ref)
    await deleteLeftRefs()
    return pushed
  }

  /** Deletes the refs. After a failure, the next `has` repeats this. Git accepts the deletion of a missing ref. */
  async function deleteLeftRefs(): Promise<void> {
    const refs = [...leftRefs]
    if (refs.length === 0) return
    const { how } = await push(refs.map(ref => `:${ref}`))
    if (how === 'moved') for (const ref of refs) leftRefs.delete(ref)
  }

  return {
    async has(commit) {
      await deleteLeftRefs()
      if (commit !== restored && (await hasRef(requestRef))) return false
      if (commit === proven) return true
      const pushed = await pushForAMoment(commit)
      if (pushed.how === 'refused' && pushed.lacksObjects) return false
      if (pushed.how !== 'unknown') proven = commit
      return true
    },
    tryPush: commit => pushForAMoment(commit),
    async restore(commit) {
      const pushed = await sendingAll(git, gitDir, more => pushForAMoment(commit, more))
      if (pushed.how !== 'moved') return pushed
      restored = commit
      if (await hasRef(requestRef)) await push([`:${requestRef}`])
      return pushed
    },
    async request() {
      // The ref may lead to any small object that exists in each repository.
      const { code, stdout } = await runGit(git, gitDir, ['rev-parse', `${branch}:${metastoreFileName}`])
      if (code === 0) await push([`+${stdout.toString().trim()}:${requestRef}`])
    },
  }
}
