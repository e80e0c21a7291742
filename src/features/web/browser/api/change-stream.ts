import { serviceUrl } from './client.js'
import type { Change } from './interface-types.js'

export type { Change }

/** Which changes are told. An empty text is no filter. */
export interface ChangeFilter {
  readonly kind?: string
  readonly schemaId?: string
  readonly author?: string
}

/** The filters that are set, as parameters of the feed. */
export function parametersOf(
  filter: ChangeFilter & { readonly since?: string },
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value))
}

/**
 * Tells the changes since a commit, as soon as the server has them, until it is closed.
 * @param since a commit of the served history; empty: from the beginning
 * @returns closes the stream
 */
export function openChangeStream(
  since: string,
  filter: ChangeFilter,
  onChange: (change: Change) => void,
): () => void {
  const url = new URL('api/changes', serviceUrl)
  for (const [name, value] of Object.entries(parametersOf({ ...filter, since })))
    url.searchParams.set(name, value)
  const stream = new EventSource(url)
  const tell = ({ data }: MessageEvent<string>) => onChange(JSON.parse(data) as Change)
  for (const name of ['created', 'updated', 'deleted']) stream.addEventListener(name, tell)
  return () => stream.close()
}
