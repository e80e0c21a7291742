import type { DeclaredField } from '../../../core/records/record.js'
import { valueNumber } from '../../search/range-bounds.js'
import type { DocumentValue } from '../../search/values/document-values.js'
import { comparedValue, shownValue } from '../../search/values/fold-words.js'

/*
 * The values of the paths that the schema of a document declares, in fields of their own: they never depend on what
 * other documents have at the path, and documents whose schema does not declare it have none.
 */

/**
 * Forms of a value in the index. `folded`: the value in lower case, see {@link comparedValue}, which is compared and
 * counted, and by which keywords are sorted. `shown`: the folded value, then the spelling that facets show, see
 * {@link shownTerm}. `date`: milliseconds since 1970.
 */
export type ValueForm = 'number' | 'date' | 'folded' | 'shown'

/** The type of each form in the index. In type `date`, the sort value of a hit without a date would be inexact. */
export const typesOfForms = {
  number: 'double',
  date: 'double',
  folded: 'keyword',
  shown: 'keyword',
} as const satisfies Readonly<Record<ValueForm, string>>

/** The fields that a schema declares, by path in lower case. */
export type DeclaredByPath = ReadonlyMap<string, DeclaredField>

/** The values of a document for the index, by form and then by the name of the path. */
export function declaredValues(
  values: readonly DocumentValue[],
  declared: DeclaredByPath,
): Readonly<Record<string, Readonly<Record<string, readonly (string | number)[]>>>> {
  if (declared.size === 0) return {}
  const forms = new Map<ValueForm, Map<string, Set<string | number>>>()
  function add(form: ValueForm, path: string, value: string | number | undefined): void {
    if (value === undefined || value === '') return
    const ofForm = forms.get(form) ?? new Map<string, Set<string | number>>()
    const ofPath = ofForm.get(path) ?? new Set()
    forms.set(form, ofForm.set(path, ofPath.add(value)))
  }
  for (const value of values) {
    const { path, text } = value
    const field = declared.get(path.toLowerCase())
    if (!field) continue
    const name = fieldName(path)
    if (field.as !== 'keyword') add(field.as, name, valueNumber(value, field.as))
    const folded = comparedValue(text, field.as)
    add('folded', name, folded)
    if (folded !== '') add('shown', name, shownTerm(folded, shownValue(text, field.as)))
  }
  return Object.fromEntries(
    [...forms].map(([form, paths]) => [
      form,
      Object.fromEntries([...paths].map(([path, found]) => [path, [...found]])),
    ]),
  )
}

/**
 * A term of the form `shown`. It begins with the folded value, so that equally frequent terms are in the order of the
 * folded values.
 */
export function shownTerm(folded: string, shown: string): string {
  return beginningOfShownTerms(folded) + shown
}

/** The beginning of the terms for a folded value, and the part of a term that is shown. */
export function splitShownTerm(term: string): { readonly beginning: string; readonly shown: string } {
  const end = term.indexOf(separator) + 1
  return { beginning: term.slice(0, end), shown: term.slice(end) }
}

export function beginningOfShownTerms(folded: string): string {
  return folded + separator
}

/** Stands between the folded value and the shown one, neither of which contains it. */
const separator = '\0'

/** The form by which the values of a declared path are sorted and compared. */
export function comparedForm(as: DeclaredField['as']): ValueForm {
  return as === 'keyword' ? 'folded' : as
}

/** The field with the values of a declared path in one form. */
export function declaredFieldName(path: string, form: ValueForm): string {
  return `metastore.declared.${form}.${fieldName(path)}`
}

/** The name of a field for a path. With dots, `a` would have to be a value and, for `a.b`, an object. */
function fieldName(path: string): string {
  // A lone surrogate cannot be encoded.
  const name = path.toLowerCase().replace(/\p{Cs}/gu, '\ufffd')
  return encodeURIComponent(name).replaceAll('*', '%2A').replaceAll('.', '/')
}
