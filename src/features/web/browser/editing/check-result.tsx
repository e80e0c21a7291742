import type { Finding } from '../api/interface-types.js'
import { FailureMessage } from '../parts/failure-message.js'
import { words } from '../words.js'
import { FindingList } from './finding-list.js'
import type { Verdict } from './use-checks.js'

/** Says what the server says about a text. @param valid the words for no findings */
export function CheckResult({
  verdict,
  valid,
  ...editor
}: {
  readonly verdict: Verdict
  readonly valid: string | undefined
  text(): string
  goTo(place: number, finding: Finding): void
}) {
  if (verdict.kind === 'failed') return <FailureMessage error={verdict.error} />
  if (verdict.kind === 'invalid') return <FindingList {...verdict} {...editor} />
  return (
    <p role="status">
      {verdict.kind === 'checking' && words.restore.checking}
      {verdict.kind === 'valid' && valid}
    </p>
  )
}
