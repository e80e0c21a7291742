import { randomBytes } from 'node:crypto'
import type { Oid } from '../../core/value-types.js'
import { runGit } from '../process/git-command.js'
import { metastoreFileName } from '../records/repository-layout.js'
import { sendingAll } from './push-all-objects.js'
import type { PushOutcome } from './push-outcome.js'

/**
 * Whether another repository has the objects that its branch leads to. A `git gc --prune=now` there removes what a push
 * has brought and the branch does not lead to yet; git moves the branch all the same.
 */
export interface RemoteObjects {
  /**
   * Asks the other repository whether it has a commit that its branch leads to: git there looks before a ref moves. Where
   * another server could not fetch, the answer is no, once for each commit.
   */
  has(commit: Oid): Promise<boolean>
  /** Sends all that a commit of ours leads to, whatever the other repository says it has. */
  restore(commit: Oid): Promise<PushOutcome>
  /**
   * Has other servers send what is missing there. Where even the commit of the branch is missing git there takes nothing,
   * but then they notice by themselves.
   */
  request(): Promise<void>
}

export interface RemoteObjectsOptions {
  /** The git binary. */
  readonly git: string
  readonly gitDir: string
  readonly branch: string
  push(refspecs: readonly string[], more?: NodeJS.ProcessEnv): Promise<PushOutcome>
  /** Whether there is such a ref there. */
  hasRef(ref: string): Promise<boolean>
}

/** Where commits are pushed to, each for a moment. */
const momentaryRefs = 'refs/git-metastore/moment'
/** Momentary refs that are remembered for deletion. A repository may refuse all deletions. */
const mostLeftRefs = 100
/** A server pushes it where it cannot fetch, as objects are missing there. */
const requestRef = 'refs/git-metastore/lacks-objects'

export function openRemoteObjects(options: RemoteObjectsOptions): RemoteObjects {
  const { git, gitDir, branch, push, hasRef } = options
  /** The commit that was found to be there last. */
  let proven: Oid | undefined
  /** The commit that was sent again last. */
  let restored: Oid | undefined
  /** Momentary refs that the other repository may still have. */
  const leftRefs = new Set<string>()

  /** Pushes a commit to a ref of its own, which goes again. */
  async function pushForAMoment(commit: Oid, more?: NodeJS.ProcessEnv): Promise<PushOutcome> {
    const ref = `${momentaryRefs}/${randomBytes(6).toString('hex')}`
    const pushed = await push([`${commit}:${ref}`], more)
    const mayBeThere = pushed.how === 'moved' || pushed.how === 'unknown'
    if (mayBeThere && leftRefs.size < mostLeftRefs) leftRefs.add(ref)
    await deleteLeftRefs()
    return pushed
  }

  /** Where the deletion fails, the next look repeats it. Git accepts the deletion of a ref that does not exist. */
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
    async restore(commit) {
      const pushed = await sendingAll(git, gitDir, more => pushForAMoment(commit, more))
      if (pushed.how !== 'moved') return pushed
      restored = commit
      if (await hasRef(requestRef)) await push([`:${requestRef}`])
      return pushed
    },
    async request() {
      // Any small object will do.
      const { code, stdout } = await runGit(git, gitDir, ['rev-parse', `${branch}:${metastoreFileName}`])
      if (code === 0) await push([`+${stdout.toString().trim()}:${requestRef}`])
    },
  }
}
