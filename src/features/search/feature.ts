import { number } from '../../cli/arguments/option-table.js'
import { serveGroup as group } from '../../cli/arguments/shared-options.js'
import type { CoreParts } from '../../compose/compose.js'
import { defineFeature } from '../../feature.js'
import type { SearchState } from './open-search.js'

const scopes = ['none', 'record', 'full'] as const

/** Full-text search in records and documents, with facets and suggestions. @see docs/use/search.md */
export const search = defineFeature({
  name: 'search',
  options: {
    search: {
      choices: scopes,
      requiresArg: true,
      default: 'full' as (typeof scopes)[number],
      group,
      describe: 'What searches find: none (no search), records alone, or records and documents in full',
    },
    'search-text': {
      ...number,
      group,
      default: 1024,
      describe: 'Kibibytes of the text of a document that searches find',
    },
  },
  commands: [
    {
      usage: 'search [query..]',
      describe: 'Find schemas and metadata by words of records and documents, and by fields',
      load: async () => (await import('./command/search-records.js')).searchCommand,
      advise(message, args) {
        // yargs reads a word that begins with a minus as options.
        const word = message.startsWith('There ') && args.find(arg => /^-[^-]/.test(arg))?.slice(1)
        return word ? `To search without a word, write NOT ${word}, or write -- before the query.` : undefined
      },
    },
  ],
  async loadRoutes() {
    const { listSearch, searchRoutes } = await import('./routes/search-routes.js')
    const { healthMembers } = await import('./routes/search-schemas.js')
    return {
      versionRoutes: searchRoutes,
      listNarrowing: listSearch,
      healthMembers,
      tags: [{ name: 'Search', description: 'Search by words, fields and paths into documents.' }],
    }
  },
  async open(parts, { search: scope, searchText }) {
    const { openSearchFeature } = await import('./open-search.js')
    return openSearchFeature(parts, { scope, textLimit: searchText * 1024 })
  },
})

/** The search, for features that need it; undefined if the server runs with `--search none`. */
export function searchOf(parts: Pick<CoreParts, 'stateOf'>): SearchState | undefined {
  return parts.stateOf('search') as SearchState | undefined
}
