import { listElements, parameterIn, partsOfElement } from '../list-header.js'

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
export function acceptedTypes(accept: string | undefined): readonly string[] {
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
