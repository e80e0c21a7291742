import { argument, flag } from '../../../cli/arguments/option-table.js'
import { recordId } from '../../../cli/arguments/record-arguments.js'
import { defineCommand } from '../../../cli/command.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { revisionOf } from '../../../cli/sessions/local-repository.js'
import { parseWrittenJson } from '../../../core/json/written-number.js'
import { parseId, parseVersion } from '../../../core/value-types.js'
import { openDiffAndBlame } from '../open-comparison.js'

export const diffCommand = defineCommand({
  positionals: {
    id: recordId,
    from: { ...argument, describe: 'Version to compare' },
    to: { ...argument, describe: 'Version to compare it with' },
  },
  options: {
    'json-patch': { ...flag, describe: 'Print changes of a JSON document as a JSON Patch (RFC 6902)' },
  },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.id, 'The id')
    const from = parseVersion(argv.from)
    const to = parseVersion(argv.to)
    if (argv.jsonPatch) {
      const patch = await withServices(argv, context, services =>
        openDiffAndBlame(services.parts).patch(revisionOf(services, id, from), revisionOf(services, id, to)),
      )
      return terminal.printJson(parseWrittenJson(patch))
    }
    const text = await withServices(argv, context, ({ parts }) => openDiffAndBlame(parts).diff(id, from, to))
    if (argv.json) return terminal.printJson({ id, from, to, diff: text })
    if (text === '') return terminal.note('No difference.')
    for (const line of text.replace(/\n$/, '').split('\n')) await terminal.print(paintDiff(terminal, line))
  },
})

function paintDiff(terminal: Terminal, line: string): string {
  if (/^(\+\+\+|---|===)/.test(line)) return terminal.paint('bold', line)
  if (line.startsWith('@@')) return terminal.paint('cyan', line)
  if (line.startsWith('+')) return terminal.paint('green', line)
  return line.startsWith('-') ? terminal.paint('red', line) : line
}
