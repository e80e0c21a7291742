import type { Catalog } from '../../../catalog/catalog.js'
import { openHeadChangeNotifier } from '../../../catalog/follow/head-change-notifier.js'
import type { Oid } from '../../../core/value-types.js'
import { waitFor } from '../../search/wait-for.js'

export type ReflectedCommit = ReturnType<typeof openReflectedCommit>

/** The commit that searches reflect, and the calls that wait for one. */
export function openReflectedCommit(chain: Catalog['chain']) {
  const moves = openHeadChangeNotifier()
  let reflected: Oid | undefined
  let movedAt = Number.NEGATIVE_INFINITY

  function hasReached(commit: Oid): boolean {
    const [here, wanted] = [reflected, commit].map(oid => oid && chain.positionOf(oid))
    return here !== undefined && wanted !== undefined && here >= wanted
  }

  return {
    /** Undefined: there is nothing to search in. */
    commit: () => reflected,
    /** Milliseconds since the last move. */
    age: () => performance.now() - movedAt,
    moveTo(commit: Oid | undefined): void {
      reflected = commit
      movedAt = performance.now()
      moves.notify()
    },
    /** @see SearchEngine.waitFor */
    waitFor: (commit: Oid, milliseconds: number, signal: AbortSignal) =>
      waitFor(() => hasReached(commit), moves, milliseconds, signal),
  }
}
