import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'preact/hooks'
import { point } from '../api/point.js'
import { readTitles } from '../api/search.js'

type Kind = 'schema' | 'metadata'

interface Named {
  readonly kind: Kind
  readonly id: string
}

/** Titles that were read, by kind and id. A record that has none, or cannot be read, has its id. */
const known = new Map<string, string>()

/** Milliseconds until titles are asked for again that the search index does not have yet. Each pause is twice the last. */
const pauses = { first: 1000, longest: 60_000 }

/**
 * The titles of records, for people. Each request reads as many as one query may name.
 * @param names may repeat
 * @returns the id until the title is read
 */
export function useTitles(names: readonly Named[]): (kind: Kind, id: string) => string {
  const missing = new Map(names.filter(name => !known.has(keyOf(name))).map(name => [keyOf(name), name.id]))
  useQuery({
    queryKey: ['titles', [...missing.keys()]],
    queryFn: async ({ signal }) => {
      const { asked, titles, upToDate } = await readTitles([...new Set(missing.values())], signal)
      const isBehind = !upToDate && point === undefined
      for (const [key, id] of missing) {
        const title = titles.get(key) ?? (!isBehind && asked.has(id) ? id : undefined)
        if (title !== undefined) known.set(key, title)
      }
      // A difference shows the titles.
      return { known: known.size, isBehind }
    },
    enabled: missing.size > 0,
    // Also a refusal, because a busy server answers later.
    retry: 3,
    refetchInterval: ({ state }) =>
      state.data?.isBehind && Math.min(pauses.first * 2 ** (state.dataUpdateCount - 1), pauses.longest),
  })
  const { size } = known
  // The same function as long as the titles are the same: long lists are drawn again only for others.
  return useCallback((kind, id) => known.get(keyOf({ kind, id })) ?? id, [size])
}

/** The titles of schemas. @param ids may repeat */
export function useSchemaTitles(ids: readonly string[]): (id: string) => string {
  const titleOf = useTitles(ids.map(id => ({ kind: 'schema', id })))
  return useCallback(id => titleOf('schema', id), [titleOf])
}

function keyOf({ kind, id }: Named): string {
  return `${kind} ${id}`
}
