import type { Config } from '../config.js'
import { once } from '../core/data-structures/lazy-value.js'
import { openEmbeddedEngine } from '../search/embedded-engine.js'
import type { SearchEngine } from '../search/search-engine.js'
import type { RecordsAtPoint } from '../service/record-history/read-at-point.js'
import { openSearch, type SearchService } from '../service/search/search.js'
import type { ComposeOptions, OnClose, Parts } from './open-parts.js'

/** Milliseconds that the search of a command waits for the index. */
const patienceOfCommands = 10 * 60 * 1000

/**
 * Opens the search. A server keeps its index at the branch; a command opens the index when it searches.
 * @returns undefined where the configuration has no search
 */
export function openConfiguredSearch(
  { search, searchText }: Config,
  { report, serving = false }: Pick<ComposeOptions, 'report' | 'serving'>,
  { repository, catalog }: Pick<Parts, 'repository' | 'catalog'>,
  past: Pick<RecordsAtPoint, 'find'>,
  onClose: OnClose,
): SearchService | undefined {
  if (search === 'none') return undefined
  let opened: SearchEngine | undefined
  onClose(async () => await opened?.close())
  const engine = once(() => {
    opened = openEmbeddedEngine({
      catalog,
      objects: repository.objects,
      folder: repository.ownDir,
      gitDir: repository.gitDir,
      textLimit: search === 'full' ? searchText : 0,
      report,
    })
    return opened
  })
  if (serving) engine()
  return openSearch({ catalog, past, engine, patience: serving ? 0 : patienceOfCommands })
}
