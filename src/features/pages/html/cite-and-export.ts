import { cleanText } from '../../../core/text/clean-text.js'
import { mediaTypeWith } from '../../../core/text/web-link.js'
import { Html, type HtmlPart, html } from '../../../http/html-template.js'
import { type DescribedRecord, summaryOf } from '../../exports/datacite/export-context.js'
import { type ExportFormat, exportFormats } from '../../exports/export-formats.js'
import { citationsOf } from '../../exports/formats/citation-styles.js'
import { type CslName, cslItem } from '../../exports/formats/csl-json.js'
import { schemaOrg } from '../../exports/formats/schema-org.js'
import { definitionList } from './html-layout.js'

/*
 * What the page of a record says to search engines and reference managers, and how to cite it.
 */

/** Citations in four styles, the first one open. */
export function citations(described: DescribedRecord): HtmlPart {
  const [first, ...others] = citationsOf(described).map(
    ({ style, text }) => [style, html`<span dir="auto">${text}</span>`] as const,
  )
  if (!first) return undefined
  return html`${definitionList([first])}<details><summary>In other styles</summary>
${definitionList(others)}</details>`
}

/** Links to the record in the formats of other programs. @param urlOf returns the address of the record in a format */
export function exportLinks(urlOf: (format: string) => string): HtmlPart {
  const links = exportFormats.map(
    ({ name, title, mediaType, ...others }: ExportFormat) =>
      html`<li><a href="${urlOf(name)}" type="${mediaTypeWith(mediaType, others.profile)}">${title}</a></li>\n`,
  )
  return html`<details><summary>${exportFormats.length} formats of other programs</summary>
<ul class="plain">
${links}</ul></details>`
}

/** Limit of the characters of a description, as search engines show hardly more. */
const maxDescriptionLength = 300
/** Limit of the tags for the values of one member: a record may have tens of thousands of values. */
const maxTags = 100

/** Elements of the head: a description, citation tags, and schema.org as JSON-LD. */
export function discoveryElements(described: DescribedRecord): HtmlPart {
  const { document } = described
  const item = cslItem(described)
  const tags: readonly (readonly [name: string, value: string | undefined])[] = [
    ['description', shortenText(summaryOf(described))],
    ['citation_title', item.title],
    ...(item.author ?? []).slice(0, maxTags).map(author => ['citation_author', nameOf(author)] as const),
    [
      'citation_publication_date',
      item.issued['date-parts'][0].map(part => String(part).padStart(2, '0')).join('/'),
    ],
    ['citation_publisher', item.publisher],
    ['citation_doi', item.DOI],
    ['citation_language', item.language],
    ...(document.subjects ?? [])
      .slice(0, maxTags)
      .map(({ subject }) => ['citation_keywords', subject] as const),
    ['citation_public_url', document.url],
  ]
  const elements = tags.map(
    ([name, value]) => value !== undefined && html`<meta name="${name}" content="${value}">\n`,
  )
  return html`${elements}<script type="application/ld+json">${jsonInScript(schemaOrg(described))}</script>
`
}

/** JSON in a script element. Without `<` no text of a record can end the element. */
function jsonInScript(value: unknown): Html {
  return new Html(
    JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )
}

function nameOf(name: CslName): string {
  return 'literal' in name ? name.literal : `${name.family}, ${name.given}`
}

function shortenText(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= maxDescriptionLength ? line : `${cleanText(line.slice(0, maxDescriptionLength - 1))}…`
}
