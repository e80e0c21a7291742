import type { Collection } from '../../core/records/collection.js'
import {
  asVersion,
  type Id,
  type Instant,
  type Oid,
  toInstant,
  type Version,
} from '../../core/value-types.js'
import { parseFiles } from '../database/directory-files.js'
import type { Connection } from '../database/sqlite-connection.js'

/** The revision that a commit made of a directory, and the revisions before and after it. */
interface Neighbours {
  readonly kind: Collection
  readonly id?: Id
  /** Undefined if the commit removes the directory. */
  readonly version?: Version
  readonly time: Instant
  /** The previous revision of the directory, valid or not. */
  readonly before?: { readonly commit: Oid; readonly version?: Version }
  /** The version of the directory at the commit that the edit is based on. */
  readonly basedOn?: Version
  /** Whether every later revision has the same blob of the file. */
  readonly lasts: boolean
}

/** An edit of a file by a commit. */
interface FileEdit {
  readonly directory: string
  /** Path inside the directory. */
  readonly file: string
  readonly commit: Oid
  /** The blob after the edit; undefined if the file was deleted. */
  readonly edited: Oid | undefined
  /** The commit that the edit is based on. */
  readonly basedOn: Oid | undefined
}

/** Finds the revisions before and after that of an edit of a file; undefined if the history does not have it. */
export type NeighboursOf = (edit: FileEdit) => Neighbours | undefined

export function openNeighbours(connection: Connection): NeighboursOf {
  const sql = {
    made: connection.prepare<
      readonly [
        rid: number,
        rev: number,
        kind: string,
        id: string | null,
        version: number | null,
        time: number,
      ]
    >(
      `SELECT c.rid, r.rev, c.kind, c.id, r.version, r.time
       FROM record c CROSS JOIN revision r ON r.rid = c.rid WHERE c.directory = ? AND r.oid = ?`,
    ),
    before: connection.prepare<readonly [commit: string, version: number | null]>(
      'SELECT oid, version FROM revision WHERE rid = ? AND rev < ? ORDER BY rev DESC LIMIT 1',
    ),
    upTo: connection.prepare<readonly [version: number | null]>(
      `SELECT version FROM revision WHERE rid = ? AND rev <= (SELECT rev FROM chain WHERE oid = ?)
       ORDER BY rev DESC LIMIT 1`,
    ),
    since: connection.prepare<readonly [files: string]>(
      'SELECT files FROM revision WHERE rid = ? AND rev > ? ORDER BY rev',
    ),
  }

  return ({ directory, file, commit, edited, basedOn }) => {
    const made = sql.made.get(directory, commit)
    if (!made) return undefined
    const [rid, rev, kind, id, version, time] = made
    const before = sql.before.get(rid, rev)
    const based = basedOn === undefined ? undefined : sql.upTo.get(rid, basedOn)?.[0]
    return {
      kind: kind as Collection,
      ...(id !== null && { id: id as Id }),
      ...(version !== null && { version: asVersion(version) }),
      time: toInstant(time),
      ...(before && {
        before: {
          commit: before[0] as Oid,
          ...(before[1] !== null && { version: asVersion(before[1]) }),
        },
      }),
      ...(typeof based === 'number' && { basedOn: asVersion(based) }),
      lasts: sql.since.all(rid, rev).every(([files]) => parseFiles(files).get(file)?.oid === edited),
    }
  }
}
