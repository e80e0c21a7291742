import { Fragment, render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { keepSetting, readSetting } from '../drafts/settings.js'
import { words } from '../words.js'

/*
 * The key / leads to the search field, and ? shows the list of keys. Both can be switched off, because they are keys of one
 * character (WCAG 2.2, 2.1.4).
 */

const kept = 'git-metastore search key'

/** Listens for the keys as long as the document is open. */
export function listenForKeys(): void {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !isOn() || isTyping(event)) return
    if (event.key === '/') goToSearch(event)
    else if (event.key === '?') showKeys(event)
  })
}

function goToSearch(event: Event): void {
  const fields = document.querySelectorAll<HTMLInputElement>(
    'main input[type=search], header input[type=search]',
  )
  // The field of the page comes before that of the header.
  const field = [...fields].find(each => each.closest('main')) ?? fields[0]
  if (!field) return
  event.preventDefault()
  field.focus()
  field.select()
}

/** Opens the list of keys over the page. Closed, it is taken away. */
function showKeys(event: Event): void {
  if (document.querySelector('dialog[open]')) return
  event.preventDefault()
  const place = document.body.appendChild(document.createElement('div'))
  render(
    <KeyList
      close={() => {
        render(null, place)
        place.remove()
      }}
    />,
    place,
  )
}

function KeyList({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={close}>
      <h2 id="keys">{words.keys.title}</h2>
      <dl>
        {Object.entries(words.keys.list).map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
      <p>
        <button type="button" onClick={() => dialog.current?.close()}>
          {words.keys.close}
        </button>
      </p>
    </dialog>
  )
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

/** Switches both keys on and off. */
export function LetterKeyChoice() {
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
