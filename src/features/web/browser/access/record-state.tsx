import { useState } from 'preact/hooks'
import type { RecordName } from '../api/records.js'
import { words } from '../words.js'

/** What can be done with the state of a record. */
export type StateChange = 'fix' | 'open' | 'withdraw' | 'delete'

interface Props {
  readonly record: RecordName
  readonly state: 'VOLATILE' | 'FIXED' | 'REVOKED' | 'GONE'
  readonly isEditable: boolean
  readonly isStoring: boolean
  change(to: StateChange): void
}

/** The state of a record in words, and the ways to other states. */
export function RecordState({ record, state, isEditable, isStoring, change }: Props) {
  const next = (
    {
      VOLATILE: ['fix', 'withdraw'],
      FIXED: ['open', 'withdraw'],
      REVOKED: ['open'],
      GONE: [],
    } as const
  )[state]
  return (
    <section aria-labelledby="state">
      <h2 id="state">{words.access.stateTitle}</h2>
      <p>{words.access.state[state]}</p>
      {isEditable &&
        next.map(to => (
          <p key={to}>
            <button type="button" disabled={isStoring} onClick={() => change(to)}>
              {to === 'open' && state === 'REVOKED' ? words.access.revive : words.access.change[to]}
            </button>
            <span class="hint">{words.access.changeHint[to]}</span>
          </p>
        ))}
      {isEditable && state === 'REVOKED' && <DeleteForm {...{ record, isStoring, change }} />}
    </section>
  )
}

/** Deletes for good. The id has to be typed. */
function DeleteForm({ record, isStoring, change }: Pick<Props, 'record' | 'isStoring' | 'change'>) {
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  function submit(event: Event) {
    event.preventDefault()
    setIsWrong(typed !== record.id)
    if (typed === record.id) change('delete')
  }
  return (
    <form class="plain" onSubmit={submit}>
      <fieldset class="entry">
        <legend>{words.access.deleteTitle}</legend>
        <p>{words.access.deleteExplain}</p>
        <label>
          {words.access.typeId} <bdi class="mono">{record.id}</bdi>
          <input
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isWrong}
            aria-describedby="typed-id"
            value={typed}
            onInput={event => setTyped(event.currentTarget.value)}
          />
        </label>
        <p id="typed-id" role="alert">
          {isWrong && words.access.wrongId}
        </p>
        <button type="submit" disabled={isStoring}>
          {words.access.delete}
        </button>
      </fieldset>
    </form>
  )
}
