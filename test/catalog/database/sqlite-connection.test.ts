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

describe('A closed connection', () => {
  it('is in no transaction, and refuses reads with an error that can be caught', () => {
    const connection = openInMemory()
    const statement = connection.prepare('SELECT 1')
    statement.get()
    connection.exec('BEGIN')
    connection.close()

    expect(connection.inTransaction).to.equal(false)
    expect(() => connection.transaction('DEFERRED', () => 1)).to.throw('not open')
    expect(() => connection.prepare('SELECT 2').get()).to.throw('not open')
  })
})
