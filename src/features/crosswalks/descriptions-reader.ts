import { LRUCache } from 'lru-cache'
import type { OpenRowReader } from '../../catalog/read/row-readers.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { Oid } from '../../core/value-types.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import type { Crosswalk } from './crosswalk/crosswalk-rules.js'
import { documentTree, maxDescribedBytes } from './crosswalk/described-tree.js'
import { readCrosswalk } from './crosswalk/read-crosswalk.js'
import { describeTree } from './describe-document.js'

export interface DescribeQuery {
  readonly gitDir: string
  /** Documents, those in no pack with their bytes, each with the key of the state of its schema. */
  readonly documents: readonly (readonly [document: Oid | Uint8Array, type: DocumentType, schema: string])[]
  /** Crosswalks as JSON, by the keys of the states of schemas that have one. */
  readonly crosswalks: ReadonlyMap<string, string>
  /** Whether the crosswalks are tried, and not those of the states. */
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
/** Limit of the crosswalks that are kept. */
const maxCrosswalks = 100

/** Describes documents, one after another. It is the script of a reader of the catalog. */
export const openReader: OpenRowReader<DescribeQuery, DescribeResult> = () => {
  const remembered = new LRUCache<string, Crosswalk>({ max: maxCrosswalks })
  let packs: PackReader | undefined
  const idle = setTimeout(() => packs?.close(), millisecondsUntilIdle).unref()

  return ({ gitDir, documents, crosswalks, isTrial, maxBytes }) => {
    packs ??= openPackReader(gitDir)
    packs.refresh()
    idle.refresh()
    const results: DescribeResult[number][] = []
    let read = 0
    const ofTrial = isTrial ? new Map<string, Crosswalk>() : remembered
    for (const [document, type, key] of documents) {
      if (read > maxBytes) break
      const bytes = typeof document === 'string' ? packs.read(document, maxDescribedBytes)?.bytes : document
      const crosswalk = crosswalkOf(ofTrial, key, crosswalks.get(key))
      const tree = bytes && documentTree(bytes, type)
      const description = tree ? describeTree(tree, crosswalk) : {}
      results.push(bytes && [bytes.length, JSON.stringify(description), tree !== undefined])
      read += bytes?.length ?? 0
    }
    return results
  }
}

function crosswalkOf(
  known: { get(key: string): Crosswalk | undefined; set(key: string, crosswalk: Crosswalk): unknown },
  key: string,
  json: string | undefined,
): Crosswalk | undefined {
  if (json === undefined) return undefined
  const crosswalk = known.get(key) ?? readCrosswalk(JSON.parse(json)).crosswalk
  known.set(key, crosswalk)
  return crosswalk
}
