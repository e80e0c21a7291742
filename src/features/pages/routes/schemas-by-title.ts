import type { Context } from 'koa'
import type { CoreParts } from '../../../compose/compose.js'
import type { Principal } from '../../../core/access-control.js'
import { pageWindow } from '../../../core/records/list-page.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'
import { titleOf } from '../html/display-names.js'
import type { PageContext } from './page-responses.js'
import type { SchemaTitlesQuery, Titles } from './schema-titles-reader.js'

/** Limit of the schemas that a page offers to choose from. */
export const maxChoices = 200

/** The titles of all schemas, by id; undefined if there are too many to choose from. */
export async function schemaChoices(
  ctx: Context,
  { services, callerOf }: PageContext,
): Promise<Titles | undefined> {
  const { items, total } = services.collections.schema.list(callerOf(ctx), {}, pageWindow(0, maxChoices))
  if (total > maxChoices) return undefined
  await readRecords(items)
  return new Map(items.map(({ id, record }) => [id, titleOf(record)]))
}

/** Finds schemas in the thread of long lists, because there may be tens of thousands. */
export async function findSchemas(
  { catalog }: Pick<CoreParts, 'catalog'>,
  caller: Principal,
  typed: string,
): Promise<Titles> {
  const script = new URL('./schema-titles-reader.js', import.meta.url)
  const visibility = visibilityOf(catalog.committed, caller)
  const query: SchemaTitlesQuery = { typed, visibility, limit: maxChoices }
  return (await catalog.rows.read(script, query, caller.client)) as Titles
}

/** Loads the records, which otherwise happens on first access. Pauses for other requests between long ones. */
export async function readRecords(revisions: readonly Revision[]): Promise<void> {
  const pauses = openEventLoopPauses()
  for (const revision of revisions) {
    await pauses.ifDue()
    Reflect.get(revision, 'record')
  }
}
