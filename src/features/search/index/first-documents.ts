import type { Oid } from '../../../core/value-types.js'
import { readUnlessLost } from '../../../store/objects/object-errors.js'
import type { ObjectReader } from '../../../store/objects/object-reader.js'

/** Largest document that is indexed, in bytes. */
export const maxDocumentBytes = 64 * 2 ** 20
/** Bytes of documents after which no more documents are read for one job of a thread. */
const maxBytesAtOnce = 4 * 2 ** 20

/**
 * Reads documents that a thread has not found in the packs: the first ones, until they have {@link maxBytesAtOnce}.
 * @returns the documents by object id; undefined for a lost document, whose record is indexed without it
 */
export async function readFirstDocuments(
  oids: readonly Oid[],
  objects: ObjectReader,
): Promise<ReadonlyMap<Oid, Uint8Array | undefined>> {
  const documents = new Map<Oid, Uint8Array | undefined>()
  let sum = 0
  for (const oid of oids) {
    if (sum > maxBytesAtOnce) break
    const read = await readUnlessLost(() => objects.read(oid))
    documents.set(oid, read?.bytes)
    sum += read?.bytes.length ?? 0
  }
  return documents
}
