import { answered, client } from './client.js'
import type { Change } from './interface-types.js'
import { point } from './point.js'
import { kindOf, type RecordName } from './records.js'

export type { Change }

/** Which changes are told. An empty text is no filter. */
export interface ChangeFilter {
  readonly kind?: string
  readonly schemaId?: string
  readonly author?: string
}

/** A part of the history of all records, newest first. */
export interface ChangesPart {
  readonly changes: readonly Change[]
  /** `before` of the next part; undefined: this part has the oldest change. */
  readonly next: string | undefined
}

const partSize = 100

/** @param before a commit, or `now`: from the newest change, or from the point of history on */
export async function readChangesBefore(
  before: string,
  filter: ChangeFilter,
  signal?: AbortSignal,
): Promise<ChangesPart> {
  const at = before === 'now' ? (point ?? '') : ''
  const { items, next, more } = await readChanges({ ...filter, before, at, limit: partSize }, signal)
  return { changes: items, next: more ? next : undefined }
}

/** The commit of the newest change; empty: there is none. */
export async function readNewestCommit(signal?: AbortSignal): Promise<string> {
  const { items } = await readChanges({ before: 'now', limit: 1 }, signal)
  return items[0]?.commit ?? ''
}

/** Changes that one answer has at most. */
const searched = 1000

/** What the newest changes of all records tell of one, newest first. A record that is deleted has no other history. */
export async function readChangesOf(record: RecordName, signal?: AbortSignal): Promise<readonly Change[]> {
  const { items } = await readChanges({ kind: kindOf(record), before: 'now', limit: searched }, signal)
  return items.filter(({ id }) => id === record.id)
}

/** The changes after a commit, oldest first, in parts. @param since empty: the beginning of the history */
export async function readChangesSince(since: string, filter: ChangeFilter, signal?: AbortSignal) {
  return await readChanges({ ...filter, since, limit: searched }, signal)
}

/** The first change after a commit; undefined if there is none. */
export async function readFirstChange(
  since: string,
  filter: ChangeFilter,
  signal?: AbortSignal,
): Promise<Change | undefined> {
  return (await readChanges({ ...filter, since, limit: 1 }, signal)).items[0]
}

async function readChanges(
  query: Readonly<Record<string, string | number>>,
  signal: AbortSignal | undefined,
) {
  const { data } = await answered(
    client.GET('/api/changes', {
      params: { query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) },
      headers: { Accept: 'application/json' },
      ...(signal && { signal }),
    }),
  )
  return data as { readonly items: readonly Change[]; readonly next: string; readonly more: boolean }
}
