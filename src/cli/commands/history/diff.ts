import { parseWrittenJson } from '../../../core/json/written-number.js'
import { parseId, parseVersion } from '../../../core/value-types.js'
import { argument, flag } from '../../arguments/option-table.js'
import { recordId } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import type { Terminal } from '../../output/terminal.js'
import { withServices } from '../../sessions/local-or-remote.js'
import { revisionOf } from '../../sessions/local-repository.js'

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
        services.diffAndBlame.patch(revisionOf(services, id, from), revisionOf(services, id, to)),
      )
      return terminal.printJson(parseWrittenJson(patch))
    }
    const text = await withServices(argv, context, services => services.audit.diff(id, from, to))
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
