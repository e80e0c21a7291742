import { parseId } from '../../../core/value-types.js'
import { argument } from '../../arguments/option-table.js'
import { defineCommand } from '../../command.js'
import { readSchema, withSession } from '../../sessions/local-or-remote.js'
import { announceRecord } from './announce-record.js'

export const registerCommand = defineCommand({
  takesUrl: true,
  positionals: {
    schemaId: { ...argument, describe: 'Id of the new schema' },
    file: { ...argument, describe: 'File of a JSON Schema or XSD; - is standard input' },
  },
  async run(argv, context) {
    const id = parseId(argv.schemaId, 'The schema id')
    const upload = await readSchema(argv, argv.file)
    const entry = await withSession(argv, context, session => session.register(id, upload))
    await announceRecord(context, argv, entry, 'Registered')
  },
})
