import type { Oid } from '../../core/value-types.js'
import { recordFile } from '../../store/records/repository-layout.js'
import type { SqlValue } from './sqlite-file.js'

/** A path of a record's directory as the tree has it. */
export interface FileEntry {
  readonly oid: Oid
  /** Only where it is not `100644`. */
  readonly mode?: string
}

/** Every file of a record's directory by its path inside; empty: the directory is not in the tree. */
export type DirectoryFiles = ReadonlyMap<string, FileEntry>

/** Says whether a file other than the record differs in its bytes. */
export function documentsDiffer(a: DirectoryFiles, b: DirectoryFiles): boolean {
  const count = (files: DirectoryFiles) => files.size - (files.has(recordFile) ? 1 : 0)
  if (count(a) !== count(b)) return true
  for (const [file, entry] of b) if (file !== recordFile && a.get(file)?.oid !== entry.oid) return true
  return false
}

/** Sorted by path, so that equal directories have equal text. */
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
