import { hash } from 'node:crypto'
import { listReadersOf } from '../../core/access-control.js'
import { tryParseJson } from '../../core/json/try-parse.js'
import type { Revision } from '../../core/records/revision.js'
import { xmlTree } from '../elasticsearch/xml-as-json.js'
import { documentValues } from '../index/document-values.js'
import { foldValue, shownValue } from '../index/fold-words.js'
import { recordValues, valueFields, yearOf } from '../index/record-values.js'
import { type DeclaredByPath, declaredValues, shownTerm } from './declared-values.js'
import { pathText } from './path-tokens.js'

/** An index entry without the document, in the shape that existing index services write. */
export type RenderEntry = (revision: Revision) => object

/** Bytes of a document whose members are fields of the index. The words of a larger document have no path. */
const maxStructuredBytes = 2 ** 20
/** Characters of a document that are indexed. */
const maxTextLength = 2 ** 20

/** A document for the cluster: as JSON, and without the members of the record's document. */
export interface ClusterDocument {
  readonly json: string
  /** For an index that cannot have the members as fields, because their types conflict. */
  withoutStructure(): string
}

/**
 * The document of a revision in the cluster: the entry of existing index services, and below `metastore` what our own
 * queries use.
 * @param bytes of the record's document; undefined if it is lost
 * @param declared what the schema of the document declares
 */
export function clusterDocument(
  revision: Revision,
  bytes: Uint8Array | undefined,
  entry: ReturnType<RenderEntry>,
  declared: DeclaredByPath,
): ClusterDocument {
  const { kind, record, documentType, sequence } = revision
  const values = bytes === undefined ? [] : [...documentValues(bytes, documentType, maxTextLength, declared)]
  const own = {
    ...entry,
    // Only callers who may restore a REVOKED record see it.
    read: [...new Set(listReadersOf(record))],
    metadataText: values.map(({ text }) => text),
    metastore: {
      ...{ kind, sequence, ...searchedParts(revision), year: yearOf(record) },
      paths: pathText(values),
      declared: declaredValues(values, declared),
      ...(kind === 'schema' && { declares: declarationOf(revision) }),
    },
  }
  const withoutStructure = () => JSON.stringify(own)
  const structure = bytes && bytes.length <= maxStructuredBytes ? structureOf(bytes) : undefined
  return {
    json:
      structure === undefined
        ? withoutStructure()
        : `${withoutStructure().slice(0, -1)},"metadataDocument":${structure}}`,
    withoutStructure,
  }

  /** As JSON. Undefined for a document that was committed with plain git and is not JSON, or is nested too deeply. */
  function structureOf(document: Uint8Array): string | undefined {
    const tree = documentType === 'XML' ? xmlTree(values) : tryParseJson(new TextDecoder().decode(document))
    try {
      return JSON.stringify(tree)
    } catch (thrown) {
      if (thrown instanceof RangeError) return undefined
      throw thrown
    }
  }
}

/** Identifies what a schema declares for its documents. */
export function declarationOf({ record }: Pick<Revision, 'record'>): string {
  return hash('sha256', JSON.stringify(record.search?.fields ?? []), 'base64url').slice(0, 16)
}

/**
 * The searchable values of the record, by field. As in the own index, values that may be several are compared in their
 * folded form, and `shown` has what facets show for them.
 */
function searchedParts({ kind, record, documentType }: Revision) {
  const text: string[] = []
  const words = new Map<string, string[]>()
  const values = new Map<string, string[]>()
  const shown = new Map<string, string[]>()
  for (const { field, text: found, value } of recordValues(kind, record, documentType)) {
    text.push(found)
    if (field === undefined) continue
    addTo(words, field, found)
    const whole = value ?? found
    if (!valueFields.has(field)) {
      addTo(values, field, field === 'language' ? whole.toLowerCase() : whole)
      continue
    }
    const folded = foldValue(whole)
    if (folded === '') continue
    addTo(values, field, folded)
    addTo(shown, field, shownTerm(folded, shownValue(whole, 'keyword')))
  }
  return {
    title: words.get('title') ?? [],
    text,
    words: Object.fromEntries(words),
    values: Object.fromEntries(values),
    shown: Object.fromEntries(shown),
  }
}

function addTo(lists: Map<string, string[]>, field: string, text: string): void {
  const list = lists.get(field)
  if (list) list.push(text)
  else lists.set(field, [text])
}
