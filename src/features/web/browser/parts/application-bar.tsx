import { useQuery } from '@tanstack/react-query'
import { createPortal } from 'preact/compat'
import { useState } from 'preact/hooks'
import { Link, useRoute } from 'wouter'
import { answered, client } from '../api/client.js'
import { goToPoint, point, thisPageAt } from '../api/point.js'
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
  const isThere = useIsPoint()
  if (point === undefined) return null
  return (
    <div class="notice">
      <p role="status" dir="auto">
        {isThere && words.point.banner(point)}
      </p>
      <a href={thisPageAt(undefined)}>{words.point.back}</a>
    </div>
  )
}

/** Whether the point of the address exists. A page that fails says what is wrong with it. */
export function useIsPoint(): boolean {
  const query = { size: 1, at: point ?? '' }
  const read = useQuery({
    queryKey: ['point'],
    queryFn: async ({ signal }) =>
      (await answered(client.GET('/api/v2/metadata', { params: { query }, signal }))).response.ok,
    enabled: point !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return read.data ?? false
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
    goToPoint(chosen.trim() || undefined)
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
