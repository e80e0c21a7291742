import { identifierTypeOf } from '../../../core/records/record.js'
import { parseId } from '../../../core/value-types.js'
import { readInput } from '../../arguments/input-file.js'
import { parseOptionalVersion, schemaVersion } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { withSession } from '../../sessions/local-or-remote.js'
import { announceRecord } from './announce-record.js'

export const addCommand = defineCommand({
  takesUrl: true,
  positionals: {
    schemaId: { type: 'string', demandOption: true, describe: 'Id of the schema of the document' },
    resource: {
      type: 'string',
      demandOption: true,
      describe: 'Identifier of the resource that it describes: a DOI, a URL…',
    },
    file: { type: 'string', demandOption: true, describe: 'File of the document; - is standard input' },
  },
  options: {
    id: { type: 'string', requiresArg: true, describe: 'Id of the new record; default: a UUID' },
    'schema-version': schemaVersion,
    'resource-type': {
      type: 'string',
      requiresArg: true,
      describe: 'URL, DOI, HANDLE, ISBN…; default: by the form of the identifier',
    },
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
