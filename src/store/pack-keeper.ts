import type { Repository } from './repository.js'

/** Merges packs in the background before they are many. */
export interface PackKeeper {
  /** Says that a flush made a pack. */
  added(name: string): void
  /** Starts merging where it is due and nothing is under way. */
  tend(): void
  settled(): Promise<void>
  close(): Promise<void>
}

export function openPackKeeper(_repository: Repository, _report: (line: string) => void): PackKeeper {
  return { added() {}, tend() {}, async settled() {}, async close() {} }
}
