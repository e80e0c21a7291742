import { useState } from 'preact/hooks'
import { keepSetting, readSetting } from '../drafts/settings.js'
import { words } from '../words.js'

/*
 * The key / leads to the search field. A key of one character can be switched off (WCAG 2.2, 2.1.4).
 */

const kept = 'git-metastore search key'

/** Listens for the key as long as the document is open. */
export function listenForSearchKey(): void {
  addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || !isOn() || isTyping(event))
      return
    const fields = document.querySelectorAll<HTMLInputElement>(
      'main input[type=search], header input[type=search]',
    )
    // The field of the page comes before that of the header.
    const field = [...fields].find(each => each.closest('main')) ?? fields[0]
    if (!field) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}

/** Whether the key goes into a text. Editors are in shadow roots. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

function isOn(): boolean {
  return readSetting(kept) !== 'off'
}

/** Switches the key on and off. */
export function SearchKeyChoice() {
  const [isChosen, setIsChosen] = useState(isOn)
  function choose(on: boolean) {
    setIsChosen(on)
    keepSetting(kept, on ? 'on' : 'off')
  }
  return (
    <p class="keys">
      <label class="choice">
        <input
          type="checkbox"
          checked={isChosen}
          onChange={({ currentTarget }) => choose(currentTarget.checked)}
        />
        {words.search.key}
      </label>
    </p>
  )
}
