import type { DescribedRecord } from '../datacite/export-context.js'
import { type CslName, cslItem } from './csl-json.js'

/*
 * RIS, the format of reference managers. A line is a tag of two characters, two blanks, a hyphen, a blank and a value.
 */

/** The record as one reference. Lines end with CR LF, as the format demands. */
export function ris(described: DescribedRecord): string {
  const { document } = described
  const item = cslItem(described)
  const fields: readonly (readonly [tag: string, value: string | undefined])[] = [
    ['TY', item.type === 'dataset' ? 'DATA' : 'GEN'],
    ['M3', item.genre],
    ['ID', item.id],
    ...tagged('AU', item.author),
    // A2 means the producer of a data set.
    ...tagged('ED', item.editor),
    ['TI', item.title],
    ['PY', document.publicationYear],
    ['DA', dateOf(item.issued['date-parts'][0])],
    ['PB', item.publisher],
    ['ET', item.version],
    ['DO', item.DOI],
    ['UR', item.URL],
    ['AB', item.abstract],
    ...(document.subjects ?? []).map(({ subject }) => ['KW', subject] as const),
    ['LA', item.language],
  ]
  const lines = fields.flatMap(([tag, value]) =>
    value === undefined ? [] : [`${tag}  - ${value.replace(/[\r\n\t]+/g, ' ').trim()}`],
  )
  return [...lines, 'ER  - ', ''].join('\r\n')
}

function tagged(tag: string, names: readonly CslName[] = []): readonly (readonly [string, string])[] {
  return names.map(name => [tag, 'literal' in name ? name.literal : `${name.family}, ${name.given}`])
}

/** A date as `YYYY/MM/DD/`; undefined without a month or a day. */
function dateOf([year, month, day]: readonly number[]): string | undefined {
  if (month === undefined || day === undefined) return undefined
  return `${String(year).padStart(4, '0')}/${String(month).padStart(2, '0')}/${String(day).padStart(2, '0')}/`
}
