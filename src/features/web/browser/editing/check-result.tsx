import { useRef } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { type FieldFault, FindingList } from './finding-list.js'
import type { Verdict } from './use-checks.js'

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
    checking: words.restore.checking,
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
      {isQuiet && <p class="dim">{words.restore.checking}</p>}
    </>
  )
}
