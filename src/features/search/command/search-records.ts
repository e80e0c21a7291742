import { number, text, texts } from '../../../cli/arguments/option-table.js'
import type { CommonOptions } from '../../../cli/arguments/shared-options.js'
import { requireWholeNumber } from '../../../cli/arguments/whole-number.js'
import { defineCommand } from '../../../cli/command.js'
import type { CommandContext } from '../../../cli/command-context.js'
import { recordColumns } from '../../../cli/commands/records/list.js'
import { type Column, notePage, type Page, printTable } from '../../../cli/output/table.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import type { Collection } from '../../../core/records/collection.js'
import { defaultPageSize } from '../../../core/records/list-page.js'
import { withoutDocumentPrefix } from '../search-condition.js'
import type { FoundRecord, SearchPage, SearchQuery } from './search-server.js'

export const searchCommand = defineCommand({
  takesUrl: true,
  positionals: {
    query: {
      type: 'string',
      array: true,
      default: [] as readonly string[],
      describe: 'Words; default: everything',
    },
  },
  options: {
    kind: { choices: ['metadata', 'schema', 'both'], default: 'both', describe: 'What to search' },
    schema: { ...texts, describe: 'Only metadata with this schema; repeatable' },
    resource: { ...texts, describe: 'Only metadata that describes this resource; repeatable' },
    state: { ...texts, describe: 'Only records in this state, such as FIXED; repeatable' },
    year: { ...texts, describe: 'Only records published in this year, or in 2020..2024; repeatable' },
    language: { ...texts, describe: 'Only records in this language; repeatable' },
    licence: { ...texts, describe: 'Only records with this licence, such as CC0-1.0; repeatable' },
    creator: { ...texts, describe: 'Only records of this creator; repeatable' },
    type: { ...texts, describe: 'Only documents and schemas in this language: JSON or XML; repeatable' },
    from: { ...text, describe: 'Only records updated after this time' },
    until: { ...text, describe: 'Only records updated before this time' },
    sort: {
      ...text,
      describe:
        'score, lastUpdate, id, title, schema or version, with ,asc or ,desc; default: score, or the newest first',
    },
    facets: { ...text, describe: 'Count the values of these fields: schema,year' },
    at: { ...text, describe: 'Search as of a commit, a tag or a time' },
    page: { ...number, default: 0, describe: 'Number of the page, from 0' },
    size: { ...number, default: defaultPageSize, describe: 'Entries in a page' },
  },
  async run(argv, context) {
    const { terminal } = context
    const { schema, resource, state, year, language, licence, creator, type, page, size } = argv
    requireWholeNumber('page', page, 0)
    requireWholeNumber('size', size, 1)
    const kinds: readonly Collection[] = argv.kind === 'both' ? ['metadata', 'schema'] : [argv.kind]
    const all = { schema, resource, state, year, language, licence, creator, type }
    const query: SearchQuery = {
      text: argv.query.join(' '),
      kinds,
      narrowing: Object.fromEntries(Object.entries(all).filter(([, values]) => values !== undefined)),
      ...{ from: argv.from, until: argv.until, sort: argv.sort, page, size, at: argv.at },
      facets:
        argv.facets
          ?.split(',')
          .map(name => name.trim())
          .filter(Boolean) ?? [],
    }
    const found = await search(argv, context, query)
    if (argv.json) return terminal.printJson(found)
    await printFound(terminal, found, argv)
  },
})

/** Searches the data folder or the server that the options name. Loads only the modules that this needs. */
async function search(
  options: CommonOptions,
  program: CommandContext,
  query: SearchQuery,
): Promise<SearchPage> {
  if (options.url !== undefined) {
    const { searchServer } = await import('./search-server.js')
    return await searchServer(options.url, query)
  }
  const { searchFolder } = await import('./search-folder.js')
  return await withServices(options, program, ({ parts }) => searchFolder(parts, query))
}

async function printFound(
  terminal: Terminal,
  found: SearchPage,
  page: Page & { readonly at?: string | undefined },
): Promise<void> {
  const { entries, total, totalIs, notes, upToDate, facetsAre, facets: { more = {}, ...facets } = {} } = found
  if (entries.length > 0) await printTable(terminal, entries, columns)
  const values = Object.entries(facets).flatMap(([facet, counts]) => [
    ...('tooMany' in counts ? [] : counts.map(({ value, count }) => ({ facet, value, count }))),
    ...(facet in more ? [{ facet, value: '(others)', count: more[facet] ?? 0 }] : []),
  ])
  if (values.length > 0) await printTable(terminal, values, facetColumns)
  if (facetsAre) terminal.note('So many records match that facets count only the newest of them.')
  for (const note of notes) terminal.note(note)
  // A search at a former point is not up to date, but it misses nothing of that point.
  if (!upToDate && page.at === undefined)
    terminal.note('The newest changes are still being indexed and may be missing.')
  notePage(terminal, page, entries.length, total, totalIs)
}

const columns: readonly Column<FoundRecord>[] = [
  { title: 'KIND', value: entry => entry.kind },
  recordColumns.id,
  recordColumns.version,
  recordColumns.schema,
  recordColumns.lastUpdate,
  { title: 'MATCH', value: matchOf },
]

const facetColumns: readonly Column<{
  readonly facet: string
  readonly value: string
  readonly count: number
}>[] = [
  { title: 'FACET', value: ({ facet }) => facet },
  { title: 'VALUE', value: ({ value }) => value, identifies: true },
  { title: 'RECORDS', value: ({ count }) => String(count) },
]

/** The first passage that matches, after the name of its field. */
function matchOf({ highlight = {} }: FoundRecord): string {
  const [first] = Object.entries(highlight)
  if (!first) return ''
  const [field, [passage]] = first
  const text = passage?.text ?? ''
  if (field === 'document') return text
  return `${withoutDocumentPrefix(field)}: ${text}`
}
