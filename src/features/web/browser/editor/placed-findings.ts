import type { Finding } from '../api/interface-types.js'
import { findingInPlainWords } from '../parts/plain-finding.js'
import { type Place, placesOf } from './places.js'

/** A finding and the characters of the text that it is about. */
export interface PlacedFinding {
  readonly finding: Finding
  readonly from: number
  readonly to: number
  /** What it means, beside what the validator says. */
  readonly plain?: string | undefined
  /** Name of the field of a form that shows it. */
  readonly label?: string
}

/**
 * Places findings in a text, in its order. The mark of a value is its name, else its opening bracket: a finding about a
 * whole document must not mark the whole text. A finding without a path has its line; one without both is at the start.
 */
export function placeFindings(
  text: string,
  language: 'JSON' | 'XML',
  findings: readonly Finding[],
): readonly PlacedFinding[] {
  if (findings.length === 0) return []
  const places = placesOf(text, language)
  const placed = findings.map(finding => {
    const place = finding.path === undefined ? undefined : places.get(finding.path)
    const plain = findingInPlainWords(finding, place && valueAt(text, place))
    return { finding, plain, ...(place?.mark ?? lineAt(text, finding.line ?? 1)) }
  })
  return placed.sort((a, b) => a.from - b.from)
}

/** The text of a value, without the name of its member. */
function valueAt(text: string, { to, mark }: Place): string {
  const colon = /^\s*:\s*/.exec(text.slice(mark.to, to))
  return text.slice(colon ? mark.to + colon[0].length : mark.from, to)
}

/** The characters of a line without the white space at its ends. @param line from 1; the last one if there are fewer */
function lineAt(text: string, line: number): { readonly from: number; readonly to: number } {
  let from = 0
  for (let number = 1; number < line; number++) {
    const end = text.indexOf('\n', from)
    if (end < 0) break
    from = end + 1
  }
  const end = text.indexOf('\n', from)
  const content = text.slice(from, end < 0 ? text.length : end)
  const start = from + (content.length - content.trimStart().length)
  return { from: Math.min(start, from + content.length), to: from + content.trimEnd().length || start }
}
