import { ProblemError } from '../../core/problem.js'
import { listElements, parameterIn, partsOfElement } from '../list-header.js'
import { isJsonType } from '../media-types.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'

/** A media range of `Accept`. */
export interface AcceptedRange {
  /** The media type in lower case, without parameters. */
  readonly type: string
  /** The parameter `profile`, which distinguishes formats of one media type. */
  readonly profile: string | undefined
  readonly quality: number
}

const everything: AcceptedRange = { type: '*/*', profile: undefined, quality: 1 }

/**
 * The media ranges of an `Accept` header by quality, without those of quality 0. Ranges of equal quality stay in the
 * order of the header. Without the header, or if its list is empty, everything is accepted.
 * @see RFC 9110 §12.5.1
 */
export function acceptedRanges(accept: string | undefined): readonly AcceptedRange[] {
  const elements = listElements(accept)
  if (elements.length === 0) return [everything]
  return elements
    .map(rangeOf)
    .filter(({ type, quality }) => type !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
}

/** The types of {@link acceptedRanges}. */
function acceptedTypes(accept: string | undefined): readonly string[] {
  return acceptedRanges(accept).map(({ type }) => type)
}

function rangeOf(item: string): AcceptedRange {
  const [type = '', ...parameters] = partsOfElement(item)
  let profile: string | undefined
  let quality = 1
  for (const parameter of parameters) {
    const { name, value } = parameterIn(parameter) ?? {}
    if (name === 'profile') profile = value
    if (name === 'q' && !Number.isNaN(Number(value))) quality = Number(value)
  }
  // Java's HttpURLConnection sends a bare asterisk.
  return { type: type === '*' ? '*/*' : type.toLowerCase(), profile, quality }
}

/** The representation of a record that a GET returns. */
export type Representation =
  | { readonly of: 'record' | 'content' | 'index'; readonly mediaType: string }
  | { readonly of: 'document' }
  | { readonly of: 'page' }

/** Media type of lists for existing frontends that show tables. @see https://tabulator.info/docs/6.3/page#remote */
export const tableTypes = ['application/tabulator+json']

/**
 * Types in `Accept` for which the response is the document, whether it is JSON or XML.
 * @see docs/contract.md#choosing-a-representation
 */
const documentRange =
  /^(?:\*\/\*|text\/\*|application\/\*|(?:application|text)\/(?:json|xml)|application\/octet-stream)$/

/** The representations of the records of one collection, in one version of the interface. */
export interface OfferedTypes {
  /** Media types of the record. For these and the next two lists, the response has the type that is requested. */
  readonly record: readonly string[]
  /** Media types of content information. */
  readonly content: readonly string[]
  /** Media types of the record with its document, for search engines. */
  readonly index: readonly string[]
  /**
   * Media types of other resources, or of other versions of the interface. If `Accept` names only such types, the
   * request is refused, and does not get the document.
   */
  readonly elsewhere: ReadonlySet<string>
  /** Whether a request is refused, in place of getting the document, if the document cannot have any requested type. */
  readonly onlyFittingDocuments: boolean
}

/**
 * The representation that the request prefers; the page for `text/html`. The default is the document, so that clients
 * can read it without knowing its type.
 * @throws ProblemError `not-acceptable` if no type is known and the default does not apply
 * @see docs/contract.md#choosing-a-representation
 */
export function chooseRepresentation(accept: string | undefined, offer: OfferedTypes): Representation {
  const types = acceptedTypes(accept)
  for (const type of types) {
    for (const of of ['record', 'content', 'index'] as const)
      if (offer[of].includes(type)) return { of, mediaType: type }
    if (type === 'text/html') return { of: 'page' }
    if (documentRange.test(type)) return { of: 'document' }
  }
  if (!offer.onlyFittingDocuments && !(types.length > 0 && types.every(type => offer.elsewhere.has(type))))
    return { of: 'document' }
  const offered = [...offer.record, ...offer.content, ...Object.values(mediaTypeOf), 'text/html']
  throw notAcceptable(offered)
}

function notAcceptable(offered: readonly string[]): ProblemError {
  return new ProblemError(
    'not-acceptable',
    `The response can be ${offered.join(', ')}; Accept names none of them.`,
  )
}

/** Whether the request prefers HTML, as requests of browsers do. */
export function prefersHtml(accept: string | undefined): boolean {
  return acceptedTypes(accept)[0] === 'text/html'
}

/** Whether the request names JSON, and not only a range of types that has it, before all others. */
export function prefersJson(accept: string | undefined): boolean {
  return acceptedTypes(accept)[0] === 'application/json'
}

/** Whether the request prefers an event stream, as requests of the class `EventSource` do. */
export function prefersEventStream(accept: string | undefined): boolean {
  return acceptedTypes(accept)[0] === 'text/event-stream'
}

/**
 * The media type of a list: the one of `types` that the request prefers, otherwise `usual`.
 * @see docs/contract.md#types-of-lists
 */
export function chooseListType(
  accept: string | undefined,
  types: readonly string[],
  usual = 'application/json',
): string {
  return acceptedTypes(accept).find(type => types.includes(type)) ?? usual
}

/**
 * The media type of `offered` that the request prefers; the first one if the request has no preference.
 * @throws ProblemError `not-acceptable`
 */
export function chooseMediaType<T extends string>(
  accept: string | undefined,
  offered: readonly [first: T, ...others: T[]],
): T {
  for (const type of acceptedTypes(accept)) {
    if (type === '*/*') return offered[0]
    const beginning = type.endsWith('/*') ? type.slice(0, -1) : undefined
    const found = offered.find(each => each === type || (beginning && each.startsWith(beginning)))
    if (found !== undefined) return found
  }
  throw notAcceptable(offered)
}

/**
 * Checks that the client accepts JSON, before the request is carried out.
 * @throws ProblemError `not-acceptable` if `Accept` excludes every JSON type
 * @see docs/contract.md#answers-to-changes
 */
export function requireJsonAccepted(accept: string | undefined): void {
  if (acceptedTypes(accept).some(type => type === '*/*' || type === 'application/*' || isJsonType(type)))
    return
  throw new ProblemError(
    'not-acceptable',
    'The response to this request is application/json, which its Accept header excludes.',
  )
}
