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
      // One buffer that is handed over: cloning many small views would copy the slabs they lie in.
      const bytes = Buffer.allocUnsafeSlow(objects.reduce((sum, object) => sum + object.bytes.length, 0))
      let at = 0
      for (const object of objects) {
        bytes.set(object.bytes, at)
        at += object.bytes.length
      }
      const heads = objects.map(object => ({ oid: object.oid, type: object.type, size: object.bytes.length }))
      const buffer = bytes.buffer as ArrayBuffer
      return thread.run({ gitDir, ownDir, objects: heads, bytes: buffer, move }, [buffer])
    },
    close: () => thread.close(),
  }
}
