// test-schedule: waits
import { rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import Database from 'libsql'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  initExampleRepository,
} from '../support/repository/example-repository.js'
import { type Log, openLog, type RecordLog, type State } from './rounds/acknowledged-updates.js'
import { complaintsAbout, type Subject } from './rounds/check-soundness.js'
import { bytesOf } from './rounds/sent-documents.js'
import { openClients, type Work } from './rounds/update-clients.js'

/*
 * Checks the checks: `verify` reports a catalog that differs from the history, and the soundness check of the fault
 * tests reports a repository that has lost data.
 */

/** Changes a row of the catalog in a way that no server does. */
function changeCatalog(data: string, sql: string): void {
  const database = new Database(join(data, '.git/git-metastore/catalog.sqlite'))
  try {
    expect(database.prepare(sql).run([]).changes, sql).to.equal(1)
  } finally {
    database.close()
  }
}

function removeCatalog(data: string): void {
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(data, `.git/git-metastore/catalog.sqlite${end}`), { force: true })
}

const ofOverview = `(SELECT rid FROM record WHERE id = '${exampleRecordId}')`

describe('git-metastore verify with a catalog that differs from the history', () => {
  let hand: ExampleRepository
  before(async () => {
    hand = await initExampleRepository()
  })
  beforeEach(() => removeCatalog(hand.data))
  after(stopProcesses)

  const changes: Readonly<Record<string, string>> = {
    'a title': `UPDATE body SET json = json_set(json, '$.titles[0].value', 'Another') WHERE json_extract(json, '$.id') = '${exampleRecordId}'`,
    'the number of a version': `UPDATE revision SET version = 7 WHERE rid = ${ofOverview}`,
    'the hash of a document': `UPDATE revision SET hash = '${'0'.repeat(40)}' WHERE rid = ${ofOverview}`,
    'the time of a version': `UPDATE revision SET time = time + 1 WHERE rid = ${ofOverview}`,
    'a record that is not served': `DELETE FROM newest WHERE rid = ${ofOverview}`,
  }
  for (const [what, sql] of Object.entries(changes)) {
    it(`reports the record, and exits with 4: ${what}`, async () => {
      expect((await hand.run('verify')).code).to.equal(0)

      changeCatalog(hand.data, sql)

      const { code, stdout } = await hand.run('verify', '--json')
      expect(code, stdout).to.equal(4)
      const { complaints } = JSON.parse(stdout) as { complaints: { check: string; id?: string }[] }
      expect(complaints.filter(({ check }) => check === 'catalog').map(({ id }) => id)).to.include(
        exampleRecordId,
      )
    })
  }

  it('reports a list of faults that differs from the history', async () => {
    await hand.edit(`${exampleRecordFolder}/document.json`, () => '{}\n')
    await hand.git('commit', '-qam', 'Break it')
    await hand.run('verify')

    changeCatalog(
      hand.data,
      `UPDATE revision SET findings = '[{"message":"Another"}]' WHERE standing = 0 AND rid = ${ofOverview}`,
    )

    const { code, stdout } = await hand.run('verify', '--json')
    expect(code).to.equal(4)
    expect(stdout).to.contain('other faulty revisions')
  })
})

describe('the soundness check of the fault tests', () => {
  interface CheckedRepository {
    readonly log: Log
    record(id: string): RecordLog
    complaints(): Promise<readonly string[]>
  }

  /** The updates of the clients, and the random numbers that choose them. */
  const steps: readonly (readonly [work: Work, ...choices: readonly number[]])[] = [
    ['create', 0],
    ['create', 0],
    ['create', 0],
    // The first note gets a version. The second is revoked. The third, which is XML, is revoked and then removed.
    ['update', 0],
    ['remove', 0.5],
    ['remove', 0.99],
    ['remove', 0.99],
    ['revise', 0.9, 0],
    // The change set has a version of the XML schema, a new letter, a version of the first note, and the removal of the
    // second.
    ['set', 0.9, 0.99, 0, 0.99],
  ]

  /** A sound repository with several versions of records of all kinds, and the updates as clients see them. */
  let subject: Subject
  let server: RunningServer
  let known: Log
  before(async () => {
    subject = { dir: join(await temporaryFolder(), 'data'), bare: false }
    expect((await runMetastore(['init', '--empty', subject.dir])).code).to.equal(0)
    server = await startServer(['--data', subject.dir])
    known = openLog()
    let choices: readonly number[] = []
    const clients = openClients(known, () => {
      const [choice = 0, ...others] = choices
      choices = others
      return choice
    })
    await clients.register(server.url)
    for (const [work, ...chosen] of steps) {
      choices = chosen
      expect(await clients.write(server.url, work)).to.equal('acknowledged')
    }
    expect(clients.takeWrong()).to.deep.equal([])
  })
  after(stopProcesses)

  /** A copy of the log for a test to change. @param over the repository and its server; default: the sound ones */
  function checkedRepository(
    over: { readonly subject: Subject; readonly url: string } = { subject, url: server.url },
  ): CheckedRepository {
    const log = openLog()
    for (const { kind, type, id, history, standing } of known.records) {
      const record = log.add({ kind, type, id })
      record.history.push(...history)
      Object.assign(record, { standing, busy: false })
    }
    return {
      log,
      record(id) {
        const found = log.records.find(record => record.id === id)
        if (!found) throw new Error(`The log has no ${id}.`)
        return found
      },
      complaints: () => complaintsAbout(over.subject, over.url, log, { whole: true }),
    }
  }

  /** The log for a copy of the repository that is damaged while no server runs. */
  async function checkedAfter(hurt: (dir: string) => unknown): Promise<CheckedRepository> {
    await server.stop()
    const copy: Subject = { dir: join(await temporaryFolder(), 'data'), bare: false }
    await cp(subject.dir, copy.dir, { recursive: true, preserveTimestamps: true })
    await hurt(copy.dir)
    return checkedRepository({ subject: copy, url: (await startServer(['--data', copy.dir])).url })
  }

  it('accepts a sound repository', async () => {
    expect(
      known.records.map(({ id, type, history, standing }) => `${id} ${type} ${history.length} ${standing}`),
    ).to.deep.equal([
      'note JSON 2 served',
      'letter XML 2 served',
      'note-1 JSON 3 served',
      'note-2 JSON 2 gone',
      'letter-3 XML 2 gone',
      'letter-4 XML 1 served',
    ])
    expect([known.acknowledged, known.acknowledgedSets]).to.deep.equal([steps.length + 2, 1])
    expect(await checkedRepository().complaints()).to.deep.equal([])
  })

  it('finds a version that no client sent, and a version with other bytes or from another commit', async () => {
    const { complaints, record } = checkedRepository()
    const popped = ['note-1', 'letter-4', 'note', 'letter'].map(id => {
      const { history } = record(id)
      return { id, history, last: history.pop() as State }
    })

    const tooMuch = (await complaints()).join('\n')
    for (const { id, last } of popped)
      expect(tooMuch).to.contain(`${id} has a version ${last.version} that was not sent`)

    for (const { history, last } of popped) history.push({ ...last, bytes: 'other' })
    const others = (await complaints()).join('\n')
    for (const { id, last } of popped)
      expect(others).to.contain(`Version ${last.version} of ${id} has other bytes`)

    for (const { history, last } of popped) history.splice(-1, 1, { ...last, etag: '"0"' })
    const elsewhere = (await complaints()).join('\n')
    for (const { id, last } of popped)
      expect(elsewhere).to.contain(`Version ${last.version} of ${id} has another ETag`)
  })

  it('finds a record that is wrongly revoked or removed, and the reverse', async () => {
    const { complaints, record } = checkedRepository()
    const [served, gone] = [record('note-1'), record('letter-3')]
    served.standing = 'revoked'
    gone.standing = 'served'

    expect((await complaints()).join('\n'))
      .to.contain('note-1 is served, not revoked')
      .and.to.contain('letter-3 was acknowledged and is not there')

    served.standing = 'gone'
    expect((await complaints()).join('\n'))
      .to.contain('note-1 was removed and is there')
      .and.to.contain('note-1 has a version 1 that was not sent')
  })

  it('resolves updates whose response was lost', async () => {
    const { complaints, log, record } = checkedRepository()
    const note = record('note-1')
    const bytes = note.history.at(-1)?.bytes ?? ''
    log.begin([{ record: note, bytes, standing: 'revoked' }])

    expect(await complaints()).to.deep.equal([])
    expect([note.standing, note.history.length, note.unsure]).to.deep.equal(['served', 3, false])

    const last = note.history.pop()
    log.begin([{ record: note, bytes, standing: 'served' }])
    expect(await complaints()).to.deep.equal([])
    expect(note.history.at(-1)).to.deep.equal(last)

    note.history.pop()
    log.begin([{ record: note, bytes: 'other', standing: 'served' }])
    expect((await complaints()).join('\n')).to.contain('note-1 is neither as before nor as updated')
  })

  it('resolves a change set whose response was lost, and finds a partial one', async () => {
    const { complaints, log, record } = checkedRepository()
    const made = ['letter', 'letter-4', 'note-1'].map(record)
    const before = made.map(({ history }) => [...history])
    const again = () =>
      made.map(each => {
        const { bytes } = each.history.pop() as { readonly bytes: string }
        return { record: each, bytes, standing: 'served' as const }
      })

    log.begin(again())
    expect(await complaints()).to.deep.equal([])
    expect(made.map(({ history }) => history)).to.deep.equal(before)

    const never = made.map(each => ({ record: each, bytes: bytesOf(each, 9), standing: 'served' as const }))
    log.begin(never)
    expect(await complaints()).to.deep.equal([])
    expect(made.map(({ history }) => history)).to.deep.equal(before)

    const [schema, letter] = again()
    const [, , note] = never
    if (!schema || !letter || !note) throw new Error('The change set does not have three changes.')
    note.record.history.push(...(before[2]?.slice(-1) ?? []))
    log.begin([schema, letter, note])
    expect((await complaints()).join('\n')).to.contain(
      'Of a change set letter, letter-4 are there, and note-1 are not',
    )
  })

  it('finds a change set in more than one commit', async () => {
    const { complaints, log, record } = checkedRepository()
    const made = ['note', 'letter'].map(record)
    log.begin(
      made.map(each => {
        const { bytes } = each.history.pop() as { readonly bytes: string }
        return { record: each, bytes, standing: 'served' as const }
      }),
    )

    expect((await complaints()).join('\n')).to.match(
      /The change set of note, letter is in "[0-9a-f]{40}" and "[0-9a-f]{40}"/,
    )
  })

  it('finds a catalog that differs from the history', async () => {
    const { complaints } = await checkedAfter(dir =>
      changeCatalog(
        dir,
        "UPDATE body SET json = json_set(json, '$.publicationYear', '1066') WHERE json_extract(json, '$.id') = 'note-1'",
      ),
    )

    expect((await complaints()).join('\n')).to.match(/verify ended with 4: catalog/)
  })

  it('finds a lost acknowledged update', async () => {
    const { complaints } = await checkedAfter(async dir => {
      const { stderr, code } = await runProgram('git', ['-C', dir, 'reset', '-q', '--hard', 'HEAD~6'])
      expect(code, stderr).to.equal(0)
      // Without the catalog, the server does not notice the rewritten history, which would prevent its start.
      removeCatalog(dir)
    })

    expect((await complaints()).join('\n'))
      .to.contain('letter-4 was acknowledged and is not there')
      .and.to.contain('note is not its version 2, which was acknowledged')
      .and.to.contain('letter is not its version 2, which was acknowledged')
      .and.to.contain('note-1 is not its version 3, which was acknowledged')
  })
})
