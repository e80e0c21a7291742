import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { type Oid, toOid } from '../../../src/core/value-types.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import { openIsomorphicGitReader } from '../../../src/store/object-readers/isomorphic-git-reader.js'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { MissingObject } from '../../../src/store/objects/object-errors.js'
import { hasObject, type ObjectReader, type ObjectRequest } from '../../../src/store/objects/object-reader.js'
import { PackMerger } from '../../../src/store/packs/pack-merger.js'
import { writePack } from '../../../src/store/packs/pack-writer.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type PlainRepository,
  plainRepository,
  quickFolder,
  removePlainRepositories,
} from '../../support/repository/plain-git-repository.js'

const unknown = toOid('0123456789012345678901234567890123456789')

const makers: readonly (readonly [string, (gitDir: string) => ObjectReader])[] = [
  ['git cat-file', gitDir => openCatFileReader('git', gitDir)],
  ['isomorphic-git', gitDir => openIsomorphicGitReader(gitDir)],
]

for (const [name, open] of makers) {
  describe(`reading objects through ${name}`, () => {
    let repo: PlainRepository
    let objects: ObjectReader

    beforeEach(() => {
      repo = plainRepository()
      objects = open(repo.gitDir)
    })
    afterEach(async () => {
      await objects.close()
      removePlainRepositories()
    })

    function store(content: string | Uint8Array): Oid {
      return toOid(repo.feed(content, 'hash-object', '-w', '--stdin'))
    }

    async function text(oid: Oid): Promise<string> {
      return (await objects.read(oid)).bytes.toString()
    }

    it('reads blobs, trees, commits and tags with their types', async () => {
      repo.write('a.txt', 'hello\n')
      const commit = repo.commit('first')
      repo.git('tag', '-a', '-m', 'a tag', 'one')
      const names = ['one', commit, `${commit}^{tree}`, `${commit}:a.txt`].map(rev =>
        toOid(repo.git('rev-parse', rev)),
      )

      const found = await Promise.all(names.map(oid => objects.read(oid)))

      expect(found.map(object => object.type)).to.deep.equal(['tag', 'commit', 'tree', 'blob'])
      expect(found[3]?.bytes.toString()).to.equal('hello\n')
      expect(found[1]?.bytes.toString()).to.equal(`${repo.git('cat-file', 'commit', commit)}\n`)
    })

    it('reads packed and deltified objects', async () => {
      const line = randomBytes(3000).toString('hex')
      const contents = Array.from({ length: 40 }, (_, index) => `${line}\n${index}\n${line}`)
      const names = contents.map(content => store(content))
      repo.write('x', 'x')
      for (const [index, content] of contents.entries()) repo.write(`f${index}`, content)
      repo.commit('all')
      repo.git('repack', '-q', '-a', '-d', '-f')
      const pack = readdirSync(join(repo.gitDir, 'objects/pack')).find(file => file.endsWith('.idx')) ?? ''
      expect(repo.git('verify-pack', '-v', `.git/objects/pack/${pack}`)).to.include('chain length')

      expect(await Promise.all(names.map(text))).to.deep.equal(contents)
    })

    it('reads an empty blob, the empty tree and five megabytes', async () => {
      const large = randomBytes(5 * 1024 * 1024)
      const names = [store(''), store(large)]

      const [nothing, much] = await Promise.all(names.map(oid => objects.read(oid)))
      const tree = await objects.read(toOid('4b825dc642cb6eb9a060e54bf8d69288fbee4904'))

      expect(nothing?.bytes.length).to.equal(0)
      expect(much?.bytes.equals(large)).to.equal(true)
      expect(tree.type).to.equal('tree')
      expect(tree.bytes.length).to.equal(0)
    })

    it('reads content that looks like its own protocol', async () => {
      const contents = [`${unknown} missing\n`, `${unknown} blob 3\nabc\n`, '\n', '\n\n\n', '\0']
      const names = contents.map(content => store(content))

      expect(await Promise.all(names.map(text))).to.deep.equal(contents)
    })

    it('reports a missing object, and continues', async () => {
      const there = store('there')

      const failure = await objects.read(unknown).catch((error: unknown) => error)

      expect(failure).to.be.instanceOf(MissingObject)
      expect((failure as MissingObject).oid).to.equal(unknown)
      expect(await hasObject(objects, unknown)).to.equal(false)
      expect(await hasObject(objects, there)).to.equal(true)
      expect(await text(there)).to.equal('there')
    })

    describe('reading many objects at once', () => {
      const many = 1500

      async function streamed(wanted: readonly ObjectRequest[]): Promise<string[]> {
        const found: string[] = []
        for await (const portion of objects.stream(wanted)) {
          for (const object of portion) {
            found.push(`${object.type} ${'bytes' in object ? object.bytes.toString('latin1') : object.sha1}`)
          }
        }
        return found
      }
      const sha1 = (content: string | Uint8Array) => createHash('sha1').update(content).digest('hex')

      it('returns their bytes or their SHA-1 in order, for any type and length', async () => {
        // More than the capacity of a pipe.
        const long = randomBytes(isLongForm ? 300_000 : 50_000).toString('hex')
        const contents = ['', '\n', `${unknown} missing\n`, long, 'short', `${unknown} blob 3\nabc\n`]
        const oids = contents.map(content => store(content))
        const tree = toOid('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
        for (const count of [0, 1, contents.length, many]) {
          const asked = Array.from({ length: count }, (_, index) => index % contents.length)
          const wanted = asked.map((which, index): ObjectRequest => {
            return { oid: oids[which] as Oid, as: index % 4 === 3 ? 'sha1' : 'bytes' }
          })
          const found = await streamed([...wanted, { oid: tree, as: 'bytes' }])

          expect(found.length).to.equal(count + 1)
          for (const [index, which] of asked.entries()) {
            const content = contents[which] as string
            if (found[index] !== `blob ${index % 4 === 3 ? sha1(content) : content}`)
              expect.fail(`object ${index} of ${count} differs`)
          }
          expect(found.at(-1)).to.equal('tree ')
        }
      })

      it('returns the objects before a missing one, and then reports it', async () => {
        const there = store('there')
        const wanted = Array.from({ length: many }, (_, index): ObjectRequest => {
          return { oid: index === 1000 ? unknown : there, as: index % 2 === 0 ? 'bytes' : 'sha1' }
        })
        let count = 0
        const failure = await (async () => {
          for await (const portion of objects.stream(wanted)) count += portion.length
        })().catch((error: unknown) => error)

        expect(count).to.equal(1000)
        expect((failure as MissingObject).oid).to.equal(unknown)
      })

      it('ends with the reader', async () => {
        const long = store(randomBytes(20_000))
        let count = 0
        const failure = await (async () => {
          const wanted = Array.from({ length: many }, (): ObjectRequest => ({ oid: long, as: 'sha1' }))
          for await (const portion of objects.stream(wanted)) {
            count += portion.length
            await objects.close()
          }
        })().catch((error: unknown) => error)

        expect((failure as Error).message).to.include('closed')
        expect(count).to.be.greaterThan(0).and.lessThan(many)
      })

      it('stops when its reader stops', async () => {
        const there = store('there')
        const wanted = Array.from({ length: many }, (): ObjectRequest => ({ oid: there, as: 'bytes' }))
        for await (const portion of objects.stream(wanted)) {
          expect(portion.length).to.be.greaterThan(0)
          break
        }
        expect((await streamed(wanted)).length).to.equal(many)
      })
    })

    it('finds objects that were written after its start, loose and packed', async () => {
      await hasObject(objects, unknown)
      const loose = store('later')
      expect(await text(loose)).to.equal('later')

      repo.write('a', 'later still')
      repo.commit('packed at once')
      const packed = toOid(repo.git('rev-parse', 'HEAD:a'))
      repo.git('repack', '-q', '-a', '-d')

      expect(await text(packed)).to.equal('later still')
    })

    for (const [part, kept] of [
      ['header', 6],
      ['content', 3000],
    ] as const) {
      it(`fails only for an object with a damaged ${part}, with its id`, async () => {
        const good = store('good')
        const bad = store(randomBytes(5000))
        const file = join(repo.gitDir, 'objects', bad.slice(0, 2), bad.slice(2))
        chmodSync(file, 0o644)
        writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, kept), Buffer.alloc(2000, 0xff)]))

        const found = await Promise.allSettled([good, bad, good, bad, good].map(text))

        expect(found.map(({ status }) => status)).to.deep.equal([
          'fulfilled',
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
        ])
        expect(((found[1] as PromiseRejectedResult).reason as Error).message).to.include(bad)
      })
    }

    it('finds every object during repack and prune', async () => {
      const names: Oid[] = []
      for (let round = 0; round < 5; round++) {
        for (let index = 0; index < 20; index++)
          repo.write(`${round}/${index}`, `${round} ${index} ${'x'.repeat(500)}`)
        repo.commit(`round ${round}`)
        repo.git('repack', '-q')
        repo.git('prune-packed', '-q')
      }
      for (const line of repo.git('ls-tree', '-r', 'HEAD').split('\n')) names.push(toOid(line.slice(12, 52)))
      const minReads = 500
      let reads = 0
      let repacking = true
      const repacks = (async () => {
        for (let at = 0; at < (isLongForm ? 30 : 4) || reads <= minReads; at++) {
          await repo.gitLater('repack', '-q', '-a', '-d', '-f', `--depth=${10 + at}`, `--window=${5 + at}`)
          await repo.gitLater('gc', '-q', '--prune=now')
        }
        repacking = false
      })()

      while (repacking) {
        const found = await Promise.all(names.map(oid => objects.read(oid)))
        expect(found.every(object => object.type === 'blob' && object.bytes.length > 500)).to.equal(true)
        reads += found.length
      }

      await repacks
      expect(reads).to.be.greaterThan(minReads)
    })

    it('finds every object while packs are merged repeatedly', async () => {
      const busy = plainRepository(quickFolder)
      const ownDir = join(busy.gitDir, 'own')
      mkdirSync(ownDir)
      const merger = new PackMerger({ gitDir: busy.gitDir, ownDir, stagingDir: ownDir, git: undefined })
      const reader = open(busy.gitDir)
      const newest: Oid[] = []
      const failures: string[] = []
      const minReads = 100
      let reads = 0
      const end = Date.now() + (isLongForm ? 30_000 : 1000)
      const isOver = () => (Date.now() > end && reads > minReads) || failures.length > 0

      async function write(): Promise<void> {
        for (let at = 0; !isOver(); at++) {
          const bytes = Buffer.from(`object ${at}`)
          const oid = hashObject('blob', bytes)
          const pack = await writePack(busy.gitDir, ownDir, [{ oid, type: 'blob', bytes }])
          pack.release()
          newest.unshift(oid)
          newest.length = Math.min(newest.length, 6)
          await setImmediate()
        }
      }
      async function merge(): Promise<void> {
        while (!isOver()) await merger.concatenate()
      }
      async function read(): Promise<void> {
        for (let at = 0; !isOver(); at++) {
          const oid = newest[at % newest.length]
          if (oid === undefined) await setImmediate()
          else await reader.read(oid).catch((error: Error) => failures.push(error.message))
          reads++
        }
      }
      await Promise.all([write(), merge(), read(), read(), read(), read()])
      await merger.close()
      await reader.close()

      expect(failures).to.deep.equal([])
      expect(reads).to.be.greaterThan(minReads)
    })

    it('answers thousands of reads at once, each with its own object', async () => {
      const contents = Array.from({ length: 300 }, (_, index) => `content ${index} ${'y'.repeat(index * 7)}`)
      for (const [index, content] of contents.entries()) repo.write(`f${index}`, content)
      repo.commit('many')
      const names = contents.map((_, index) => `:f${index}`)
      const oids = repo
        .git('rev-parse', ...names)
        .split('\n')
        .map(toOid)
      const wanted = Array.from({ length: 3000 }, (_, index) => (index * 7919) % contents.length)

      const found = await Promise.all(wanted.map(at => text(oids[at] as Oid)))

      expect(found).to.deep.equal(wanted.map(at => contents[at]))
    })

    it('refuses reads after its end', async () => {
      const oid = store('x')
      await objects.read(oid)

      await objects.close()

      expect(await objects.read(oid).catch((error: unknown) => error)).to.be.instanceOf(Error)
    })
  })
}

describe('the git process behind the reader', () => {
  afterEach(removePlainRepositories)

  it('is started again after its end, and the requests are repeated', async function () {
    if (process.platform !== 'linux') this.skip()
    const repo = plainRepository()
    const oids = Array.from({ length: 50 }, (_, index) =>
      toOid(repo.feed(`${index}`, 'hash-object', '-w', '--stdin')),
    )
    const objects = openCatFileReader('git', repo.gitDir)
    await objects.read(oids[0] as Oid)

    for (let round = 0; round < 3; round++) {
      const reads = Promise.all(oids.map(oid => objects.read(oid)))
      for (const pid of catFilesOf(repo.gitDir)) process.kill(pid, 'SIGKILL')
      expect((await reads).map(({ bytes }) => bytes.toString())).to.deep.equal(
        oids.map((_, index) => `${index}`),
      )
    }

    await objects.close()
    expect(catFilesOf(repo.gitDir)).to.deep.equal([])
  })

  it('ignores variables of an enclosing git', async () => {
    const repo = plainRepository()
    const oid = toOid(repo.feed('here', 'hash-object', '-w', '--stdin'))
    process.env.GIT_OBJECT_DIRECTORY = '/nowhere'
    const objects = openCatFileReader('git', repo.gitDir)
    try {
      expect((await objects.read(oid)).bytes.toString()).to.equal('here')
    } finally {
      delete process.env.GIT_OBJECT_DIRECTORY
      await objects.close()
    }
  })

  it('makes reads fail if the binary does not exist', async () => {
    const repo = plainRepository()
    const objects = openCatFileReader(join(repo.dir, 'no-git'), repo.gitDir)

    expect(await objects.read(unknown).catch((error: unknown) => error)).to.be.instanceOf(Error)
    await objects.close()
  })
})

/** Ids of the cat-file processes on one repository. */
function catFilesOf(gitDir: string): readonly number[] {
  return execFileSync('ps', ['-eo', 'pid=,args='])
    .toString()
    .split('\n')
    .filter(line => line.includes(`--git-dir=${gitDir} cat-file`))
    .map(line => Number.parseInt(line, 10))
}

describe('reading many objects through a git process that ends', () => {
  afterEach(removePlainRepositories)

  it('continues with another process', async () => {
    const repo = plainRepository()
    const files = Array.from({ length: 700 }, (_, index) => join(repo.dir, `object-${index}`))
    for (const [index, file] of files.entries()) writeFileSync(file, `object ${index} ${'x'.repeat(1000)}`)
    const oids = repo.feed(files.join('\n'), 'hash-object', '-w', '--stdin-paths').split('\n').map(toOid)
    const git = join(repo.dir, 'cut-off')
    writeFileSync(
      git,
      '#!/bin/sh\ncase "$*" in *--buffer*) git "$@" | head -c 100500 ;; *) exec git "$@" ;; esac\n',
    )
    chmodSync(git, 0o755)
    const objects = openCatFileReader(git, repo.gitDir)
    const found: string[] = []
    try {
      const wanted = oids.map((oid): ObjectRequest => ({ oid, as: 'bytes' }))
      for await (const portion of objects.stream(wanted))
        for (const object of portion)
          if ('bytes' in object) found.push(object.bytes.toString().slice(0, 10).trim())
    } finally {
      await objects.close()
    }
    expect(found).to.deep.equal(oids.map((_, index) => `object ${index} x`.slice(0, 10).trim()))
  })
})
