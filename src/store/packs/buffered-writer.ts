import type { Oid } from '../../core/value-types.js'
import type { NewObject } from './pack-writer.js'

/** Gathers objects until they are worth a pack. */
export interface BufferedPackWriter {
  write(object: NewObject): Promise<void>
  /** Writes what is left. */
  end(): Promise<void>
}

/** @param size bytes of objects, not deflated, that are written together */
export function openBufferedPackWriter(
  size: number,
  writePacked: (objects: readonly NewObject[]) => Promise<unknown>,
): BufferedPackWriter {
  let waiting = new Map<Oid, NewObject>()
  let gathered = 0
  async function end(): Promise<void> {
    if (waiting.size > 0) await writePacked([...waiting.values()])
    waiting = new Map()
    gathered = 0
  }
  return {
    end,
    async write(object) {
      if (waiting.has(object.oid)) return
      waiting.set(object.oid, object)
      gathered += object.bytes.length
      if (gathered >= size) await end()
    },
  }
}
