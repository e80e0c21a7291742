import type { Oid } from '../core/values.js'
import { answerJobs } from './answer-jobs.js'
import type { ObjectType } from './objects.js'
import { writePack } from './pack-file.js'
import { type Move, type Moved, prepareMove } from './refs.js'

/** One flush: the objects in one buffer, and where the branch is to go. */
export interface PublishJob {
  readonly gitDir: string
  readonly ownDir: string
  readonly objects: readonly { readonly oid: Oid; readonly type: ObjectType; readonly size: number }[]
  /** The bytes of the objects, one after the other. */
  readonly bytes: ArrayBuffer
  readonly move: Move
}

/*
 * The order in which things become durable: first what has no name yet that anybody looks for, all of it at once (the
 * pack, its index, the new value of the branch); then the names of the pack and the index; then the branch. So the disk
 * is waited for three times, and at no moment does a durable branch lead to anything that is not.
 */
answerJobs(async ({ gitDir, ownDir, objects, bytes, move }: PublishJob): Promise<Moved> => {
  let at = 0
  const made = objects.map(({ oid, type, size }) => {
    const part = new Uint8Array(bytes, at, size)
    at += size
    return { oid, type, bytes: part }
  })
  const prepared = prepareMove(gitDir, ownDir, move)
  try {
    const pack = await writePack(gitDir, ownDir, made, [prepared.value])
    try {
      return prepared.make()
    } finally {
      pack.release()
    }
  } finally {
    prepared.forget()
  }
})
