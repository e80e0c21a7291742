import { expect } from 'chai'
import fc from 'fast-check'
import { type Connection, openInMemory } from '../../../../src/catalog/database/sqlite-connection.js'
import { placesOfBest } from '../../../../src/search/find/scores/best-scores.js'
import { numbersOfBlob } from '../../../../src/search/find/scores/blob-numbers.js'
import { type ScoredTable, scoreSql } from '../../../../src/search/find/scores/bm25.js'
import { areScoresOf, openWordScores } from '../../../../src/search/find/scores/word-scores.js'
import { createSearchTables } from '../../../../src/search/index/search-tables.js'

// test-schedule: quick

const words = ['steel', 'iron', 'größe', '329']
const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map(some => some.join(' '))
const row = fc.record({ title: text, record: text, document: text, isDeleted: fc.boolean() })

type Row = typeof row extends fc.Arbitrary<infer R> ? R : never

function indexOf(rows: readonly Row[]): Connection {
  const connection = openInMemory()
  createSearchTables(connection, 'test')
  const addWords = connection.prepare(
    'INSERT INTO words (rowid, title, record, document) VALUES (?, ?, ?, ?)',
  )
  const addLeaf = connection.prepare('INSERT INTO leaf (rowid, t) VALUES (?, ?)')
  for (const [index, { title, record, document }] of rows.entries()) {
    addWords.run(index + 1, title, record, document)
    const atPaths = [title, record, document].flatMap((each, path) =>
      each.split(' ').map(word => `${path}~${word}`),
    )
    addLeaf.run(index + 1, atPaths.join(' '))
  }
  for (const [index, { isDeleted }] of rows.entries()) {
    if (!isDeleted) continue
    for (const table of ['words', 'leaf'])
      connection.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(index + 1)
  }
  return connection
}

const rowsOf = (connection: Connection, table: ScoredTable, match: string) =>
  connection
    .prepare<readonly [row: number, score: number]>(
      `SELECT rowid, ${scoreSql({ table })} FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`,
    )
    .all(match)

function lengthIn(connection: Connection, table: ScoredTable) {
  return (id: number) => {
    const [hex] = connection
      .prepare<readonly [hex: string]>(`SELECT hex(sz) FROM ${table}_docsize WHERE id = ?`)
      .get(id) ?? ['']
    return numbersOfBlob(hex).reduce((sum, count) => sum + count, 0)
  }
}

const both = { title: 'steel', record: 'steel iron', document: 'iron', isDeleted: false }

describe('scores of a word', () => {
  it('equal those of FTS5, also after the removal of rows', () => {
    let scored = 0
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), rows => {
        const connection = indexOf(rows)
        for (const table of ['words', 'leaf'] as const)
          for (const word of words) {
            const match = `"${table === 'leaf' ? '1~' : ''}${word}"`
            const wanted = rowsOf(connection, table, match)
            const lengthOf = lengthIn(connection, table)
            const ids = wanted.map(([id]) => id)
            const scores = openWordScores(connection, { table, text: match }, ids)
            expect(ids.map((id, index) => scores?.score(index, lengthOf(id)))).to.deep.equal(
              wanted.map(([, score]) => score),
            )
            if (ids.length > 0) scored++
          }
        connection.close()
      }),
    )
    expect(scored).to.be.above(0)
  })

  it('are left to FTS5 for several words, for beginnings, and for other rows', () => {
    const connection = indexOf([both, { ...both, title: 'iron' }])
    const scoresOf = (text: string, rows = [1, 2]) =>
      openWordScores(connection, { table: 'words', text }, rows)
    expect(scoresOf('"steel"')).to.not.equal(undefined)
    for (const match of ['"steel iron"', '"steel" *', '("steel" AND "iron")', '({title} : ("steel"))'])
      expect(scoresOf(match), match).to.equal(undefined)
    expect(scoresOf('"steel"', [1]), 'fewer rows').to.equal(undefined)
    expect(scoresOf('"steel"', [1, 2, 3]), 'more rows').to.equal(undefined)
    connection.close()
  })

  it('are compared with those of FTS5', () => {
    const connection = indexOf([both, { ...both, title: 'iron' }, { ...both, record: 'steel' }])
    const match = { table: 'words', text: '"steel"' } as const
    const scored = rowsOf(connection, 'words', match.text).map(([row, score]) => ({ row, score }))
    expect(areScoresOf(connection, match, scored)).to.equal(true)
    expect(areScoresOf(connection, match, scored.slice(1))).to.equal(true)
    const [first, ...others] = scored
    const other = { row: first?.row ?? 0, score: (first?.score ?? 0) * (1 - Number.EPSILON) }
    expect(areScoresOf(connection, match, [other, ...others]), 'another score').to.equal(false)
    expect(areScoresOf(connection, match, [...scored, { row: 4, score: -1 }]), 'no such row').to.equal(false)
    connection.close()
  })

  it('have the best first, and the last first among equal ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 100 }),
        fc.nat(30),
        (scores, count) => {
          const all = scores.map((score, place) => ({ score, place }))
          all.sort((one, other) => one.score - other.score || other.place - one.place)
          expect(placesOfBest(Float64Array.from(scores), count)).to.deep.equal(
            all.slice(0, count).map(({ place }) => place),
          )
        },
      ),
    )
  })
})
