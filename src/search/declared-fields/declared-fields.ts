import type { Catalog } from '../../catalog/catalog.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { DeclaredField } from '../../core/records/record.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../core/value-types.js'
import { documentPrefix } from '../search-condition.js'

/** A path into documents that schemas declare. */
export interface DeclaredPath {
  readonly as: DeclaredField['as']
  readonly isFacet: boolean
  /** The schemas that declare it so. */
  readonly schemas: readonly Id[]
}

/** The fields that a caller may use for ranges, facets and orders. */
export interface DeclaredFields {
  /** Undefined if no schema that the caller sees declares the field. Numbers and dates go before keywords. */
  declared(field: string): DeclaredPath | undefined
}

/** Schemas or revisions that are read at once. */
const part = 500

/** Follows the declarations of all schemas, for an engine that has no tables of them. */
export function openDeclaredFields(
  catalog: Pick<Catalog, 'committed' | 'feed' | 'head' | 'chain' | 'unlisted'>,
): { seenBy(visibility: Visibility): Promise<DeclaredFields> } {
  const bySchema = new Map<Id, readonly DeclaredField[]>()
  let readTo: Oid | undefined
  let reading: Promise<void> = Promise.resolve()

  function keep(id: Id, fields: readonly DeclaredField[] = []): void {
    if (fields.length === 0) bySchema.delete(id)
    else bySchema.set(id, fields)
  }

  async function readAll(): Promise<void> {
    bySchema.clear()
    const head = catalog.head()
    const pauses = openEventLoopPauses()
    for (let offset = 0; ; offset += part) {
      const { items } = catalog.committed.list('schema', {}, { offset, limit: part })
      for (const { id, record } of items) keep(id, record.search?.fields)
      if (items.length < part) break
      await pauses.ifDue()
    }
    // What has changed meanwhile is read again.
    readTo = head
  }

  async function follow(): Promise<void> {
    const isRewritten = readTo === undefined || catalog.chain.positionOf(readTo) === undefined
    if (isRewritten) await readAll()
    const pauses = openEventLoopPauses()
    while (readTo !== catalog.head()) {
      const { entries, next } = catalog.feed.after(readTo, part)
      for (const entry of entries)
        if (entry.kind === 'schema') keep(entry.id, entry.gone ? [] : entry.latest().record.search?.fields)
      readTo = next
      await pauses.ifDue()
    }
  }

  function declarationsOf(path: string) {
    return [...bySchema].flatMap(([schema, fields]) =>
      fields.filter(field => field.path.toLowerCase() === path).map(field => ({ schema, field })),
    )
  }

  return {
    async seenBy(visibility) {
      // A search gets the error of its own look.
      const own = reading.catch(() => undefined).then(follow)
      reading = own
      await own
      return {
        declared(field) {
          if (!field.startsWith(documentPrefix)) return undefined
          const all = declarationsOf(field.slice(documentPrefix.length).toLowerCase())
          const schemas = all.map(({ schema }) => schema)
          const hidden = new Set(catalog.unlisted('schema', schemas, visibility))
          const seen = all.filter(({ schema }) => !hidden.has(schema)).map(each => each.field)
          const first = seen.find(({ as }) => as !== 'keyword') ?? seen[0]
          if (!first) return undefined
          return {
            as: first.as,
            isFacet: seen.some(({ as, facet }) => as === first.as && facet === true),
            schemas: all.filter(each => each.field.as === first.as).map(({ schema }) => schema),
          }
        },
      }
    },
  }
}
