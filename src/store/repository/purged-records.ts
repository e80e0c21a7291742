import { parseStrictJson } from '../../core/json/strict-json.js'
import { type Id, type Instant, isId, type Oid } from '../../core/value-types.js'
import type { History } from '../commit-history/first-parent-history.js'
import type { ObjectReader } from '../objects/object-reader.js'
import { findTreeEntry } from '../objects/tree-format.js'

/*
 * `purged.json` of a commit: the ids of purged records. Harvesters are told that these records are deleted.
 */

export const purgedFileName = 'purged.json'

/** A record that a purge removed from the history. */
export interface PurgedRecord {
  readonly id: Id
  /** Time of the purge. */
  readonly time: Instant
}

/** The blob of `purged.json` in a root tree; undefined if it has no such file. @param tree bytes of the root tree */
export function purgedFileIn(tree: Buffer): Oid | undefined {
  const entry = findTreeEntry(tree, purgedFileName)
  return entry && /^1006?/.test(entry.mode) ? entry.oid : undefined
}

/** The records in the file, ordered by time. Leaves out entries that are not valid: people may edit the file. */
export function parsePurgedRecords(bytes: Uint8Array): readonly PurgedRecord[] {
  const json = parseStrictJson(bytes)
  const { records } = ('value' in json ? (json.value ?? {}) : {}) as { readonly records?: unknown }
  if (!Array.isArray(records)) return []
  return records
    .flatMap((entry: unknown) => {
      const { id, time } = (entry ?? {}) as Readonly<Record<string, unknown>>
      const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN
      return typeof id === 'string' && isId(id) && !Number.isNaN(milliseconds)
        ? [{ id, time: milliseconds as Instant }]
        : []
    })
    .sort((a, b) => a.time - b.time)
}

export function encodePurgedRecords(records: readonly PurgedRecord[]): Buffer {
  const entries = records.map(({ id, time }) => ({ id, time: new Date(time).toISOString() }))
  return Buffer.from(`${JSON.stringify({ records: entries }, undefined, 2)}\n`)
}

/** The purged records that a commit lists, ordered by time. @throws MissingObject, DamagedObject */
export async function readPurgedRecords(
  commit: Oid,
  objects: Pick<ObjectReader, 'read'>,
  history: Pick<History, 'commit'>,
): Promise<readonly PurgedRecord[]> {
  const { tree } = await history.commit(commit)
  const file = purgedFileIn((await objects.read(tree)).bytes)
  return file === undefined ? [] : parsePurgedRecords((await objects.read(file)).bytes)
}
