import { useState } from 'preact/hooks'
import { type Choice, type MergePart, mergedText } from '../editor/merge-texts.js'
import { authorInWords } from '../parts/author.js'
import { words } from '../words.js'

/** Lets a person choose for each conflict, then gives the merged text. */
export function MergeChoice({
  parts,
  author,
  version,
  merge,
}: {
  readonly parts: readonly MergePart[]
  readonly author: string
  readonly version: number
  merge(text: string): void
}) {
  const conflicts = parts.flatMap(part => (part.kind === 'conflict' ? [part] : []))
  const [choices, setChoices] = useState<readonly (Choice | undefined)[]>(conflicts.map(() => undefined))
  const [isIncomplete, setIsIncomplete] = useState(false)
  function submit(event: Event) {
    event.preventDefault()
    const made = choices.filter(choice => choice !== undefined)
    setIsIncomplete(made.length < conflicts.length)
    if (made.length === conflicts.length) merge(mergedText(parts, made))
  }
  return (
    <form class="plain notice" onSubmit={submit} aria-label={words.merge.title}>
      <p role="alert">{words.merge.stored(version, authorInWords(author))}</p>
      <p>{conflicts.length === 0 ? words.merge.noConflict : words.merge.conflicts(conflicts.length)}</p>
      {conflicts.map((conflict, index) => (
        <fieldset key={`${index} ${conflict.base}`}>
          <legend>{words.merge.place(index + 1)}</legend>
          {(['mine', 'theirs'] as const).map(choice => (
            <label key={choice}>
              <input
                type="radio"
                name={`conflict-${index}`}
                checked={choices[index] === choice}
                onChange={() => setChoices(choices.with(index, choice))}
              />{' '}
              {words.merge[choice]}
              <pre dir="auto">{conflict[choice] || words.merge.nothing}</pre>
            </label>
          ))}
        </fieldset>
      ))}
      {isIncomplete && <p role="alert">{words.merge.incomplete}</p>}
      <button type="submit">{words.merge.merge}</button>
    </form>
  )
}
