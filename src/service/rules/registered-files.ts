import { LRUCache } from 'lru-cache'
import { anonymousPrincipal, hasPermission, type Principal } from '../../core/access-control.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import { segmentsOfUrl } from '../../validation/reference-resolver.js'
import type { FileReference } from '../../validation/validator.js'
import { isReadable } from './record-rules.js'
import { openSchemaNamespaces } from './schema-namespaces.js'
import { attachedFiles, type SchemaSource } from './schema-source.js'

/*
 * References by the URL of another place to registered schemas. The referring schema keeps the file that it was checked
 * with as a further file of its own. So a later version of the other schema does not change it, and neither does a
 * deletion. A clone and other validators find the file, too.
 */

/** Limits of the registered schemas that are searched, and of those that are read at once. */
const maxSearched = 2000
const atOnce = 100

/**
 * Finds the files that a missing reference means: the document and the further files of the registered schema that has
 * the URL as an identifier, else of the only one with the target namespace of the import, or with the URL as its `$id`.
 * @returns by path in the referring schema; undefined if no such schema, or more than one, is found
 */
export type FindRegisteredFiles = (
  queries: CatalogQueries,
  caller: Principal,
  source: SchemaSource,
  reference: FileReference,
) => Promise<ReadonlyMap<string, Oid> | undefined>

export function openRegisteredFiles(documents: BlobReader): FindRegisteredFiles {
  const namespaceOf = openSchemaNamespaces(documents)
  const ids = new LRUCache<Oid, string>({ max: maxSearched })

  async function idOf({ document }: Revision): Promise<string> {
    const known = ids.get(document)
    if (known !== undefined) return known
    const found = idIn((await documents.read(document)).toString())
    ids.set(document, found)
    return found
  }

  /** The only schema with the namespace or `$id`. */
  async function withContent(
    queries: CatalogQueries,
    caller: Principal,
    source: SchemaSource,
    { target, namespace }: FileReference,
  ): Promise<Revision | undefined> {
    if (source.type === 'XML' && !namespace) return undefined
    let found: Revision | undefined
    for (const schema of schemasOf(queries, source)) {
      if (!mayCopy(caller, schema)) continue
      const isMeant =
        source.type === 'JSON' ? (await idOf(schema)) === target : (await namespaceOf(schema)) === namespace
      if (!isMeant) continue
      if (found) return undefined
      found = schema
    }
    return found
  }

  return async (queries, caller, source, reference) => {
    const segments = segmentsOfUrl(reference.target)
    if (segments === undefined || segments.length < 2) return undefined
    const named = withName(queries, reference.target)
    const isUsable =
      named && named.id !== source.id && named.documentType === source.type && mayCopy(caller, named)
    const found = isUsable ? named : await withContent(queries, caller, source, reference)
    if (!found) return undefined
    const path = segments.join('/')
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const others = [...attachedFiles(found)].map(([file, oid]) => [folder + file, oid] as const)
    return new Map([...others, [path, found.document]])
  }
}

function idIn(schema: string): string {
  try {
    const { id, $id = id } = JSON.parse(schema) as Record<string, unknown>
    return typeof $id === 'string' ? ($id.split('#', 1)[0] ?? '') : ''
  } catch (error) {
    // The text is in another encoding than UTF-8.
    if (error instanceof SyntaxError) return ''
    throw error
  }
}

/** Whether the caller may put the schema into another one, whose readers may be others. */
function mayCopy(caller: Principal, { record }: Revision): boolean {
  if (!isReadable(caller, record)) return false
  return isReadable(anonymousPrincipal, record) || hasPermission(caller, record, 'ADMINISTRATE')
}

/** The schema whose record has the name as an identifier. */
function withName(queries: CatalogQueries, name: string): Revision | undefined {
  const owner = queries.owner(name)
  return owner?.kind === 'schema' ? queries.newest('schema', owner.id) : undefined
}

function* schemasOf(
  queries: CatalogQueries,
  { id, type }: { id: Id; type: SchemaSource['type'] },
): Iterable<Revision> {
  let after: ListCursor | undefined
  for (let read = 0; read < maxSearched; read += atOnce) {
    const window = { offset: 0, limit: atOnce, ...(after && { after }) }
    const page = queries.list('schema', { documentTypes: [type] }, window)
    yield* page.items.filter(schema => schema.id !== id)
    after = page.next
    if (!after) return
  }
}
