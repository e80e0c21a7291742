import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordName } from '../api/records.js'
import { peopleWords } from '../words-of-people.js'

/** What can be done with the state of a record. */
export type StateChange = 'fix' | 'open' | 'withdraw' | 'delete'

interface Props {
  readonly record: RecordName
  readonly state: 'VOLATILE' | 'FIXED' | 'REVOKED' | 'GONE'
  readonly isEditable: boolean
  readonly isStoring: boolean
  /** Title of the record, by which it can be deleted, too. */
  readonly title: string
  /** The change that was stored last. */
  readonly stored: StateChange | undefined
  change(to: StateChange): void
  /** Whether the person has been idle since the change was sent. */
  readonly isIdle: (() => boolean) | undefined
  /** Takes the outcome of the last change away. */
  forget(): void
}

/** The state of a record in words, and the ways to other states. */
export function RecordState(props: Props) {
  const { state, isEditable, isStoring, stored, change, isIdle } = props
  const said = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    if (stored && isIdle?.()) said.current?.focus()
  }, [stored])
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
      <h2 id="state">{peopleWords.access.stateTitle}</h2>
      <p>{peopleWords.access.state[state]}</p>
      {isEditable &&
        next.map(to => (
          <p key={to}>
            <button type="button" aria-disabled={isStoring} onClick={() => !isStoring && change(to)}>
              {to === 'open' && state === 'REVOKED'
                ? peopleWords.access.revive
                : peopleWords.access.change[to]}
            </button>
            <span class="hint">{peopleWords.access.changeHint[to]}</span>
          </p>
        ))}
      <p ref={said} role="status" tabIndex={-1}>
        {stored && stored !== 'delete' && peopleWords.access.changed[stored]}
      </p>
      {isEditable && state !== 'REVOKED' && <p class="dim">{peopleWords.access.deleteLater}</p>}
      {isEditable && state === 'REVOKED' && <DeleteForm {...props} />}
    </section>
  )
}

/** Deletes for good. The id or the title has to be typed. */
function DeleteForm({
  record,
  title,
  isStoring,
  change,
  forget,
}: Pick<Props, 'record' | 'title' | 'isStoring' | 'change' | 'forget'>) {
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  function submit(event: Event) {
    event.preventDefault()
    if (isStoring) return
    const isRight = [record.id, title].includes(typed.trim())
    setIsWrong(!isRight)
    if (isRight) change('delete')
    else forget()
  }
  return (
    <form class="plain" onSubmit={submit}>
      <fieldset class="entry">
        <legend>{peopleWords.access.deleteTitle}</legend>
        <p>{peopleWords.access.deleteExplain}</p>
        <label>
          {peopleWords.access.typeId} <bdi class="mono">{record.id}</bdi>
          {title !== record.id && (
            <>
              {peopleWords.access.orTitle} <bdi>{title}</bdi>
            </>
          )}
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
          {isWrong && peopleWords.access.wrongId}
        </p>
        <button type="submit" aria-disabled={isStoring}>
          {peopleWords.access.delete}
        </button>
      </fieldset>
    </form>
  )
}
