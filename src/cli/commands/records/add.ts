import { identifierTypeOf } from '../../../core/records/record.js'
import { parseId } from '../../../core/value-types.js'
import { readInput } from '../../arguments/input-file.js'
import { argument, text } from '../../arguments/option-table.js'
import { parseOptionalVersion, schemaVersion } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { withSession } from '../../sessions/local-or-remote.js'
import { announceRecord } from './announce-record.js'

export const addCommand = defineCommand({
  takesUrl: true,
  positionals: {
    schemaId: { ...argument, describe: 'Id of the schema of the document' },
    resource: { ...argument, describe: 'Identifier of the resource that it describes: a DOI, a URL…' },
    file: { ...argument, describe: 'File of the document; - is standard input' },
  },
  options: {
    id: { ...text, describe: 'Id of the new record; default: a UUID' },
    'schema-version': schemaVersion,
    'resource-type': { ...text, describe: 'URL, DOI, HANDLE, ISBN…; default: by the form of the identifier' },
  },
  async run(argv, context) {
    const metadata = {
      id: argv.id === undefined ? undefined : parseId(argv.id, 'The id'),
      schemaId: parseId(argv.schemaId, 'The schema id'),
      schemaVersion: parseOptionalVersion(argv.schemaVersion),
      resource: {
        identifier: argv.resource,
        identifierType: argv.resourceType ?? typeOfResource(argv.resource),
      },
      document: await readInput(argv.file),
    }
    const entry = await withSession(argv, context, session => session.add(metadata))
    await announceRecord(context, argv, entry, 'Added')
  },
})

/** Guesses the type of an identifier from its form. */
function typeOfResource(identifier: string): string {
  return /^10\.\d{4,9}\//.test(identifier) ? 'DOI' : identifierTypeOf({ value: identifier })
}
