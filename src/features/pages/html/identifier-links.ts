import { type HtmlPart, html } from '../../../http/html-template.js'

export { identifierIri as identifierUrl } from '../../../core/text/iri.js'

/** A link to a page of this server. */
export function link(href: string, text: HtmlPart): HtmlPart {
  return html`<a href="${href}">${text}</a>`
}

/** A text from a record, as a link if it has a URL. */
export function userLink(text: string, href: string | undefined): HtmlPart {
  return href === undefined
    ? html`<span dir="auto">${text}</span>`
    : html`<a href="${href}" rel="nofollow" dir="auto">${breakable(text)}</a>`
}

/** An address that lines break after its slashes; other texts as they are. */
function breakable(text: string): HtmlPart {
  if (!text.includes('://')) return text
  return text.split(/(?<=[^:/]\/)/).map((part, index) => [index > 0 && html`<wbr>`, part])
}
