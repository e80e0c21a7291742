import { useIsFetching, useMutation, useQuery } from '@tanstack/react-query'
import { createPortal } from 'preact/compat'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useRoute } from 'wouter'
import { answered, client, Refusal } from '../api/client.js'
import { goToPoint, point, pointOfText, thisPageAt, useIsPointRead } from '../api/point.js'
import { words } from '../words.js'
import { explanationOf } from './explain-failure.js'
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
  const isPoint = useIsPoint()
  if (point === undefined) return null
  return (
    <div class="notice">
      <p role="status" dir="auto">
        {isPoint && words.point.banner(point)}
      </p>
      <a href={thisPageAt(undefined)}>{words.point.back}</a>
    </div>
  )
}

/**
 * Whether the point of the address exists: what a page has read of it says so. Only a page that reads nothing of it asks.
 * A page that fails says what is wrong with it.
 */
export function useIsPoint(): boolean {
  const isRead = useIsPointRead()
  const isReading = useIsFetching({ predicate: ({ queryKey: [name] }) => name !== 'point' }) > 0
  const [isOpen, setIsOpen] = useState(false)
  // By then the page has begun to read.
  useEffect(() => {
    const timer = setTimeout(() => setIsOpen(true))
    return () => clearTimeout(timer)
  }, [])
  useQuery({
    queryKey: ['point'],
    queryFn: ({ signal }) => readPoint(point ?? '', signal),
    enabled: point !== undefined && !isRead && isOpen && !isReading,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return isRead
}

/** Whether a point exists. The server says what is wrong with one that does not. */
async function readPoint(at: string, signal?: AbortSignal): Promise<boolean> {
  const params = { query: { size: 1, at } }
  const read = await answered(client.GET('/api/v2/metadata', { params, ...(signal && { signal }) }))
  return read.response.ok
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
  const field = useRef<HTMLInputElement>(null)
  const going = useMutation({
    async mutationFn({ wanted }: { readonly wanted: string | undefined; readonly typed: string }) {
      if (wanted !== undefined) await readPoint(wanted)
      goToPoint(wanted)
    },
    onError: () => field.current?.focus(),
  })
  function show(event: Event) {
    event.preventDefault()
    going.mutate({ wanted: pointOfText(chosen), typed: chosen.trim() })
  }
  return (
    <details class="point-choice" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.point.choose}</summary>
      {named.error && <FailureMessage error={named.error} retry={() => void named.refetch()} />}
      <form onSubmit={show}>
        <label>
          {words.point.field}
          <input
            ref={field}
            list="points"
            value={chosen}
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            aria-describedby={going.error ? 'point-fault point-hint' : 'point-hint'}
            aria-invalid={going.error ? true : undefined}
            onInput={({ currentTarget }) => setChosen(currentTarget.value)}
          />
        </label>
        <datalist id="points">
          {named.data?.map(({ kind, at }) => (
            <option key={`${kind} ${at}`} value={at} />
          ))}
        </datalist>
        <button type="submit">{words.point.show}</button>
        {going.error && (
          <p id="point-fault" role="alert" class="notice">
            {isUnknown(going.error) ? words.point.unknown(going.variables.typed) : explanationOf(going.error)}
          </p>
        )}
        <p id="point-hint" class="hint">
          {words.point.hint}
        </p>
      </form>
    </details>
  )
}

function isUnknown(error: unknown): boolean {
  return error instanceof Refusal && (error.status === 400 || error.status === 404)
}
