import { useEffect, useRef } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import type { PlacedFinding } from '../editor/placed-findings.js'
import { words } from '../words.js'

/** The findings of a check. Each leads to its place in the text. */
export function FindingList({
  findings,
  hasFocus,
  text,
  goTo,
}: {
  readonly findings: readonly PlacedFinding[]
  readonly hasFocus: boolean
  /** The text as it is now. */
  text(): string
  goTo(place: number, finding: Finding): void
}) {
  const summary = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (hasFocus) summary.current?.focus()
  }, [hasFocus, findings])
  return (
    <section class="notice" aria-label={words.failure.findings}>
      <p ref={summary} tabIndex={-1} role="status">
        {words.edit.invalid(findings.length)}
      </p>
      <ul>
        {findings.map(({ finding, from }, index) => (
          <li key={`${index} ${from} ${finding.message}`}>
            <button type="button" class="link" onClick={() => goTo(from, finding)}>
              {words.edit.line(lineOf(text(), from))}
            </button>{' '}
            {finding.path && <span class="mono">{finding.path}: </span>}
            <span dir="auto">{finding.message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Number of the line of a place, from 1. */
function lineOf(text: string, place: number): number {
  return text.slice(0, place).split('\n').length
}
