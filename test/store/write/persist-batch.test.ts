// test-schedule: quick
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { isPlain } from '../../../src/core/plain-mode.js'
import { type Oid, toInstant, toOid } from '../../../src/core/value-types.js'
import { encodeCommit } from '../../../src/store/objects/commit-format.js'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { keepMark, makeKeepFile, stagePack } from '../../../src/store/packs/pack-writer.js'
import { clearTemporaryFiles } from '../../../src/store/write/crash-recovery.js'
import { BatchPersister } from '../../../src/store/write/persist-batch.js'
import { gitSync } from '../../support/program/run-synchronously.js'
import { waitUntil } from '../../support/repository/test-repository.js'

describe('durable flushes', () => {
  let dir = ''
  let gitDir = ''
  let staging = ''
  let head: Oid
  let persister: BatchPersister
  const packs = () => readdirSync(join(gitDir, 'objects/pack')).sort()
  const staged = () => readdirSync(staging).filter(name => name !== 'locks' && name !== 'keep')
  const git = (...args: string[]) => gitSync(args, dir).toString()

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'git-metastore-'))
    git('init', '-q', '-b', 'main')
    git('-c', 'user.name=J', '-c', 'user.email=j@example.org', 'commit', '-q', '--allow-empty', '-m', 'one')
    gitDir = join(dir, '.git')
    staging = join(gitDir, 'git-metastore')
    mkdirSync(staging)
    head = toOid(git('rev-parse', 'HEAD').trim())
    persister = new BatchPersister(gitDir, staging)
  })
  afterEach(async () => {
    await persister.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** A commit on top of the newest one, with the same tree. */
  function next(subject: string) {
    const bytes = encodeCommit({
      tree: toOid(git('rev-parse', `${head}^{tree}`).trim()),
      parents: [head],
      author: { name: 'J', email: 'j@example.org' },
      time: toInstant(1_700_000_000_000),
      subject,
      trailers: [],
    })
    return { oid: hashObject('commit', bytes), type: 'commit' as const, bytes }
  }
  async function publish(subject: string, decisions: Parameters<BatchPersister['publish']>[2] = {}) {
    const commit = next(subject)
    const signature = 'J <j@example.org> 1700000000 +0000'
    const move = {
      branch: 'refs/heads/main',
      from: head,
      to: commit.oid,
      reason: 'x',
      signature,
      patience: 50,
    }
    const outcome = await persister.publish([commit], move, decisions)
    if (outcome === 'moved') head = commit.oid
    return outcome
  }

  const keepFiles = () => packs().filter(name => name.endsWith('.keep'))
  /** Contents of the .keep files during a flush. */
  async function keptDuring(subject: string): Promise<readonly string[]> {
    let kept: readonly string[] = []
    const agree = () => {
      const files = keepFiles().map(name => join(gitDir, 'objects/pack', name))
      kept = files.map(file => readFileSync(file, 'latin1'))
      for (const file of files) expect(statSync(file).ino).to.equal(statSync(join(staging, 'keep')).ino)
      return Promise.resolve(true)
    }
    expect(await publish(subject, { agree })).to.equal('moved')
    return kept
  }

  it('leave no file if the concurrent preparation fails', async () => {
    expect(await publish('two')).to.equal('moved')
    const before = packs()
    let during: readonly string[] = []
    // Long enough for the thread to write and sync the objects.
    const prepare = () => {
      const end = performance.now() + 200
      while (performance.now() < end);
      during = packs()
      throw new Error('no rows')
    }

    const refusal = await publish('three', { prepare }).catch((error: Error) => error.message)

    expect(refusal).to.equal('no rows')

    expect(during).to.deep.equal(before)
    expect(packs()).to.deep.equal(before)
    expect(readdirSync(join(staging, 'locks'))).to.deep.equal([])
    await waitUntil('spare files alone', () => staged().every(name => /^new-[0-9a-f]{12}$/.test(name)))
    expect(await publish('four')).to.equal('moved')
    expect(packs()).to.have.length(before.length + 2)
    expect(git('log', '--format=%s').trim()).to.equal('four\ntwo\none')
    expect(git('fsck', '--strict', '--no-dangling')).to.equal('')
  })

  it('leave no file if the pack cannot get its name', async () => {
    expect(await publish('two')).to.equal('moved')
    const before = packs()
    const commit = next('three')
    const stagedPack = await stagePack(gitDir, staging, [commit])
    const folder = join(gitDir, 'objects/pack')
    const [pack] = staged().filter(name => name.endsWith('.pack'))
    rmSync(join(staging, pack as string))

    expect(() => stagedPack.place()).to.throw('ENOENT')

    expect(readdirSync(folder).sort()).to.deep.equal(before)
    expect(staged()).to.deep.equal([])
  })

  it('have a .keep file until the branch has moved', async () => {
    for (const subject of ['two', 'three', 'four']) {
      expect(await keptDuring(subject)).to.deep.equal([keepMark])
      expect(keepFiles()).to.deep.equal([])
    }
  })

  it('restore the common file of .keep files if a power cut left it empty', async () => {
    writeFileSync(join(staging, 'keep'), '')

    expect(await keptDuring('two')).to.deep.equal([keepMark])
  })

  it('succeed after another process has removed the temporary files', async () => {
    for (const subject of ['two', 'three', 'four', 'five']) {
      expect(await publish(subject)).to.equal('moved')
      await waitUntil('spare files', () => staged().length === (isPlain || subject === 'two' ? 0 : 3))
      clearTemporaryFiles(staging)
      expect(staged()).to.deep.equal([])
    }
    expect(git('fsck', '--strict', '--no-dangling')).to.equal('')
    expect(git('rev-list', '--count', 'main').trim()).to.equal('5')
  })

  it('keep three spare files from the second flush on, and close() removes them', async function () {
    // The plain path makes a file when it is written.
    if (isPlain) this.skip()
    expect(await publish('two')).to.equal('moved')
    await sleep(100)
    expect(staged()).to.deep.equal([])
    expect(await publish('three')).to.equal('moved')
    await waitUntil('spare files', () => staged().length === 3)
    const spare = staged()

    expect(await publish('four')).to.equal('moved')

    await waitUntil('other spare files', () => {
      const now = staged()
      return now.length === 3 && !now.some(name => spare.includes(name))
    })
    await persister.close()

    expect(staged()).to.deep.equal([])
  })

  it('replace an existing .keep file of the pack', async () => {
    const commit = next('two')
    const keepFile = makeKeepFile(staging)
    const first = (await stagePack(gitDir, staging, [commit], { keepFile })).place()
    const keep = join(gitDir, 'objects/pack', `${first.name}.keep`)
    writeFileSync(join(staging, 'theirs'), 'theirs\n')
    rmSync(keep)
    linkSync(join(staging, 'theirs'), keep)

    const again = (await stagePack(gitDir, staging, [commit], { keepFile })).place()

    expect(again.name).to.equal(first.name)
    expect(readFileSync(keep, 'latin1')).to.equal(keepMark)
    expect(readFileSync(join(staging, 'theirs'), 'latin1')).to.equal('theirs\n')
    again.release()
    expect(keepFiles()).to.deep.equal([])
  })
})
