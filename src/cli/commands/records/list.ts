import type { DocumentType } from '../../../core/records/collection.js'
import { defaultPageSize } from '../../../core/records/list-page.js'
import { number, text, texts } from '../../arguments/option-table.js'
import { requireWholeNumber } from '../../arguments/whole-number.js'
import { defineCommand } from '../../command.js'
import { UsageError } from '../../command-context.js'
import { type Column, notePage, printTable, timeCell } from '../../output/table.js'
import { withSession } from '../../sessions/local-or-remote.js'
import type { RecordSummary } from '../../sessions/session.js'

export const listCommand = defineCommand({
  takesUrl: true,
  positionals: {
    what: { choices: ['schemas', 'metadata'], describe: 'Default: metadata' },
  },
  options: {
    schema: { ...texts, describe: 'Only metadata with this schema; repeatable' },
    resource: { ...texts, describe: 'Only metadata that describes this resource; repeatable' },
    type: { choices: ['JSON', 'XML'], describe: 'Only schemas of this language' },
    from: { ...text, describe: 'Only records updated after this time' },
    until: { ...text, describe: 'Only records updated before this time' },
    page: { ...number, default: 0, describe: 'Number of the page, from 0' },
    size: { ...number, default: defaultPageSize, describe: 'Entries in a page' },
  },
  async run(argv, context) {
    const { terminal } = context
    const { page, size, what } = argv
    const kind = what === 'schemas' ? 'schema' : 'metadata'
    requireWholeNumber('page', page, 0)
    requireWholeNumber('size', size, 1)
    if (kind === 'schema' && (argv.schema ?? argv.resource) !== undefined) {
      throw new UsageError('--schema and --resource are for metadata.')
    }
    if (kind === 'metadata' && argv.type !== undefined) throw new UsageError('--type is for schemas.')
    const types: readonly DocumentType[] = argv.type === undefined ? [] : [argv.type]
    const { schema: schemaIds = [], resource: resources = [], from, until } = argv
    const { entries, total } = await withSession(argv, context, session =>
      session.list(kind, { types, schemaIds, resources, from, until, page, size }),
    )
    if (argv.json) return terminal.printJson({ total, entries })
    if (entries.length > 0) await printTable(terminal, entries, columnsOf[kind])
    for (const { id } of entries.filter(({ isBroken }) => isBroken))
      terminal.note(
        `${id}: its newest commit breaks a rule and is not served. What is wrong: git-metastore status`,
      )
    notePage(terminal, argv, entries.length, total)
  },
})

export const recordColumns = {
  id: { title: 'ID', value: entry => entry.id, identifies: true },
  version: { title: 'VERSION', value: entry => String(entry.version) },
  type: { title: 'TYPE', value: entry => entry.type ?? '' },
  schema: {
    title: 'SCHEMA',
    value: ({ schema }) => (schema ? `${schema.schemaId}, version ${schema.version}` : ''),
  },
  lastUpdate: { title: 'LAST UPDATE', value: entry => timeCell(entry.lastUpdate) },
  describes: { title: 'DESCRIBES', value: entry => (entry.resources ?? []).join(', ') },
} satisfies Record<string, Column<RecordSummary>>

const { id, version, type, lastUpdate, schema, describes } = recordColumns
const columnsOf = {
  schema: [id, version, type, lastUpdate],
  metadata: [id, version, schema, lastUpdate, describes],
}
