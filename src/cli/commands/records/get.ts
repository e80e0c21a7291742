import { parseId } from '../../../core/value-types.js'
import { flag, text } from '../../arguments/option-table.js'
import { parseOptionalVersion, recordId } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { withSession } from '../../sessions/local-or-remote.js'

export const getCommand = defineCommand({
  takesUrl: true,
  positionals: { id: recordId },
  options: {
    version: { ...text, describe: 'Default: the newest' },
    record: { ...flag, describe: 'Print the record as JSON instead' },
  },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.id, 'The id')
    await withSession(argv, context, async session => {
      const entry = await session.find(id, parseOptionalVersion(argv.version))
      if (argv.record) await terminal.printJson(await session.record(entry))
      else await terminal.write(await session.document(entry))
    })
  },
})
