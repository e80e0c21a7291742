import { visibleText } from '../../../core/text/clean-text.js'
import { absoluteIri } from '../../../core/text/iri.js'
import { dcmiPeriod } from './dcmi-encodings.js'

/*
 * Functions that make a valid value of DataCite from a text of a document, or undefined from another text.
 */

export type Clean = (text: string) => string | undefined

/** Limit of the characters of a value. */
const maxValueLength = 64 * 1024

/** A text of ASCII that is a line already. It needs no tests of Unicode, which take longer. */
const cleanLine = /^[!-~]+(?: [!-~]+)*$/

/** A text in one line, with single blanks. */
export function line(text: string): string | undefined {
  const cut = text.length > maxValueLength ? text.slice(0, maxValueLength) : text
  if (cleanLine.test(cut)) return cut
  return visibleText(/[^\S ]| {2}/.test(cut) ? cut.replace(/\s+/g, ' ') : cut)
}

/** A text in paragraphs, which blank lines separate. */
export function paragraphs(text: string): string | undefined {
  const parts = text.slice(0, maxValueLength).split(/\n[ \t]*\r?\n\s*/)
  return visibleText(parts.flatMap(part => line(part) ?? []).join('\n\n'))
}

const htmlTag =
  /<\/?(?:p|br|div|ul|ol|li|h[1-6]|hr|table|tbody|thead|tr|td|th|blockquote|a|b|i|u|em|strong|sub|sup|span|small|font)(?:\s[^<>]{0,1000})?\/?>/gi
const blockTag = /^<\/?(?:p|br|div|ul|ol|li|h[1-6]|hr|table|tr|blockquote)\b/i
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' },
}

/** A text without the tags of HTML that repositories write into it, also as `&lt;p&gt;`. Other texts stay. */
export function withoutMarkup(text: string): string {
  const html = /&lt;(?:\/(?:p|li|b|i|em|a|div|span|strong)|br ?\/?)&gt;/i.test(text)
    ? withoutEntities(text)
    : text
  if (!/<(?:\/(?:p|li|b|i|em|a|u|sub|sup|div|span|strong)|br ?\/?)>/i.test(html)) return text
  return withoutEntities(html.replace(htmlTag, tag => (blockTag.test(tag) ? '\n\n' : '')))
}

function withoutEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (_, name: string) => entities[name] ?? '')
}

/** A language tag whose first part has two or three letters. @see RFC 5646 */
export function language(text: string): string | undefined {
  const tag = text.trim().replaceAll('_', '-')
  return /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i.test(tag) && tag.length <= 35 ? tag : undefined
}

const dateForm =
  /^(\d{4}|-\d{4,6})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-](\d\d):?(\d\d))?)?)?)?$/

/**
 * A date or a time of ISO 8601, or two with a slash between them or as a period of DCMI. One end of such a range may be
 * open, also as `..`. Of a time that stands behind a blank, as in `2019-02-18 09:00:00 UTC`, the day counts. A day may be
 * in the compact form `20190218`.
 */
export function date(text: string): string | undefined {
  const trimmed = (dcmiPeriod(text) ?? text).trim().slice(0, 100)
  const ends = trimmed
    .split('/')
    .map(end => end.trim().replace(/^(\d{4}-\d\d-\d\d) \d\d:\d\d\b.*$/, '$1'))
    .map(end => (end === '..' ? '' : end.replace(/^((?:1[5-9]|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')))
  const isRange = ends.length === 2 && ends.some(end => end !== '')
  if (!(isRange || ends.length === 1) || !ends.every(end => (isRange && end === '') || isDate(end)))
    return undefined
  // Some schemas write a single date as a range from it to itself.
  return [...new Set(ends)].join('/')
}

function isDate(text: string): boolean {
  const [, year, month = '01', day = '01', ...time] = dateForm.exec(text) ?? []
  if (year === undefined || month < '01' || month > '12') return false
  // The calendar is the same after 400 years.
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()
  const isDay = day >= '01' && Number(day) <= last
  return isDay && time.every((part = '00', index) => part <= (mostOfTime[index] ?? ''))
}

/** Hours, minutes and seconds, and hours and minutes of the zone. */
const mostOfTime = ['24', '59', '60', '23', '59']

/** The characters of a URI that needs no escapes, with at most one fragment. */
const plainUri =
  /^(?:[!$&'()*+,\-./:;=?@\w~[\]]|%[\da-fA-F]{2})+(?:#(?:[!$&'()*+,\-./:;=?@\w~]|%[\da-fA-F]{2})*)?$/

/** An absolute URI. One that needs no escapes stays as it is written. */
export function uri(text: string): string | undefined {
  const trimmed = text.trim().slice(0, 2000)
  const absolute = absoluteIri(trimmed)
  return absolute !== undefined && plainUri.test(trimmed) ? trimmed : absolute
}
