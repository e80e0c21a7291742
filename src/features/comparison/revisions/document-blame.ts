import { LRUCache } from 'lru-cache'
import type { Client } from '../../../core/access-control.js'
import type { DocumentType } from '../../../core/records/collection.js'
import type { DocumentSpan, Revision } from '../../../core/records/revision.js'
import type { Version } from '../../../core/value-types.js'
import type { Provenance } from '../../../service/record-history/record-log.js'
import { sha1Of } from '../../../store/objects/hash-object.js'
import type { BlamedPart } from '../documents/blame.js'
import type { BlameResult } from '../processes/compare.js'
import {
  type ComparisonSources,
  maxComparedBytes,
  provenanceOf,
  readComparable,
} from './comparable-document.js'

/** For each part of a document, the version that changed the part last. */
export interface Blame {
  readonly version: Version
  readonly type: DocumentType
  readonly members: readonly (Provenance & { readonly path: string })[]
  /**
   * The oldest version that was compared, if older ones were left out. Parts with this version may be older.
   */
  readonly cut?: Version
}

/** Limits of the former documents that are compared: their number, and their bytes in total. */
const comparedLimits = { states: 1000, bytes: 8 * 1024 * 1024 }

/** Limit of the parts of documents in the cache. */
const maxCachedParts = 250_000

/** The blame of a list of documents. It does not depend on the revisions that the documents are from. */
interface CachedBlame {
  readonly blamed: readonly BlamedPart[]
  /** Number of documents that were compared; undefined if no older document can have changed a part last. */
  readonly cutAfter?: number
}

/** Finds the version that last changed each part of a document. Results are cached by the documents. */
export function openBlame({ committed, documents, repository, comparisons }: ComparisonSources) {
  const cache = new LRUCache<string, CachedBlame>({
    maxSize: maxCachedParts,
    sizeCalculation: ({ blamed }) => blamed.length,
  })

  /** Reads the documents that are compared, newest first. They are of one language. */
  async function readStates(
    newest: DocumentSpan,
    former: readonly DocumentSpan[],
  ): Promise<{ readonly states: readonly Buffer[]; readonly isCut: boolean }> {
    const states = [await readComparable(documents, newest)]
    let total = states[0]?.length ?? 0
    for (const span of former) {
      // Before, the document had the other language (JSON or XML): its first document of this one brought all parts.
      if (span.documentType !== newest.documentType) break
      const older = await documents.read(span.document)
      total += older.length
      if (
        states.length > comparedLimits.states ||
        total > comparedLimits.bytes ||
        older.length > maxComparedBytes
      )
        return { states, isCut: true }
      states.push(older)
    }
    return { states, isCut: false }
  }

  /** Finds the blame of the newest document. @param spans the document and its former ones, newest first */
  async function compareStates(
    spans: readonly DocumentSpan[],
    client: Client | undefined,
  ): Promise<CachedBlame> {
    const [newest, ...former] = spans
    if (!newest) throw new Error('A revision has no document.')
    const type = newest.documentType
    const { states, isCut } = await comparisons.read(() => readStates(newest, former), client)
    const result = await comparisons.compare({ kind: 'blame', type, states }, client)
    const { blamed, open } = JSON.parse(result) as BlameResult
    return { blamed, ...(isCut && open && { cutAfter: states.length }) }
  }

  return async (revision: Revision, client?: Client): Promise<Blame> => {
    const spans = committed.documentRuns(revision)
    const key = sha1Of(Buffer.from(spans.map(span => span.documentType + span.document).join()))
    const found = cache.get(key) ?? (await compareStates(spans, client))
    cache.set(key, found)
    const states = [...new Set(found.blamed.map(({ state }) => state))]
    const origins = new Map<number, Provenance>()
    await Promise.all(
      states.map(async state => {
        origins.set(state, await provenanceOf(repository.history, spans[state]?.first ?? revision))
      }),
    )
    const members = found.blamed.map(({ path, state }) => ({ path, ...(origins.get(state) as Provenance) }))
    const oldest = found.cutAfter === undefined ? undefined : spans[found.cutAfter - 1]
    return {
      version: revision.version,
      type: revision.documentType,
      members,
      ...(oldest && { cut: oldest.first.version }),
    }
  }
}
