import { ProblemError } from '../../../core/problem.js'
import { type Id, parseId, parseVersion, type Version } from '../../../core/value-types.js'
import { refuseMessage } from '../../../http/routes/changes/change-set-form.js'
import { text } from '../../arguments/option-table.js'
import { recordId } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { UsageError } from '../../command-context.js'
import { withSession } from '../../sessions/local-or-remote.js'
import type { RecordSummary, Session } from '../../sessions/session.js'
import { announceRecord } from './announce-record.js'

export const restoreCommand = defineCommand({
  takesUrl: true,
  positionals: {
    id: recordId,
    from: {
      type: 'string',
      describe: 'The version to restore, with the version of the schema that it has',
    },
  },
  options: {
    version: { ...text, describe: 'The same, as an option' },
    message: {
      ...text,
      alias: 'm',
      describe: 'Message of the commit, one line; default: says that it is an update',
    },
    'if-match': { ...text, describe: 'Only if the current state is still the one of this commit (its ETag)' },
  },
  async run(argv, context) {
    const id = parseId(argv.id, 'The id')
    const named = argv.from ?? argv.version
    if (named === undefined || (argv.from !== undefined && argv.version !== undefined))
      throw new UsageError('Name one version to restore: git-metastore restore <id> <version>.')
    const version = parseVersion(named)
    const { ifMatch, message } = argv
    if (message !== undefined) refuseMessage(message)
    const after = await withSession(argv, context, session => restore(session, id, version, ifMatch, message))
    await announceRecord(context, argv, after, `Restored version ${version} of`)
  },
})

/**
 * Stores the document of an older version as the newest.
 * @param tag the commit that the record must have
 * @throws ProblemError `conflict` if nothing would change
 */
async function restore(
  session: Session,
  id: Id,
  version: Version,
  tag: string | undefined,
  message: string | undefined,
): Promise<RecordSummary> {
  const current = await session.find(id)
  const old = await session.find(id, version)
  const document = await session.document(old)
  // The update is refused if the record changes meanwhile.
  const state = tag ?? current.commit
  const after =
    old.schema === undefined
      ? await session.reviseSchema(id, { document, files: await session.furtherFiles(old) }, state, message)
      : await session.reviseMetadata(id, { document, ...schemaOf(old.schema) }, state, message)
  if (after.commit !== current.commit) return after
  throw new ProblemError(
    'conflict',
    `The newest version of "${id}", version ${current.version}, has the document of version ${version} already: nothing is stored.`,
  )
}

function schemaOf({ schemaId, version }: NonNullable<RecordSummary['schema']>) {
  return {
    schemaId: parseId(schemaId, 'The schema id'),
    schemaVersion: parseVersion(String(version)),
  }
}
