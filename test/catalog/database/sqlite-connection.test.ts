// test-schedule: quick
import { expect } from 'chai'
import { openInMemory } from '../../../src/catalog/database/sqlite-connection.js'

describe('A statement of SQLite', () => {
  it('returns the row of its own values, regardless of earlier reads', () => {
    const connection = openInMemory()
    try {
      connection.exec(
        "CREATE TABLE t (n INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')",
      )
      const numberOf = connection.prepare('SELECT n FROM t WHERE name = ?')
      expect(numberOf.all('x')).to.deep.equal([[1]])
      expect(numberOf.get('y')).to.deep.equal([2])
      expect(numberOf.all('x')).to.deep.equal([[1]])
      expect(numberOf.get('z')).to.equal(undefined)
    } finally {
      connection.close()
    }
  })
})
