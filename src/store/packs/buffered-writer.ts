import type { Oid } from '../../core/value-types.js'
import { type NewObject, type WrittenPack, writePack } from './pack-writer.js'

/** Bytes of objects, not deflated, after which a pack is written. */
const packSize = 32 * 1024 * 1024

/**
 * Collects objects and writes them in large packs. `end` writes the rest.
 * @param onPack called with each written pack
 */
export function openBufferedPackWriter(
  gitDir: string,
  stagingDir: string,
  onPack: (pack: WrittenPack) => void,
) {
  let waiting = new Map<Oid, NewObject>()
  let waitingBytes = 0
  async function end(): Promise<void> {
    if (waiting.size > 0) onPack(await writePack(gitDir, stagingDir, [...waiting.values()]))
    waiting = new Map()
    waitingBytes = 0
  }
  return {
    end,
    async write(object: NewObject) {
      if (waiting.has(object.oid)) return
      waiting.set(object.oid, object)
      waitingBytes += object.bytes.length
      if (waitingBytes >= packSize) await end()
    },
  }
}
