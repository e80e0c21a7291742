import type { Finding } from '../../core/problem.js'
import { maxFindings } from '../findings.js'

/** Limit of the characters of a document in which the places of findings are looked for. */
const maxSearched = 4 * 2 ** 20

/** Limit of the characters of a line in which an element is looked for. */
const maxLineLength = 10_000

/** What libxml2 says of an element: `Element '{urn:n}note': This element is not expected.` */
const aboutElement = /^Element '(?:\{[^}]*\})?([^'{}]+)'/
/** What it says of a part of the element. The name stands between the texts. */
const unexpected = ': This element is not expected.'
const notAllowed = [": The attribute '", "' is not allowed."] as const
const required = [": The attribute '", "' is required but missing."] as const
/** The child that is missing, if only one may follow; else several with commas. */
const missingChild = [': Missing child element(s). Expected is ( ', ' ).'] as const

/**
 * Adds to findings of an engine the column of the element, and the name of what is missing or not permitted.
 * @param text of the document; undefined if it cannot be decoded
 */
export function placedFindings(findings: readonly Finding[], text: string | undefined): readonly Finding[] {
  const lines = text !== undefined && text.length <= maxSearched ? text.split('\n') : []
  return findings.map((finding, index) => {
    if (index >= maxFindings || finding.file !== undefined) return finding
    const [, element] = aboutElement.exec(finding.message) ?? []
    if (element === undefined) return finding
    const line = finding.line === undefined ? undefined : lines[finding.line - 1]
    const column = line === undefined ? undefined : columnOf(element, line)
    return {
      ...finding,
      ...(finding.column === undefined && column !== undefined && { column }),
      ...namesIn(finding.message, element),
    }
  })
}

function namesIn(message: string, element: string): Pick<Finding, 'missing' | 'unknown'> {
  if (message.includes(unexpected)) return { unknown: element }
  const unknown = nameBetween(message, notAllowed)
  if (unknown !== undefined) return { unknown }
  const missing = nameBetween(message, required) ?? nameBetween(message, missingChild)
  return missing === undefined ? {} : { missing }
}

/** The name between two texts without its namespace; undefined if it is not there, or there are several. */
function nameBetween(message: string, [before, after]: readonly [string, string]): string | undefined {
  const start = message.indexOf(before)
  const end = start < 0 ? -1 : message.indexOf(after, start + before.length)
  if (end < 0) return undefined
  const written = message.slice(start + before.length, end)
  const name = written.slice(written.lastIndexOf('}') + 1)
  return /[ ,*]/.test(name) || name === '' ? undefined : name
}

/** Position of the only start tag of an element in a line, from 1; undefined if there is none, or several. */
function columnOf(element: string, line: string): number | undefined {
  if (line.length > maxLineLength) return undefined
  let found: number | undefined
  for (let at = line.indexOf('<'); at >= 0; at = line.indexOf('<', at + 1)) {
    const end = line.slice(at + 1).search(/[\s/>]|$/)
    const name = line.slice(at + 1, at + 1 + end)
    if (name !== element && !name.endsWith(`:${element}`)) continue
    if (found !== undefined) return undefined
    found = at + 1
  }
  return found
}
