/*
 * Checks that the versions of a record in their order explain all answers to its clients: each operation takes effect
 * at one moment between its request and its answer. @see https://doi.org/10.1145/78969.78972
 */

/** A request of a client about a record, and its answer. All times are of the same clock. */
export interface Operation {
  readonly kind: 'write' | 'read' | 'refused'
  readonly asked: number
  readonly answered: number
  /** The version that was written or read; for a refusal, the version of `If-Match`. */
  readonly version: number
  readonly bytes: string
  readonly etag: string
}

/**
 * Each version follows the one before, so their order is known. The history is linearizable if this order agrees with
 * the times.
 * @returns contradictions
 */
export function linearizabilityViolations(history: readonly Operation[]): readonly string[] {
  const found: string[] = []
  const writes = new Map<number, Operation>()
  for (const operation of history.filter(({ kind }) => kind === 'write')) {
    if (writes.has(operation.version)) found.push(`version ${operation.version} was written twice`)
    writes.set(operation.version, operation)
  }
  for (const read of history.filter(({ kind }) => kind === 'read')) {
    const write = writes.get(read.version)
    if (!write) continue
    if (write.bytes !== read.bytes || write.etag !== read.etag)
      found.push(`version ${read.version} was read as something else than was written`)
    if (read.answered < write.asked) found.push(`version ${read.version} was read before anybody wrote it`)
  }
  const byAnswer = history.filter(({ kind }) => kind !== 'refused').sort((a, b) => a.answered - b.answered)
  for (const later of history) {
    const seen = Math.max(
      0,
      ...byAnswer.filter(({ answered }) => answered < later.asked).map(({ version }) => version),
    )
    if (later.kind === 'read' && later.version < seen)
      found.push(`version ${later.version} was read after version ${seen} had been seen`)
    if (later.kind === 'write' && later.version <= seen)
      found.push(`version ${later.version} was written after version ${seen} had been seen`)
    if (later.kind === 'refused' && !isOvertaken(later, writes))
      found.push(`an update of version ${later.version} was refused, which nobody had changed`)
  }
  return found
}

function isOvertaken({ version, answered }: Operation, writes: ReadonlyMap<number, Operation>): boolean {
  return [...writes.values()].some(write => write.version > version && write.asked < answered)
}
