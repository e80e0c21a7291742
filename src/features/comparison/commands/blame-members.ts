import { text } from '../../../cli/arguments/option-table.js'
import { parseOptionalVersion, recordId } from '../../../cli/arguments/record-arguments.js'
import { defineCommand } from '../../../cli/command.js'
import { type Column, printTable } from '../../../cli/output/table.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { revisionOf } from '../../../cli/sessions/local-repository.js'
import { formatInstant, formatSecond, parseId } from '../../../core/value-types.js'
import { openDiffAndBlame } from '../open-comparison.js'
import type { Blame } from '../revisions/document-blame.js'

export const blameCommand = defineCommand({
  positionals: { id: recordId },
  options: {
    version: { ...text, describe: 'Default: the newest' },
  },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.id, 'The id')
    const wanted = parseOptionalVersion(argv.version)
    const { members, version, type, cut } = await withServices(argv, context, services =>
      openDiffAndBlame(services.parts).blame(revisionOf(services, id, wanted)),
    )
    if (argv.json) {
      const shown = members.map(member => ({ ...member, time: formatInstant(member.time) }))
      return terminal.printJson({ version, type, members: shown, ...(cut && { cut }) })
    }
    await printTable(terminal, members, columns)
    if (cut)
      terminal.note(`Versions before ${cut} were not compared: members of version ${cut} may be older.`)
  },
})

const columns: readonly Column<Blame['members'][number]>[] = [
  { title: 'VERSION', value: member => String(member.version) },
  { title: 'COMMIT', value: member => member.commit.slice(0, 10) },
  { title: 'TIME', value: member => formatSecond(member.time) },
  { title: 'AUTHOR', value: member => member.author },
  {
    title: 'MEMBER',
    value: member => (member.path === '' ? '(the whole)' : member.path),
    identifies: true,
  },
]
