import { type Finding, ProblemError } from '../core/problem.js'

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

export function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= maxFindings) return findings
  const left = Math.min(findings.length, maxCounted) - maxFindings
  const more = findings.length > maxCounted ? 'more than ' : ''
  return [...findings.slice(0, maxFindings), { message: `…and ${more}${left} more findings.` }]
}

/** Adds the file to findings without one. */
export function inFile(findings: readonly Finding[], file: string | undefined): readonly Finding[] {
  return file === undefined
    ? findings
    : findings.map(finding => (finding.file === undefined ? { ...finding, file } : finding))
}
