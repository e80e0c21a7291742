import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { isPlain } from '../../../src/core/plain-mode.js'
import { errorCode } from '../../../src/store/file-system/file-errors.js'
import { packFolder } from '../../../src/store/git-commands/git-directory.js'
import { openMergeLock } from '../../../src/store/locks/process-lock.js'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { BackgroundMerger } from '../../../src/store/packs/background-merger.js'
import { listPacks } from '../../../src/store/packs/list-packs.js'
import { writePack } from '../../../src/store/packs/pack-writer.js'
import {
  type PlainRepository,
  plainRepository,
  removePlainRepositories,
} from '../../support/repository/plain-git-repository.js'
import { waitUntil } from '../../support/repository/test-repository.js'

describe('a concatenation that begins during a repack', () => {
  let repo: PlainRepository
  let ownDir: string
  let packs: BackgroundMerger
  let reports: string[]
  let merges: number

  before(function () {
    // On the plain path, git merges all packs.
    if (isPlain) this.skip()
  })
  beforeEach(() => {
    repo = plainRepository()
    ownDir = join(repo.gitDir, 'git-metastore')
    mkdirSync(ownDir)
    reports = []
    merges = 0
  })
  afterEach(async () => {
    await endConcatenation()
    removePlainRepositories()
  })

  it('keeps the lock when the repack fails', async () => {
    await begin(1)

    endRepack()
    await waitUntil('the end of the repack', () => merges === 2)

    expect(canAcquireLock()).to.equal(false)
    await endConcatenation()
    expect(reports.join()).to.match(/^Packs could not be merged.*git repack failed/)
    expect(canAcquireLock()).to.equal(true)
    expect(listPacks(repo.gitDir).length).to.be.lessThan(6)
  })

  it('is the only one if git is too old to repack', async () => {
    // Exit code of git for unknown options.
    await begin(129)

    endRepack()
    // A second concatenation would start by now, and remove the files of the first one.
    await sleep(300)

    expect(temporaryPacks()).to.have.length(1)
    await endConcatenation()
    expect(reports).to.deep.equal([])
    expect(canAcquireLock()).to.equal(true)
  })

  /** Starts a repack, then a concatenation that waits for the bytes of a pack. */
  async function begin(exitCode: number): Promise<void> {
    const git = join(repo.dir, 'slow-git')
    const wait = `touch started; until [ -e go ]; do sleep 0.02; done; exit ${exitCode}`
    const script = `#!/bin/sh\ncd '${repo.dir}'\ncase "$*" in *repack*) ${wait};; esac\n`
    writeFileSync(git, script, { mode: 0o755 })
    packs = new BackgroundMerger(
      { gitDir: repo.gitDir, ownDir, stagingDir: ownDir, git },
      // Merges packs after each flush.
      { mergePace: 2000, report: line => reports.push(line), onMerged: () => merges++ },
    )
    packs.mergeIfDue()
    await packs.settled()
    await flush(0)
    packs.mergeIfDue()
    await waitUntil('the repack', () => existsSync(join(repo.dir, 'started')))
    for (let at = 1; at < 6; at++) await flush(at)
    spawnSync('mkfifo', [waitingPack()])
    const { name } = listPacks(repo.gitDir)[0] ?? expect.fail()
    copyFileSync(join(packFolder(repo.gitDir), `${name}.idx`), waitingPack().replace(/pack$/, 'idx'))
    packs.mergeIfDue()
    await waitUntil('the concatenation', () => temporaryPacks().length === 1)
  }

  function endRepack(): void {
    writeFileSync(join(repo.dir, 'go'), '')
  }

  /** Ends the pipe without a byte, so that the concatenation keeps the pack. */
  async function endConcatenation(): Promise<void> {
    const isOver = packs.settled()
    while (!(await Promise.race([isOver.then(() => true), sleep(20, false)]))) letReadersGoOn()
    await packs.close()
  }

  function letReadersGoOn(): void {
    try {
      closeSync(openSync(waitingPack(), constants.O_WRONLY | constants.O_NONBLOCK))
    } catch (thrown) {
      // No process reads the pack.
      expect(errorCode(thrown)).to.be.oneOf(['ENXIO', 'ENOENT'])
    }
  }

  async function flush(at: number): Promise<void> {
    const bytes = Buffer.from(`object ${at}`)
    const pack = await writePack(repo.gitDir, ownDir, [
      { oid: hashObject('blob', bytes), type: 'blob', bytes },
    ])
    pack.release()
    packs.added()
  }

  /** A pipe in place of a pack. A reader of it waits for a writer. */
  function waitingPack(): string {
    return join(packFolder(repo.gitDir), `pack-${'0'.repeat(40)}.pack`)
  }

  function temporaryPacks(): readonly string[] {
    return readdirSync(ownDir).filter(name => name.startsWith('merge-') && name.endsWith('.pack'))
  }

  /** Acquires and releases the lock, as another process does before it merges packs. */
  function canAcquireLock(): boolean {
    const lock = openMergeLock(ownDir)
    try {
      return lock.tryAcquire()
    } finally {
      lock.close()
    }
  }
})
