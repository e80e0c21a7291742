import { findingLine } from '../../core/problem.js'
import { formatInstant, parseId, parseVersion } from '../../core/value-types.js'
import type { Blame } from '../../service/record-history/diff-and-blame.js'
import type { LogEntry } from '../../service/record-history/record-log.js'
import type { Parser } from '../arguments/shared-options.js'
import type { CommandContext } from '../command-context.js'
import type { Column } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { withServices } from '../sessions/local-or-remote.js'
import { revisionOf } from '../sessions/local-repository.js'
import { printTable } from './records.js'

/** log, diff, blame: on a data folder. */
export function withHistoryCommands(parser: Parser, program: CommandContext): Parser {
  const { terminal } = program

  parser.command(
    'log <id>',
    'List every revision of a record, newest first',
    y =>
      y.positional('id', {
        type: 'string',
        demandOption: true,
        describe: 'Id of the schema or metadata record',
      }),
    async argv => {
      const id = parseId(argv.id, 'The id')
      const entries = await withServices(argv, program, services => services.audit.log(id))
      if (argv.json) {
        return terminal.printJson(entries.map(entry => ({ ...entry, time: formatInstant(entry.time) })))
      }
      await printTable(program, entries, logColumns)
      for (const { commit, findings = [] } of entries) {
        for (const finding of findings) terminal.note(`${commit.slice(0, 10)}: ${findingLine(finding)}`)
      }
    },
  )

  parser.command(
    'diff <id> <from> <to>',
    'Show what changed between two versions of a record',
    y =>
      y
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Id of the schema or metadata record',
        })
        .positional('from', { type: 'string', demandOption: true, describe: 'The one version' })
        .positional('to', { type: 'string', demandOption: true, describe: 'The other version' })
        .option('json-patch', {
          type: 'boolean',
          default: false,
          describe: 'Print the changes of a JSON document as a JSON Patch (RFC 6902)',
        }),
    async argv => {
      const id = parseId(argv.id, 'The id')
      const from = parseVersion(argv.from)
      const to = parseVersion(argv.to)
      if (argv.jsonPatch) {
        const patch = await withServices(argv, program, services =>
          services.lineage.patch(revisionOf(services, id, from), revisionOf(services, id, to)),
        )
        return terminal.printJson(JSON.parse(patch))
      }
      const text = await withServices(argv, program, services => services.audit.diff(id, from, to))
      if (argv.json) return terminal.printJson({ id, from, to, diff: text })
      if (text === '') return terminal.note('No difference.')
      for (const line of text.replace(/\n$/, '').split('\n')) await terminal.print(paintDiff(terminal, line))
    },
  )

  parser.command(
    'blame <id>',
    'Say of each member of a document which version changed it last, and who made that',
    y =>
      y
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Id of the schema or metadata record',
        })
        .option('version', { type: 'string', requiresArg: true, describe: 'Default: the newest' }),
    async argv => {
      const id = parseId(argv.id, 'The id')
      const wanted = argv.version === undefined ? undefined : parseVersion(argv.version)
      const { members, version, type, cut } = await withServices(argv, program, services =>
        services.lineage.blame(revisionOf(services, id, wanted)),
      )
      if (argv.json) {
        const shown = members.map(member => ({ ...member, time: formatInstant(member.time) }))
        return terminal.printJson({ version, type, members: shown, ...(cut && { cut }) })
      }
      await printTable(program, members, blameColumns)
      if (cut) terminal.note(`No version before ${cut} was looked at: what is said to be of it may be older.`)
    },
  )

  return parser
}

const logColumns: readonly Column<LogEntry>[] = [
  { title: 'COMMIT', value: entry => entry.commit.slice(0, 10), identifies: true },
  { title: 'TIME', value: entry => formatInstant(entry.time) },
  { title: 'VERSION', value: entry => (entry.version === undefined ? '' : String(entry.version)) },
  { title: 'AUTHOR', value: entry => entry.author.name },
  {
    title: 'SUBJECT',
    value: entry => (entry.findings === undefined ? entry.subject : `${entry.subject} (not served)`),
  },
]

const blameColumns: readonly Column<Blame['members'][number]>[] = [
  { title: 'VERSION', value: member => String(member.version) },
  { title: 'COMMIT', value: member => member.commit.slice(0, 10) },
  { title: 'TIME', value: member => formatInstant(member.time) },
  { title: 'AUTHOR', value: member => member.author },
  {
    title: 'MEMBER',
    value: member => (member.path === '' ? '(the whole)' : member.path),
    identifies: true,
  },
]

function paintDiff(terminal: Terminal, line: string): string {
  if (/^(\+\+\+|---|===)/.test(line)) return terminal.paint('bold', line)
  if (line.startsWith('@@')) return terminal.paint('cyan', line)
  if (line.startsWith('+')) return terminal.paint('green', line)
  return line.startsWith('-') ? terminal.paint('red', line) : line
}
