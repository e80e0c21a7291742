import type { Oid } from '../../core/value-types.js'
import { recordFile } from '../../store/records/repository-layout.js'
import type { SqlValue } from './sqlite-connection.js'

/** An entry of the tree of a record's directory. */
export interface FileEntry {
  readonly oid: Oid
  /** Undefined for `100644`. */
  readonly mode?: string
}

/** Every file of a record's directory, by its path in the directory. Empty if there is no such directory. */
export type DirectoryFiles = ReadonlyMap<string, FileEntry>

/** Says whether the bytes of any file other than `record.json` differ. */
export function documentsDiffer(a: DirectoryFiles, b: DirectoryFiles): boolean {
  const count = (files: DirectoryFiles) => files.size - (files.has(recordFile) ? 1 : 0)
  if (count(a) !== count(b)) return true
  for (const [file, entry] of b) if (file !== recordFile && a.get(file)?.oid !== entry.oid) return true
  return false
}

/** Sorts by path, so that equal directories have equal text. */
export function formatFiles(files: DirectoryFiles): string {
  const rows: SqlValue[][] = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, { oid, mode }]) => (mode === undefined ? [file, oid] : [file, oid, mode]))
  return JSON.stringify(rows)
}

export function parseFiles(text: string): Map<string, FileEntry> {
  const rows = JSON.parse(text) as readonly (readonly [string, Oid, string?])[]
  return new Map(rows.map(([file, oid, mode]) => [file, mode === undefined ? { oid } : { oid, mode }]))
}
