/** The tables of stored sets, in the catalog's file. Times are milliseconds; `age` is a negated time. */
export const setTables = `
-- Sets of metadata that stored searches define. number: of the set as it is defined. definition: what decides which states
-- are in it. through: the last revision that was compared with it. spec: null for rows that are to be deleted.
CREATE TABLE IF NOT EXISTS stored_set (number INTEGER PRIMARY KEY, spec TEXT UNIQUE, definition TEXT NOT NULL, through INTEGER NOT NULL);
-- Records in stored sets. first, until: the first revision whose state is in the set, and the next one whose state is not.
CREATE TABLE IF NOT EXISTS membership (
  rid INTEGER, number INTEGER, first INTEGER, until INTEGER, PRIMARY KEY (rid, number, first)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS membership_by_set ON membership (number, until, rid);
-- As withdrawn, for the states that were in a stored set. The record may have left that set alone.
CREATE TABLE IF NOT EXISTS departure (
  number INTEGER, rid INTEGER, rev INTEGER, age INTEGER NOT NULL, id TEXT NOT NULL, schema TEXT NOT NULL,
  type TEXT NOT NULL, audience INTEGER NOT NULL, PRIMARY KEY (number, rid, rev)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS departure_by_age ON departure (number, age, id);
`
