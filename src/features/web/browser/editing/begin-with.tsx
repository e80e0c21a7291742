import { useId, useState } from 'preact/hooks'
import { skeletonOf, usualRoot } from '../../../web-api/outline/skeleton.js'
import type { OutlineMember, SchemaOutline } from '../api/interface-types.js'
import { writingWords } from '../words-of-writing.js'

/** The text with which a new document begins: what the schema requires, with empty values. Without a root it is empty. */
export function beginningOf(outline: SchemaOutline): string {
  const root = usualRoot(outline)
  return root ? skeletonOf(outline, root) : ''
}

/** A choice of the element with which an XML document begins; none if there is only one. */
export function BeginWith({
  outline,
  begin,
}: {
  readonly outline: SchemaOutline
  /** Replaces the text. */
  begin(text: string): void
}) {
  const { roots } = outline
  const [chosen, setChosen] = useState(() => roots.indexOf(usualRoot(outline) as OutlineMember))
  const id = useId()
  if (roots.length < 2) return null
  function choose(index: number): void {
    const root = roots[index]
    if (!root) return
    setChosen(index)
    begin(skeletonOf(outline, root))
  }
  return (
    <p class="field">
      <label for={id}>{writingWords.newDocument.beginWith}</label>{' '}
      <select
        id={id}
        value={chosen}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {roots.map(({ name, namespace = '' }, index) => (
          <option key={`${namespace} ${name}`} value={index}>
            {namespace === (outline.namespace ?? '') ? name : `${name} (${namespace})`}
          </option>
        ))}
      </select>{' '}
      <span id={`${id}-hint`} class="dim">
        {writingWords.newDocument.beginHint}
      </span>
    </p>
  )
}
