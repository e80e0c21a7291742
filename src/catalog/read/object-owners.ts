import type { Collection } from '../../core/records/collection.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { parseFiles } from '../database/directory-files.js'
import { openCatalogFile } from '../database/open-catalog-file.js'
import { type Connection, isSqliteError } from '../database/sqlite-connection.js'

/** A revision in the catalog, whose objects the repository may have lost. */
export interface ObjectOwner {
  readonly kind: Collection
  readonly directory: string
  /** Undefined if it is unknown. */
  readonly id?: Id
  /** Undefined for a removal and for a revision that breaks a rule. */
  readonly version?: Version
  readonly commit: Oid
}

/** Tells which revisions need an object, for a repository that has lost objects. */
export interface ObjectOwners {
  /** The commit of the branch when the catalog was last written. */
  readonly head: Oid | undefined
  /** All objects of revisions: commits, and blobs of their files. */
  objects(): ReadonlyMap<Oid, 'commit' | 'blob'>
  /** The revisions that need each of the objects: the object is their commit, or the blob of one of their files. */
  of(objects: ReadonlySet<Oid>): ReadonlyMap<Oid, readonly ObjectOwner[]>
  /** All revisions after a commit; undefined if the commit is not in the served history. */
  after(commit: Oid): readonly ObjectOwner[] | undefined
  close(): void
}

type Row = readonly [
  kind: string,
  directory: string,
  id: string | null,
  version: number | null,
  commit: string,
  files: string,
  rev: number,
]

/** Limit of the revisions that one statement reads. */
const rowsPerStatement = 1000

/**
 * Opens the catalog of a repository for reading, without rebuilding it.
 * @returns undefined if there is no readable catalog
 */
export function openObjectOwners(file: string): ObjectOwners | undefined {
  const connection = openCatalogFile(file)
  if (!connection) return undefined
  const readHead = connection.prepare<readonly [string | null]>('SELECT head FROM state')
  const head = unlessDamaged(() => readHead.get()?.[0] ?? undefined)
  return readWith(connection, head as Oid | undefined)
}

/** The result of a read; undefined if the catalog is damaged, which may have the same cause as the lost objects. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isSqliteError(error)) return undefined
    throw error
  }
}

function readWith(connection: Connection, head: Oid | undefined): ObjectOwners {
  const next = connection.prepare<Row>(
    `SELECT c.kind, c.directory, c.id, r.version, r.oid, r.files, r.rev
     FROM revision r CROSS JOIN record c ON c.rid = r.rid
     WHERE r.rev > ? AND r.sequence > ? ORDER BY r.rev LIMIT ${rowsPerStatement}`,
  )
  const sequenceOf = connection.prepare<readonly [number]>('SELECT sequence FROM chain WHERE oid = ?')

  function* revisions(sequence: number): Generator<Row> {
    for (let rev = 0; ; ) {
      const rows = next.all(rev, sequence)
      yield* rows
      const last = rows.at(-1)
      if (!last) return
      rev = last[6]
    }
  }

  return {
    head,
    objects() {
      const found = new Map<Oid, 'commit' | 'blob'>()
      unlessDamaged(() => {
        for (const [, , , , commit, files] of revisions(0)) {
          found.set(commit as Oid, 'commit')
          for (const { oid } of parseFiles(files).values()) found.set(oid, 'blob')
        }
      })
      return found
    },
    of(objects) {
      const found = new Map<Oid, ObjectOwner[]>()
      unlessDamaged(() => {
        for (const row of revisions(0)) {
          const [, , , , commit, files] = row
          const blobs = [...parseFiles(files).values()].map(entry => entry.oid)
          for (const oid of new Set([commit as Oid, ...blobs])) {
            if (objects.has(oid)) found.set(oid, [...(found.get(oid) ?? []), ownerOf(row)])
          }
        }
      })
      return found
    },
    after(commit) {
      return unlessDamaged(() => {
        const [sequence] = sequenceOf.get(commit) ?? []
        return sequence === undefined ? undefined : [...revisions(sequence)].map(ownerOf)
      })
    },
    close: () => connection.close(),
  }
}

function ownerOf([kind, directory, id, version, commit]: Row): ObjectOwner {
  return {
    kind: kind as Collection,
    directory,
    ...(id === null ? {} : { id: id as Id }),
    ...(version === null ? {} : { version: version as Version }),
    commit: commit as Oid,
  }
}
