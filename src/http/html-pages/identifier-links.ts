import { type HtmlPart, html } from './html-template.js'

/** The text as a link target: http and https only, anything else (`javascript:`…) is none. */
export function webUrl(text: string): string | undefined {
  const trimmed = text.trim()
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) return undefined
  return new URL(trimmed).href
}

/** Resolvers of identifiers that are no URLs themselves. */
const resolvers: Readonly<Record<string, readonly [pattern: RegExp, resolver: string]>> = {
  DOI: [/^(?:doi:)?\s*(10\.\d{4,9}\/\S+)$/i, 'https://doi.org/'],
  HANDLE: [/^(?:hdl:)?\s*(\d[\d.]*\/\S+)$/i, 'https://hdl.handle.net/'],
  ARK: [/^(ark:\/?\d{5,9}\/\S+)$/i, 'https://n2t.net/'],
}

/**
 * Where an identifier leads to, if anywhere.
 * @param type as in records, `DOI` or `URL` for example; without one an URL and a DOI are known by their form
 */
export function identifierUrl(value: string, type = 'DOI'): string | undefined {
  const url = webUrl(value)
  if (url !== undefined) return url
  const [pattern, resolver = ''] = resolvers[type] ?? []
  const name = pattern?.exec(value.trim())?.[1]
  // a half character cannot be in an address
  if (name === undefined || /\p{Cs}/u.test(name)) return undefined
  return resolver + encodeURIComponent(name).replaceAll('%2F', '/').replaceAll('%3A', ':')
}

/** A link of ours. */
export function link(href: string, text: HtmlPart): HtmlPart {
  return html`<a href="${href}">${text}</a>`
}

/** What somebody wrote into a record: a link where it leads somewhere, else the text. */
export function userLink(text: string, href: string | undefined): HtmlPart {
  return href === undefined
    ? html`<span dir="auto">${text}</span>`
    : html`<a href="${href}" rel="nofollow" dir="auto">${text}</a>`
}
