import type { Oid } from '../../core/value-types.js'
import type { FileUpdate } from './update-files.js'

/** File updates that the work tree does not have yet, one for each path. */
export class PendingUpdates {
  #byPath = new Map<string, FileUpdate>()
  #bytes = 0
  #head: Oid | undefined

  get size(): number {
    return this.#byPath.size
  }

  /** Size of the contents of all updates in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds updates, each on top of an earlier one of the same file. @param head the commit after these updates */
  add(updates: Iterable<FileUpdate>, head: Oid | undefined): void {
    for (const update of updates) {
      const known = this.#byPath.get(update.path)
      this.#bytes += (update.bytes?.length ?? 0) - (known?.bytes?.length ?? 0)
      this.#byPath.set(
        update.path,
        known ? { ...update, before: [...known.before, ...update.before] } : update,
      )
    }
    this.#head = head ?? this.#head
  }

  /** Removes and returns all updates, and the commit after them; undefined if there are none. */
  take(): { readonly updates: readonly FileUpdate[]; readonly head: Oid } | undefined {
    if (this.#byPath.size === 0 || this.#head === undefined) return undefined
    const updates = [...this.#byPath.values()]
    this.#byPath.clear()
    this.#bytes = 0
    return { updates, head: this.#head }
  }

  /** Puts updates back that could not be applied, before the updates that were added since. */
  putBack(updates: readonly FileUpdate[]): void {
    const later = [...this.#byPath.values()]
    this.#byPath.clear()
    this.#bytes = 0
    this.add([...updates, ...later], undefined)
  }
}
