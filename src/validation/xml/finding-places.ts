import type { Finding } from '../../core/problem.js'
import { maxFindings } from '../findings.js'

/** Limit of the characters of a document in which the places of findings are looked for. */
const maxSearched = 4 * 2 ** 20

/** What libxml2 says of an element: `Element '{urn:n}note', attribute 'lang': The attribute 'lang' is not allowed.` */
const aboutElement = /^Element '(?:\{[^}]*\})?([^'{}]+)'/
const attributeMissing = /: The attribute '(?:\{[^}]*\})?([^'{}]+)' is required but missing\./
const attributeUnknown = /: The attribute '(?:\{[^}]*\})?([^'{}]+)' is not allowed\./
const elementUnknown = /: This element is not expected\./
/** The only child that may follow. */
const childMissing = /: Missing child element\(s\)\. Expected is \( (?:\{[^}]*\})?([^ ,{}*]+) \)\./

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
  if (elementUnknown.test(message)) return { unknown: element }
  const [, unknown] = attributeUnknown.exec(message) ?? []
  if (unknown !== undefined) return { unknown }
  const [, missing] = attributeMissing.exec(message) ?? childMissing.exec(message) ?? []
  return missing === undefined ? {} : { missing }
}

/** Position of the only start tag of an element in a line, from 1; undefined if there is none, or several. */
function columnOf(element: string, line: string): number | undefined {
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
