import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Fault } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'
import { documentTypeOfFile } from '../../store/records/repository-layout.js'
import { parseFiles } from '../database/directory-files.js'
import type { Connection } from '../database/sqlite-connection.js'

type FaultRow = readonly [
  kind: string,
  directory: string,
  id: string | null,
  commit: string,
  findings: string,
]

/** Queries for revisions that break a rule. */
export function openFaultQueries(
  connection: Connection,
): Pick<CatalogQueries, 'faults' | 'since' | 'isFaulty'> {
  const sql = {
    faults: connection.prepare<FaultRow>(
      `SELECT c.kind, c.directory, c.id, r.oid, r.findings
       FROM record c CROSS JOIN revision r ON r.rev = c.last WHERE c.bad = 1 ORDER BY c.kind DESC, c.directory`,
    ),
    lastOf: connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?'),
    countSince: connection.prepare<readonly [n: number]>('SELECT count(*) FROM revision WHERE rev > ?'),
    faultsSince: connection.prepare<readonly [string, string, string | null, string, string, string]>(
      `SELECT c.kind, c.directory, c.id, r.oid, r.findings, r.files
       FROM revision r CROSS JOIN record c ON c.rid = r.rid WHERE r.standing = 0 AND r.rev > ? ORDER BY r.rev`,
    ),
    bad: connection.prepare<readonly [bad: number]>('SELECT bad FROM record WHERE directory = ?'),
  }
  return {
    faults: () => sql.faults.all().map(toFault),

    since(commit) {
      const [last] = (commit && sql.lastOf.get(commit)) ?? [0]
      return {
        revisions: sql.countSince.get(last)?.[0] ?? 0,
        faults: sql.faultsSince.all(last).map(([kind, directory, id, oid, findings, files]) => {
          const document = [...parseFiles(files).keys()].find(file =>
            documentTypeOfFile(kind as Collection, file),
          )
          return {
            ...toFault([kind, directory, id, oid, findings]),
            ...(document !== undefined && { document }),
          }
        }),
      }
    },

    isFaulty: directory => sql.bad.get(directory)?.[0] === 1,
  }
}

function toFault([kind, directory, id, commit, findings]: FaultRow): Fault {
  return {
    kind: kind as Collection,
    directory,
    ...(id !== null && { id: id as Id }),
    commit: commit as Oid,
    findings: JSON.parse(findings) as Finding[],
  }
}
