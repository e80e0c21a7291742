import { type Finding, ProblemError } from '../core/problem.js'
import { pluralize } from '../core/text/pluralize.js'

/** Limit of the findings of a result; one more finding says how many were left out. */
export const maxFindings = 50
/** Limit of the findings that are counted: beyond it, a check may have ended before it found all. */
export const maxCounted = 1000

/** An error whose findings are the result of a check. */
export function findingError(...findings: readonly Finding[]): ProblemError {
  return new ProblemError('unprocessable', findings[0]?.message ?? 'It is not valid.', { findings })
}

/** The findings of a {@link findingError}. @throws any other error */
export function findingsOf(thrown: unknown): readonly Finding[] {
  if (thrown instanceof ProblemError && thrown.extra.findings) return thrown.extra.findings
  throw thrown
}

/** Limit of the characters of a text of a finding: names in a document may be as long as the document. */
const maxTextLength = 2000

/** Keeps the first findings, counts the others, and shortens their long texts. */
export function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  const shown = findings.slice(0, maxFindings).map(shortened)
  if (findings.length <= maxFindings) return shown
  const left = Math.min(findings.length, maxCounted) - maxFindings
  const more = findings.length > maxCounted ? 'more than ' : ''
  return [...shown, { message: `…and ${more}${pluralize(left, 'more finding')}.` }]
}

function shortened(finding: Finding): Finding {
  const { message, path, schemaPath, missing, unknown } = finding
  return {
    ...finding,
    message: withoutMiddle(message),
    ...(path === undefined ? {} : { path: withoutMiddle(path) }),
    ...(schemaPath === undefined ? {} : { schemaPath: withoutMiddle(schemaPath) }),
    ...(missing === undefined ? {} : { missing: withoutMiddle(missing) }),
    ...(unknown === undefined ? {} : { unknown: withoutMiddle(unknown) }),
  }
}

/** Shortens a text, but keeps its end, which says what is wrong with a long name or where below it. */
function withoutMiddle(text: string): string {
  const half = maxTextLength / 2
  return text.length <= maxTextLength ? text : `${text.slice(0, half)}…${text.slice(-half)}`
}

/** Adds the file to findings without one. */
export function inFile(findings: readonly Finding[], file: string | undefined): readonly Finding[] {
  return file === undefined
    ? findings
    : findings.map(finding => (finding.file === undefined ? { ...finding, file } : finding))
}
