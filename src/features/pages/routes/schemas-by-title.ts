import type { Context } from 'koa'
import { pageWindow } from '../../../core/records/list-page.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { schemaName, titleOf } from '../html/display-names.js'
import type { PageContext } from './page-responses.js'

/** Limit of the schemas that a page offers to choose from. */
export const maxChoices = 200
/** Schemas that are read at once. */
const batch = 1000
/** Limit of the schemas whose titles are compared with words. */
const maxCompared = 20_000

type Titles = ReadonlyMap<string, string>

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

/**
 * The titles of the schemas that a person may mean, by id: those that have exactly this title, id, or name of
 * {@link schemaName}; else those whose name has all words.
 */
export async function findSchemas(
  ctx: Context,
  { services, callerOf }: PageContext,
  typed: string,
): Promise<Titles> {
  const words = typed.toLowerCase().split(/\s+/)
  const [exact, similar] = [new Map<string, string>(), new Map<string, string>()]
  for (let index = 0; index * batch < maxCompared; index++) {
    const window = pageWindow(index, batch)
    const { items, total } = services.collections.schema.list(callerOf(ctx), {}, window)
    await readRecords(items)
    for (const { id, record } of items) {
      const title = titleOf(record)
      const name = schemaName(id, title)
      if ([id, title, name].includes(typed)) exact.set(id, title)
      if (similar.size < maxChoices && words.every(word => name.toLowerCase().includes(word)))
        similar.set(id, title)
    }
    if ((index + 1) * batch >= total) break
  }
  return exact.size > 0 ? exact : similar
}

/** Loads the records, which otherwise happens on first access. Pauses for other requests between long ones. */
export async function readRecords(revisions: readonly Revision[]): Promise<void> {
  const pauses = openEventLoopPauses()
  for (const revision of revisions) {
    await pauses.ifDue()
    Reflect.get(revision, 'record')
  }
}
