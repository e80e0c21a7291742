import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { observeChanges } from '../api/change-stream.js'
import { point } from '../api/point.js'
import { readTitles, type SearchHit } from '../api/search.js'

type Kind = 'schema' | 'metadata'

interface Named {
  readonly kind: Kind
  readonly id: string
}

/** Titles that were read, by kind and id. A record that has none, or cannot be read, has its id. */
const known = new Map<string, string>()
/** Records whose title may have changed since it was read, with the commit of the change; empty: nobody would have told. */
const outdated = new Map<string, string>()
/** Number of the changes of `known`. */
let revision = 0

/** Milliseconds until titles are asked for again that the search index does not have yet. Each pause is twice the last. */
const pauses = { first: 1000, longest: 60_000 }

/**
 * The titles of records, for people, also of those that change while the page is open. Each request reads as many as one
 * query may name.
 * @param names may repeat
 * @returns the id, or another text, until the title is read
 */
export function useTitles(names: readonly Named[]): (kind: Kind, id: string, unread?: string) => string {
  useOutdated()
  const missing = new Map(
    names.filter(name => isMissing(keyOf(name))).map(name => [keyOf(name), name.id] as const),
  )
  const since = [...outdated].findLast(([key, commit]) => commit !== '' && missing.has(key))?.[1]
  useQuery({
    queryKey: ['titles', [...missing.keys()], since],
    queryFn: async ({ signal }) => {
      const before = new Map(outdated)
      const { asked, titles, upToDate } = await readTitles([...new Set(missing.values())], since, signal)
      const isBehind = !upToDate && point === undefined
      for (const [key, id] of missing) {
        const title = titles.get(key) ?? (!isBehind && asked.has(id) ? id : undefined)
        // An index that is behind may have the title of before.
        if (title === undefined || (isBehind && known.has(key))) continue
        if (known.get(key) !== title) revision++
        known.set(key, title)
        if (outdated.get(key) === before.get(key)) outdated.delete(key)
      }
      // A difference shows the titles.
      return { revision, left: [...missing.keys()].filter(isMissing).length, isBehind }
    },
    enabled: missing.size > 0,
    // Also a refusal, because a busy server answers later.
    retry: 3,
    refetchInterval: ({ state }) =>
      state.data?.isBehind && Math.min(pauses.first * 2 ** (state.dataUpdateCount - 1), pauses.longest),
  })
  // The same function as long as the titles are the same: long lists are drawn again only for others.
  return useCallback((kind, id, unread = id) => known.get(keyOf({ kind, id })) ?? unread, [revision])
}

function isMissing(key: string): boolean {
  return !known.has(key) || outdated.has(key)
}

/** Notes which titles may have changed, and draws the page again for them. */
function useOutdated(): void {
  const [, setNewest] = useState('')
  useEffect(() => {
    const end = observeChanges(change => {
      const key = keyOf(change)
      if (!known.has(key)) return
      // The newest is the last.
      outdated.delete(key)
      outdated.set(key, change.commit)
      setNewest(`${key} ${change.commit}`)
    })
    return () => {
      end()
      if (point === undefined) for (const key of known.keys()) outdated.set(key, '')
    }
  }, [])
}

/** The titles of schemas. @param ids may repeat */
export function useSchemaTitles(ids: readonly string[]): (id: string) => string {
  const titleOf = useTitles(ids.map(id => ({ kind: 'schema', id })))
  return useCallback(id => titleOf('schema', id), [titleOf])
}

/** Hits with the titles of now, if their records have changed since they were found. */
export function useCurrentTitles(hits: readonly SearchHit[]): (hit: SearchHit) => SearchHit {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => observeChanges(change => setChanged(before => new Set([...before, keyOf(change)]))), [])
  const isChanged = ({ kind, record }: SearchHit) => changed.has(keyOf({ kind, id: record.id }))
  const titleOf = useTitles(hits.filter(isChanged).map(({ kind, record: { id } }) => ({ kind, id })))
  return hit => (isChanged(hit) ? { ...hit, title: titleOf(hit.kind, hit.record.id, hit.title) } : hit)
}

function keyOf({ kind, id }: Named): string {
  return `${kind} ${id}`
}
