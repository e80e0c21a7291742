/**
 * SQL that joins to each record `q.rid` the state it was in after a revision: `r` its newest good revision then, `b` the
 * record; null where it was not there yet, or GONE.
 * @param upto SQL of the revision's row
 */
export function joinStateAfter(upto: string): string {
  return `LEFT JOIN revision r
    ON r.rev = (SELECT s.rev FROM revision s WHERE s.rid = q.rid AND s.standing = 1 AND s.rev <= ${upto}
      ORDER BY s.version DESC, s.sequence DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM revision g
      WHERE g.rid = q.rid AND g.standing = 2 AND g.rev > r.rev AND g.rev <= ${upto})
    LEFT JOIN body b ON b.body = r.body`
}
