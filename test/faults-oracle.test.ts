import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import Database from 'libsql'
import { openClients } from './faults/clients.js'
import { openLog } from './faults/log.js'
import { complaintsAbout, type Subject } from './faults/soundness.js'
import { type ByHand, initByHand, overview, overviewId } from './support/by-hand.js'
import {
  cleanUpProcesses,
  execute,
  metastore,
  type RunningServer,
  serve,
  temporaryFolder,
} from './support/cli.js'

/*
 * Whether those who say that nothing is wrong would say so if something were: `verify` of a catalog that is not what the
 * history makes it, and what the kills are judged by of a repository that lost something.
 */

/** Changes a catalog as no server does. */
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

const ofOverview = `(SELECT rid FROM record WHERE id = '${overviewId}')`

describe('git-metastore verify over a catalog that is not what the history makes it', () => {
  let hand: ByHand
  before(async () => {
    hand = await initByHand()
  })
  beforeEach(() => removeCatalog(hand.data))
  after(cleanUpProcesses)

  const changes: Readonly<Record<string, string>> = {
    'a title': `UPDATE body SET json = json_set(json, '$.titles[0].value', 'Another') WHERE json_extract(json, '$.id') = '${overviewId}'`,
    'the number of a version': `UPDATE revision SET version = 7 WHERE rid = ${ofOverview}`,
    'the hash of a document': `UPDATE revision SET hash = '${'0'.repeat(40)}' WHERE rid = ${ofOverview}`,
    'the time of a version': `UPDATE revision SET time = time + 1 WHERE rid = ${ofOverview}`,
    'a record that is not served': `DELETE FROM newest WHERE rid = ${ofOverview}`,
  }
  for (const [what, sql] of Object.entries(changes)) {
    it(`complains of the record, and ends with 4: ${what}`, async () => {
      expect((await hand.run('verify')).code).to.equal(0)

      changeCatalog(hand.data, sql)

      const { code, stdout } = await hand.run('verify', '--json')
      expect(code, stdout).to.equal(4)
      const { complaints } = JSON.parse(stdout) as { complaints: { check: string; id?: string }[] }
      expect(complaints.filter(({ check }) => check === 'catalog').map(({ id }) => id)).to.include(overviewId)
    })
  }

  it('complains where other faults are listed than there are', async () => {
    await hand.edit(`${overview}/document.json`, () => '{}\n')
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

describe('What servers are judged by after they were hurt', () => {
  afterEach(cleanUpProcesses)

  interface Judged {
    readonly subject: Subject
    readonly log: ReturnType<typeof openLog>
    readonly server: RunningServer
    judge(server?: RunningServer): Promise<readonly string[]>
  }

  /** A repository of which clients know more than one version of more than one record. */
  async function judged(): Promise<Judged> {
    const subject: Subject = { dir: join(await temporaryFolder(), 'data'), bare: false }
    expect((await metastore(['init', '--empty', subject.dir])).code).to.equal(0)
    const server = await serve(['--data', subject.dir])
    const log = openLog()
    // Two are made, the first is updated and the second revoked; a third is made, revoked and removed.
    const choices = [[0.9], [0.9], [0, 0, 0.9], [0, 0.99, 0], [0.9], [0, 0.99, 0], [0, 0.99]]
    const [steps, numbers] = [choices.length, choices.flat()]
    const clients = openClients(log, () => numbers.shift() ?? 0)
    await clients.register(server.url)
    expect(await clients.drive(server.url, 1, steps)).to.equal(steps)
    expect(clients.takeWrong()).to.deep.equal([])
    return {
      subject,
      log,
      server,
      judge: (over = server) => complaintsAbout(subject, over.url, log, { whole: true }),
    }
  }

  it('is content with a repository that is sound', async () => {
    const { judge, log } = await judged()

    expect(log.records.map(({ history, standing }) => [history.length, standing])).to.deep.equal([
      [2, 'served'],
      [2, 'revoked'],
      [2, 'gone'],
    ])
    expect(await judge()).to.deep.equal([])
  })

  it('misses an update that was acknowledged and is gone', async () => {
    const { judge, server, subject } = await judged()
    await server.stop()
    const { stderr, code } = await execute('git', ['-C', subject.dir, 'reset', '-q', '--hard', 'HEAD~5'])
    expect(code, stderr).to.equal(0)
    // Otherwise it says itself that the history was rewritten, and does not start.
    removeCatalog(subject.dir)

    const complaints = await judge(await serve(['--data', subject.dir]))

    expect(complaints.join('\n')).to.match(
      /note-\d+ (?:is not its version \d+, which was acknowledged|was acknowledged and is not there)/,
    )
  })

  it('notices a version that nobody sent, and one that has other bytes', async () => {
    const { judge, log } = await judged()
    const updated = log.records.find(({ history }) => history.length > 1)
    if (!updated) throw new Error('No record was updated.')
    const last = updated.history.pop()

    expect((await judge()).join('\n')).to.contain(
      `${updated.id} has a version ${updated.history.length + 1} that nobody sent`,
    )

    updated.history.push({ version: updated.history.length + 1, bytes: 'other', etag: last?.etag })
    expect((await judge()).join('\n')).to.contain(
      `Version ${updated.history.length} of ${updated.id} has other bytes`,
    )
  })

  it('notices a record that is revoked or removed where it should not be, and the reverse', async () => {
    const { judge, log } = await judged()
    const [served, revoked, gone] = log.records
    if (!served || !revoked || !gone) throw new Error('Not all records were made.')
    served.standing = 'revoked'
    revoked.standing = 'served'
    gone.standing = 'served'

    expect((await judge()).join('\n'))
      .to.contain('note-1 is served, not revoked')
      .and.to.contain('note-2 is REVOKED, not served')
      .and.to.contain('note-3 was acknowledged and is not there')

    served.standing = 'gone'
    expect((await judge()).join('\n'))
      .to.contain('note-1 was removed and is there')
      .and.to.contain('note-1 has a version 1 that nobody sent')
  })

  it('finds out what became of updates whose answer was lost', async () => {
    const { judge, log } = await judged()
    const [served, revoked] = log.records
    if (!served || !revoked) throw new Error('Not all records were made.')
    const bytes = served.history.at(-1)?.bytes ?? ''
    const made = revoked.history.pop()
    served.unsure = { bytes, standing: 'revoked' }
    revoked.unsure = { bytes: made?.bytes ?? '', standing: 'revoked' }
    revoked.standing = 'served'

    expect(await judge()).to.deep.equal([])
    expect([served.standing, served.history.length]).to.deep.equal(['served', 2])
    expect([revoked.standing, revoked.history.length]).to.deep.equal(['revoked', 2])

    served.history.pop()
    served.unsure = { bytes: 'other', standing: 'served' }
    expect((await judge()).join('\n')).to.contain('note-1 is neither as before nor as updated')
  })

  it('notices a catalog that is not what the history makes it', async () => {
    const { judge, server, subject } = await judged()
    await server.stop()
    changeCatalog(
      subject.dir,
      "UPDATE body SET json = json_set(json, '$.publicationYear', '1066') WHERE json_extract(json, '$.id') = 'note-1'",
    )

    const complaints = await judge(await serve(['--data', subject.dir]))

    expect(complaints.join('\n')).to.match(/verify ended with 4: catalog/)
  })
})
