// test-schedule: first
import { join } from 'node:path'
import { expect } from 'chai'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses, temporaryFolder } from '../support/program/run-program.js'
import type { Log } from './rounds/acknowledged-updates.js'
import { openRounds, type Rounds } from './rounds/kill-rounds.js'
import { canTrace, type SeenCall } from './rounds/system-call-faults.js'

/*
 * A short form of `npm run faults`: a real server, killed and given failing system calls, and held against what its
 * clients were told. See docs/understand/reliability.md.
 */

/** Moments at which it is killed, in milliseconds after the first update was acknowledged: in the short form one for each. */
const moments = isLongForm ? { workTree: [0, 20], bare: [0, 20] } : { workTree: [0], bare: [20] }
const lastMoment = 90

/** Kinds of updates without an acknowledgement: change sets, and second versions of each kind and language. */
function unacknowledged({ records, acknowledgedSets }: Log): readonly string[] {
  const missing = acknowledgedSets > 0 ? [] : ['a change set']
  for (const kind of ['schema', 'metadata'] as const) {
    for (const type of ['JSON', 'XML'] as const) {
      const isRevised = records.some(
        each => each.kind === kind && each.type === type && each.history.length > 1,
      )
      if (!isRevised) missing.push(`a second version of ${kind} in ${type}`)
    }
  }
  return missing
}

async function openEvenRounds(bare: boolean, ownProcess = true): Promise<Rounds> {
  return await openRounds(join(await temporaryFolder(), 'hurt'), bare, evenly(), ownProcess)
}

describe('a server that is killed at any moment', () => {
  afterEach(stopProcesses)

  for (const bare of [false, true]) {
    it(`keeps all acknowledged updates (${bare ? 'bare' : 'work tree'})`, async function () {
      this.timeout(240_000)
      const over = await openEvenRounds(bare)

      for (const moment of bare ? moments.bare : moments.workTree)
        expect((await over.kill(moment)).complaints).to.deep.equal([])
      // How many kinds are acknowledged before a kill depends on the machine.
      const isReady = () => unacknowledged(over.log).length === 0
      expect((await over.kill(lastMoment, isReady)).complaints).to.deep.equal([])

      expect(await over.close()).to.deep.equal([])
      expect(unacknowledged(over.log)).to.deep.equal([])
    })
  }
})

/** Tries to kill a server at one kind of call. */
const maxAttempts = 3

describe('a server that is killed at a system call', function () {
  this.timeout(240_000)
  after(stopProcesses)

  it('keeps all acknowledged updates if it writes, syncs, names and moves files', async function () {
    if (!canTrace) this.skip()
    const over = await openEvenRounds(false)
    const calls = await over.calls()
    let killed = 0

    for (const name of ['fsync', 'link', 'rename', 'pwrite64', 'unlink'] as const) {
      // On a machine that has much to do, an update may come to its end before the call.
      for (let attempt = 1, isKilled = false; attempt <= maxAttempts && !isKilled; attempt++) {
        const { call, complaints } = await over.hurt(firstCall(calls, name), 'KILL')
        expect(complaints).to.deep.equal([])
        isKilled = call !== undefined
        if (isKilled) killed++
      }
    }

    expect(killed).to.be.greaterThan(2)
    expect(await over.close()).to.deep.equal([])
  })
})

/** One repository for all: after each fault the server is started again, in the same process, and has to be sound. */
describe('a server with a failing system call', function () {
  this.timeout(240_000)
  let over: Rounds
  before(async function () {
    if (!canTrace) this.skip()
    over = await openEvenRounds(false, false)
  })
  after(stopProcesses)

  it('updates the work tree after an update that failed after the branch had moved', async () => {
    const named = /refs\/heads", O_RDONLY\|O_CLOEXEC\)/

    const { call, complaints } = await over.hurtFirst('openat', named, { error: 'ENOSPC', lasting: false })

    expect(call).to.match(named)
    expect(complaints).to.deep.equal([])
  })

  it('continues after a lock could not be released', async () => {
    for (const file of [/\.git\/index\.lock"/, /locks\/index~/]) {
      const { call, next, complaints } = await over.hurtFirst('unlink', file, {
        error: 'EIO',
        lasting: false,
      })
      expect(call).to.match(file)
      expect(next, `${file}`).to.equal('acknowledged')
      expect(complaints, `${file}`).to.deep.equal([])
    }
  })

  it('reports that the catalog cannot be written, and continues', async () => {
    for (const error of ['EIO', 'ENOSPC'] as const) {
      const log = /catalog\.sqlite-wal/
      const { call, next, complaints } = await over.hurtFirst('pwrite64', log, { error, lasting: false })
      expect(call, error).to.match(log)
      expect(next, error).to.equal('acknowledged')
      expect(complaints, error).to.deep.equal([])
    }
  })

  it('accepts updates again when the disk has space again', async () => {
    const { call, next, complaints } = await over.hurtFirst('fsync', /objects\/pack>/, {
      error: 'ENOSPC',
      lasting: true,
    })

    expect(call).to.contain('fsync')
    expect(next).to.equal('acknowledged')
    expect(complaints).to.deep.equal([])
  })

  it('has every acknowledged version of every record afterwards', async () => {
    expect(await over.close()).to.deep.equal([])
  })
})

/** The first of these calls of a name on a file, in the thread that makes most of them. */
function firstCall(all: readonly SeenCall[], name: string): SeenCall {
  const calls = all.filter(call => call.ofFile && call.name === name)
  const max = Math.max(...calls.map(({ which }) => which))
  const busiest = calls.find(({ which }) => which === max)?.thread
  const found = calls.find(({ thread }) => thread === busiest)
  if (!found) throw new Error(`An update makes no call of ${name}.`)
  return found
}

/** Numbers from 0 to below 1 that are spread evenly, the same every time. */
function evenly(): () => number {
  let at = 0
  return () => {
    at = (at + 0.618_033_988_749_895) % 1
    return at
  }
}
