import { ProblemError } from '../../core/problem.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'

/** What a GET of one record answers. */
export type Representation =
  | { readonly of: 'record' | 'content' | 'index'; readonly mediaType: string }
  | { readonly of: 'document' }
  | { readonly of: 'page' }

/** What the tables of existing frontends ask for. @see https://tabulator.info/docs/6.3/page#remote */
export const tableTypes = ['application/tabulator+json']

const everything = ['*/*']

/**
 * The types of an `Accept` header the client takes at all, best first; equal ones as written. Parameters are left out.
 */
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

/**
 * Types whose first place in `Accept` means the document, whatever language it is in.
 * @see docs/contract.md#choosing-a-representation
 */
const documentRange =
  /^(?:\*\/\*|text\/\*|application\/\*|(?:application|text)\/(?:json|xml)|application\/octet-stream)$/

/** What one kind of record can be answered as, in one version of the interface. */
export interface OfferedTypes {
  /** Media types of the record; the one asked for is echoed. So are the others. */
  readonly record: readonly string[]
  /** Of content information. */
  readonly content: readonly string[]
  /** Of what search engines read. */
  readonly index: readonly string[]
  /** Types that another resource or version of the interface is answered as: the document is no answer to them. */
  readonly elsewhere: ReadonlySet<string>
  /** Whether the document is no answer to a type that it cannot have. */
  readonly onlyFittingDocuments: boolean
}

/**
 * What the request likes best of what there is, a page for `text/html`; the document where it names nothing of that,
 * as a document has to be had without knowing its type.
 * @throws ProblemError `not-acceptable` where that is not offered
 * @see docs/contract.md#choosing-a-representation
 */
export function chooseRepresentation(accept: string | undefined, offer: OfferedTypes): Representation {
  const types = acceptable(accept)
  for (const type of types) {
    for (const of of ['record', 'content', 'index'] as const)
      if (offer[of].includes(type)) return { of, mediaType: type }
    if (type === 'text/html') return { of: 'page' }
    if (documentRange.test(type)) return { of: 'document' }
  }
  if (!offer.onlyFittingDocuments && !(types.length > 0 && types.every(type => offer.elsewhere.has(type))))
    return { of: 'document' }
  const offered = [...offer.record, ...offer.content, ...Object.values(mediaTypeOf), 'text/html']
  throw new ProblemError(
    'not-acceptable',
    `This can be had as ${offered.join(', ')}; Accept names none of them.`,
  )
}

/** Says whether a page for people is what the request likes best: a browser's does. */
export function prefersHtml(accept: string | undefined): boolean {
  return acceptable(accept)[0] === 'text/html'
}

/** Says whether a stream of events is what the request likes best: an `EventSource` does. */
export function prefersEventStream(accept: string | undefined): boolean {
  return acceptable(accept)[0] === 'text/event-stream'
}

/**
 * Media type of a list: a record type that is asked for is echoed, anything else is JSON.
 * @see docs/contract.md#types-of-lists
 */
export function chooseListType(accept: string | undefined, recordTypes: readonly string[]): string {
  return acceptable(accept).find(type => recordTypes.includes(type)) ?? 'application/json'
}

/**
 * Of several media types of one thing the one the request likes best; the first where it does not mind.
 * @throws ProblemError `not-acceptable`
 */
export function chooseMediaType<T extends string>(
  accept: string | undefined,
  offered: readonly [first: T, ...others: T[]],
): T {
  for (const type of acceptable(accept)) {
    if (type === '*/*') return offered[0]
    const beginning = type.endsWith('/*') ? type.slice(0, -1) : undefined
    const found = offered.find(each => each === type || (beginning && each.startsWith(beginning)))
    if (found !== undefined) return found
  }
  throw new ProblemError(
    'not-acceptable',
    `This can be had as ${offered.join(', ')}; Accept names none of them.`,
  )
}

const admitsJson = /^(?:\*\/\*|application\/(?:\*|json|.+\+json))$/

/**
 * @throws ProblemError `not-acceptable` where `Accept` admits no JSON type at all.
 * @see docs/contract.md#answers-to-changes
 */
export function requireJsonAccepted(accept: string | undefined): void {
  if (acceptable(accept).some(type => admitsJson.test(type))) return
  throw new ProblemError(
    'not-acceptable',
    'This request is answered as application/json, which its Accept header excludes.',
  )
}
