import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import { unlessDamaged } from '../../core/problem.js'
import type { DocumentDescription } from '../../core/records/document-description.js'
import { pageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { maxDescribedBytes } from './crosswalk/described-tree.js'
import { type Crosswalk, readCrosswalk } from './crosswalk/read-crosswalk.js'
import { type DocumentSchema, describeDocument } from './describe-document.js'
import { schemaName } from './schema-name.js'

/** A document of a schema, as a crosswalk describes it. */
export interface DescribedDocument {
  readonly revision: Revision
  readonly description: DocumentDescription
}

export interface Descriptions {
  /**
   * What a document says about itself; undefined for a schema, and for a document that is damaged or too large.
   * @param crosswalk in place of that of the record of the schema
   */
  describe(revision: Revision, crosswalk?: Crosswalk): Promise<DocumentDescription | undefined>
  /**
   * Describes a document that is not stored.
   * @param schema the schema that it follows
   * @param crosswalk in place of that of the record of the schema
   */
  describeBytes(
    bytes: Uint8Array,
    schema: Revision,
    crosswalk: Crosswalk | undefined,
  ): Promise<DocumentDescription>
  /**
   * Describes the newest documents of a schema that the caller may read, one after another.
   * @param crosswalk in place of that of the record of the schema
   */
  documentsOf(
    caller: Principal,
    schema: Revision,
    crosswalk: Crosswalk | undefined,
    limit: number,
  ): AsyncGenerator<DescribedDocument, void>
}

/** Limit of the characters of remembered descriptions together. */
const maxRemembered = 8 * 2 ** 20
/** Number of documents of a schema that are read at once. */
const portion = 100

/** What descriptions read. */
type DescribedParts = Pick<CoreParts, 'catalog' | 'collections' | 'readDocument' | 'blobSize'>

/** Opens the descriptions of documents, for servers and commands. */
export function openDescriptions({
  catalog,
  collections,
  readDocument,
  blobSize,
}: DescribedParts): Descriptions {
  const { committed } = catalog
  const read = new LRUCache<string, Crosswalk>({ max: 200 })
  const names = new LRUCache<string, { readonly name: string | undefined }>({ max: 1000 })
  const remembered = new LRUCache<string, DocumentDescription>({ maxSize: maxRemembered })

  function crosswalkOf(schema: Revision): Crosswalk | undefined {
    const { record, commit } = schema
    if (record.crosswalk === undefined) return undefined
    const known = read.get(commit) ?? readCrosswalk(record.crosswalk).crosswalk
    read.set(commit, known)
    return known
  }

  async function nameOf(schema: Revision): Promise<string | undefined> {
    const known = names.get(schema.document)
    if (known) return known.name
    const name = schemaName(await readDocument(schema), schema.documentType)
    names.set(schema.document, { name })
    return name
  }

  async function schemaFor(schema: Revision | undefined, crosswalk?: Crosswalk): Promise<DocumentSchema> {
    if (!schema) return { crosswalk, name: undefined }
    return { crosswalk: crosswalk ?? crosswalkOf(schema), name: await nameOf(schema) }
  }

  async function describeStored(
    revision: Revision,
    schema: Revision | undefined,
    crosswalk?: Crosswalk,
  ): Promise<DocumentDescription | undefined> {
    if ((await blobSize(revision.document)) > maxDescribedBytes) return undefined
    const bytes = await readDocument(revision)
    return describeDocument(bytes, revision.documentType, await schemaFor(schema, crosswalk))
  }

  /** The schema of today: its crosswalk describes old versions too, as do the fields that it declares for searches. */
  function schemaOf({ record: { schema } }: Revision): Revision | undefined {
    return schema && committed.newest('schema', schema.schemaId)
  }

  async function describe(revision: Revision): Promise<DocumentDescription | undefined> {
    const schema = schemaOf(revision)
    const key = `${revision.document} ${schema?.commit ?? ''}`
    const known = remembered.get(key)
    if (known) return known
    const description = await unlessDamaged(() => describeStored(revision, schema))
    if (description) remembered.set(key, description, { size: JSON.stringify(description).length + 100 })
    return description
  }

  return {
    async describe(revision, crosswalk) {
      if (revision.kind === 'schema') return undefined
      if (!crosswalk) return await describe(revision)
      return await unlessDamaged(() => describeStored(revision, schemaOf(revision), crosswalk))
    },
    async describeBytes(bytes, schema, crosswalk) {
      return describeDocument(bytes, schema.documentType, await schemaFor(schema, crosswalk))
    },
    async *documentsOf(caller, schema, crosswalk, limit) {
      const query = { schemaIds: [schema.id] }
      for (let offset = 0; offset < limit; offset += portion) {
        const window = pageWindow(offset, Math.min(portion, limit - offset))
        const { items } = collections.metadata.list(caller, query, window)
        for (const revision of items) {
          const description = await unlessDamaged(() => describeStored(revision, schema, crosswalk))
          yield { revision, description: description ?? {} }
        }
        if (items.length < portion) return
      }
    },
  }
}
