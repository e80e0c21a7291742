import type { ComponentChildren } from 'preact'
import { words } from '../words.js'
import type { Verdict } from './use-checks.js'

/**
 * Storing and checking, with what came of both. It stays at the bottom of the window while one edits. The result of a
 * check is announced elsewhere.
 * @param props.count of findings
 */
export function StoreBar({
  label,
  isStoring,
  verdict,
  count,
  onStore,
  onCheck,
  toFindings,
  children,
}: {
  readonly label: string
  readonly isStoring: boolean
  readonly verdict: Verdict
  readonly count: number
  onStore(): void
  onCheck(): void
  toFindings(): void
  /** What came of storing. */
  readonly children?: ComponentChildren
}) {
  return (
    <section class="store-bar" aria-label={words.edit.bar}>
      <p class="pager">
        {/* A disabled button would lose the focus. */}
        <button type="button" class="button main" aria-disabled={isStoring} onClick={onStore}>
          {isStoring ? words.restore.storing : label}
        </button>
        <button type="button" onClick={onCheck}>
          {words.edit.check}
        </button>
      </p>
      {children}
      {count === 0 ? (
        <p>{words.edit.verdict[verdict.kind]}</p>
      ) : (
        <p>
          <button type="button" class="link" onClick={toFindings}>
            {words.edit.toFindings(count)}
          </button>
        </p>
      )}
    </section>
  )
}
