import { type DescribedRecord, subjectIri } from '../datacite/export-context.js'
import { type CslName, cslItem } from './csl-json.js'

/*
 * A citation as text, in the four most common styles. The rules for data sets are those of: APA 7, section 10.9;
 * Chicago 17 (author-date), section 14.257; Cite Them Right 11 (Harvard); Citing Medicine, chapter 22 (Vancouver).
 */

interface Citation {
  readonly style: 'APA' | 'Chicago' | 'Harvard' | 'Vancouver'
  readonly text: string
}

/** The citations as plain texts. Parts that the record does not have are left out. */
export function citationsOf(described: DescribedRecord): readonly Citation[] {
  const { document } = described
  const item = cslItem(described)
  const parts: CitedParts = {
    names: item.author ?? [],
    title: withoutFinalStop(item.title),
    kind: item.genre ?? 'Dataset',
    year: document.publicationYear,
    version: item.version,
    publisher: item.publisher,
    url: subjectIri(document),
  }
  return [
    { style: 'APA', text: apa(parts) },
    { style: 'Chicago', text: chicago(parts) },
    { style: 'Harvard', text: harvard(parts) },
    { style: 'Vancouver', text: vancouver(parts) },
  ]
}

interface CitedParts {
  readonly names: readonly CslName[]
  /** The title without a full stop at its end. */
  readonly title: string
  /** What is cited, in brackets behind its title. */
  readonly kind: 'Dataset' | 'Schema'
  readonly year: string
  readonly version: string
  readonly publisher: string | undefined
  readonly url: string
}

/** `Lovelace, A., & Babbage, C. (1843). Notes (Version 2) [Data set]. Publisher. https://…` */
function apa({ names, title, kind, year, version, publisher, url }: CitedParts): string {
  const what = `${title} (Version ${version}) [${kind === 'Dataset' ? 'Data set' : kind}].`
  const shown = names.map(apaName)
  const listed =
    shown.length > 20
      ? `${shown.slice(0, 19).join(', ')}, . . . ${shown.at(-1)}`
      : enumerate(shown, ', ', ', & ')
  const head = listed === '' ? `${what} (${year}).` : `${withFinalStop(listed)} (${year}). ${what}`
  return sentences(head, publisher && withFinalStop(publisher), url)
}

function apaName(name: CslName): string {
  return 'literal' in name ? name.literal : `${name.family}, ${initials(name.given, '. ')}.`
}

/** `Lovelace, Ada, and Charles Babbage. 1843. “Notes.” Version 2. Publisher. https://…` */
function chicago({ names, title, year, version, publisher, url }: CitedParts): string {
  const shown = names.map((name, index) => {
    if ('literal' in name) return name.literal
    return index === 0 ? `${name.family}, ${name.given}` : `${name.given} ${name.family}`
  })
  const listed =
    shown.length > 10 ? `${shown.slice(0, 7).join(', ')}, et al` : enumerate(shown, ', ', ', and ')
  const what = `“${title}.” Version ${version}.`
  const head = listed === '' ? `${what} ${year}.` : `${withFinalStop(listed)} ${year}. ${what}`
  return sentences(head, publisher && withFinalStop(publisher), `${url}.`)
}

/** `Lovelace, A. and Babbage, C. (1843) ‘Notes’, version 2 [Dataset]. Publisher. Available at: https://…` */
function harvard({ names, title, kind, year, version, publisher, url }: CitedParts): string {
  const shown = names.map(name =>
    'literal' in name ? name.literal : `${name.family}, ${initials(name.given, '.')}.`,
  )
  const listed = shown.length > 3 ? `${shown[0]} et al.` : enumerate(shown, ', ', ' and ')
  const head =
    listed === ''
      ? `‘${title}’ (${year}), version ${version} [${kind}].`
      : `${listed} (${year}) ‘${title}’, version ${version} [${kind}].`
  return sentences(head, publisher && withFinalStop(publisher), `Available at: ${url}.`)
}

/** `Lovelace A, Babbage C. Notes [dataset]. Version 2. Publisher; 1843. Available from: https://…` */
function vancouver({ names, title, kind, year, version, publisher, url }: CitedParts): string {
  const shown = names.map(name =>
    'literal' in name ? name.literal : `${name.family} ${initials(name.given, '')}`,
  )
  const listed = shown.length > 6 ? `${shown.slice(0, 6).join(', ')}, et al` : shown.join(', ')
  const where = publisher === undefined ? `${year}.` : `${publisher}; ${year}.`
  return sentences(
    listed && withFinalStop(listed),
    `${title} [${kind.toLowerCase()}]. Version ${version}.`,
    where,
    `Available from: ${url}`,
  )
}

/** First letters of the parts of a given name. A hyphen stays: `Jean-Paul` is `J-P`. */
function initials(given: string, separator: string): string {
  return given
    .split(/\s+/)
    .filter(part => part !== '')
    .map(part =>
      part
        .split('-')
        .map(each => Array.from(each)[0] ?? '')
        .filter(letter => letter !== '')
        .join(separator === '' ? '' : '.-')
        .toUpperCase(),
    )
    .join(separator)
}

function enumerate(names: readonly string[], separator: string, last: string): string {
  if (names.length < 2) return names[0] ?? ''
  return `${names.slice(0, -1).join(separator)}${last}${names.at(-1)}`
}

function withFinalStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function withoutFinalStop(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter(part => part !== undefined && part !== '').join(' ')
}
