import type { CommonOptions } from '../../arguments/shared-options.js'
import type { CommandContext } from '../../command-context.js'
import type { RecordSummary } from '../../sessions/session.js'

/** Prints a line about a record that was stored. @param verb begins the line, such as `Added` */
export async function announceRecord(
  { terminal }: CommandContext,
  { json }: Pick<CommonOptions, 'json'>,
  entry: RecordSummary,
  verb: string,
): Promise<void> {
  if (json) return terminal.printJson(entry)
  const follows = entry.schema && ` (${entry.schema.schemaId}, version ${entry.schema.version})`
  const commit = entry.commit && `, commit ${entry.commit.slice(0, 10)}`
  await terminal.print(
    `${verb} ${entry.kind} ${terminal.paint('bold', entry.id)}, version ${entry.version}${follows ?? ''}${commit ?? ''}`,
  )
}
