import { ProblemError } from '../core/problem.js'

/** What a GET of one record answers. */
export type Representation =
  | { readonly of: 'record'; readonly mediaType: string }
  | { readonly of: 'document' }
  | { readonly of: 'page' }

const everything = ['*/*']

/** The types of an `Accept` header the client takes at all, best first; equal ones as written. Parameters are left out. */
function acceptable(accept: string | undefined): readonly string[] {
  if (!accept?.trim()) return everything
  return accept
    .split(',')
    .map(range => {
      const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
      const weight = parameters.find(parameter => /^q\s*=/.test(parameter))
      const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1))
      // Java's own client sends a bare asterisk
      return { type: type === '*' ? '*/*' : type, quality: Number.isNaN(quality) ? 1 : quality }
    })
    .filter(({ type, quality }) => type !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ type }) => type)
}

/** Types whose first place in `Accept` means the document, whatever language it is in. @see contract, 1.3 */
const documentRange =
  /^(?:\*\/\*|text\/\*|application\/\*|(?:application|text)\/(?:json|xml)|application\/octet-stream)$/

/**
 * The record where one of its types is asked for, the page for `text/html`, else the document: also for types we do
 * not know, as a document has to be had without knowing its type.
 * @param recordTypes the interface's types of this kind of record; the one asked for is echoed
 * @see contract, "Media types"
 */
export function representationOf(accept: string | undefined, recordTypes: readonly string[]): Representation {
  for (const type of acceptable(accept)) {
    if (recordTypes.includes(type)) return { of: 'record', mediaType: type }
    if (type === 'text/html') return { of: 'page' }
    if (documentRange.test(type)) return { of: 'document' }
  }
  return { of: 'document' }
}

/** Media type of a list: a record type that is asked for is echoed, anything else is JSON. @see contract, "List content type" */
export function listTypeOf(accept: string | undefined, recordTypes: readonly string[]): string {
  return acceptable(accept).find(type => recordTypes.includes(type)) ?? 'application/json'
}

const admitsJson = /^(?:\*\/\*|application\/(?:\*|json|.+\+json))$/

/** @throws ProblemError `not-acceptable` where `Accept` admits no JSON type at all. @see contract, "Media types" */
export function demandJson(accept: string | undefined): void {
  if (acceptable(accept).some(type => admitsJson.test(type))) return
  throw new ProblemError(
    'not-acceptable',
    'This request is answered as application/json, which its Accept header excludes.',
  )
}
