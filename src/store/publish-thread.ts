import { answerJobs } from './answer-jobs.js'
import { fromColumns, type ObjectColumns } from './object-columns.js'
import { writePack } from './pack-file.js'
import { type Move, type Moved, prepareMove } from './refs.js'

/** One flush: the objects, and where the branch is to go. */
export interface PublishJob {
  readonly gitDir: string
  readonly ownDir: string
  readonly objects: ObjectColumns
  readonly move: Move
}

/*
 * The order in which things become durable: first what has no name yet that anybody looks for, all of it at once (the
 * pack, its index, the new value of the branch); then the names of the pack and the index; then the branch. So the disk
 * is waited for three times, and at no moment does a durable branch lead to anything that is not.
 */
answerJobs(async ({ gitDir, ownDir, objects, move }: PublishJob): Promise<Moved> => {
  const prepared = prepareMove(gitDir, ownDir, move)
  try {
    const pack = await writePack(gitDir, ownDir, fromColumns(objects), [prepared.value])
    try {
      return prepared.make()
    } finally {
      pack.release()
    }
  } finally {
    prepared.forget()
  }
})
