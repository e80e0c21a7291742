import type { Client } from '../access-control.js'
import { type LinkedQueue, openLinkedQueue } from '../data-structures/linked-queue.js'

/** What waits in a {@link FairQueue}. */
export interface Waiting {
  /** Clients take turns, however many entries each of them has. */
  readonly client: string
  /** Entries that are not urgent get one turn in four while urgent ones wait. */
  readonly isUrgent: boolean
}

/** A queue in which no client keeps another one waiting for more than one entry. */
export interface FairQueue<T extends Waiting> {
  readonly size: number
  /** Number of entries of a client. */
  sizeOf(client: string): number
  /** Adds an entry. @returns a function that removes it, without effect once the entry has been taken */
  add(entry: T): () => void
  /** The entry that {@link take} returns next; undefined if the queue is empty. */
  next(): T | undefined
  take(): T | undefined
}

/** Number of urgent entries that are taken for each entry that is not urgent, while both kinds wait. */
const urgentTurns = 3

export function openFairQueue<T extends Waiting>(): FairQueue<T> {
  const urgent = openClientQueues<T>()
  const others = openClientQueues<T>()
  let turn = 0

  function chosen(): FairQueue<T> {
    if (urgent.size === 0) return others
    if (others.size === 0) return urgent
    return turn < urgentTurns ? urgent : others
  }

  return {
    get size() {
      return urgent.size + others.size
    },
    sizeOf: client => urgent.sizeOf(client) + others.sizeOf(client),
    add: entry => (entry.isUrgent ? urgent : others).add(entry),
    next: () => chosen().next(),
    take() {
      const entry = chosen().take()
      turn = (turn + 1) % (urgentTurns + 1)
      return entry
    },
  }
}

/** One queue for each client. The clients take turns: a client that had its turn moves to the end of the map. */
function openClientQueues<T extends Waiting>(): FairQueue<T> {
  const clients = new Map<string, LinkedQueue<T>>()
  let size = 0

  function nextClient(): [string, LinkedQueue<T>] | undefined {
    for (const [client, queue] of clients) {
      if (queue.size > 0) return [client, queue]
      clients.delete(client)
    }
    return undefined
  }

  return {
    get size() {
      return size
    },
    sizeOf: client => clients.get(client)?.size ?? 0,
    add(entry) {
      const queue = clients.get(entry.client) ?? openLinkedQueue<T>()
      clients.set(entry.client, queue)
      const leave = queue.join(entry)
      size++
      return () => {
        const before = queue.size
        leave()
        size -= before - queue.size
      }
    },
    next: () => nextClient()?.[1].first,
    take() {
      const next = nextClient()
      if (!next) return undefined
      const [client, queue] = next
      const entry = queue.take()
      size--
      clients.delete(client)
      if (queue.size > 0) clients.set(client, queue)
      return entry
    },
  }
}

/** A quantity, such as bytes or places, that all clients share. */
interface Shares {
  enter(client: Client): Share
}

export interface Share {
  /** Takes an amount. @returns false, and takes nothing, if too little is left */
  take(amount: number): boolean
  /** Gives back the whole share; further calls have no effect. */
  leave(): void
}

/**
 * Opens a quantity for sharing. All clients without a token together may take half of it.
 * @param maxOfAll limit for all clients together
 * @param maxOfClient limit for one client
 */
export function openShares(maxOfAll: number, maxOfClient: number): Shares {
  let taken = 0
  let ofUnknown = 0
  const byClient = new Map<string, number>()

  return {
    enter({ key, isKnown }) {
      let own = 0
      let isOver = false

      function add(amount: number): void {
        own += amount
        taken += amount
        if (!isKnown) ofUnknown += amount
        const sum = (byClient.get(key) ?? 0) + amount
        if (sum === 0) byClient.delete(key)
        else byClient.set(key, sum)
      }

      return {
        take(amount) {
          if (isOver) return true
          // Nothing is refused while no other share has taken anything: the caller limits a single share itself.
          const isFull = (used: number, limit: number) => used > own && used + amount > limit
          const full =
            isFull(taken, maxOfAll) ||
            isFull(byClient.get(key) ?? 0, maxOfClient) ||
            (!isKnown && isFull(ofUnknown, maxOfAll / 2))
          if (!full) add(amount)
          return !full
        },
        leave() {
          if (!isOver) add(-own)
          isOver = true
        },
      }
    },
  }
}
