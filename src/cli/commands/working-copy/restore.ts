import { ProblemError } from '../../../core/problem.js'
import { type Id, parseId, parseVersion, type Version } from '../../../core/value-types.js'
import { refuseMessage } from '../../../http/routes/changes/change-set-form.js'
import type { Parser } from '../../arguments/shared-options.js'
import type { CommandContext } from '../../command-context.js'
import { withSession } from '../../sessions/local-or-remote.js'
import type { RecordSummary, Session } from '../../sessions/session.js'
import { announce } from '../records.js'

interface Wanted {
  readonly id: Id
  readonly version: Version
  /** The commit that the record has to be at. */
  readonly tag: string | undefined
  readonly message: string | undefined
}

/** restore: an older version's document once more, as the newest version. */
export function withRestoreCommand(parser: Parser, program: CommandContext): Parser {
  parser.command(
    'restore <id>',
    'Store the document of an older version again, as a new version',
    y =>
      y
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'Id of the schema or metadata record',
        })
        .option('version', {
          type: 'string',
          requiresArg: true,
          demandOption: true,
          describe: 'The version to restore: its document, and the version of the schema it followed',
        })
        .option('message', {
          alias: 'm',
          type: 'string',
          requiresArg: true,
          describe: 'What the commit says, in one line; by default that it is an update',
        })
        .option('if-match', {
          type: 'string',
          requiresArg: true,
          describe: 'Only if the current state is still the one of this commit (its ETag)',
        }),
    async argv => {
      const id = parseId(argv.id, 'The id')
      const version = parseVersion(argv.version)
      const { ifMatch, message } = argv
      if (message !== undefined) refuseMessage(message)
      const wanted = { id, version, tag: ifMatch, message }
      const after = await withSession(argv, program, session => restore(session, wanted))
      await announce(program, argv, after, `Restored version ${version} of`)
    },
  )
  return parser
}

/** @throws ProblemError `conflict` where nothing would change */
async function restore(session: Session, { id, version, tag, message }: Wanted): Promise<RecordSummary> {
  const current = await session.find(id)
  const old = await session.find(id, version)
  const document = await session.document(old)
  // What was stored since it was looked at is not undone unseen.
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
