import { useEffect, useRef } from 'preact/hooks'
import type { EditorOptions } from './text-editor.js'

/** The keys to store and to check hold on the whole page: also in fields of the record, and where nothing has the focus. */
export function useStoreKeys(on: Pick<EditorOptions, 'onStore' | 'onCheck'>, isReadOnly: boolean): void {
  const actions = useRef(on)
  actions.current = on
  useEffect(() => {
    if (isReadOnly) return
    function onKey(event: KeyboardEvent) {
      // An editor or a form that has done it says so.
      if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return
      if (event.key === 's') actions.current.onStore()
      else if (event.key === 'Enter' && !isLink(event)) actions.current.onCheck()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isReadOnly])
}

/** Ctrl+Enter opens a link in another window. */
function isLink({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLAnchorElement
}
