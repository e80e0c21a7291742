import { parseId } from '../../../core/value-types.js'
import { readInput } from '../../arguments/input-file.js'
import { argument, text } from '../../arguments/option-table.js'
import { ifMatch, parseOptionalVersion, recordId, schemaVersion } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { UsageError } from '../../command-context.js'
import { readSchema, withSession } from '../../sessions/local-or-remote.js'
import { announceRecord } from './announce-record.js'

export const updateCommand = defineCommand({
  takesUrl: true,
  positionals: {
    id: recordId,
    file: { ...argument, describe: 'File of the new document; - is standard input' },
  },
  options: {
    schema: { ...text, describe: 'Metadata only: new schema of the document; default: the same' },
    'schema-version': { ...schemaVersion, describe: 'Metadata only: version of the schema' },
    'if-match': ifMatch,
  },
  async run(argv, context) {
    const id = parseId(argv.id, 'The id')
    const schemaId = argv.schema === undefined ? undefined : parseId(argv.schema, 'The schema id')
    const version = parseOptionalVersion(argv.schemaVersion)
    const { before, after } = await withSession(argv, context, async session => {
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
    await announceRecord(context, argv, after, same ? 'Nothing changed:' : 'Updated')
  },
})
