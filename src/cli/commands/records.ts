import { findingLine } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import { defaultPageSize } from '../../core/records/list-page.js'
import { identifierTypeOf } from '../../core/records/record.js'
import { type Id, parseId, parseVersion, type Version } from '../../core/value-types.js'
import { readInput } from '../arguments/input-file.js'
import type { CommonOptions, Parser } from '../arguments/shared-options.js'
import { type CommandContext, UsageError } from '../command-context.js'
import { exitCodes } from '../output/exit-codes.js'
import { type Column, tableLines } from '../output/table.js'
import { readSchema, withSession } from '../sessions/local-or-remote.js'
import type { RecordSummary, Session } from '../sessions/session.js'

/** register, add, update, get, list, validate: on a data folder or on a running server. */
export function withRecordCommands(parser: Parser, program: CommandContext): Parser {
  const { terminal } = program
  const tag = {
    type: 'string',
    requiresArg: true,
    describe: 'Only if the current state is still the one of this commit (its ETag)',
  } as const
  const schemaVersion = {
    type: 'string',
    requiresArg: true,
    describe: 'Version of the schema; by default the newest',
  } as const

  parser.command(
    'register <schemaId> <file>',
    'Register a schema, with the files it refers to',
    y =>
      y
        .positional('schemaId', { type: 'string', demandOption: true, describe: 'Id of the new schema' })
        .positional('file', { type: 'string', demandOption: true, describe: 'JSON Schema or XSD' }),
    async argv => {
      const id = parseId(argv.schemaId, 'The schema id')
      const upload = await readSchema(argv, argv.file)
      const entry = await withSession(argv, program, session => session.register(id, upload))
      await announce(program, argv, entry, 'Registered')
    },
  )

  parser.command(
    'add <schemaId> <resource> <file>',
    'Add a metadata document that describes a resource',
    y =>
      y
        .positional('schemaId', {
          type: 'string',
          demandOption: true,
          describe: 'Schema the document follows',
        })
        .positional('resource', {
          type: 'string',
          demandOption: true,
          describe: 'Identifier of what it describes: a DOI, an URL…',
        })
        .positional('file', {
          type: 'string',
          demandOption: true,
          describe: 'The document; - is standard input',
        })
        .option('id', {
          type: 'string',
          requiresArg: true,
          describe: 'Id of the new record; by default a UUID',
        })
        .option('schema-version', schemaVersion)
        .option('resource-type', {
          type: 'string',
          requiresArg: true,
          describe: 'URL, DOI, HANDLE, ISBN…; by default as the identifier looks',
        }),
    async argv => {
      const metadata = {
        id: argv.id === undefined ? undefined : parseId(argv.id, 'The id'),
        schemaId: parseId(argv.schemaId, 'The schema id'),
        schemaVersion: versionOf(argv.schemaVersion),
        resource: {
          identifier: argv.resource,
          identifierType: argv.resourceType ?? typeOfResource(argv.resource),
        },
        document: await readInput(argv.file),
      }
      const entry = await withSession(argv, program, session => session.add(metadata))
      await announce(program, argv, entry, 'Added')
    },
  )

  parser.command(
    'update <id> <file>',
    'Store the next version of a schema or metadata document',
    y =>
      y
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Id of the schema or metadata record',
        })
        .positional('file', {
          type: 'string',
          demandOption: true,
          describe: 'The new document; - is standard input',
        })
        .option('schema', {
          type: 'string',
          requiresArg: true,
          describe: 'Metadata only: the schema it follows from now on; by default the same',
        })
        .option('schema-version', { ...schemaVersion, describe: 'Metadata only: version of the schema' })
        .option('if-match', tag),
    async argv => {
      const id = parseId(argv.id, 'The id')
      const schemaId = argv.schema === undefined ? undefined : parseId(argv.schema, 'The schema id')
      const version = versionOf(argv.schemaVersion)
      const { before, after } = await withSession(argv, program, async session => {
        const current = await session.find(id)
        if (current.kind === 'metadata') {
          const change = { document: await readInput(argv.file), schemaId, schemaVersion: version }
          return { before: current, after: await session.reviseMetadata(id, change, argv.ifMatch) }
        }
        if (schemaId !== undefined || version !== undefined) {
          throw new UsageError(`"${id}" is a schema: --schema and --schema-version are for metadata.`)
        }
        const upload = await readSchema(argv, argv.file)
        return { before: current, after: await session.reviseSchema(id, upload, argv.ifMatch) }
      })
      const same = before.commit === after.commit
      await announce(program, argv, after, same ? 'Nothing changed:' : 'Updated')
    },
  )

  parser.command(
    'get <id>',
    'Write a document to standard output, byte for byte',
    y =>
      y
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Id of the schema or metadata record',
        })
        .option('version', { type: 'string', requiresArg: true, describe: 'By default the newest' })
        .option('record', { type: 'boolean', default: false, describe: 'The record instead, as JSON' }),
    async argv => {
      const id = parseId(argv.id, 'The id')
      await withSession(argv, program, async session => {
        const entry = await session.find(id, versionOf(argv.version))
        if (argv.record) await terminal.printJson(await session.record(entry))
        else await terminal.write(await session.document(entry))
      })
    },
  )

  parser.command(
    'list [what]',
    'List schemas or metadata, newest versions',
    y =>
      y
        .positional('what', { choices: ['schemas', 'metadata'] as const, describe: 'By default metadata' })
        .option('schema', {
          type: 'string',
          array: true,
          requiresArg: true,
          describe: 'Metadata that follows it',
        })
        .option('resource', {
          type: 'string',
          array: true,
          requiresArg: true,
          describe: 'Metadata that describes it',
        })
        .option('type', { choices: ['JSON', 'XML'] as const, describe: 'Schemas of this language' })
        .option('from', { type: 'string', requiresArg: true, describe: 'Updated after this time' })
        .option('until', { type: 'string', requiresArg: true, describe: 'Updated before this time' })
        .option('search', {
          type: 'string',
          requiresArg: true,
          conflicts: ['schema', 'resource', 'type', 'from', 'until'],
          describe: 'Has all these words, in record or document; of both kinds where none is named',
        })
        .option('page', { type: 'number', requiresArg: true, default: 0, describe: 'From 0' })
        .option('size', {
          type: 'number',
          requiresArg: true,
          default: defaultPageSize,
          describe: 'Entries a page',
        }),
    async argv => {
      const { page, size, search, what } = argv
      const kind = what === 'schemas' ? 'schema' : 'metadata'
      if (!Number.isSafeInteger(page) || page < 0)
        throw new UsageError('--page has to be a whole number from 0.')
      if (!Number.isSafeInteger(size) || size < 1)
        throw new UsageError('--size has to be a whole number from 1.')
      if (kind === 'schema' && (argv.schema ?? argv.resource) !== undefined) {
        throw new UsageError('--schema and --resource are for metadata.')
      }
      if (kind === 'metadata' && argv.type !== undefined) throw new UsageError('--type is for schemas.')
      const types: readonly DocumentType[] = argv.type === undefined ? [] : [argv.type]
      const { schema: schemaIds = [], resource: resources = [], from, until } = argv
      const { entries, total } = await withSession(argv, program, session =>
        search === undefined
          ? session.list(kind, { types, schemaIds, resources, from, until, page, size })
          : session.search(search, what && kind, page, size),
      )
      if (argv.json) return terminal.printJson({ total, entries })
      if (entries.length === 0)
        return terminal.note(total === 0 ? 'None.' : `No page ${page}: there are ${total}.`)
      const bothKinds = search !== undefined && what === undefined
      await printTable(program, entries, bothKinds ? foundColumns : columnsOf[kind])
      if (total > entries.length) {
        const first = page * size + 1
        const last = first + entries.length - 1
        terminal.note(
          `${first} to ${last} of ${total}${last < total ? `; --page ${page + 1} has more` : ''}.`,
        )
      }
    },
  )

  parser.command(
    'validate <schemaId> <files..>',
    'Say whether documents are valid, storing nothing',
    y =>
      y
        .positional('schemaId', {
          type: 'string',
          demandOption: true,
          describe: 'Schema to validate against',
        })
        .positional('files', { type: 'string', array: true, demandOption: true, describe: 'The documents' })
        .option('version', schemaVersion),
    async argv => {
      const id = parseId(argv.schemaId, 'The schema id')
      const version = versionOf(argv.version)
      const verdicts = await withSession(argv, program, session =>
        verdictsOf(program, session, id, version, argv.files),
      )
      if (verdicts.some(({ findings }) => findings.length > 0)) program.finish(exitCodes.invalid)
      if (argv.json) {
        await terminal.printJson(
          verdicts.map(({ file, findings }) => ({ file, valid: findings.length === 0, findings })),
        )
        return
      }
      for (const { file, findings } of verdicts) {
        const valid = findings.length === 0
        await terminal.print(
          `${valid ? terminal.paint('green', 'valid  ') : terminal.paint('red', 'invalid')}  ${file}`,
        )
        for (const finding of findings) await terminal.print(`  ${findingLine(finding)}`)
      }
    },
  )

  return parser
}

async function verdictsOf(
  { terminal }: CommandContext,
  session: Session,
  id: Id,
  version: Version | undefined,
  files: readonly string[],
) {
  const bar = terminal.progress('validate')
  const verdicts = []
  try {
    for (const file of files) {
      bar.show(verdicts.length, files.length)
      verdicts.push({ file, findings: await session.validate(id, version, await readInput(file)) })
    }
  } finally {
    bar.end()
  }
  return verdicts
}

/** Says what has been stored. @param verb what was done with it */
export async function announce(
  { terminal }: CommandContext,
  { json }: CommonOptions,
  entry: RecordSummary,
  verb: string,
): Promise<void> {
  if (json) return terminal.printJson(entry)
  const what = entry.kind === 'schema' ? 'schema' : 'metadata'
  const follows = entry.schema && ` (${entry.schema.schemaId}, version ${entry.schema.version})`
  const commit = entry.commit && `, commit ${entry.commit.slice(0, 10)}`
  await terminal.print(
    `${verb} ${what} ${terminal.paint('bold', entry.id)}, version ${entry.version}${follows ?? ''}${commit ?? ''}`,
  )
}

const column = {
  kind: { title: 'KIND', value: entry => entry.kind },
  id: { title: 'ID', value: entry => entry.id, identifies: true },
  version: { title: 'VERSION', value: entry => String(entry.version) },
  type: { title: 'TYPE', value: entry => entry.type ?? '' },
  schema: {
    title: 'SCHEMA',
    value: ({ schema }) => (schema ? `${schema.schemaId}, version ${schema.version}` : ''),
  },
  lastUpdate: { title: 'LAST UPDATE', value: entry => entry.lastUpdate },
  describes: { title: 'DESCRIBES', value: entry => (entry.resources ?? []).join(', ') },
} satisfies Record<string, Column<RecordSummary>>

const { id, version, lastUpdate, schema, describes } = column
const columnsOf = {
  schema: [id, version, column.type, lastUpdate],
  metadata: [id, version, schema, lastUpdate, describes],
}
const foundColumns = [column.kind, id, version, schema, lastUpdate, describes]

/** Prints rows under their titles; the titles are dim where a person looks. */
export async function printTable<Row>(
  { terminal }: CommandContext,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<void> {
  const [titles = '', ...lines] = tableLines(rows, columns, terminal.columns)
  await terminal.print(terminal.paint('dim', titles))
  for (const line of lines) await terminal.print(line)
}

function versionOf(text: string | undefined): Version | undefined {
  return text === undefined ? undefined : parseVersion(text)
}

/** A person may leave out what the identifier itself tells. */
function typeOfResource(identifier: string): string {
  return /^10\.\d{4,9}\//.test(identifier) ? 'DOI' : identifierTypeOf({ value: identifier })
}
