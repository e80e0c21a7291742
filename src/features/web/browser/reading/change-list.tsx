import { useEffect, useRef, useState } from 'preact/hooks'
import { placeInWords } from '../../../../core/text/name-in-words.js'
import type { Difference, JsonChange, XmlChange } from '../api/interface-types.js'
import type { RecordName } from '../api/records.js'
import { historyWords } from '../words-of-history.js'
import { isOfEveryVersion } from './change-place.js'

type Change = JsonChange | XmlChange
type Effect = NonNullable<Change['effect']>

/** The changes in words: of the document, of its further files, and of the record without what every version changes. */
export function ChangeList({
  difference,
  name,
}: {
  readonly difference: Difference
  readonly name: RecordName
}) {
  const { collection } = name
  const { document, files = [], effect } = difference
  const record = difference.record.filter(change => !isOfEveryVersion(change, name))
  const all = [...(document.changes ?? []), ...files, ...record]
  const { place, reached } = useChangeKeys(all)
  return (
    <div ref={place}>
      <p role="status">{historyWords.compare.values(all.length)}</p>
      <p role="status">{reached}</p>
      {all.length > 0 && <p class="dim">{historyWords.compare.keys}</p>}
      {effect && (
        <p>
          {historyWords.compare.wholeEffect}: <EffectOf effect={effect} />
        </p>
      )}
      <h2>{historyWords.compare.document[collection]}</h2>
      {document.changes ? (
        <ChangeTable changes={document.changes} label={historyWords.compare.document[collection]} />
      ) : (
        <p>{historyWords.compare.languages}</p>
      )}
      {files.length > 0 && (
        <>
          <h2>{historyWords.compare.files}</h2>
          <ChangeTable changes={files} label={historyWords.compare.files} />
        </>
      )}
      <h2>{historyWords.compare.record}</h2>
      <ChangeTable changes={record} label={historyWords.compare.record} />
    </div>
  )
}

/** F7 and Shift+F7 go through the rows, after the last to the first. @param all the changes in the order of their rows */
function useChangeKeys(all: readonly { readonly path: string }[]) {
  const place = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<{ readonly index: number; readonly isWrapped: boolean }>()
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key !== 'F7' || all.length === 0) return
      event.preventDefault()
      const before = current?.index ?? (event.shiftKey ? all.length : -1)
      const index = (before + (event.shiftKey ? -1 : 1) + all.length) % all.length
      const isWrapped = current !== undefined && (event.shiftKey ? index >= before : index <= before)
      setCurrent({ index, isWrapped })
      place.current?.querySelectorAll<HTMLElement>('tbody tr')[index]?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [all, current])
  const { index = -1, isWrapped = false } = current ?? {}
  const path = all[index]?.path
  const reached =
    path !== undefined &&
    historyWords.compare.reached(
      index + 1,
      all.length,
      placeInWords(path) || historyWords.compare.root,
      isWrapped,
    )
  return { place, reached }
}

function ChangeTable({ changes, label }: { readonly changes: readonly Change[]; readonly label: string }) {
  if (changes.length === 0) return <p>{historyWords.compare.noChanges}</p>
  const { what, place, before, after, effect } = historyWords.compare.column
  const hasEffects = changes.some(change => change.effect)
  return (
    <table class="changes stacked" aria-label={label}>
      <thead>
        <tr>
          {[what, place, before, after, ...(hasEffects ? [effect] : [])].map(title => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changes.map((change, index) => (
          <ChangeRow key={index} change={change} hasEffects={hasEffects} />
        ))}
      </tbody>
    </table>
  )
}

function ChangeRow({ change, hasEffects }: { readonly change: Change; readonly hasEffects: boolean }) {
  return (
    <tr tabIndex={-1}>
      <td>{historyWords.compare.operation[change.op]}</td>
      <td>
        {placeInWords(change.path) || historyWords.compare.root}{' '}
        {change.path && (
          <small class="mono dim" dir="ltr">
            {change.path}
          </small>
        )}
      </td>
      <td data-label={historyWords.compare.column.before}>
        <Value value={change.before} />
      </td>
      <td data-label={historyWords.compare.column.after}>
        <Value value={change.value} />
      </td>
      {hasEffects && (
        <td>
          {change.effect && <EffectOf effect={change.effect} />}
          {change.reason && <p>{change.reason}</p>}
        </td>
      )}
    </tr>
  )
}

/** Characters of a value that are shown at once. */
const maxShown = 1000

/** JSON as JSON, XML as it is. */
function Value({ value }: { readonly value: unknown }) {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1)
  const shown = <pre dir="auto">{text}</pre>
  if (text.length <= maxShown) return shown
  return (
    <details>
      <summary>{historyWords.compare.long(text.length)}</summary>
      {shown}
    </details>
  )
}

function EffectOf({ effect }: { readonly effect: Effect }) {
  return <span class={`effect-${effect}`}>{historyWords.compare.effect[effect]}</span>
}
