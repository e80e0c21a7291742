import type { Collection } from '../../../core/records/collection.js'
import { type DeclaredField, type StoredRecord, stateOf, titleOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { columnOf } from '../match-words/match-expression.js'
import { rangeNumber, valueNumber as rangeValue } from '../range-bounds.js'
import { type DocumentValue, documentValues } from '../values/document-values.js'
import { comparedValue, foldedWords, foldValue, shownValue, tokenizedText } from '../values/fold-words.js'
import {
  comparedName,
  ownerField,
  ownersOf,
  recordValues,
  singleFields,
  valueFields,
  yearOf,
} from '../values/record-values.js'
import { recordPath } from './search-tables.js'

/** The content of the index for one record: the columns of the tables `words` and `indexed`. See search-tables.ts. */
interface SearchIndexEntry {
  readonly titleWords: string
  readonly description: string
  readonly record: string
  readonly document: string
  readonly leaf: string
  readonly whole: string
  readonly kind: Collection
  readonly id: string
  readonly year: number | undefined
  readonly created: number
  readonly updated: number
  readonly title: string
  readonly schema: string
  readonly version: number
  readonly facets: string
  /** Numbers and times at declared paths. */
  readonly numbers: readonly (readonly [field: number, num: number])[]
}

export interface EntrySource {
  readonly revision: Revision
  /** The record with what its document says about itself. */
  readonly described: StoredRecord
  /** Undefined if documents are not indexed, or the document cannot be read. */
  readonly document: Uint8Array | undefined
  /** Fields that the schema of the document declares, by their paths in lower case. */
  readonly declared: ReadonlyMap<string, DeclaredField>
  /** Limit of the indexed text of a document, in characters. */
  readonly textLimit: number
  /** The number by which the index knows a path. */
  pathNumber(name: string): number
  /** The number by which the index knows a whole value. */
  valueNumber(field: number, folded: string, text: string): number
}

/** Limit of the paths of one document that get numbers. Declared paths do not count. */
const maxPaths = 20_000
/**
 * Limit of the characters of these paths together: a fixed number, and more for each byte of the document. Otherwise
 * many members below a long name would make the index much larger than the document.
 */
const maxPathCharacters = 10_000
const pathCharactersOfByte = 8

/** Limit of the characters of a title by which records are ordered. */
const maxOrderedTitle = 200

/** Stands between two values. It is no word, so that no phrase goes from the end of a value to the next one. */
const betweenValues = ' ¶ '

/** Extracts the searchable words and values of a record and its document. */
export function searchIndexEntryOf(source: EntrySource): SearchIndexEntry {
  const { revision, described: record, document, declared, textLimit, pathNumber } = source
  const { kind, documentType } = revision
  const leaves = openLeaves()
  const values = openWholeValues(source)
  let [titleWords, description, others, text] = ['', '', '', '']

  for (const { field, text: written, value = written } of recordValues(kind, record, documentType)) {
    const words = tokenizedText(written)
    if (field === 'title') titleWords += words + betweenValues
    else if (field === 'description') description += ` ~ ${words} ~ `
    else others += words + betweenValues
    if (field === undefined) continue
    const path = pathNumber(recordPath(field))
    if (columnOf(field) === undefined) leaves.add(path, words)
    else leaves.mark(path)
    if (valueFields.has(field)) values.add(path, foldValue(value), shownValue(value, 'keyword'))
  }
  const year = yearOf(record)
  const single = {
    ...{ schema: record.schema?.schemaId, year: year === undefined ? undefined : String(year) },
    ...{
      state: stateOf(revision.record),
      kind,
      type: documentType,
      language: record.language?.toLowerCase(),
    },
  }
  for (const field of singleFields) {
    const value = single[field as keyof typeof single]
    if (value === undefined) continue
    values.add(pathNumber(recordPath(field)), String(comparedName(field, value)), value)
  }

  for (const sid of ownersOf(revision.record)) values.add(pathNumber(recordPath(ownerField)), sid, sid)

  const pathOf = openPaths(source)
  for (const value of document ? documentValues(document, documentType, textLimit, declared) : []) {
    const words = tokenizedText(value.text)
    text += words + betweenValues
    const { path, field } = pathOf(value.path)
    if (path === undefined) continue
    leaves.add(path, words)
    if (field) values.addDeclared(path, value, field.as)
  }

  const created = revision.record.dates?.find(date => date.type === 'CREATED')?.value
  return {
    ...{ titleWords, description, record: others, document: text, leaf: leaves.text(), ...values.columns() },
    ...{ kind, id: revision.id, year },
    created: (created === undefined ? undefined : rangeNumber(created, 'date', 'from')) ?? revision.createdAt,
    updated: revision.time,
    title: foldedWords(titleOf(record)).join(' ').slice(0, maxOrderedTitle),
    schema: record.schema?.schemaId ?? revision.id,
    version: revision.version,
  }
}

/** A path of a document: its number, and the field that the schema declares there. */
interface KnownPath {
  readonly path: number | undefined
  readonly field: DeclaredField | undefined
}

/** Returns a function that finds a path. It has no number beyond the limits, which do not apply to declared paths. */
function openPaths({ document, declared, pathNumber }: EntrySource): (name: string) => KnownPath {
  const known = new Map<string, KnownPath>()
  const numbers = new Map<string, number | undefined>()
  let paths = maxPaths
  let characters = maxPathCharacters + (document?.length ?? 0) * pathCharactersOfByte
  /** Whether another path is within the limits. If so, counts it. */
  function takes({ length }: string): boolean {
    if (paths < 1 || characters < length) return false
    paths--
    characters -= length
    return true
  }
  function numberOf(name: string): number | undefined {
    if (name === '') return undefined
    if (!numbers.has(name))
      numbers.set(name, declared.has(name) || takes(name) ? pathNumber(name) : undefined)
    return numbers.get(name)
  }
  return written => {
    const before = known.get(written)
    if (before) return before
    const name = written.toLowerCase()
    const path = { path: numberOf(name), field: declared.get(name) }
    known.set(written, path)
    return path
  }
}

/** What the tokenizer of the index takes for no part of a word. */
const betweenWords = /[\0-/:-@[-`{-\x7f]+/g

/** Builds the text of the column `leaf`, with a marker of the path before and after each value. */
function openLeaves() {
  let all = ''
  let last = 0
  return {
    /** @param words a text without tildes */
    add(path: number, words: string): void {
      const marker = ` ~${path}~`
      // One marker ends a value and begins the next one at the same path.
      if (last !== path) all += marker
      all += marker + words.replace(betweenWords, marker) + marker
      last = path
    },
    /** Adds a path whose words are in a column of their own. */
    mark(path: number): void {
      if (last !== path) all += ` ~${path}~`
      last = path
    },
    text: () => all,
  }
}

/** Collects the whole values of an entry, each once. */
function openWholeValues({ valueNumber }: EntrySource) {
  /** The numbers of values by their compared form, by field. */
  const byField = new Map<number, Map<string, number>>()
  const nums = new Map<string, readonly [field: number, num: number]>()
  function add(field: number, folded: string, text: string): void {
    const known = byField.get(field) ?? new Map<string, number>()
    if (folded === '' || known.has(folded)) return
    byField.set(field, known.set(folded, valueNumber(field, folded, text)))
  }
  return {
    add,
    addDeclared(
      field: number,
      value: Pick<DocumentValue, 'text' | 'isNumber'>,
      as: DeclaredField['as'],
    ): void {
      add(field, comparedValue(value.text, as), shownValue(value.text, as))
      const num = as === 'keyword' ? undefined : rangeValue(value, as)
      if (num !== undefined) nums.set(`${field} ${num}`, [field, num])
    },
    columns() {
      let whole = ''
      let facets = ''
      for (const [field, known] of byField) {
        const numbers = [...known.values()]
        for (const number of numbers) whole += ` ~${number}`
        facets += `${facets === '' ? '{' : ','}"${field}":[${numbers.join()}]`
      }
      return { whole, facets: facets === '' ? '{}' : `${facets}}`, numbers: [...nums.values()] }
    },
  }
}
