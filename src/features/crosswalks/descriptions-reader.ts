import { LRUCache } from 'lru-cache'
import type { OpenRowReader } from '../../catalog/read/row-readers.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { Oid } from '../../core/value-types.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import { documentTree, maxDescribedBytes } from './crosswalk/described-tree.js'
import { describeTree } from './describe-document.js'
import { readStatement, type SchemaStatement } from './schema-statement.js'

export interface DescribeQuery {
  readonly gitDir: string
  /** Documents, those in no pack with their bytes, each with the key of the state of its schema. */
  readonly documents: readonly (readonly [document: Oid | Uint8Array, type: DocumentType, schema: string])[]
  /** What schemas say about their documents, by the keys of the states of schemas that say something. */
  readonly statements: ReadonlyMap<string, string>
  /** Whether the statements are tried, and not those of the states. */
  readonly isTrial: boolean
  /** Bytes of documents after which the rest is left to another query. One document is always read. */
  readonly maxBytes: number
}

/**
 * For each document that was looked for, in order: its size in bytes, its description as JSON, and whether it could be
 * read as its type. Undefined for one that is in no pack, larger than {@link maxDescribedBytes}, or damaged.
 */
export type DescribeResult = readonly (
  | readonly [size: number, json: string, isReadable: boolean]
  | undefined
)[]

/** Milliseconds without a query after which packs are closed, so that the disk space of deleted packs becomes free. */
const millisecondsUntilIdle = 5000
/** Limit of the statements that are kept. */
const maxStatements = 100

/** Describes documents, one after another. It is the script of a reader of the catalog. */
export const openReader: OpenRowReader<DescribeQuery, DescribeResult> = () => {
  const remembered = new LRUCache<string, SchemaStatement>({ max: maxStatements })
  let packs: PackReader | undefined
  const idle = setTimeout(() => packs?.close(), millisecondsUntilIdle).unref()

  return ({ gitDir, documents, statements, isTrial, maxBytes }) => {
    packs ??= openPackReader(gitDir)
    packs.refresh()
    idle.refresh()
    const results: DescribeResult[number][] = []
    let read = 0
    const ofTrial = isTrial ? new Map<string, SchemaStatement>() : remembered
    for (const [document, type, key] of documents) {
      if (read > maxBytes) break
      const bytes = typeof document === 'string' ? packs.read(document, maxDescribedBytes)?.bytes : document
      const { crosswalk, known } = statementOf(ofTrial, key, statements.get(key)) ?? {}
      const tree = bytes && documentTree(bytes, type)
      const description = tree ? describeTree(tree, crosswalk, known) : {}
      results.push(bytes && [bytes.length, JSON.stringify(description), tree !== undefined])
      read += bytes?.length ?? 0
    }
    return results
  }
}

function statementOf(
  read: {
    get(key: string): SchemaStatement | undefined
    set(key: string, statement: SchemaStatement): unknown
  },
  key: string,
  text: string | undefined,
): SchemaStatement | undefined {
  if (text === undefined) return undefined
  const statement = read.get(key) ?? readStatement(text)
  read.set(key, statement)
  return statement
}
