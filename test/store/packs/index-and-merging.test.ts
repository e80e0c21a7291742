import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Oid, toOid } from '../../../src/core/value-types.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import { openIsomorphicGitReader } from '../../../src/store/object-readers/isomorphic-git-reader.js'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import {
  encodeIndex,
  type IndexColumns,
  type PackIndexEntry,
  readIndex,
  toIndexColumns,
} from '../../../src/store/packs/index-format.js'
import { listPacks } from '../../../src/store/packs/list-packs.js'
import { PackMerger } from '../../../src/store/packs/pack-merger.js'
import { type NewObject, writePack } from '../../../src/store/packs/pack-writer.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type PlainRepository,
  plainRepository,
  removePlainRepositories,
} from '../../support/repository/plain-git-repository.js'
import { waitUntil } from '../../support/repository/test-repository.js'

describe('an index of a pack', () => {
  it('is read back unchanged, with offsets beyond four gigabytes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyEntry(), { selector: entry => entry.oid }), entries => {
        const checksum = createHash('sha1').update('pack').digest()
        const columns = toIndexColumns(entries)
        const found = readIndex(encodeIndex(columns, checksum))
        expect(found.columns).to.deep.equal(columns)
        expect(entriesIn(found.columns)).to.deep.equal(entries.toSorted((a, b) => (a.oid < b.oid ? -1 : 1)))
        expect(found.packChecksum.equals(checksum)).to.equal(true)
      }),
    )
  })

  it('equals the index of git for the same pack, byte for byte', () => {
    const repo = plainRepository()
    for (let index = 0; index < 300; index++) repo.write(`${index}`, `${index}`)
    repo.commit('all')
    repo.git('repack', '-q', '-a', '-d')
    const theirs = readFileSync(join(packsOf(repo), nameOf(repo, '.idx')))

    const { columns, packChecksum } = readIndex(theirs)

    const shuffled = entriesIn(columns).toReversed()
    expect(encodeIndex(toIndexColumns(shuffled), packChecksum).equals(theirs)).to.equal(true)
    removePlainRepositories()
  })

  it('is refused if an id is repeated, or the file is damaged or not an index', () => {
    const entry: PackIndexEntry = { oid: toOid('a'.repeat(40)), crc32: 1, offset: 12 }
    const index = encodeIndex(toIndexColumns([entry]), Buffer.alloc(20))
    const damaged = Buffer.from(index)
    damaged.writeUInt8(0xff, 1040)

    const twice = toIndexColumns([entry, { ...entry, offset: 40 }])
    expect(() => encodeIndex(twice, Buffer.alloc(20))).to.throw(RangeError)
    expect(() => readIndex(damaged)).to.throw(RangeError)
    expect(() => readIndex(index.subarray(0, 500))).to.throw(RangeError)
    expect(() => readIndex(Buffer.alloc(2000))).to.throw(RangeError)
  })
})

/** Number of packs that starts a merge in the background. */
const mergeThreshold = 24

for (const git of ['git', undefined]) {
  describe(`merging packs ${git === undefined ? 'without' : 'with'} a git binary`, () => {
    let repo: PlainRepository
    let ownDir: string
    let tip: Oid | undefined

    beforeEach(() => {
      tip = undefined
      repo = plainRepository()
      ownDir = join(repo.gitDir, 'git-metastore')
      mkdirSync(ownDir)
    })
    afterEach(removePlainRepositories)

    async function merge(): Promise<void> {
      const merger = new PackMerger({ gitDir: repo.gitDir, ownDir, stagingDir: ownDir, git })
      const outcome = await (git === undefined ? merger.concatenate() : merger.repack()).finally(() =>
        merger.close(),
      )
      expect(outcome).to.equal('done')
    }

    /** Writes one commit in one pack, on top of the branch. */
    async function flush(at: number, keep = false): Promise<Oid> {
      const blob = object('blob', `content ${at} ${'z'.repeat(at * 10)}`)
      const tree = object('tree', Buffer.concat([Buffer.from('100644 file\0'), Buffer.from(blob.oid, 'hex')]))
      const parents = tip ? `parent ${tip}\n` : ''
      const who = `J <j@x> ${1_700_000_000 + at} +0000`
      const commit = object(
        'commit',
        `tree ${tree.oid}\n${parents}author ${who}\ncommitter ${who}\n\n${at}\n`,
      )
      const pack = await writePack(repo.gitDir, ownDir, [blob, tree, commit])
      repo.git('update-ref', 'refs/heads/main', commit.oid)
      tip = commit.oid
      if (!keep) pack.release()
      return blob.oid
    }

    async function flushes(count: number): Promise<Oid[]> {
      const blobs: Oid[] = []
      for (let index = 0; index < count; index++) blobs.push(await flush(index))
      return blobs
    }

    it('turns many packs into few, and loses no object', async () => {
      const blobs = await flushes(60)
      expect(await packCount(repo)).to.equal(60)

      await merge()

      expect(await packCount(repo)).to.be.lessThan(mergeThreshold / 2)
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
      expect(repo.git('rev-list', '--count', 'main')).to.equal('60')
      for (const [index, blob] of blobs.entries())
        expect(repo.git('cat-file', 'blob', blob)).to.match(new RegExp(`^content ${index} `))
      expect(readdirSync(ownDir).filter(name => name.startsWith('merge-'))).to.deep.equal([])
    })

    if (git !== undefined) {
      it('is ended with all git processes, and repeated later', async () => {
        await flushes(60)
        const started = join(repo.dir, 'started')
        const slow = join(repo.dir, 'slow-git')
        // A git whose repack takes very long, in a child process as in git itself.
        const script = `#!/bin/sh\ncase "$*" in *repack*) sleep 300 & echo $! > '${started}'; wait;; *) exec git "$@";; esac\n`
        writeFileSync(slow, script, { mode: 0o755 })
        const merger = new PackMerger({ gitDir: repo.gitDir, ownDir, stagingDir: ownDir, git: slow })

        const merging = merger.repack()
        await waitUntil('a repack', () => existsSync(started) && readFileSync(started, 'utf8') !== '')
        const below = Number(readFileSync(started, 'utf8'))
        await merger.close()

        expect(await merging).to.equal('aborted')
        // The output of the process closes a moment before its end.
        await waitUntil('the end of the process below', () => !isRunning(below))
        expect(await packCount(repo)).to.equal(60)
        await merge()
        expect(await packCount(repo)).to.be.lessThan(mergeThreshold / 2)
        expect(repo.git('rev-list', '--count', 'main')).to.equal('60')
      })
    }

    it('keeps the number of packs small over hundreds of flushes, and rewrites each object only a few times', async () => {
      let rewritten = 0
      for (let index = 0; index < 120; index++) {
        await flush(index % 7 === 0 ? 0 : index)
        if ((await packCount(repo)) <= mergeThreshold) continue
        const before = new Set(readdirSync(packsOf(repo)))
        await merge()
        const added = readdirSync(packsOf(repo)).filter(name => name.endsWith('.idx') && !before.has(name))
        for (const name of added)
          rewritten += readIndex(readFileSync(join(packsOf(repo), name))).columns.offsets.length
      }

      expect(await packCount(repo)).to.be.at.most(mergeThreshold)
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
      expect(repo.git('rev-list', '--count', 'main')).to.equal('120')
      expect(rewritten).to.be.lessThan(360 * 4)
    })

    if (git !== undefined) {
      it('compresses undeltified objects once', async () => {
        const blobs = [object('blob', 'one'), object('blob', 'two')]
        const tree = (version: number) =>
          object(
            'tree',
            Buffer.concat(
              Array.from({ length: 60 }, (_, index) => [
                Buffer.from(`100644 file${String(index).padStart(2, '0')}\0`),
                Buffer.from((blobs[index === version ? 1 : 0] as NewObject).oid, 'hex'),
              ]).flat(),
            ),
          )
        for (const from of [0, 20]) {
          const trees = Array.from({ length: 20 }, (_, index) => tree(from + index))
          ;(await writePack(repo.gitDir, ownDir, [...blobs, ...trees])).release()
        }
        await flushes(2)

        await merge()

        const [compressed = ''] = readdirSync(packsOf(repo)).filter(name => name.endsWith('.idx'))
        const told = repo.git('verify-pack', '-v', join(packsOf(repo), compressed))
        expect([...told.matchAll(/^\w{40} tree +(\d+ ){4}\w{40}$/gm)].length).to.be.greaterThan(30)
        await flush(2)
        await flush(3)
        await merge()
        expect(readdirSync(packsOf(repo))).to.include(compressed)
        expect(await packCount(repo)).to.equal(2)
      })
    }

    it('does not change packs with a .keep file', async () => {
      for (let index = 0; index < 10; index++) await flush(index)
      const before = new Set(readdirSync(packsOf(repo)))
      await flush(10, true)
      const kept = readdirSync(packsOf(repo)).filter(name => !before.has(name))
      for (let at = 11; at < 30; at++) await flush(at)

      await merge()

      expect(kept).to.have.length(3)
      expect(readdirSync(packsOf(repo))).to.include.members(kept)
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    })

    it('runs in one of several processes, and once for concurrent calls in that process', async () => {
      for (let index = 0; index < 30; index++) await flush(index)
      const place = { gitDir: repo.gitDir, ownDir, stagingDir: ownDir, git }
      const [merger, other] = [new PackMerger(place), new PackMerger(place)]
      const mergeBy = (one: PackMerger) => (git === undefined ? one.concatenate() : one.repack())

      const outcomes = await Promise.all([mergeBy(merger), mergeBy(other), mergeBy(merger)])

      expect(outcomes).to.deep.equal(['done', 'busy', 'done'])
      for (const one of [merger, other]) await one.close()
      expect(await packCount(repo)).to.be.lessThan(mergeThreshold)
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    })

    it('does nothing without packs to merge', async () => {
      await merge()
      expect(await packCount(repo)).to.equal(0)
      await flush(1)
      const before = nameOf(repo, '.pack')

      await merge()

      expect(nameOf(repo, '.pack')).to.equal(before)
    })

    it('does not disturb readers', async () => {
      const blobs = await flushes(50)
      const readers = [openCatFileReader('git', repo.gitDir), openIsomorphicGitReader(repo.gitDir)]
      try {
        const merged = (async () => {
          // From the second round on, the merge includes a pack that the readers have open.
          for (let round = 0; round < (isLongForm ? 3 : 2); round++) {
            await merge()
            for (let index = 0; index < 5; index++) await flush(100 + round * 10 + index)
          }
          return true
        })()
        while (!(await Promise.race([merged, Promise.resolve(false)]))) {
          for (const reader of readers) {
            const found = await Promise.all(blobs.map(blob => reader.read(blob)))
            expect(
              found.every(({ bytes }, index) => bytes.toString().startsWith(`content ${index} `)),
            ).to.equal(true)
          }
        }
        await merged
      } finally {
        for (const reader of readers) await reader.close()
      }
    })

    it('is safe beside git gc', async () => {
      for (let index = 0; index < 40; index++) await flush(index)

      for (let round = 0; round < 3; round++) {
        // Each program may miss packs that the other one has merged. No object may be lost.
        await Promise.allSettled([merge(), repo.gitLater('gc', '-q', '--prune=now')])
        expect(repo.git('fsck', '--strict', '--full')).to.equal('')
        for (let index = 0; index < 5; index++) await flush(50 + round * 5 + index)
      }

      await merge()
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
      expect(repo.git('rev-list', '--count', 'main')).to.equal('55')
    })
  })
}

describe('merging packs without a git binary', () => {
  afterEach(removePlainRepositories)

  it('copies an object of several packs once, in any order', async () => {
    const repo = plainRepository()
    const ownDir = join(repo.gitDir, 'git-metastore')
    mkdirSync(ownDir)
    const shared = Array.from({ length: 12 }, (_, index) => object('blob', `shared ${index}`))
    const packs = Array.from({ length: 8 }, (_, index) => {
      const own = Array.from({ length: 40 }, (_, number) => object('blob', `${index} has ${number}`))
      // Shared objects are at the beginning, in the middle, side by side, and at the end.
      const objects = [
        shared[index],
        ...own.slice(0, 9),
        shared[index + 1],
        shared[index + 2],
        ...own.slice(9),
        shared[index + 3],
      ]
      return objects as NewObject[]
    })
    for (const objects of packs) (await writePack(repo.gitDir, ownDir, objects)).release()

    await concatenate(repo, ownDir)

    expect(await packCount(repo)).to.equal(1)
    repo.git('verify-pack', join(packsOf(repo), nameOf(repo, '.idx')))
    const { columns } = readIndex(readFileSync(join(packsOf(repo), nameOf(repo, '.idx'))))
    const names = new Set(packs.flat().map(({ oid }) => oid))
    expect(entriesIn(columns).map(({ oid }) => oid)).to.deep.equal([...names].sort())
    const theirs = join(repo.gitDir, 'theirs.idx')
    repo.git('index-pack', '--index-version=2', '-o', theirs, join(packsOf(repo), nameOf(repo, '.pack')))
    expect(readFileSync(theirs).equals(readFileSync(join(packsOf(repo), nameOf(repo, '.idx'))))).to.equal(
      true,
    )
  })

  it('keeps a pack that has all objects of the others, in their order', async () => {
    const repo = plainRepository()
    const ownDir = join(repo.gitDir, 'git-metastore')
    mkdirSync(ownDir)
    // Random bytes of growing length, because the smallest packs come first.
    const noise = (at: number) =>
      createHash('shake256', { outputLength: 1000 + at * 10 })
        .update(`${at}`)
        .digest()
    const all = Array.from({ length: 10 }, (_, index) => object('blob', noise(index)))
    for (const count of [1, 2, 3]) {
      for (let at = 0; at + count <= all.length; at++) {
        ;(await writePack(repo.gitDir, ownDir, all.slice(at, at + count))).release()
      }
    }
    const last = await writePack(repo.gitDir, ownDir, all)
    last.release()

    await concatenate(repo, ownDir)

    expect(nameOf(repo, '.pack')).to.equal(`${last.name}.pack`)
    expect(await packCount(repo)).to.equal(1)
    for (const { oid } of all) expect(repo.git('cat-file', '-t', oid)).to.equal('blob')
  })

  it('does not change packs with deltas, damaged packs and unknown files, and removes files of a killed merge', async () => {
    const repo = plainRepository()
    const ownDir = join(repo.gitDir, 'git-metastore')
    mkdirSync(ownDir)
    const text = Array.from({ length: 500 }, (_, index) =>
      createHash('sha1').update(`${index}`).digest('hex'),
    ).join('\n')
    repo.write('a', text)
    repo.commit('first')
    repo.write('a', `${text}\nmore`)
    repo.commit('second')
    repo.git('repack', '-q', '-a', '-d', '-f')
    const deltified = nameOf(repo, '.pack')
    const packs: string[] = []
    for (let index = 0; index < 9; index++) {
      const pack = await writePack(repo.gitDir, ownDir, [object('blob', `${index}`.repeat(3000 + index))])
      pack.release()
      packs.push(pack.name)
    }
    const damaged = join(packsOf(repo), `${packs[0]}.pack`)
    const bytes = readFileSync(damaged)
    bytes.writeUInt8(bytes.readUInt8(20) ^ 0xff, 20)
    writeFileSync(damaged, bytes)
    writeFileSync(join(packsOf(repo), `${packs[1]}.bitmap`), '')
    writeFileSync(join(ownDir, 'merge-0123456789ab.pack'), 'rest')

    await concatenate(repo, ownDir)

    const left = readdirSync(packsOf(repo))
    expect(left).to.include.members([deltified, `${packs[0]}.pack`, `${packs[1]}.pack`])
    for (const merged of packs.slice(2)) expect(left).not.to.include(`${merged}.pack`)
    expect(readdirSync(ownDir)).not.to.include('merge-0123456789ab.pack')
  })
})

async function concatenate({ gitDir }: PlainRepository, ownDir: string): Promise<void> {
  const merger = new PackMerger({ gitDir, ownDir, stagingDir: ownDir, git: undefined })
  expect(await merger.concatenate()).to.equal('done')
  await merger.close()
}

function object(type: NewObject['type'], content: string | Buffer): NewObject {
  const bytes = Buffer.from(content)
  return { oid: hashObject(type, bytes), type, bytes }
}

/** Whether the process runs. A zombie process does not run. */
function isRunning(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
    .stdout.toString()
    .trim()
  return state !== '' && !state.startsWith('Z')
}

function packsOf(repo: PlainRepository): string {
  return join(repo.gitDir, 'objects', 'pack')
}

function nameOf(repo: PlainRepository, ending: string): string {
  return readdirSync(packsOf(repo)).find(name => name.endsWith(ending)) ?? ''
}

function entriesIn({ names, crc32s, offsets }: IndexColumns): PackIndexEntry[] {
  return Array.from(offsets, (offset, index) => ({
    oid: toOid(names.toString('hex', index * 20, index * 20 + 20)),
    crc32: crc32s[index] as number,
    offset,
  }))
}

function anyEntry(): fc.Arbitrary<PackIndexEntry> {
  return fc.record({
    oid: fc.stringMatching(/^[0-9a-f]{40}$/).map(toOid),
    crc32: fc.nat(0xffffffff),
    offset: fc.oneof(fc.nat(0x7fffffff), fc.integer({ min: 0x80000000, max: 2 ** 45 })),
  })
}

/** Number of packs that a merge can reduce. */
async function packCount(repo: PlainRepository): Promise<number> {
  return (await listPacks(repo.gitDir)).length
}
