/** Things in the order they came, each of which may leave at any time. */
export interface LinkedQueue<T> extends Iterable<T> {
  readonly size: number
  /** The one that has been there longest. */
  readonly first: T | undefined
  /** @returns has it leave; again without effect */
  join(item: T): () => void
  /** Has the first one leave. @returns undefined where there is none */
  take(): T | undefined
}

interface Place<T> {
  item: T | undefined
  before: Place<T>
  after: Place<T>
  isTaken: boolean
}

/**
 * A `Set` would do, but not for what comes and goes thousands of times a second: as it outgrows its table it makes another
 * one, and V8 has the old one refer to it and to all that was there, whatever has left since. Old tables that nobody uses
 * are found only when the whole heap is looked through, so until then all of that is kept, copied and promoted. A request
 * and its answer are 20 kB. Here nothing refers to what has left, nor does that refer to anything.
 * @see https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.cc, `OrderedHashTable::Rehash`
 */
export function openLine<T>(): LinkedQueue<T> {
  // The place between the last and the first.
  const end = { item: undefined, isTaken: false } as Place<T>
  end.before = end
  end.after = end
  let size = 0

  function leave(place: Place<T>): void {
    if (!place.isTaken) return
    place.before.after = place.after
    place.after.before = place.before
    place.item = undefined
    place.before = place
    place.after = place
    place.isTaken = false
    size -= 1
  }

  return {
    get size() {
      return size
    },
    get first() {
      return end.after.item
    },
    join(item) {
      const place: Place<T> = { item, before: end.before, after: end, isTaken: true }
      end.before.after = place
      end.before = place
      size += 1
      return () => leave(place)
    },
    take() {
      const { after: place } = end
      const { item } = place
      leave(place)
      return item
    },
    *[Symbol.iterator]() {
      const items: T[] = []
      for (let place = end.after; place !== end; place = place.after) items.push(place.item as T)
      yield* items
    },
  }
}
