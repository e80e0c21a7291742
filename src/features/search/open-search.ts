import type { CoreParts } from '../../compose/compose.js'
import { once } from '../../core/data-structures/lazy-value.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { FeatureGauge } from '../../service/operations/feature-hooks.js'
import { openEmbeddedEngine } from './embedded-engine.js'
import type { FindLimits } from './find/find-jobs.js'
import { openSearch, type SearchService } from './requests/search-service.js'
import type { SearchEngine } from './search-engine.js'

/** The search of a service. */
export interface SearchState extends SearchService, Pick<CoreParts, 'describeEach' | 'listDescription'> {
  /** Lets another engine answer. Call it while features are opened. @param open gets what opens the embedded one */
  replaceEngine(open: (embedded: () => SearchEngine) => SearchEngine): void
}

export interface SearchSettings {
  /** What searches find: nothing (there is no search), records alone, or records and documents. */
  readonly scope: 'none' | 'record' | 'full'
  /** Limit of the indexed text of a document, in characters. */
  readonly textLimit: number
  /** Limits of the work of one search, if they differ from the defaults. Tests lower them. */
  readonly limits?: Partial<FindLimits>
}

/** The settings of a command, which takes the index as the server has made it. */
export const searchOfCommand: SearchSettings = { scope: 'full', textLimit: 2 ** 20 }

/** Limit of the milliseconds that the search of a command waits for the search index. */
const patienceOfCommands = 10 * 60 * 1000

type SearchParts = Pick<
  CoreParts,
  | 'repository'
  | 'catalog'
  | 'past'
  | 'serving'
  | 'report'
  | 'describeModule'
  | 'describeEach'
  | 'listDescription'
>

/** Opens the search of a service. */
export function openSearchFeature(
  parts: SearchParts,
  settings: SearchSettings,
): OpenFeature<SearchState | undefined> {
  return settings.scope === 'none' ? {} : openSearchState(parts, settings)
}

/** A server keeps its index up to date with the branch; a command opens the index when it searches. */
export function openSearchState(
  { repository, catalog, past, serving, report, describeModule, describeEach, listDescription }: SearchParts,
  { scope, textLimit, limits = {} }: SearchSettings,
) {
  const ownLimit = scope === 'full' ? textLimit : 0
  let openEngine = (embedded: () => SearchEngine) => embedded()
  let opened: SearchEngine | undefined
  const closing = new AbortController()
  const engine = once(() => {
    opened = openEngine(() =>
      openEmbeddedEngine({
        ...{ catalog, objects: repository.objects, folder: repository.ownDir, gitDir: repository.gitDir },
        // A command without a limit of its own takes the index as the server has made it.
        textLimit: serving || ownLimit !== searchOfCommand.textLimit ? ownLimit : undefined,
        ...{ limits, report, describeModule },
      }),
    )
    return opened
  })
  const patience = serving ? 0 : patienceOfCommands
  const service = openSearch({ catalog, past, engine, patience, closing: closing.signal })
  const state: SearchState = {
    ...service,
    describeEach,
    listDescription,
    replaceEngine(open) {
      openEngine = open
    },
  }
  return {
    state,
    ...(serving && { health: () => ({ search: service.progress() }), gauges: gaugesOf(service) }),
    start: () => void engine(),
    async close() {
      closing.abort()
      await opened?.close()
    },
  }
}

function gaugesOf({ progress }: SearchService): readonly FeatureGauge[] {
  return [
    {
      name: 'search_lag_revisions',
      help: 'Revisions that searches do not find yet.',
      read: () => progress().lag,
    },
    {
      name: 'search_lag_commits',
      help: 'Commits that searches do not reflect yet.',
      read: () => progress().lagCommits,
    },
    {
      name: 'search_lag_seconds',
      help: 'Time since the oldest revision was stored that searches do not find yet.',
      read: () => progress().lagSeconds,
    },
    {
      name: 'search_failing',
      help: '1 if the search index or cluster could not be brought up to date; 0 otherwise.',
      read: () => Number(progress().lastError !== undefined),
    },
  ]
}
