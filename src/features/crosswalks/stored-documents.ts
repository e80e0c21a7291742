import { LRUCache } from 'lru-cache'
import type { CoreParts } from '../../compose/compose.js'
import { malformedRequest, unlessDamaged } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { DescribedRevision, DocumentDescription } from '../../core/records/document-description.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { maxDescribedBytes, unreadable } from './crosswalk/described-tree.js'
import type { DescribeQuery, DescribeResult } from './descriptions-reader.js'
import { openSchemaStatements, stateKey } from './stored-schema-statements.js'

/** What descriptions read. */
export type DescribedParts = Pick<CoreParts, 'catalog' | 'repository' | 'readDocument' | 'blobSize'>

export interface StoredDocuments {
  /**
   * What the documents of revisions say about themselves, in the order of the revisions. Revisions are taken, and
   * documents read, in portions of {@link portionLimits}, which the thread of long lists describes. While a portion is
   * used, the next one is described.
   * @param trial a crosswalk as JSON, in place of those of the records of the schemas
   * @returns without a description for a schema, and for a document that is missing, damaged or too large
   */
  describeDocuments(revisions: Iterable<Revision>, trial?: string): AsyncGenerator<DescribedRevision, void>
  /**
   * Describes a document that is not stored, in the same thread.
   * @param crosswalk as JSON, in place of that of the record of the schema
   * @throws ProblemError `malformed-request` for a document that cannot be read
   */
  describeBytes(
    bytes: Uint8Array,
    schema: Revision,
    crosswalk: string | undefined,
  ): Promise<DocumentDescription>
}

/** Limits of a portion: its revisions, and the bytes of its documents, unless a single one has more. */
export const portionLimits = { revisions: 20, bytes: 2 ** 20 }
/** Limit of the characters of remembered descriptions together. */
const maxRemembered = 8 * 2 ** 20

type Described = Omit<DescribedRevision, 'revision'>

/** A revision that waits for its description. */
interface Waiting {
  readonly revision: Revision
  readonly schema: Revision | undefined
  /** Identifies the document and the state of its schema. */
  readonly key: string
  described?: Described | undefined
}

export function openStoredDocuments(parts: DescribedParts): StoredDocuments {
  const { committed } = parts.catalog
  const remembered = new LRUCache<string, Described>({ maxSize: maxRemembered })
  const describe = openDescribingThread(parts)

  /**
   * Describes the first documents.
   * @param bytes those of the documents; undefined: they are looked for in packs
   * @returns the number of documents that were looked at
   */
  async function settle(
    all: readonly Waiting[],
    bytes: readonly Uint8Array[] | undefined,
    trial: string | undefined,
  ): Promise<number> {
    const documents = all.map(({ revision, schema }, index) => ({
      document: bytes?.[index] ?? revision.document,
      type: revision.documentType,
      schema,
    }))
    const results = await describe(documents, trial)
    for (const [index, waiting] of all.entries()) {
      const [documentSize, json, isReadable] = results[index] ?? []
      if (documentSize === undefined || json === undefined) continue
      waiting.described = { ...(isReadable && { description: JSON.parse(json) }), documentSize }
      if (trial === undefined) remembered.set(waiting.key, waiting.described, { size: json.length + 100 })
    }
    return results.length
  }

  /** Describes the first documents of the list, which are in no pack. */
  async function settleLoose(all: readonly Waiting[], trial: string | undefined): Promise<void> {
    const sizes = await Promise.all(
      all.map(each => unlessDamaged(() => parts.blobSize(each.revision.document))),
    )
    const first = all.slice(0, countWithin(sizes, portionLimits.bytes))
    const documents = await Promise.all(
      first.map(({ revision }, index) =>
        isDescribed(sizes[index]) ? unlessDamaged(() => parts.readDocument(revision)) : undefined,
      ),
    )
    for (const [index, waiting] of first.entries()) {
      const documentSize = sizes[index]
      waiting.described = documentSize === undefined ? {} : { documentSize }
    }
    const read = first.filter((_, index) => documents[index] !== undefined)
    await settle(
      read,
      documents.filter(bytes => bytes !== undefined),
      trial,
    )
  }

  /** Describes the first revisions of the list. @returns their number, at least 1 */
  async function describeFirst(all: readonly Waiting[], trial: string | undefined): Promise<number> {
    for (const waiting of all)
      waiting.described =
        waiting.revision.kind === 'schema'
          ? {}
          : trial === undefined
            ? remembered.get(waiting.key)
            : undefined
    const isMissing = ({ described }: Waiting) => described === undefined
    const wanted = all.filter(isMissing)
    const looked = await settle(wanted, undefined, trial)
    const others = wanted.slice(0, looked).filter(isMissing)
    if (others.length > 0) await settleLoose(others, trial)
    const end = all.findIndex(isMissing)
    return end < 0 ? all.length : end
  }

  return {
    async describeBytes(document, schema, trial) {
      const [result] = await describe([{ document, type: schema.documentType, schema }], trial)
      if (!result?.[2]) throw malformedRequest(`The document ${unreadable(schema.documentType)}`)
      return JSON.parse(result[1])
    },
    async *describeDocuments(revisions, trial) {
      const waiting: Waiting[] = []
      const more = waitingOf(revisions, openSchemaFinder(committed))
      const pauses = openEventLoopPauses()
      async function nextPortion(): Promise<readonly DescribedRevision[]> {
        while (waiting.length < portionLimits.revisions) {
          const { value } = more.next()
          if (!value) break
          waiting.push(value)
          await pauses.ifDue()
        }
        const count = await describeFirst(waiting, trial)
        return waiting.splice(0, count).map(({ revision, described }) => ({ revision, ...described }))
      }
      let portion = await nextPortion()
      while (portion.length > 0) {
        const next = nextPortion()
        // The error is thrown at the turn of the portion.
        next.catch(() => undefined)
        yield* portion
        portion = await next
      }
    },
  }
}

/** Describes documents in the thread of long lists, as parsing and reading one may take a second. */
function openDescribingThread({ catalog, repository, readDocument }: DescribedParts) {
  const statementOf = openSchemaStatements({ readDocument })
  const script = new URL('./descriptions-reader.js', import.meta.url)
  return async (
    documents: readonly {
      readonly document: DescribeQuery['documents'][number][0]
      readonly type: DocumentType
      readonly schema: Revision | undefined
    }[],
    trial: string | undefined,
  ): Promise<DescribeResult> => {
    if (documents.length === 0) return []
    const statements = new Map<string, string>()
    for (const schema of new Set(documents.map(each => each.schema))) {
      const text = await statementOf(schema, trial)
      if (text !== undefined) statements.set(stateKey(schema), text)
    }
    const query: DescribeQuery = {
      gitDir: repository.gitDir,
      documents: documents.map(({ document, type, schema }) => [document, type, stateKey(schema)]),
      statements,
      isTrial: trial !== undefined,
      maxBytes: portionLimits.bytes,
    }
    return (await catalog.rows.read(script, query, undefined)) as DescribeResult
  }
}

/** Finds schemas of today, each once: their crosswalks describe old versions too, as do the fields for searches. */
function openSchemaFinder(committed: DescribedParts['catalog']['committed']) {
  const found = new Map<string, Revision | undefined>()
  return ({ record: { schema } }: Revision): Revision | undefined => {
    if (!schema) return undefined
    const { schemaId } = schema
    if (!found.has(schemaId)) found.set(schemaId, committed.newest('schema', schemaId))
    return found.get(schemaId)
  }
}

/** @param schemaOf looks at the record, and the first access to a record parses it, which may take long */
function* waitingOf(
  revisions: Iterable<Revision>,
  schemaOf: (revision: Revision) => Revision | undefined,
): Generator<Waiting, undefined> {
  for (const revision of revisions) {
    const schema = schemaOf(revision)
    yield { revision, schema, key: `${revision.document} ${stateKey(schema)}` }
  }
  return undefined
}

function isDescribed(size: number | undefined): size is number {
  return size !== undefined && size <= maxDescribedBytes
}

/** Number of the first documents that are in memory together: at least one, and others up to the limit in bytes. */
function countWithin(sizes: readonly (number | undefined)[], limit: number): number {
  let bytes = 0
  const end = sizes.findIndex(size => {
    const before = bytes
    bytes += isDescribed(size) ? size : 0
    return before > 0 && bytes > limit
  })
  return end < 0 ? sizes.length : end
}
