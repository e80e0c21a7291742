import type { ComponentChildren } from 'preact'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { MessageField } from './message-field.js'
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
  saying,
  onStore,
  onCheck,
  toFindings,
  actions,
  children,
}: {
  readonly label: string
  readonly isStoring: boolean
  readonly verdict: Verdict
  readonly count: number
  /** What a person says of the change; undefined: there is no change yet, but a new record. */
  readonly saying?: { readonly message: string; setMessage(message: string): void }
  onStore(): void
  onCheck(): void
  toFindings(): void
  /** Further buttons. */
  readonly actions?: ComponentChildren
  /** What came of storing. */
  readonly children?: ComponentChildren
}) {
  return (
    <section class="store-bar" aria-label={words.edit.bar}>
      {saying && <MessageField {...saying} onStore={onStore} />}
      <p class="pager">
        {/* A disabled button would lose the focus. */}
        <button type="button" class="button main" aria-disabled={isStoring} onClick={onStore}>
          {isStoring ? historyWords.restore.storing : label}
        </button>
        <button type="button" onClick={onCheck}>
          {words.edit.check}
        </button>
        {actions}
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
