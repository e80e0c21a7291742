import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import { unlessDamaged } from '../../core/problem.js'
import type { DocumentDescription } from '../../core/records/document-description.js'
import { pageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { Transactions } from '../../service/updates/submit-update.js'
import type { ExportsState } from '../exports/exports.js'
import { exportsOf } from '../exports/feature.js'
import { maxDescribedBytes } from './crosswalk/described-tree.js'
import { type Crosswalk, type CrosswalkFault, readCrosswalk } from './crosswalk/read-crosswalk.js'
import { crosswalkSection } from './crosswalk-section.js'
import { type DocumentSchema, describeDocument } from './describe-document.js'
import { schemaName } from './schema-name.js'
import { impossiblePaths } from './schema-paths.js'

/** What the routes of the feature work with. */
export interface CrosswalksState extends ExportsState {
  readonly crosswalks: Crosswalks
  readonly readCommitted: Transactions['readCommitted']
}

/** A document of a schema, as a crosswalk describes it. */
export interface DescribedDocument {
  readonly revision: Revision
  readonly description: DocumentDescription
}

export interface Crosswalks {
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
  /** What is wrong in a crosswalk: rules that cannot be read, and paths that no document of the schema can have. */
  faultsIn(json: unknown, schema: SchemaContent): Promise<readonly CrosswalkFault[]>
}

/** The content of a schema. */
export interface SchemaContent {
  readonly type: Revision['documentType']
  document(): Promise<Uint8Array>
}

/** Limit of the characters of remembered descriptions together. */
const maxRemembered = 8 * 2 ** 20
/** Number of documents of a schema that are read at once. */
const portion = 100

/** Opens the descriptions of documents. */
export function openCrosswalks(parts: CoreParts): OpenFeature<CrosswalksState> {
  const crosswalks = openDescriptions(parts)
  return {
    state: { ...exportsOf(parts), crosswalks, readCommitted: parts.transactions.readCommitted },
    describe: revision => crosswalks.describe(revision),
    async sections(revision) {
      const { crosswalk } = revision.record
      if (revision.kind === 'metadata' || crosswalk === undefined) return []
      const document = () => parts.readDocument(revision)
      const faults = await unlessDamaged(() =>
        crosswalks.faultsIn(crosswalk, { type: revision.documentType, document }),
      )
      return [crosswalkSection(crosswalk, faults ?? [])]
    },
    async checkSchemaRecord({ record, before, type, document }) {
      const { crosswalk } = record
      if (crosswalk === undefined) return []
      if (record.schema !== undefined)
        return [
          {
            message: 'The member crosswalk is for schemas: it describes their documents.',
            path: '/crosswalk',
          },
        ]
      // A crosswalk that is stored stays, whatever becomes of the schema: former documents may need it.
      if (JSON.stringify(crosswalk) === JSON.stringify(before?.crosswalk)) return []
      const faults = await crosswalks.faultsIn(crosswalk, { type, document })
      return faults.map(({ pointer, message }) => ({ message, path: `/crosswalk${pointer}` }))
    },
  }
}

/** What descriptions read. */
type DescribedParts = Pick<CoreParts, 'catalog' | 'collections' | 'readDocument' | 'blobSize'>

export function openDescriptions({
  catalog,
  collections,
  readDocument,
  blobSize,
}: DescribedParts): Crosswalks {
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
    async faultsIn(json, { type, document }) {
      const { crosswalk, faults } = readCrosswalk(json)
      return faults.length > 0 ? faults : impossiblePaths(crosswalk, await document(), type)
    },
  }
}
