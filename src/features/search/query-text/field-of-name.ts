import { documentPrefix, isRecordField, type RecordField } from '../search-condition.js'

/** Other names of record fields, in lower case. */
const otherNames: ReadonlyMap<string, RecordField> = new Map([
  ['license', 'licence'],
  ['lastupdate', 'updated'],
])

/**
 * The field that a name in a query stands for: a field of the record, or a path into the document.
 * @returns undefined for `*`: any field
 */
export function fieldOfName(name: string): string | undefined {
  if (name === '*') return undefined
  return recordFieldOfName(name) ?? (name.startsWith(documentPrefix) ? name : documentPrefix + name)
}

/** The field of the record that a name in a query stands for. Case does not count. */
export function recordFieldOfName(name: string): RecordField | undefined {
  const lower = name.toLowerCase()
  return isRecordField(lower) ? lower : otherNames.get(lower)
}
