import { identifierIri } from '../../../core/text/iri.js'
import { type HtmlPart, html } from '../../../http/html-template.js'
import { userLink } from '../../pages/html/identifier-links.js'
import type { DrawnText } from '../documents/drawn-value.js'

/* Texts of documents as a person reads them: dates and numbers of the page's language, links, folded long texts. */

/**
 * Limits of the characters of a text that is not folded, of the beginning that is seen of a folded one, of a text that
 * is drawn, and of a number.
 */
const most = { open: 500, beginning: 200, drawn: 20_000, digits: 100 }

export function textMarkup({ text, type }: DrawnText): HtmlPart {
  if (type === 'nothing' || text.trim() === '') return html`<span class="dim">empty</span>`
  if (type === 'boolean') return text === 'true' ? 'yes' : 'no'
  if (type === 'number' && text.length < most.digits)
    return html`<data value="${text}">${numberText(text)}</data>`
  const href = addressOf(text)
  if (href !== undefined) return userLink(text.trim(), href)
  const date = dateText(text)
  if (date !== undefined) return html`<time datetime="${text}">${date}</time>`
  if (text.length <= most.open) return paragraphs(text)
  return html`<details class="long"><summary dir="auto">${text.slice(0, most.beginning).replace(/\s+/g, ' ').trimEnd()}… <span class="dim">(all ${numberText(String(text.length))} characters)</span></summary>
${paragraphs(text.slice(0, most.drawn))}${text.length > most.drawn && html`<p class="dim">The rest of this text is not drawn. The download has all of it.</p>`}</details>`
}

/** A text with an empty line between paragraphs. Single line breaks of the source are spaces. */
export function paragraphs(text: string): HtmlPart {
  const parts = text
    .split(/\n[ \t\r]*\n/)
    .map(part => part.trim())
    .filter(part => part !== '')
  const [only = ''] = parts
  if (parts.length <= 1) return html`<span dir="auto">${withLineBreaks(only)}</span>`
  return parts.map(part => html`<p dir="auto">${withLineBreaks(part)}</p>\n`)
}

/** The character that stands for a line break of the document itself, such as `<br/>`. */
const lineBreak = '\u2028'

function withLineBreaks(text: string): HtmlPart {
  if (!text.includes(lineBreak)) return text
  return text.split(lineBreak).map((line, index) => [index > 0 && html`<br>`, line])
}

const orcid = /^(?:https?:\/\/orcid\.org\/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/
/** The numbers that ISNI gives to ORCID. @see https://support.orcid.org/hc/en-us/articles/360006897674 */
const orcidNumbers = /^0000-000[123]-|^0009-/

/** The address that a text is or stands for: of the web, of mail, a DOI or an ORCID; undefined for others. */
function addressOf(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 2000 || /\s/.test(trimmed)) return undefined
  const [, person] = orcid.exec(trimmed) ?? []
  if (person !== undefined && orcidNumbers.test(person)) return `https://orcid.org/${person}`
  const [, mail] = /^(?:mailto:)?([\w.+-]+@[\w-]+(?:\.[\w-]+)+)$/.exec(trimmed) ?? []
  if (mail !== undefined) return `mailto:${mail}`
  return identifierIri(trimmed)
}

/** A number with separators between thousands, from five digits on, because four digits are often a year. */
export function numberText(text: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? []
  if (whole === '') return text
  const groups: string[] = []
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(end - 3, 0), end))
  const grouped = groups.join(whole.length < 5 ? '' : ',')
  return `${sign === '' ? '' : '−'}${grouped}${rest}`
}

const dateForms: readonly (readonly [form: RegExp, options: Intl.DateTimeFormatOptions])[] = [
  [/^\d{4}-\d\d-\d\d$/, { day: 'numeric', month: 'long', year: 'numeric' }],
  [/^\d{4}-\d\d$/, { month: 'long', year: 'numeric' }],
  [
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/,
    { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  ],
]
const formats = dateForms.map(
  ([form, options]) => [form, new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })] as const,
)

/** A date, a month or a time in UTC in words; undefined for other texts, also for times of other zones. */
function dateText(text: string): string | undefined {
  const format = formats.find(([form]) => form.test(text))?.[1]
  if (!format) return undefined
  const date = new Date(text)
  // 2026-02-31 would become the third of March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10))) return undefined
  return `${format.format(date)}${text.endsWith('Z') ? ' UTC' : ''}`
}
