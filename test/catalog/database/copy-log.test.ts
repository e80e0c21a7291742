import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  openBackgroundConnection,
  openLogCopier,
} from '../../../src/catalog/database/background-connection.js'
import { type Connection, openToWrite } from '../../../src/catalog/database/sqlite-connection.js'
import { temporaryFolder } from '../../support/program/run-program.js'

// test-schedule: quick

describe('the log of a large transaction', () => {
  const max = 100_000
  const open: Connection[] = []
  let file: string
  let writing: Connection

  const logBytes = () => statSync(`${file}-wal`).size
  const rows = (connection: Connection) =>
    connection.prepare<readonly [number]>('SELECT count(*) FROM t').get()?.[0]

  /** Copies the whole log. @returns whether it found damage */
  async function copyLog(limit = max, revisions = 500): Promise<boolean> {
    const background = openBackgroundConnection(file)
    let isDamaged = false
    const noteDamage = () => {
      isDamaged = true
    }
    openLogCopier({ background, file, version: 7, noteDamage, max: limit })(revisions)
    await background.close()
    return isDamaged
  }

  function connect(): Connection {
    const connection = openToWrite(file)
    open.push(connection)
    return connection
  }

  beforeEach(async () => {
    file = join(await temporaryFolder(), 'catalog.sqlite')
    writing = connect()
    writing.exec('PRAGMA journal_mode = WAL')
    writing.exec(`PRAGMA journal_size_limit = ${max}`)
    writing.exec('CREATE TABLE t (text)')
    writing.exec('PRAGMA user_version = 7')
    writing.transaction('IMMEDIATE', () => {
      const insert = writing.prepare('INSERT INTO t VALUES (?)')
      for (let n = 0; n < 1000; n++) insert.run('x'.repeat(1000))
    })
    expect(logBytes()).to.be.above(10 * max)
  })

  afterEach(() => {
    for (const connection of open.splice(0)) connection.close()
  })

  it('is cut to its limit, and the file has its rows', async () => {
    expect(await copyLog()).to.equal(false)
    expect(logBytes()).to.be.at.most(max)
    expect(rows(connect())).to.equal(1000)
    expect(writing.prepare('PRAGMA user_version').get()).to.deep.equal([7])
  })

  it('remains while a reader needs it', async () => {
    const reading = connect()
    reading.exec('BEGIN')
    expect(rows(reading)).to.equal(1000)
    writing.exec("INSERT INTO t VALUES ('new')")
    await copyLog()
    expect(logBytes()).to.be.above(10 * max)
    expect(rows(reading)).to.equal(1000)
    reading.exec('COMMIT')
    await copyLog()
    expect(logBytes()).to.be.at.most(max)
  })

  it('remains if it is short, and after few revisions', async () => {
    const before = logBytes()
    await copyLog(before)
    await copyLog(max, 499)
    expect(logBytes()).to.equal(before)
  })
})
