import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Oid } from '../../../src/core/value-types.js'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { applyDelta } from '../../../src/store/packs/pack-format.js'
import { openPackReader, type PackReader } from '../../../src/store/packs/pack-reader.js'
import { repeatingDelta } from '../../support/repository/handmade-packs.js'
import {
  type PlainRepository,
  plainRepository,
  removePlainRepositories,
} from '../../support/repository/plain-git-repository.js'

const maxBytes = 32 * 1024

describe('objects read directly from packs', () => {
  let repo: PlainRepository
  const open: PackReader[] = []

  beforeEach(() => {
    repo = plainRepository()
  })
  afterEach(() => {
    for (const reader of open.splice(0)) reader.close()
    removePlainRepositories()
  })

  const folder = () => join(repo.gitDir, 'objects', 'pack')

  function reader(): PackReader {
    const made = openPackReader(repo.gitDir)
    made.refresh()
    open.push(made)
    return made
  }

  /** Puts blobs into one pack with git. @param options of `git pack-objects` */
  function pack(contents: readonly Buffer[], ...options: readonly string[]): readonly Oid[] {
    const named = contents.map(bytes => hashObject('blob', bytes))
    execFileSync('git', ['-C', repo.gitDir, 'fast-import', '--quiet'], {
      input: Buffer.concat(
        contents.flatMap(bytes => [Buffer.from(`blob\ndata ${bytes.length}\n`), bytes, Buffer.from('\n')]),
      ),
      env: {
        ...process.env,
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'fastimport.unpackLimit',
        GIT_CONFIG_VALUE_0: '0',
      },
    })
    const before = readdirSync(folder())
    execFileSync('git', ['-C', repo.gitDir, 'pack-objects', '-q', ...options, join(folder(), 'pack')], {
      input: named.join('\n'),
    })
    const made = readdirSync(folder()).filter(name => !before.includes(name))
    // Git may have made the same pack again. That pack stays.
    if (made.length > 0) for (const name of before) rmSync(join(folder(), name), { force: true })
    return named
  }

  /** Similar texts, so that git makes deltas of them. */
  function alike(count: number, lines = 40): readonly Buffer[] {
    return Array.from({ length: count }, (_, number) =>
      Buffer.from(
        Array.from({ length: lines }, (_, line) =>
          line % 7 === number % 7 ? `line ${line} of document ${number}` : `line ${line} is the same in all`,
        ).join('\n'),
      ),
    )
  }

  for (const [how, options] of [
    ['deltas of earlier objects', ['--delta-base-offset']],
    ['deltas of named objects', []],
    [
      'offsets beyond 32 bits, as in packs of four gigabytes',
      ['--delta-base-offset', '--index-version=2,0x40'],
    ],
  ] as const) {
    it(`equal those of git: ${how}`, () => {
      const contents = alike(300)
      const names = pack(contents, '--depth=5', '--window=20', ...options)
      const chains = repo.git('verify-pack', '-v', ...indexes())
      expect(chains).to.match(/chain length = 1: [1-9]/)

      const packs = reader()

      for (const [index, name] of names.entries())
        expect(packs.read(name, maxBytes)).to.deep.equal({ type: 'blob', bytes: contents[index] })
    })
  }

  const indexes = () =>
    readdirSync(folder())
      .filter(name => name.endsWith('.idx'))
      .map(name => join(folder(), name))

  it('are found in an index that is read in parts; missing ones are not found', () => {
    const contents = Array.from({ length: 12_000 }, (_, number) => Buffer.from(`document ${number}`))
    const names = pack(contents, '--window=0')
    expect(readFileSync(indexes()[0] ?? '').length).to.be.greaterThan(256 * 1024)

    const packs = reader()

    for (const [index, name] of names.entries())
      expect(packs.read(name, maxBytes)?.bytes.toString()).to.equal(`document ${index}`)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), bytes => {
        expect(packs.read(Buffer.from(bytes).toString('hex') as Oid, maxBytes)).to.equal(undefined)
      }),
      { examples: [[new Uint8Array(20)], [new Uint8Array(20).fill(255)]] },
    )
  })

  it('have any bytes of any length up to the limit', () => {
    const size = fc.oneof(fc.nat(40), fc.nat(5000), fc.integer({ min: maxBytes - 5, max: maxBytes + 5 }))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(size, fc.boolean(), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        wanted => {
          const contents = wanted.map(([length, isRandom, seed]) =>
            Buffer.from(
              Uint8Array.from({ length }, (_, index) => (isRandom ? (index * 7919 + seed) ** 3 % 251 : seed)),
            ),
          )
          const names = pack(contents, '--delta-base-offset', '--depth=4')
          const packs = openPackReader(repo.gitDir)
          packs.refresh()
          for (const [index, name] of names.entries()) {
            const bytes = contents[index] as Buffer
            const found = packs.read(name, maxBytes)?.bytes
            if (bytes.length > maxBytes) expect(found).to.equal(undefined)
            // Git may have stored it as a delta of a longer object than maxBytes. Then git reads it.
            else if (found || contents.every(({ length }) => length <= maxBytes))
              expect(found).to.deep.equal(bytes)
          }
          packs.close()
        },
      ),
      {
        numRuns: 20,
        examples: [
          [
            [
              [maxBytes + 1, true, 1],
              [maxBytes - 5, true, 1],
            ],
          ],
        ],
      },
    )
  })

  it('are left to git at the end of a long chain of deltas', () => {
    const names = pack(alike(300), '--delta-base-offset', '--depth=50', '--window=50')
    const packs = reader()
    const found = names.filter(name => packs.read(name, maxBytes))

    const deep = [
      ...repo.git('verify-pack', '-v', ...indexes()).matchAll(/^([0-9a-f]{40}) .* (\d+) [0-9a-f]{40}$/gm),
    ]
      .filter(([, , depth]) => Number(depth) > 7)
      .map(([, name]) => name)

    expect(deep).not.to.have.lengthOf(0)
    expect(found).not.to.include.members(deep.slice(0, 1))
    expect(found.length).to.be.greaterThan(0)
  })

  it('are found after a repack, and old packs are closed', () => {
    const contents = alike(50)
    for (const [index, bytes] of contents.entries()) repo.write(`${index}.txt`, bytes.toString())
    const commit = repo.commit('all')
    repo.git('repack', '-d', '-q')
    const names = contents.map(bytes => hashObject('blob', bytes))
    const packs = reader()
    expect(packs.read(names[0] as Oid, maxBytes)?.bytes).to.deep.equal(contents[0])
    repo.write('new.txt', 'new')
    repo.commit('more')
    expect(packs.read(hashObject('blob', Buffer.from('new')), maxBytes)).to.equal(undefined)

    repo.git('repack', '-a', '-d', '-f', '-q', '--depth=4')
    // An open pack stays readable until the next refresh.
    expect(packs.read(names[1] as Oid, maxBytes)?.bytes).to.deep.equal(contents[1])
    packs.refresh()

    for (const [index, name] of names.entries())
      expect(packs.read(name, maxBytes)?.bytes).to.deep.equal(contents[index])
    expect(packs.read(hashObject('blob', Buffer.from('new')), maxBytes)?.bytes.toString()).to.equal('new')
    expect(packs.read(commit as Oid, maxBytes)?.type).to.equal('commit')
    const held = readdirSync('/proc/self/fd').map(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return '' // The descriptor that reads this folder.
      }
    })
    expect(held.filter(path => path.startsWith(folder()) && path.endsWith('(deleted)'))).to.deep.equal([])
  })

  it('are correct, or left to git, if a pack or its index is damaged', () => {
    const contents = alike(60)
    const names = pack(contents, '--delta-base-offset', '--depth=5')
    const [index = ''] = indexes()
    const files = [index, index.replace(/idx$/, 'pack')]
    const kept = files.map(file => {
      copyFileSync(file, `${file}.kept`)
      return readFileSync(file)
    })

    function check(): number {
      const packs = openPackReader(repo.gitDir)
      packs.refresh()
      const read = names.map(name => packs.read(name, maxBytes))
      packs.close()
      for (const [index, object] of read.entries())
        if (object) expect(object.bytes).to.deep.equal(contents[index])
      return read.filter(Boolean).length
    }

    expect(check()).to.equal(names.length)
    fc.assert(
      fc.property(
        fc.nat(1),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        (which, share, flip) => {
          const file = files[which] as string
          const bytes = Buffer.from(kept[which] as Buffer)
          const at = Math.min(bytes.length - 1, Math.floor(share * bytes.length))
          bytes[at] = (bytes[at] as number) ^ flip
          writeFileSync(`${file}.new`, bytes)
          renameSync(`${file}.new`, file)
          check()
          writeFileSync(`${file}.new`, kept[which] as Buffer)
          renameSync(`${file}.new`, file)
        },
      ),
      { numRuns: 200 },
    )
    for (const [which, file] of files.entries()) {
      for (const length of [0, 7, 1000, Math.floor((kept[which] as Buffer).length / 2)]) {
        truncateSync(file, length)
        expect(check()).to.be.lessThan(names.length)
        writeFileSync(file, kept[which] as Buffer)
      }
    }
    rmSync(files[1] as string)
    expect(check()).to.equal(0)
    rmSync(index)
    expect(check()).to.equal(0)
  })

  it('are refused if a few bytes expand to very many', () => {
    const base = Buffer.alloc(30_000, 'x')
    const honest = inflateSync(repeatingDelta(2000, { size: base.length }).compressed)
    const copies = honest.subarray(honest.indexOf(0xf0))
    const sayingOnce = Buffer.concat([honest.subarray(0, 3), honest.subarray(0, 3), copies])

    expect(applyDelta(base, honest).length).to.equal(2000 * base.length)
    expect(() => applyDelta(base, honest, maxBytes)).to.throw(RangeError, 'exceeds the limit')
    expect(() => applyDelta(base, sayingOnce, maxBytes)).to.throw(RangeError, 'is too long')
  })

  it('are not found without a folder of packs', () => {
    rmSync(folder(), { recursive: true })
    expect(reader().read('0123456789012345678901234567890123456789' as Oid, maxBytes)).to.equal(undefined)
  })
})
