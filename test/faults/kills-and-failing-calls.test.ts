// test-schedule: first
import { join } from 'node:path'
import { expect } from 'chai'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses, temporaryFolder } from '../support/program/run-program.js'
import type { Log } from './rounds/acknowledged-updates.js'
import { openRounds, type Rounds } from './rounds/kill-rounds.js'
import { canTrace, type SeenCall } from './rounds/system-call-faults.js'

/*
 * A short form of `npm run faults`. It kills a real server or makes its system calls fail, and compares the repository
 * with the acknowledged updates. See docs/understand/reliability.md.
 */

/**
 * Times of the kills before the last one, in milliseconds after the first acknowledged update. The short form has one, for a
 * repository with a work tree.
 */
const moments = isLongForm ? { workTree: [0, 20], bare: [0, 20] } : { workTree: [0], bare: [] }
const lastMoment = 90

/**
 * Kinds of updates that no client got acknowledged yet: change sets, and second versions of each collection and type.
 */
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
    it(`keeps all acknowledged updates (${bare ? 'bare' : 'work tree'})`, async () => {
      const over = await openEvenRounds(bare)

      for (const moment of bare ? moments.bare : moments.workTree)
        expect((await over.kill(moment)).complaints).to.deep.equal([])
      // The speed of the machine decides how many kinds are acknowledged before a kill.
      const isReady = () => unacknowledged(over.log).length === 0
      expect((await over.kill(lastMoment, isReady)).complaints).to.deep.equal([])

      expect(await over.close()).to.deep.equal([])
      expect(unacknowledged(over.log)).to.deep.equal([])
    })
  }
})

/** Number of attempts to kill a server at one kind of system call. */
const maxAttempts = 8
/** Kinds of system calls at which a server is killed. The short form takes further kinds only if one is never met. */
const kinds = isLongForm ? 5 : 3

describe('a server that is killed at a system call', () => {
  after(stopProcesses)

  it('keeps all acknowledged updates if it is killed while it writes, syncs, names and moves files', async function () {
    if (!canTrace) this.skip()
    const over = await openEvenRounds(false)
    const calls = await over.calls()
    let killed = 0

    for (const name of ['fsync', 'rename', 'pwrite64', 'link', 'unlink'] as const) {
      // On a busy machine, an update may end before the call.
      for (let attempt = 1, isKilled = killed === kinds; attempt <= maxAttempts && !isKilled; attempt++) {
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

/**
 * All tests use one repository. After each fault a new server starts in the same process and finds a sound repository.
 */
describe('a server with a failing system call', () => {
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

/** The first call of this name on a file, in the thread that makes most of these calls. */
function firstCall(all: readonly SeenCall[], name: string): SeenCall {
  const calls = all.filter(call => call.ofFile && call.name === name)
  const max = Math.max(...calls.map(({ which }) => which))
  const busiest = calls.find(({ which }) => which === max)?.thread
  const found = calls.find(({ thread }) => thread === busiest)
  if (!found) throw new Error(`An update does not call ${name}.`)
  return found
}

/** Returns numbers from 0 to below 1 that are spread evenly. The sequence is always the same. */
function evenly(): () => number {
  let at = 0
  return () => {
    at = (at + 0.618_033_988_749_895) % 1
    return at
  }
}
