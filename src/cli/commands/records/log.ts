import { findingLine } from '../../../core/problem.js'
import { formatInstant, formatSecond, parseId } from '../../../core/value-types.js'
import type { LogEntry } from '../../../service/record-history/record-log.js'
import { recordId } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { type Column, printTable } from '../../output/table.js'
import { withServices } from '../../sessions/local-or-remote.js'

export const logCommand = defineCommand({
  positionals: { id: recordId },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.id, 'The id')
    const entries = await withServices(argv, context, services => services.audit.log(id))
    if (argv.json) {
      return terminal.printJson(entries.map(entry => ({ ...entry, time: formatInstant(entry.time) })))
    }
    await printTable(terminal, entries, columns)
    for (const { commit, findings = [] } of entries) {
      for (const finding of findings) terminal.note(`${commit.slice(0, 10)}: ${findingLine(finding)}`)
    }
  },
})

const columns: readonly Column<LogEntry>[] = [
  { title: 'COMMIT', value: entry => entry.commit.slice(0, 10), identifies: true },
  { title: 'TIME', value: entry => formatSecond(entry.time) },
  { title: 'VERSION', value: entry => (entry.version === undefined ? '' : String(entry.version)) },
  { title: 'AUTHOR', value: entry => entry.author.name },
  {
    title: 'SUBJECT',
    value: entry => (entry.findings === undefined ? entry.subject : `${entry.subject} (not served)`),
  },
]
