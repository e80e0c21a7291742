import type { DescribedRecord } from '../datacite/export-context.js'
import { type CslName, cslItem } from './csl-json.js'

/*
 * One entry of BibTeX. The standard styles have no type for data sets; all of them print `@misc`.
 */

/**
 * TeX for special characters. A brace is not escaped by a backslash: BibTeX counts such a brace too, so a lone one
 * would end the field early, or never.
 */
const specialCharacters: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '&': '\\&',
  '%': '\\%',
  $: '\\$',
  '#': '\\#',
  _: '\\_',
}

/** The entry, with a line break at its end. Letters beyond ASCII stay as they are: UTF-8. */
export function bibtex(described: DescribedRecord): string {
  const { document } = described
  const item = cslItem(described)
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['author', item.author && namesOf(item.author)],
    ['editor', item.editor && namesOf(item.editor)],
    ['title', `{${escapeTex(item.title)}}`],
    ['year', document.publicationYear],
    ['publisher', item.publisher && escapeTex(item.publisher)],
    ['version', escapeTex(item.version)],
    ['doi', item.DOI && verbatim(item.DOI)],
    ['url', verbatim(item.URL)],
    ['abstract', item.abstract && escapeTex(item.abstract)],
    ['keywords', item.keyword && escapeTex(item.keyword)],
    ['language', item.language],
  ]
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name} = {${value}}`]))
  return `@misc{${keyOf(described)},\n${lines.join(',\n')}\n}\n`
}

/** TeX joins two of these characters to one: a dash or a quotation mark. */
const ligature = /([-`'<>,])(?=\1)|[?!](?=`)/g

function escapeTex(text: string): string {
  return text
    .replace(/[\\{}~^&%$#_]/g, character => specialCharacters[character] ?? character)
    .replace(ligature, '$&{}')
}

/** Escapes a field that programs do not read as TeX. Only a brace would end the field. */
function verbatim(text: string): string {
  return text.replace(/[{}]/g, encodeURIComponent)
}

/**
 * Names joined by `and`. Braces keep the name of an institution in one piece, and protect an ` and ` within a name.
 * They also protect a special character at the end of a name: programs drop a blank after it, and read the next name as
 * a part of this one.
 */
function namesOf(names: readonly CslName[]): string {
  return names
    .map(name => {
      if ('literal' in name) return `{${escapeTex(name.literal)}}`
      const parts = [name.family, name.given].map(part =>
        /,|(?:^|\s)and(?:\s|$)|[&%$#_]$/i.test(part) ? `{${escapeTex(part)}}` : escapeTex(part),
      )
      return parts.join(', ')
    })
    .join(' and ')
}

/** The key of the entry: the id without what a key may not have, which is an asterisk or a digit at its beginning. */
function keyOf({ id }: DescribedRecord): string {
  const key = id.replaceAll('*', '_')
  return /^[A-Za-z]/.test(key) ? key : `record-${key}`
}
