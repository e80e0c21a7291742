import { type Finding, ProblemError } from '../core/problem.js'

/** Findings one verdict has at most; a last one says how many were left out. */
export const mostFindings = 50

/** Ends a judgement early: the findings are its verdict. */
export function findingError(...findings: readonly Finding[]): ProblemError {
  return new ProblemError('unprocessable', findings[0]?.message ?? 'It is not valid.', { findings })
}

/** The findings of a judgement that ended early; anything else thrown is a bug and goes on. */
export function findingsOf(thrown: unknown): readonly Finding[] {
  if (thrown instanceof ProblemError && thrown.extra.findings) return thrown.extra.findings
  throw thrown
}

export function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= mostFindings) return findings
  const left = findings.length - mostFindings
  return [...findings.slice(0, mostFindings), { message: `…and ${left} more findings.` }]
}

/** Adds the file to findings that name none. */
export function inFile(findings: readonly Finding[], file: string | undefined): readonly Finding[] {
  return file === undefined
    ? findings
    : findings.map(finding => (finding.file === undefined ? { ...finding, file } : finding))
}
