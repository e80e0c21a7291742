import type { Oid } from '../core/values.js'
import { answerJobs } from './answer-jobs.js'
import type { ObjectType } from './objects.js'
import { writePack } from './pack-file.js'
import { type Move, type Moved, moveBranch } from './refs.js'

/** One flush: the objects in one buffer, and where the branch is to go. */
export interface PublishJob {
  readonly gitDir: string
  readonly ownDir: string
  readonly objects: readonly { readonly oid: Oid; readonly type: ObjectType; readonly size: number }[]
  /** The bytes of the objects, one after the other. */
  readonly bytes: ArrayBuffer
  readonly move: Move
}

answerJobs(({ gitDir, ownDir, objects, bytes, move }: PublishJob): Moved => {
  let at = 0
  const made = objects.map(({ oid, type, size }) => {
    const part = new Uint8Array(bytes, at, size)
    at += size
    return { oid, type, bytes: part }
  })
  const pack = writePack(gitDir, ownDir, made)
  try {
    return moveBranch(gitDir, ownDir, move)
  } finally {
    pack.release()
  }
})
