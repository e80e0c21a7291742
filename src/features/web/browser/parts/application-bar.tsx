import { useQuery } from '@tanstack/react-query'
import { createPortal } from 'preact/compat'
import { useState } from 'preact/hooks'
import { Link, useRoute } from 'wouter'
import { answered, client } from '../api/client.js'
import { point, thisPageAt } from '../api/point.js'
import { words } from '../words.js'
import { FailureMessage } from './failure-message.js'

/** In the header of the page: the pages that are about no single record, and the choice of a point of history. */
export function ApplicationBar() {
  const [bar, navigation] = [document.querySelector('header .bar'), document.querySelector('header nav')]
  if (!bar || !navigation) return null
  const links = (
    <>
      <PageLink page="search" />
      <PageLink page="changes" />
      <PageLink page="drafts" />
    </>
  )
  return (
    <>
      {createPortal(links, navigation)}
      {createPortal(<PointChoice />, bar)}
    </>
  )
}

/** Says which point of history the page shows; nothing for today. */
export function PointNote() {
  if (point === undefined) return null
  return (
    <p class="notice" role="status">
      <span dir="auto">{words.point.banner(point)}</span>{' '}
      <a href={thisPageAt(undefined)}>{words.point.back}</a>
    </p>
  )
}

function PageLink({ page }: { readonly page: 'search' | 'changes' | 'drafts' }) {
  const [isHere] = useRoute(`/${page}`)
  return (
    <Link href={`/${page}`} aria-current={isHere ? 'page' : undefined}>
      {words.bar[page]}
    </Link>
  )
}

/** Chooses the point of history that is read. Its tags and branches are read when it is opened. */
function PointChoice() {
  const [isOpen, setIsOpen] = useState(false)
  const [chosen, setChosen] = useState(point ?? '')
  const named = useQuery({
    queryKey: ['points'],
    queryFn: async ({ signal }) => (await answered(client.GET('/api/refs', { signal }))).data.items,
    enabled: isOpen,
  })
  function show(event: Event) {
    event.preventDefault()
    location.assign(thisPageAt(chosen.trim() || undefined))
  }
  return (
    <details class="point-choice" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.point.choose}</summary>
      {named.error && <FailureMessage error={named.error} retry={() => void named.refetch()} />}
      <form onSubmit={show}>
        <label>
          {words.point.field}
          <input
            list="points"
            value={chosen}
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="point-hint"
            onInput={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        </label>
        <datalist id="points">
          {named.data?.map(({ kind, at }) => (
            <option key={`${kind} ${at}`} value={at} />
          ))}
        </datalist>
        <button type="submit">{words.point.show}</button>
        <p id="point-hint" class="hint">
          {words.point.hint}
        </p>
      </form>
    </details>
  )
}
