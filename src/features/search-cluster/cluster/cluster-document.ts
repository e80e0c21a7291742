import { hash } from 'node:crypto'
import { listReadersOf } from '../../../core/access-control.js'
import { tryParseJson } from '../../../core/json/try-parse.js'
import { parseWrittenJson, writeJson } from '../../../core/json/written-number.js'
import type { StoredRecord } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import type { SchemaDeclaration } from '../../search/index/index-rows.js'
import { documentTreeOf, documentValues } from '../../search/values/document-values.js'
import { foldValue, shownValue } from '../../search/values/fold-words.js'
import { ownerField, ownersOf, recordValues, valueFields, yearOf } from '../../search/values/record-values.js'
import { type DeclaredByPath, declaredValues, shownTerm } from './declared-values.js'
import { pathText } from './path-tokens.js'

/** Makes the entry that existing index services write for a revision, without the members of its document. */
export type RenderEntry = (revision: Revision) => object

/** Limit of the bytes of a document whose members become fields of the index. A larger document has no such fields. */
const maxStructuredBytes = 2 ** 20
/** Limit of the characters of a document that are indexed. */
const maxTextLength = 2 ** 20

/** A document to send to the cluster, as JSON. */
export interface ClusterDocument {
  readonly json: string
  /** The same without the document's members, for an index where their types conflict with those of others. */
  withoutStructure(): string
}

/** What the document of a revision depends on in addition. */
export interface DocumentContext {
  readonly entry: ReturnType<RenderEntry>
  /** The record with what its document says about itself. */
  readonly described: StoredRecord
  /** The fields that the schema of the document declares. */
  readonly declared: DeclaredByPath
  /** For a schema whose documents are all in the cluster as it describes them: {@link hashOfDeclaration}. */
  readonly declares?: string | undefined
}

/**
 * The document of a revision in the cluster: the entry of existing index services, and below `metastore` what the
 * queries of this server use.
 * @param bytes of the record's document; undefined if it is lost
 */
export function clusterDocument(
  revision: Revision,
  bytes: Uint8Array | undefined,
  { entry, described, declared, declares }: DocumentContext,
): ClusterDocument {
  const { kind, record, documentType, sequence, version } = revision
  const values = bytes === undefined ? [] : [...documentValues(bytes, documentType, maxTextLength, declared)]
  const own = {
    ...entry,
    // A REVOKED record is listed only for the callers who may restore it.
    read: [...new Set(listReadersOf(record))],
    metadataText: values.map(({ text }) => text),
    metastore: {
      ...{ kind, sequence, version, ...searchedParts(revision, described), year: yearOf(described) },
      paths: pathText(values),
      declared: declaredValues(values, declared),
      ...(declares !== undefined && { declares }),
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

  /** The members of the document as JSON. Undefined for a pushed document that is no JSON, or is nested too deeply. */
  function structureOf(document: Uint8Array): string | undefined {
    const tree =
      documentType === 'XML'
        ? documentTreeOf(values)
        : tryParseJson(new TextDecoder().decode(document), parseWrittenJson)
    try {
      return tree === undefined ? undefined : writeJson(tree)
    } catch (thrown) {
      if (thrown instanceof RangeError) return undefined
      throw thrown
    }
  }
}

/** A hash of what a schema says about its documents: the fields that it declares, and how they describe themselves. */
export function hashOfDeclaration({ fields, said }: SchemaDeclaration): string {
  return hash('sha256', JSON.stringify([fields, said ?? null]), 'base64url').slice(0, 16)
}

/**
 * The searchable values of the record, by field. As in the embedded index, fields that may have several values are
 * compared in lower case, and `shown` has the spellings that facets show.
 */
function searchedParts({ kind, documentType }: Revision, record: StoredRecord) {
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
  for (const sid of ownersOf(record)) addTo(values, ownerField, sid)
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
