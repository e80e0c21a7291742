import { followChanges } from './follow-changes.js'
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
  return followChanges({ ...parametersOf({ ...filter }), since }, ({ data }) =>
    onChange(JSON.parse(data) as Change),
  )
}
