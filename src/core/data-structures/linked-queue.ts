/** A FIFO queue from which any item can be removed. */
export interface LinkedQueue<T> extends Iterable<T> {
  readonly size: number
  /** The oldest item. */
  readonly first: T | undefined
  /** Adds an item. @returns a function that removes the item; further calls of it have no effect */
  join(item: T): () => void
  /** Removes the oldest item, and returns it. @returns undefined if the queue is empty */
  take(): T | undefined
}

interface QueueEntry<T> {
  item: T | undefined
  before: QueueEntry<T>
  after: QueueEntry<T>
  isTaken: boolean
}

/**
 * A `Set` has the same functions, but keeps removed items in memory. When its table grows, V8 makes a new table, and
 * the old one refers to the new one and to all former items until the next full garbage collection. With thousands of
 * requests a second that is much memory. Here nothing refers to a removed item.
 * @see https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.cc, `OrderedHashTable::Rehash`
 */
export function openLinkedQueue<T>(): LinkedQueue<T> {
  return new Ring<T>()
}

// The functions belong to the class, because V8 keeps a hidden class for every object with an own getter.
class Ring<T> implements LinkedQueue<T> {
  // The places form a ring. This one has no item: it is after the last item and before the first.
  readonly #end: QueueEntry<T>
  #size = 0

  constructor() {
    const end = { item: undefined, isTaken: false } as QueueEntry<T>
    end.before = end
    end.after = end
    this.#end = end
  }

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#end.after.item
  }

  join(item: T): () => void {
    const end = this.#end
    const place: QueueEntry<T> = { item, before: end.before, after: end, isTaken: true }
    end.before.after = place
    end.before = place
    this.#size += 1
    return () => this.#leave(place)
  }

  take(): T | undefined {
    const { after: place } = this.#end
    const { item } = place
    this.#leave(place)
    return item
  }

  #leave(place: QueueEntry<T>): void {
    if (!place.isTaken) return
    place.before.after = place.after
    place.after.before = place.before
    place.item = undefined
    place.before = place
    place.after = place
    place.isTaken = false
    this.#size -= 1
  }

  *[Symbol.iterator](): Generator<T, void> {
    const items: T[] = []
    for (let place = this.#end.after; place !== this.#end; place = place.after) items.push(place.item as T)
    yield* items
  }
}
