import type { Oid } from '../../core/value-types.js'
import type { NewObject } from './pack-writer.js'

/**
 * Collects objects and writes them in large packs. `end` writes the rest.
 * @param size bytes of objects, not deflated, after which a pack is written
 */
export function openBufferedPackWriter(
  size: number,
  writePacked: (objects: readonly NewObject[]) => Promise<unknown>,
) {
  let waiting = new Map<Oid, NewObject>()
  let gathered = 0
  async function end(): Promise<void> {
    if (waiting.size > 0) await writePacked([...waiting.values()])
    waiting = new Map()
    gathered = 0
  }
  return {
    end,
    async write(object: NewObject) {
      if (waiting.has(object.oid)) return
      waiting.set(object.oid, object)
      gathered += object.bytes.length
      if (gathered >= size) await end()
    },
  }
}
