import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import type { PlacedFinding } from '../editor/placed-findings.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import type { Verdict } from './use-checks.js'

/** What is wrong with a field above the document. */
export interface FieldFault {
  readonly label: string
  readonly message: string
  goTo(): void
}

/** The result of a check. Each finding leads to its place in the text. */
export function FindingList({
  findings,
  faults = [],
  hasFocus,
  said = words.edit.invalid(findings.length, faults.length),
  text,
  goTo,
}: {
  readonly findings: readonly PlacedFinding[]
  /** What is wrong with fields above the document. */
  readonly faults?: readonly FieldFault[] | undefined
  readonly hasFocus: boolean
  /** The result in words; default: how many findings there are. */
  readonly said?: string | undefined
  /** The text as it is now. */
  text(): string
  goTo(place: number, finding: Finding): void
}) {
  const summary = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (hasFocus) summary.current?.focus()
  }, [hasFocus, findings])
  const hasFound = findings.length + faults.length > 0
  return (
    // One element says all results: what is put into a page together with its text is not announced.
    <section {...(hasFound && { class: 'notice', 'aria-label': words.failure.findings })}>
      <p ref={summary} tabIndex={-1} role="status">
        {said}
      </p>
      <ul hidden={!hasFound}>
        {faults.map(({ label, message, goTo }) => (
          <li key={label}>
            <button type="button" class="link" onClick={goTo}>
              {label}
            </button>{' '}
            {message}
          </li>
        ))}
        {findings.map(({ finding, from, label, plain }, index) => (
          <li key={`${index} ${from} ${finding.message}`}>
            <button type="button" class="link" onClick={() => goTo(from, finding)}>
              {label ?? words.edit.line(lineOf(text(), from))}
            </button>{' '}
            {label === undefined && finding.path && <span class="mono">{finding.path}: </span>}
            {plain && <span dir="auto">{plain} </span>}
            <span dir="auto" class={plain && 'dim'}>
              {finding.message}
            </span>
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

const none: readonly never[] = []

/** Says what the server says about a text. @param valid the words for no findings */
export function CheckResult({
  verdict,
  valid,
  faults = [],
  ...editor
}: {
  readonly verdict: Verdict
  readonly valid: string | undefined
  readonly faults?: readonly FieldFault[]
  text(): string
  goTo(place: number, finding: Finding): void
}) {
  // The last result stays while a check runs that nobody has asked for: only results that differ are announced.
  const result = useRef(verdict)
  const isQuiet = verdict.kind === 'checking' && !verdict.isAsked
  if (!isQuiet) result.current = verdict
  const { current: shown } = result
  if (shown.kind === 'failed') return <FailureMessage error={shown.error} retry={shown.retry} />
  const said = {
    none: '',
    checking: historyWords.restore.checking,
    valid: valid ?? '',
    invalid: undefined,
  }[shown.kind]
  return (
    <>
      <FindingList
        {...editor}
        said={faults.length > 0 && shown.kind !== 'checking' ? undefined : said}
        faults={faults}
        findings={shown.kind === 'invalid' ? shown.findings : none}
        hasFocus={shown.kind === 'invalid' && shown.hasFocus}
      />
      {isQuiet && <p class="dim">{historyWords.restore.checking}</p>}
    </>
  )
}
