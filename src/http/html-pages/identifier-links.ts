import { type HtmlPart, html } from './html-template.js'

/** The text as a link target, if it is an http or https URL; other schemes (`javascript:`) are unsafe. */
export function webUrl(text: string): string | undefined {
  const trimmed = text.trim()
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined
  return new URL(trimmed).href
}

/** Resolvers of identifiers that are not URLs. */
const resolvers: Readonly<Record<string, readonly [pattern: RegExp, resolver: string]>> = {
  DOI: [/^(?:doi:)?\s*(10\.\d{4,9}\/\S+)$/i, 'https://doi.org/'],
  HANDLE: [/^(?:hdl:)?\s*(\d[\d.]*\/\S+)$/i, 'https://hdl.handle.net/'],
  ARK: [/^(ark:\/?\d{5,9}\/\S+)$/i, 'https://n2t.net/'],
}

/**
 * The URL of an identifier; undefined if it has none.
 * @param type as in records, such as `DOI` or `URL`; undefined: detected for URLs and DOIs
 */
export function identifierUrl(value: string, type = 'DOI'): string | undefined {
  const url = webUrl(value)
  if (url !== undefined) return url
  const [pattern, resolver = ''] = resolvers[type] ?? []
  const name = pattern?.exec(value.trim())?.[1]
  // A URL cannot contain an unpaired surrogate.
  if (name === undefined || /\p{Cs}/u.test(name)) return undefined
  return resolver + encodeURIComponent(name).replaceAll('%2F', '/').replaceAll('%3A', ':')
}

/** A link to a page of this server. */
export function link(href: string, text: HtmlPart): HtmlPart {
  return html`<a href="${href}">${text}</a>`
}

/** A text from a record, as a link if it has a URL. */
export function userLink(text: string, href: string | undefined): HtmlPart {
  return href === undefined
    ? html`<span dir="auto">${text}</span>`
    : html`<a href="${href}" rel="nofollow" dir="auto">${text}</a>`
}
