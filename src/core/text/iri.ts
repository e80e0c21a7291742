import { cleanText } from './clean-text.js'

/**
 * Schemes of addresses that identify a resource. Others run code (`javascript`), lead to a file on the reader's machine
 * (`file`), or look like the prefixes of RDF.
 */
const namingSchemes = /^(?:https?|ftps?|urn|info|doi|hdl|ark|tag|geo|swh|lsid|arxiv):\S/i

/**
 * A text as an absolute URI in ASCII, with everything percent-encoded that RFC 3986 does not allow.
 * @returns undefined for a text that is no URI, or has another scheme
 */
export function absoluteIri(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  if (!namingSchemes.test(trimmed)) return undefined
  const wellFormed = cleanText(trimmed)
  if (!URL.canParse(wellFormed)) return undefined
  const [beforeFragment = '', ...fragment] = new URL(wellFormed).href.split('#')
  const authority = /^[a-z][a-z\d+.-]*:\/\/[^/?]*/i.exec(beforeFragment)?.[0] ?? ''
  // A host name cannot be escaped: URLs of browsers allow characters in it that RFC 3986 and Turtle forbid.
  if (/[^!$&'()*+,\-./:;=@\w~%[\]]/.test(authority)) return undefined
  const rest = escapeForbidden(beforeFragment.slice(authority.length))
  return authority + rest + (fragment.length === 0 ? '' : `#${escapeForbidden(fragment.join('%23'))}`)
}

/** {@link absoluteIri} of an address of `http` or `https`; undefined for other texts. */
export function webIri(text: string | undefined): string | undefined {
  const iri = absoluteIri(text)
  return iri !== undefined && /^https?:\/\//.test(iri) ? iri : undefined
}

function escapeForbidden(text: string): string {
  return text
    .replace(/%(?![\da-f]{2})/gi, '%25')
    .replace(/[^!$&'()*+,\-./:;=?@\w~%]/gu, character => encodeURIComponent(character))
}

/** Resolvers of identifiers that are not URLs. */
const resolvers = new Map<string, readonly [pattern: RegExp, resolver: string]>(
  Object.entries({
    DOI: [/^(?:doi:)?\s*(10\.\d{4,9}\/\S+)$/i, 'https://doi.org/'],
    HANDLE: [/^(?:hdl:)?\s*(\d[\w.]*\/\S+)$/i, 'https://hdl.handle.net/'],
    ARK: [/^(ark:\/?\d{5,9}\/\S+)$/i, 'https://n2t.net/'],
    ORCID: [/^(?:(?:www\.)?orcid\.org\/)?([\dX-]+)$/i, 'https://orcid.org/'],
    ROR: [/^(?:ror\.org\/)?(0\w{8})$/i, 'https://ror.org/'],
  }),
)

/**
 * The IRI of an identifier; undefined if the identifier has none.
 * @param type as in records, such as `DOI` or `URL`; without a type, URLs and DOIs are recognized by their form
 */
export function identifierIri(value: string, type = 'DOI'): string | undefined {
  const url = webIri(value)
  if (url !== undefined) return url
  const [pattern, resolver = ''] = resolvers.get(type.toUpperCase()) ?? []
  const name = pattern?.exec(cleanText(value).trim())?.[1]
  return name && resolver + encodeURIComponent(name).replaceAll('%2F', '/').replaceAll('%3A', ':')
}

/** The name of a DOI without a resolver or `doi:` before it, spelled as in the text; undefined if it is no DOI. */
export function doiName(value: string): string | undefined {
  return /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?(10\.\d{4,9}\/\S+)$/i.exec(cleanText(value).trim())?.[1]
}
