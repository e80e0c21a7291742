import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { DeclaredField } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { rangeNumber, valueNumber } from '../range-bounds.js'
import { type DocumentValue, documentValues } from '../values/document-values.js'
import { comparedValue, foldedWords, shownValue } from '../values/fold-words.js'
import { recordValues, valueFields, yearOf } from '../values/record-values.js'
import { recordPath } from './search-tables.js'

/** The content of the index for one record. */
interface SearchIndexEntry {
  readonly kind: Collection
  readonly id: string
  readonly schema: string | undefined
  readonly year: number | undefined
  readonly state: string
  readonly language: string | undefined
  readonly type: DocumentType
  readonly created: number
  readonly updated: number
  /** Words of {@link foldedWords}, separated by blanks, with {@link betweenValues} between the words of two values. */
  readonly title: string
  readonly record: string
  readonly document: string
  /** Words with the numbers of their paths: the text of the table `leaf`, see search-tables.ts. */
  readonly leaf: string
  readonly values: readonly WholeValue[]
}

interface WholeValue {
  readonly path: number
  readonly folded: string
  readonly text: string
  readonly num: number | undefined
}

export interface EntrySource {
  readonly revision: Revision
  /** Undefined if documents are not indexed, or the document cannot be read. */
  readonly document: Uint8Array | undefined
  /** Fields that the schema of the document declares, by their paths in lower case. */
  readonly declared: ReadonlyMap<string, DeclaredField>
  /** Limit of the indexed text of a document, in characters. */
  readonly textLimit: number
  /** The number by which the index knows a path. */
  pathNumber(name: string): number
}

/** Limit of the paths of one document that get numbers. Declared paths do not count. */
const maxPaths = 20_000
/**
 * Limit of the characters of these paths together: a fixed number, and more for each byte of the document. Otherwise
 * many members below a long name would make the index much larger than the document.
 */
const maxPathCharacters = 10_000
const pathCharactersOfByte = 8

/** Stands between two values. It is no word, so that no phrase goes from the end of a value to the next one. */
const betweenValues = '¶'

function addWords(text: string[], words: readonly string[]): void {
  if (text.length > 0 && words.length > 0) text.push(betweenValues)
  for (const word of words) text.push(word)
}

/** Extracts the searchable words and values of a record and its document. */
export function searchIndexEntryOf(source: EntrySource): SearchIndexEntry {
  const { revision, document, declared, textLimit } = source
  const { record, kind, documentType } = revision
  const leaves = openLeaves()
  const values = new Map<string, WholeValue>()
  const title: string[] = []
  const others: string[] = []
  function addValue(
    path: number,
    value: Pick<DocumentValue, 'text' | 'isNumber'>,
    as: DeclaredField['as'] = 'keyword',
  ): void {
    const { text } = value
    const folded = comparedValue(text, as)
    const key = `${path} ${folded}`
    const known = values.get(key)
    if (folded === '' || known?.num !== undefined) return
    const num = as === 'keyword' ? undefined : valueNumber(value, as)
    // Equal digits may be a JSON string, which is no date, and a JSON number, which is one.
    if (known && num === undefined) return
    values.set(key, { path, folded, text: shownValue(text, as), num })
  }

  for (const { field, text, value } of recordValues(kind, record, documentType)) {
    const words = foldedWords(text)
    const path = field && source.pathNumber(recordPath(field))
    addWords(field === 'title' ? title : others, words)
    if (path === undefined || field === undefined) continue
    leaves.add(path, words)
    if (valueFields.has(field)) addValue(path, { text: value ?? text })
  }

  const text: string[] = []
  const pathOf = openPaths(source)
  for (const value of document ? documentValues(document, documentType, textLimit, declared) : []) {
    const words = foldedWords(value.text)
    addWords(text, words)
    const name = value.path.toLowerCase()
    const path = pathOf(name)
    if (path === undefined) continue
    leaves.add(path, words)
    const field = declared.get(name)
    if (field) addValue(path, value, field.as)
  }

  const created = record.dates?.find(date => date.type === 'CREATED')?.value
  return {
    kind,
    id: revision.id,
    schema: record.schema?.schemaId,
    year: yearOf(record),
    state: record.state ?? 'VOLATILE',
    language: record.language,
    type: documentType,
    created: (created === undefined ? undefined : rangeNumber(created, 'date', 'from')) ?? revision.createdAt,
    updated: revision.time,
    title: title.join(' '),
    record: others.join(' '),
    document: text.join(' '),
    leaf: leaves.text(),
    values: [...values.values()],
  }
}

/** Returns a function from a path to its number; undefined beyond the limits, which do not apply to declared paths. */
function openPaths({ document, declared, pathNumber }: EntrySource): (name: string) => number | undefined {
  const known = new Map<string, number | undefined>()
  let paths = maxPaths
  let characters = maxPathCharacters + (document?.length ?? 0) * pathCharactersOfByte
  /** Whether another path is within the limits. If so, counts it. */
  function takes({ length }: string): boolean {
    if (paths < 1 || characters < length) return false
    paths--
    characters -= length
    return true
  }
  return name => {
    if (name === '') return undefined
    if (!known.has(name)) known.set(name, declared.has(name) || takes(name) ? pathNumber(name) : undefined)
    return known.get(name)
  }
}

/** Builds the text of the table `leaf`, with a marker of the path before and after each value. */
function openLeaves() {
  const tokens: string[] = []
  let last: string | undefined
  return {
    add(path: number, words: readonly string[]): void {
      const marker = `${path}~`
      // One marker ends a value and begins the next one at the same path.
      if (last !== marker) tokens.push(marker)
      for (const word of words) tokens.push(marker + word)
      tokens.push(marker)
      last = marker
    },
    text: () => tokens.join(' '),
  }
}
