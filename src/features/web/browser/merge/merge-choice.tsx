import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Conflict } from '../editing/store-content.js'
import { authorInWords } from '../parts/author.js'
import { words } from '../words.js'
import type { Choice } from './merge-texts.js'

/**
 * Lets a person choose at each place that both have changed. It has the focus, because nothing was stored.
 * @param props.isIdle whether the person has been idle since the text was sent; else the focus stays where it is
 */
export function MergeChoice({
  conflict: {
    version,
    author,
    base,
    merge: { conflicts },
  },
  isIdle,
  merge,
}: {
  readonly conflict: Conflict
  isIdle(): boolean
  merge(choices: readonly Choice[]): void
}) {
  const [choices, setChoices] = useState<readonly (Choice | undefined)[]>(conflicts.map(() => undefined))
  const [isIncomplete, setIsIncomplete] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (isIdle()) heading.current?.focus()
  }, [])
  function submit(event: Event) {
    event.preventDefault()
    const made = choices.filter(choice => choice !== undefined)
    setIsIncomplete(made.length < conflicts.length)
    if (made.length === conflicts.length) merge(made)
  }
  return (
    <form class="plain notice" onSubmit={submit} aria-label={words.merge.title}>
      <h2 ref={heading} tabIndex={-1}>
        {words.merge.stored(version, authorInWords(author))}
      </h2>
      <p>{words.merge.conflicts(conflicts.length)}</p>
      {conflicts.map(({ label, ...texts }, index) => (
        <fieldset key={`${index} ${label}`}>
          <legend dir="auto">{label}</legend>
          <p>{words.merge.before(base)}</p>
          <pre dir="auto">{texts.base || words.merge.nothing}</pre>
          {(['mine', 'theirs'] as const).map(choice => (
            <label key={choice}>
              <input
                type="radio"
                name={`conflict-${index}`}
                checked={choices[index] === choice}
                onChange={() => setChoices(choices.with(index, choice))}
              />{' '}
              {words.merge[choice]}
              <pre dir="auto">{texts[choice] || words.merge.nothing}</pre>
            </label>
          ))}
        </fieldset>
      ))}
      {isIncomplete && <p role="alert">{words.merge.incomplete}</p>}
      <button type="submit" class="button main">
        {words.merge.merge}
      </button>
    </form>
  )
}
