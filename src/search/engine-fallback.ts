import { ProblemError } from '../core/problem.js'
import type { SearchEngine } from './search-engine.js'

/**
 * Answers from the second engine while the first one is unavailable. An engine rejects the cursors of the other one, so
 * a client may have to begin again at the first page.
 */
export function withFallback(first: SearchEngine, second: SearchEngine): SearchEngine {
  async function either<T>(ask: (engine: SearchEngine) => Promise<T>): Promise<T> {
    try {
      return await ask(first)
    } catch (error) {
      if (!(error instanceof ProblemError) || error.kind !== 'unavailable') throw error
      return await ask(second)
    }
  }

  return {
    search: (caller, request) => either(engine => engine.search(caller, request)),
    ...(second.searchAt && { searchAt: second.searchAt }),
    suggest: (caller, beginning, limit) => either(engine => engine.suggest(caller, beginning, limit)),
    progress: () => first.progress(),
    waitFor: (commit, milliseconds, signal) => first.waitFor(commit, milliseconds, signal),
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}
