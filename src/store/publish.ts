import { toColumns } from './object-columns.js'
import type { NewObject } from './pack-file.js'
import type { PublishJob } from './publish-thread.js'
import type { Move, Moved } from './refs.js'
import { openThread } from './thread.js'

/** Makes flushes durable, one after the other, off the event loop. */
export interface Publisher {
  /** Puts the objects on disk as one pack, whether or not the branch then moves to a commit among them. */
  publish(objects: readonly NewObject[], move: Move): Promise<Moved>
  close(): Promise<void>
}

export function openPublisher(gitDir: string, ownDir: string): Publisher {
  const thread = openThread<PublishJob, Moved>(new URL('./publish-thread.js', import.meta.url))
  return {
    publish(objects, move) {
      const columns = toColumns(objects)
      return thread.run({ gitDir, ownDir, objects: columns, move }, [columns.bytes])
    },
    close: () => thread.close(),
  }
}
