/**
 * SQL that joins each record `q.rid` to what it was right after some revision of the catalog: `r` is the newest valid
 * revision of the record then, and `b` its stored form. Both are null if the record did not exist or was GONE then.
 * @param upTo SQL of the row number of that revision
 */
export function joinStateAfter(upTo: string): string {
  return `LEFT JOIN revision r
    ON r.rev = (SELECT s.rev FROM revision s WHERE s.rid = q.rid AND s.standing = 1 AND s.rev <= ${upTo}
      ORDER BY s.version DESC, s.sequence DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM revision g
      WHERE g.rid = q.rid AND g.standing = 2 AND g.rev > r.rev AND g.rev <= ${upTo})
    LEFT JOIN body b ON b.body = r.body`
}
