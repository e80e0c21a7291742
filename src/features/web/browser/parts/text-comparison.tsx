import { useEffect, useRef, useState } from 'preact/hooks'
import type { StoredDocument } from '../api/records.js'
import type { CompareView } from '../editor/compare-view.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { FailureMessage } from './failure-message.js'
import { useIsNarrow } from './use-is-narrow.js'

interface Compared {
  readonly version: number
  readonly document: StoredDocument
}

/** Two texts side by side, one below the other on a narrow screen. F7 and Shift+F7 go through the changes. */
export function TextComparison({ from, to }: { readonly from: Compared; readonly to: Compared }) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<CompareView | undefined>(undefined)
  const [changes, setChanges] = useState<number>()
  const [failure, setFailure] = useState<Error>()
  const [isWhole, setIsWhole] = useState(false)
  const [reached, setReached] = useState('')
  const lastChange = useRef(0)
  const isNarrow = useIsNarrow()
  const [fromText, toText] = [from.document.text, to.document.text]
  const isSame = fromText === toText

  useEffect(() => {
    if (isSame) return
    let isOpen = true
    async function open() {
      const { openCompareView } = await import('../editor/compare-view.js')
      if (!isOpen || !host.current) return
      view.current = openCompareView(host.current, {
        from: { text: fromText, label: historyWords.versions.versionNumber(from.version) },
        to: { text: toText, label: historyWords.versions.versionNumber(to.version) },
        language: to.document.language,
        isNarrow,
        isWhole,
      })
      setChanges(view.current.changes)
    }
    open().catch(setFailure)
    return () => {
      isOpen = false
      view.current?.close()
      view.current = undefined
    }
  }, [fromText, toText, isSame, from.version, to.version, to.document.language, isNarrow, isWhole])

  function goTo(which: 'next' | 'previous') {
    const opened = view.current
    if (opened === undefined) return
    const { change, line } = opened.goTo(which)
    const before = lastChange.current
    const isWrapped = before > 0 && (which === 'next' ? change <= before : change >= before)
    lastChange.current = change
    setReached(
      historyWords.compare.reached(change, opened.changes, historyWords.compare.line(line), isWrapped),
    )
  }
  const actions = useRef(goTo)
  actions.current = goTo

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key !== 'F7' || !view.current) return
      event.preventDefault()
      actions.current(event.shiftKey ? 'previous' : 'next')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  if (isSame) return <p role="status">{historyWords.compare.same}</p>
  if (failure !== undefined) return <FailureMessage error={failure} />
  return (
    <>
      <p role="status">{changes === undefined ? words.loading : historyWords.compare.changes(changes)}</p>
      <p role="status">{reached}</p>
      <p class="pager">
        <button type="button" onClick={() => goTo('previous')}>
          {historyWords.compare.previous}
        </button>
        <button type="button" onClick={() => goTo('next')}>
          {historyWords.compare.next}
        </button>
        <button type="button" aria-pressed={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {historyWords.compare.whole}
        </button>
        <span class="dim keys">{historyWords.compare.keys}</span>
      </p>
      <div ref={host} class="editor" />
    </>
  )
}
