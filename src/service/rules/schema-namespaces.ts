import { LRUCache } from 'lru-cache'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { startOfRoot } from '../../core/xml/xml-doctype.js'
import { decodeXmlLeniently } from '../../core/xml/xml-encoding.js'
import { attribute, decodeReferences, startTag } from '../../core/xml/xml-tags.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import { withoutDoctype } from '../../validation/xml/schema-doctype.js'

/** Limit of the characters of the namespaces in the cache. */
const capacity = 4 * 2 ** 20

/** Reads the namespace of the documents of an XML schema; empty if they have none. Results are cached. */
export function openSchemaNamespaces(
  documents: BlobReader,
): (schema: Pick<Revision, 'document'>) => Promise<string> {
  const known = new LRUCache<Oid, string>({
    maxSize: capacity,
    maxEntrySize: capacity / 64,
    // Adds the overhead of an entry.
    sizeCalculation: namespace => namespace.length + 100,
  })
  return async ({ document }) => {
    const cached = known.get(document)
    if (cached !== undefined) return cached
    // A copy: in V8, a part of a string keeps the whole string in memory.
    const namespace = Buffer.from(targetNamespaceOf(await documents.read(document))).toString()
    known.set(document, namespace)
    return namespace
  }
}

/** The namespace of the documents of an XML schema; empty if they have none. @param bytes of a schema that compiles */
function targetNamespaceOf(bytes: Uint8Array): string {
  const text = withoutDoctype(decodeXmlLeniently(bytes))
  startTag.lastIndex = Math.max(0, startOfRoot(text))
  const [, , written = ''] = startTag.exec(text) ?? []
  const found = [...written.matchAll(attribute)].find(([, name]) => name === 'targetNamespace')
  return decodeReferences(found?.[2] ?? found?.[3] ?? '').trim()
}
