import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words.js'
import { describePlace, type PlaceDescription, schemasOfItem } from './describe-place.js'
import { About, labelOfPlace, usePlace } from './field-frame.js'
import { fieldId, type Place, pointerOf, useForm } from './form-state.js'

/** Items that are drawn at once. A list can have thousands. */
const shownAtOnce = 50

/** The items of a list, which can be added, removed and moved. */
export function ListField({
  path,
  isRequired,
  description,
  order,
}: Place & { readonly description: PlaceDescription }) {
  const { document, schema, Field } = useForm()
  const items = document.nodeAt(path)?.children ?? []
  const { id, findings } = usePlace(path, description.description)
  const [shown, setShown] = useState(shownAtOnce)
  const added = useRef<number | undefined>(undefined)
  const label = labelOfPlace(description.title, path)

  // A new item has the focus, so that a person can go on typing.
  useEffect(() => {
    if (added.current === undefined) return
    const place = globalThis.document.getElementById(fieldId(pointerOf([...path, added.current])))
    added.current = undefined
    const control = place?.matches('input, select, textarea')
      ? place
      : place?.querySelector('input, select, textarea')
    if (control instanceof HTMLElement) control.focus()
  })

  function add() {
    const schemas = schemasOfItem(description, items.length)
    const { types, values } = describePlace(schema, schemas, undefined)
    if (!document.nodeAt(path)) document.set(path, '[]', order)
    document.insertItem(path, values?.[0] ? JSON.stringify(values[0].value) : emptyOf(types[0]))
    added.current = items.length
    setShown(Math.max(shown, items.length + 1))
  }

  return (
    <fieldset class="list" id={id} tabIndex={-1}>
      <legend>
        {label}
        {isRequired && <span class="dim"> ({words.form.required})</span>}
        <span class="dim"> {words.form.items(items.length)}</span>
      </legend>
      <About id={id} description={description.description} findings={findings} />
      <ol>
        {items.slice(0, shown).map((_item, at) => (
          <li key={at}>
            <Field path={[...path, at]} schemas={schemasOfItem(description, at)} />
            <p class="actions">
              <button
                type="button"
                aria-label={words.form.removeItem(at + 1, label)}
                onClick={() => document.remove([...path, at])}
              >
                {words.form.removeShort}
              </button>
              {at > 0 && (
                <button
                  type="button"
                  aria-label={words.form.moveUp(at + 1, label)}
                  onClick={() => document.moveItem(path, at, at - 1)}
                >
                  ↑
                </button>
              )}
              {at < items.length - 1 && (
                <button
                  type="button"
                  aria-label={words.form.moveDown(at + 1, label)}
                  onClick={() => document.moveItem(path, at, at + 1)}
                >
                  ↓
                </button>
              )}
            </p>
          </li>
        ))}
      </ol>
      {items.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(shown + shownAtOnce)}>
            {words.form.showMore(items.length - shown)}
          </button>
        </p>
      )}
      <p>
        <button type="button" onClick={add}>
          {words.form.addItem(label)}
        </button>
      </p>
    </fieldset>
  )
}

function emptyOf(type: string | undefined): string {
  return (
    { object: '{}', array: '[]', boolean: 'false', number: '0', integer: '0', null: 'null' }[type ?? ''] ??
    '""'
  )
}
