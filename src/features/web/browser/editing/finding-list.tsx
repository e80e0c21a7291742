import { useEffect, useRef } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import type { PlacedFinding } from '../editor/placed-findings.js'
import { words } from '../words.js'

/** The result of a check. Each finding leads to its place in the text. */
export function FindingList({
  findings,
  hasFocus,
  said = words.edit.invalid(findings.length),
  text,
  goTo,
}: {
  readonly findings: readonly PlacedFinding[]
  readonly hasFocus: boolean
  /** The result in words; default: how many findings there are. */
  readonly said?: string | undefined
  /** The text as it is now. */
  text(): string
  goTo(place: number, finding: Finding): void
}) {
  const summary = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (hasFocus) summary.current?.focus()
  }, [hasFocus, findings])
  const hasFound = findings.length > 0
  return (
    // One element says all results: what is put into a page together with its text is not announced.
    <section {...(hasFound && { class: 'notice', 'aria-label': words.failure.findings })}>
      <p ref={summary} tabIndex={-1} role="status">
        {said}
      </p>
      <ul hidden={!hasFound}>
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
