import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import { unlessDamaged } from '../../core/problem.js'
import type { DescribedRevision, DocumentDescription } from '../../core/records/document-description.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { maxDescribedBytes } from './crosswalk/described-tree.js'
import { type Crosswalk, readCrosswalk } from './crosswalk/read-crosswalk.js'
import { type DocumentSchema, describeDocument } from './describe-document.js'
import { schemaName } from './schema-name.js'

/** What descriptions read. */
export type DescribedParts = Pick<CoreParts, 'catalog' | 'collections' | 'readDocument' | 'blobSize'>

export interface StoredDocuments {
  /**
   * What the documents of revisions say about themselves, in the order of the revisions. Small documents are read
   * together. The documents in memory at once have at most {@link portionLimits}.bytes, or are one document.
   * @param crosswalk in place of those of the records of the schemas
   * @returns without a description for a schema, and for a document that is missing, damaged or too large
   */
  describeEach(revisions: readonly Revision[], crosswalk?: Crosswalk): AsyncGenerator<DescribedRevision, void>
  /** What is known about a schema. @throws MissingObject, DamagedObject */
  knownOf(schema: Revision): Promise<DocumentSchema>
}

/** Limits of the revisions that are asked for at once, and of the bytes of documents that are read together. */
export const portionLimits = { revisions: 20, bytes: 2 ** 20 }
/** Limit of the characters of remembered descriptions together. */
const maxRemembered = 8 * 2 ** 20
/** Limit of the schemas whose crosswalks and names are remembered. */
const maxSchemas = 500

/** A revision whose description is known, or whose document has to be read. */
interface Asked {
  readonly revision: Revision
  readonly schema: Revision | undefined
  readonly key: string
  readonly known: DocumentDescription | undefined
  /** Bytes to read; undefined: none, because the description is known or the document cannot be described. */
  readonly size: number | undefined
}

export function openStoredDocuments({ catalog, readDocument, blobSize }: DescribedParts): StoredDocuments {
  const { committed } = catalog
  const schemas = new LRUCache<string, DocumentSchema>({ max: maxSchemas })
  const remembered = new LRUCache<string, DocumentDescription>({ maxSize: maxRemembered })

  /** Names a state of a schema. A commit may change several schemas. */
  const keyOf = (schema: Revision | undefined) => (schema ? `${schema.commit} ${schema.id}` : '')

  async function knownOf(schema: Revision): Promise<DocumentSchema> {
    const key = keyOf(schema)
    const known = schemas.get(key)
    if (known) return known
    const { crosswalk } = schema.record
    const read = {
      crosswalk: crosswalk === undefined ? undefined : readCrosswalk(crosswalk).crosswalk,
      name: schemaName(await readDocument(schema), schema.documentType),
    }
    schemas.set(key, read)
    return read
  }

  /** Looks up schemas of today, each once: their crosswalks describe old versions too, as do the fields for searches. */
  function openSchemaFinder(): (revision: Revision) => Revision | undefined {
    const found = new Map<string, Revision | undefined>()
    return ({ record: { schema } }) => {
      if (!schema) return undefined
      const { schemaId } = schema
      if (!found.has(schemaId)) found.set(schemaId, committed.newest('schema', schemaId))
      return found.get(schemaId)
    }
  }

  async function askedOf(
    revision: Revision,
    schema: Revision | undefined,
    isRemembered: boolean,
  ): Promise<Asked> {
    const key = `${revision.document} ${keyOf(schema)}`
    const known = isRemembered ? remembered.get(key) : undefined
    const isRead = revision.kind === 'metadata' && !known
    const size = isRead ? await unlessDamaged(() => blobSize(revision.document)) : undefined
    const isTooLarge = size !== undefined && size > maxDescribedBytes
    return { revision, schema, key, known, size: isTooLarge ? undefined : size }
  }

  async function describe(
    { revision, schema, key }: Asked,
    bytes: Uint8Array,
    crosswalk: Crosswalk | undefined,
  ): Promise<DocumentDescription> {
    const known = schema ? await knownOf(schema) : { crosswalk: undefined, name: undefined }
    const own = crosswalk ? { ...known, crosswalk } : known
    const description = describeDocument(bytes, revision.documentType, own)
    if (!crosswalk) remembered.set(key, description, { size: JSON.stringify(description).length + 100 })
    return description
  }

  return {
    knownOf,
    async *describeEach(revisions, crosswalk) {
      const pauses = openEventLoopPauses()
      const schemaOf = openSchemaFinder()
      for (let from = 0; from < revisions.length; from += portionLimits.revisions) {
        const all: (readonly [Revision, Revision | undefined])[] = []
        for (const revision of revisions.slice(from, from + portionLimits.revisions)) {
          // The first access to the record parses it, which may take long.
          all.push([revision, schemaOf(revision)])
          await pauses.ifDue()
        }
        const asked = await Promise.all(
          all.map(([revision, schema]) => askedOf(revision, schema, !crosswalk)),
        )
        for (const portion of portionsOf(asked)) {
          const documents = await Promise.all(
            portion.map(({ revision, size }) =>
              size === undefined ? undefined : unlessDamaged(() => readDocument(revision)),
            ),
          )
          // All are described before one is given out, so that the bytes do not wait for a slow receiver.
          const described: DescribedRevision[] = []
          for (const [index, each] of portion.entries()) {
            await pauses.ifDue()
            const bytes = documents[index]
            const read = bytes && (await unlessDamaged(() => describe(each, bytes, crosswalk)))
            described.push({ revision: each.revision, description: each.known ?? read })
          }
          documents.length = 0
          yield* described
        }
      }
    },
  }
}

/** Divides revisions into portions whose documents may be in memory together. */
function* portionsOf(all: readonly Asked[]): Generator<readonly Asked[], void> {
  let portion: Asked[] = []
  let bytes = 0
  for (const asked of all) {
    const { size = 0 } = asked
    if (portion.length > 0 && bytes + size > portionLimits.bytes) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(asked)
    bytes += size
  }
  if (portion.length > 0) yield portion
}
