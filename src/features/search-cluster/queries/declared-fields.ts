import type { Catalog } from '../../../catalog/catalog.js'
import { once } from '../../../core/data-structures/lazy-value.js'
import type { ListCursor } from '../../../core/records/list-page.js'
import type { Visibility } from '../../../core/records/list-query.js'
import type { DeclaredField } from '../../../core/records/record.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../../core/value-types.js'
import { documentPrefix } from '../../search/search-condition.js'

/** A path into documents that schemas declare. */
export interface DeclaredPath {
  /** The path as a schema writes it. In queries, case makes no difference. */
  readonly path: string
  readonly as: DeclaredField['as']
  readonly isFacet: boolean
}

/** The fields that a caller may use for ranges, facets and orders. */
export interface DeclaredFields {
  /** Undefined if no schema that the caller sees declares the field. If they differ, the first of `forms` holds. */
  declared(field: string): DeclaredPath | undefined
}

/** If schemas declare a path differently, the first of these forms holds, as in the embedded index. */
const forms: readonly DeclaredField['as'][] = ['date', 'number', 'keyword']

interface Declaration {
  readonly schema: Id
  readonly field: DeclaredField
}

/** Number of schemas or revisions that are read at once. */
const readSize = 500

/** Follows the declarations of all schemas, for an engine that has no tables of them. */
export function openDeclaredFields(
  catalog: Pick<Catalog, 'committed' | 'feed' | 'head' | 'chain' | 'unlisted'>,
): { seenBy(visibility: Visibility): Promise<DeclaredFields> } {
  const bySchema = new Map<Id, readonly DeclaredField[]>()
  /** All declarations, by path in lower case, grouped when a search asks for a field; undefined after a change. */
  let byPath: (() => ReadonlyMap<string, readonly Declaration[]>) | undefined
  let readTo: Oid | undefined
  let reading: Promise<void> = Promise.resolve()

  function keep(id: Id, fields: readonly DeclaredField[] = []): void {
    byPath = undefined
    if (fields.length === 0) bySchema.delete(id)
    else bySchema.set(id, fields)
  }

  async function readAll(): Promise<void> {
    bySchema.clear()
    byPath = undefined
    const head = catalog.head()
    const pauses = openEventLoopPauses()
    // The next part begins after the id of the last schema, not at an offset: a removal meanwhile would shift offsets.
    for (let after: ListCursor | undefined; ; await pauses.ifDue()) {
      const window = { offset: 0, limit: readSize, ...(after && { after }) }
      const { items, next } = catalog.committed.list('schema', {}, window)
      for (const { id, record } of items) keep(id, record.search?.fields)
      if (!next) break
      after = next
    }
    // Changes since `head` are read again, by the feed.
    readTo = head
  }

  async function follow(): Promise<void> {
    const pauses = openEventLoopPauses()
    for (;;) {
      // The history may be rewritten between two parts.
      const isRewritten = readTo === undefined || catalog.chain.positionOf(readTo) === undefined
      if (isRewritten) await readAll()
      if (readTo === catalog.head()) return
      if (isRewritten) continue
      const { entries, next } = catalog.feed.after(readTo, readSize)
      for (const entry of entries)
        if (entry.kind === 'schema') keep(entry.id, entry.gone ? [] : entry.latest().record.search?.fields)
      readTo = next
      await pauses.ifDue()
    }
  }

  function declaredPath(all: readonly Declaration[], visibility: Visibility): DeclaredPath | undefined {
    if (all.length === 0) return undefined
    const schemas = all.map(({ schema }) => schema)
    const hidden = new Set(catalog.unlisted('schema', schemas, visibility))
    const seen = all.filter(({ schema }) => !hidden.has(schema)).map(each => each.field)
    const as = forms.find(form => seen.some(each => each.as === form))
    const first = seen.find(each => each.as === as)
    if (!first) return undefined
    return {
      path: first.path,
      as: first.as,
      isFacet: seen.some(each => each.as === as && each.facet === true),
    }
  }

  return {
    async seenBy(visibility) {
      // One reading follows another. A search fails only if its own reading fails.
      const own = reading.catch(() => undefined).then(follow)
      reading = own
      await own
      // All fields of a search come from one state, also if another search reads the schemas again.
      byPath ??= once(() => groupedByPath(new Map(bySchema)))
      const declarations = byPath
      // Kept, because a search may ask for one field a thousand times.
      const known = new Map<string, DeclaredPath | undefined>()
      return {
        declared(field) {
          if (!field.startsWith(documentPrefix)) return undefined
          if (!known.has(field)) {
            const path = field.slice(documentPrefix.length).toLowerCase()
            known.set(field, declaredPath(declarations().get(path) ?? [], visibility))
          }
          return known.get(field)
        },
      }
    },
  }
}

function groupedByPath(
  bySchema: ReadonlyMap<Id, readonly DeclaredField[]>,
): ReadonlyMap<string, readonly Declaration[]> {
  const grouped = new Map<string, Declaration[]>()
  for (const [schema, fields] of bySchema) {
    for (const field of fields) {
      const path = field.path.toLowerCase()
      const known = grouped.get(path)
      if (known) known.push({ schema, field })
      else grouped.set(path, [{ schema, field }])
    }
  }
  return grouped
}
