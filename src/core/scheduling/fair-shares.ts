import type { Client } from '../access-control.js'

/** A quantity, such as bytes or places, that all clients share. */
export interface Shares {
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
