import { useQuery } from '@tanstack/react-query'
import { readTitles } from '../api/search.js'

type Kind = 'schema' | 'metadata'

interface Named {
  readonly kind: Kind
  readonly id: string
}

/** Titles that were read, by kind and id. A record that cannot be read has its id. */
const known = new Map<string, string>()

/**
 * The titles of records, for people. One request reads them; what is too much for it keeps the id.
 * @param names may repeat
 * @returns the id until the title is read
 */
export function useTitles(names: readonly Named[]): (kind: Kind, id: string) => string {
  const missing = [...new Set(names.filter(name => !known.has(keyOf(name))).map(({ id }) => id))]
  useQuery({
    queryKey: ['titles', missing],
    queryFn: async ({ signal }) => {
      const titles = await readTitles(missing, signal)
      for (const name of names) known.set(keyOf(name), titles.get(keyOf(name)) ?? name.id)
      return missing
    },
    enabled: missing.length > 0,
  })
  return (kind, id) => known.get(keyOf({ kind, id })) ?? id
}

/** The titles of schemas. @param ids may repeat */
export function useSchemaTitles(ids: readonly string[]): (id: string) => string {
  const titleOf = useTitles(ids.map(id => ({ kind: 'schema', id })))
  return id => titleOf('schema', id)
}

function keyOf({ kind, id }: Named): string {
  return `${kind} ${id}`
}
