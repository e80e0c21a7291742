import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words.js'
import { writingWords } from '../words-of-writing.js'
import { describePlace, type PlaceDescription, schemasOfItem } from './describe-place.js'
import { About, labelOfPlace, usePlace } from './field-frame.js'
import { fieldId, maxOpenDepth, moveChoices, type Place, pointerOf, useForm } from './form-state.js'

/** Items that are drawn at once. A list can have thousands. */
const shownAtOnce = 50

/** The items of a list, which can be added, removed and moved. */
export function ListField({
  path,
  isRequired,
  isOffered,
  description,
  order,
}: Place & { readonly description: PlaceDescription }) {
  const { document, schema, Field, chosen, fresh, setFresh, say } = useForm()
  const items = document.nodeAt(path)?.children ?? []
  const { id, findings, attributes } = usePlace(path, description.description)
  // The document has the item when a field of it is filled.
  const hasEmptyItem = (isRequired || isOffered) && !document.nodeAt(path) && path.length <= maxOpenDepth
  const [shown, setShown] = useState(shownAtOnce)
  const label = labelOfPlace(description.title, path)
  const keys = useItemKeys(items.length)
  const list = useRef<HTMLOListElement>(null)
  const adding = useRef<HTMLButtonElement>(null)
  /** Finds what gets the focus in the item that was added, moved, or stands where one was removed. */
  const next = useRef<{ readonly at: number; find(item: Element): Element | null } | undefined>(undefined)

  // The button that was pressed may be gone: without this, the focus would be nowhere.
  useLayoutEffect(() => {
    const { current: wanted } = next
    if (wanted === undefined) return
    next.current = undefined
    const item = list.current?.children[wanted.at]
    const target = item ? wanted.find(item) : adding.current
    if (target instanceof HTMLElement) target.focus()
  })

  function add() {
    const schemas = schemasOfItem(description, items.length)
    const { types, values } = describePlace(schema, schemas, undefined)
    if (!document.nodeAt(path)) document.set(path, '[]', order)
    document.insertItem(path, values?.[0] ? JSON.stringify(values[0].value) : emptyOf(types[0]))
    next.current = { at: items.length, find: item => item.querySelector('input, select, textarea') }
    setFresh(pointerOf([...path, items.length]))
    setShown(Math.max(shown, items.length + 1))
  }

  /** Brings the items into another order, or leaves one out. @param indexes the former ones */
  function rearrange(indexes: readonly number[]) {
    keys.current = indexes.flatMap(index => keys.current[index] ?? [])
    moveChoices(chosen, pointerOf(path), indexes)
    setFresh(undefined)
  }

  function remove(at: number) {
    rearrange(items.map((_item, index) => index).filter(index => index !== at))
    next.current = { at, find: () => globalThis.document.getElementById(fieldId(pointerOf([...path, at]))) }
    document.remove([...path, at])
    say(writingWords.form.itemRemoved(at + 1, items.length - 1))
  }

  function move(from: number, to: number) {
    rearrange(items.map((_item, index) => (index === from ? to : index === to ? from : index)))
    const same = to < from ? 'up' : 'down'
    const find = (item: Element) =>
      item.querySelector(`:scope > .actions > [name=${same}]`) ??
      item.querySelector(':scope > .actions > :last-child')
    next.current = { at: to, find }
    document.moveItem(path, from, to)
    say(writingWords.form.itemMoved(to + 1, items.length))
  }

  return (
    <fieldset class="list" {...attributes} tabIndex={-1}>
      <legend>
        {label}
        {isRequired && <span class="dim"> ({words.required})</span>}
        {!hasEmptyItem && <span class="dim"> {writingWords.form.items(items.length)}</span>}
      </legend>
      <About id={id} description={description.description} findings={findings} />
      <ol ref={list}>
        {hasEmptyItem && (
          <li>
            <Field path={[...path, 0]} schemas={schemasOfItem(description, 0)} isOffered />
          </li>
        )}
        {items.slice(0, shown).map((_item, at) => (
          <li
            key={keys.current[at]}
            onFocusOut={({ relatedTarget, currentTarget }) => {
              const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
              if (!isInside && fresh === pointerOf([...path, at])) setFresh(undefined)
            }}
          >
            <Field path={[...path, at]} schemas={schemasOfItem(description, at)} />
            <ItemActions {...{ at, label, remove, move }} count={items.length} />
          </li>
        ))}
      </ol>
      {items.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(shown + shownAtOnce)}>
            {writingWords.form.showMore(items.length - shown)}
          </button>
        </p>
      )}
      <p>
        <button ref={adding} type="button" {...attributes} id={`${id}-add`} onClick={add}>
          {writingWords.form.addItem(label)}
        </button>
      </p>
    </fieldset>
  )
}

/** What a person can do with an item beside editing it. */
function ItemActions({
  at,
  count,
  label,
  remove,
  move,
}: {
  readonly at: number
  readonly count: number
  /** Of the list. */
  readonly label: string
  remove(at: number): void
  move(from: number, to: number): void
}) {
  return (
    <p class="actions">
      <button
        type="button"
        aria-label={writingWords.form.removeItem(at + 1, label)}
        onClick={() => remove(at)}
      >
        {words.remove}
      </button>
      {at > 0 && (
        <button
          type="button"
          name="up"
          aria-label={writingWords.form.moveUp(at + 1, label)}
          onClick={() => move(at, at - 1)}
        >
          ↑
        </button>
      )}
      {at < count - 1 && (
        <button
          type="button"
          name="down"
          aria-label={writingWords.form.moveDown(at + 1, label)}
          onClick={() => move(at, at + 1)}
        >
          ↓
        </button>
      )}
    </p>
  )
}

/** Keys of the items of a list, which stay with them when they move: what a person has opened stays open. */
function useItemKeys(count: number) {
  const keys = useRef<readonly number[]>([])
  const made = useRef(0)
  const added = Array.from({ length: Math.max(0, count - keys.current.length) }, () => made.current++)
  keys.current = [...keys.current, ...added].slice(0, count)
  return keys
}

function emptyOf(type: string | undefined): string {
  return (
    { object: '{}', array: '[]', boolean: 'false', number: '0', integer: '0', null: 'null' }[type ?? ''] ??
    '""'
  )
}
