import { type Change, type ChangeFilter, parametersOf } from './change-stream.js'
import { answered, client } from './client.js'
import { point } from './point.js'

/** A part of the history of all records, newest first. */
export interface ChangesPart {
  readonly changes: readonly Change[]
  /** `before` of the next part; undefined: this part has the oldest change. */
  readonly next: string | undefined
}

const partSize = 100

/** @param before a commit, or `now` */
export async function readChangesBefore(
  before: string,
  filter: ChangeFilter,
  signal?: AbortSignal,
): Promise<ChangesPart> {
  const { items, next, more } = await readChanges(
    { ...parametersOf(filter), before, limit: partSize },
    signal,
  )
  return { changes: items, next: more ? next : undefined }
}

/** The first change after a commit; undefined if there is none. */
export async function readFirstChange(
  since: string,
  filter: ChangeFilter,
  signal?: AbortSignal,
): Promise<Change | undefined> {
  return (await readChanges({ ...parametersOf(filter), since, limit: 1 }, signal)).items[0]
}

/** Where the history ends that is shown: `now`, or the commit after the point of history. */
export async function readEnd(signal?: AbortSignal): Promise<string> {
  if (point === undefined) return 'now'
  // A search says which commit a point is.
  const { data } = await answered(
    client.GET('/api/v2/search', {
      params: { query: { size: 1, kind: 'both', highlight: 'false' } },
      ...(signal && { signal }),
    }),
  )
  if (data.commit === undefined) return 'now'
  return (await readFirstChange(data.commit, {}, signal))?.commit ?? 'now'
}

async function readChanges(
  query: Readonly<Record<string, string | number>>,
  signal: AbortSignal | undefined,
) {
  const { data } = await answered(
    client.GET('/api/changes', {
      params: { query },
      headers: { Accept: 'application/json' },
      ...(signal && { signal }),
    }),
  )
  return data as { readonly items: readonly Change[]; readonly next: string; readonly more: boolean }
}
