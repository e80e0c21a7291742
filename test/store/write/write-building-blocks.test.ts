// test-schedule: quick
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
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
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import fc from 'fast-check'
import { LRUCache } from 'lru-cache'
import { type Id, type Oid, toInstant, toOid } from '../../../src/core/value-types.js'
import {
  overwriteFile,
  writeFileDurably,
  writeFilesDurably,
} from '../../../src/store/file-system/durable-files.js'
import { acquireLockFile, removeStaleLockFiles } from '../../../src/store/locks/lock-file.js'
import { openProcessLock } from '../../../src/store/locks/process-lock.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import { encodeCommit } from '../../../src/store/objects/commit-format.js'
import { hashObject, sha1Of } from '../../../src/store/objects/hash-object.js'
import type { ObjectType } from '../../../src/store/objects/object-reader.js'
import { findTreeEntry, setTreeEntry, treeEntries } from '../../../src/store/objects/tree-format.js'
import { writePack } from '../../../src/store/packs/pack-writer.js'
import { type BranchMoveOutcome, prepareBranchMove } from '../../../src/store/refs/move-branch.js'
import { readRef } from '../../../src/store/refs/read-refs.js'
import { CommitBatch } from '../../../src/store/write/commit-batch.js'
import { gitSync } from '../../support/program/run-synchronously.js'

const author = { name: 'Jane', email: 'jane@example.org' }

let dir = ''
let gitDir = ''
let ownDir = ''

function git(args: readonly string[], input?: Uint8Array): string {
  return gitSync(args, dir, input).toString().trim()
}

describe('the parts of the write path', () => {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'git-metastore-'))
    gitSync(['init', '-q', '-b', 'main', dir])
    gitDir = join(dir, '.git')
    ownDir = join(gitDir, 'git-metastore')
    mkdirSync(ownDir)
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('a flush keeps the document of an earlier update in the same flush', async () => {
    const parent = toOid('0123456789012345678901234567890123456789')
    const objects = openCatFileReader('git', gitDir)
    const trees = new LRUCache<Oid, Buffer>({ max: 100 })
    const batch = new CommitBatch(objects, trees, parent, hashObject('tree', Buffer.alloc(0)))
    const id = 'one' as Id
    const document = Buffer.from('{"title":"kept"}')
    const update = (title: string, content: Uint8Array | Oid) => {
      const record = { id, titles: [{ value: title }] }
      const state = { record, documentType: 'JSON' as const, document: content, files: new Map() }
      return batch.apply({ kind: 'metadata', id, state, subject: title }, author, toInstant(Date.now()))
    }
    const made = await update('brought', document)
    const kept = await update('kept', hashObject('blob', document))
    await objects.close()

    const states = [made, kept].map(applied => applied?.revisions[0]?.state)
    expect(states.map(state => state?.documentHash)).to.deep.equal([sha1Of(document), sha1Of(document)])
    expect(kept?.commit).to.equal(batch.head)
  })

  describe('the tree editor', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', 'b', '.', '-', '0', 'Z', 'é'), minLength: 1, maxLength: 4 })
      .filter(text => text !== '.' && text !== '..')
      .map(text => Buffer.from(text).toString('latin1'))
    const [noBytes, noEntries] = [hashObject('blob', Buffer.alloc(0)), hashObject('tree', Buffer.alloc(0))]
    const slot = fc.constantFrom({ mode: '100644', oid: noBytes }, { mode: '40000', oid: noEntries })

    it('orders entries like git, for any additions and removals', () => {
      git(['hash-object', '-t', 'tree', '-w', '--stdin'], Buffer.alloc(0))
      const edits = fc.array(fc.tuple(name, fc.option(slot, { nil: undefined })), { maxLength: 12 })
      fc.assert(
        fc.property(edits, steps => {
          const expected = new Map<string, string>()
          let tree: Buffer = Buffer.alloc(0)
          for (const [entry, value] of steps) {
            tree = setTreeEntry(tree, entry, value)
            expected.delete(entry)
            if (value) expected.set(entry, value.mode)
          }

          const lines = [...expected].map(([entry, mode]) => {
            const type = mode === '40000' ? 'tree' : 'blob'
            const line = `${mode.padStart(6, '0')} ${type} ${mode === '40000' ? noEntries : noBytes}\t`
            return Buffer.concat([Buffer.from(line), Buffer.from(entry, 'latin1'), Buffer.from('\0')])
          })
          const made = git(['mktree', '-z', '--missing'], Buffer.concat(lines))
          expect(hashObject('tree', tree)).to.equal(made)
          expect(new Set([...treeEntries(tree)].map(entry => entry.name))).to.deep.equal(
            new Set(expected.keys()),
          )
          for (const [entry, mode] of expected) expect(findTreeEntry(tree, entry)?.mode).to.equal(mode)
        }),
        { numRuns: 40 },
      )
    })
  })

  describe('a pack of one flush', () => {
    it('is accepted by git, with objects of every type and size', async () => {
      const sizes = [
        0, 1, 15, 16, 2047, 2048, 4095, 4096, 4097, 8182, 8183, 8184, 65_534, 65_535, 65_536, 200_000,
      ]
      const blobs = sizes.map(size => randomBytes(size))
      const texts = sizes.slice(3).map(size => Buffer.alloc(size, randomBytes(1000).toString('hex')))
      const tree = setTreeEntry(Buffer.alloc(0), 'file', {
        mode: '100644',
        oid: hashObject('blob', blobs[3] as Buffer),
      })
      // A tree of several blocks, because trees are stored uncompressed.
      let large: Buffer = Buffer.alloc(0)
      const slot = { mode: '100644', oid: hashObject('blob', blobs[1] as Buffer) }
      for (let index = 0; index < 3000; index++)
        large = setTreeEntry(large, `file-${String(index).padStart(6, '0')}`, slot)
      const commit = encodeCommit({
        tree: hashObject('tree', tree),
        parents: [],
        author: { name: 'Jörg <x> \n Müller', email: 'a@b>' },
        time: toInstant(1_700_000_000_123),
        subject: 'Line\nbreaks and \u0000 are no part of a subject',
        trailers: [],
      })
      const all: [ObjectType, Buffer][] = [
        ...[...blobs, ...texts].map(bytes => ['blob', bytes] as [ObjectType, Buffer]),
        ['tree', tree],
        ['tree', large],
        ['commit', commit],
      ]
      const objects = all.map(([type, bytes]) => ({ oid: hashObject(type, bytes), type, bytes }))

      const pack = await writePack(gitDir, ownDir, objects)

      git(['verify-pack', join(gitDir, 'objects/pack', `${pack.name}.idx`)])
      for (const { oid, type, bytes } of objects) {
        expect(git(['cat-file', '-t', oid])).to.equal(type)
        expect(execFileSync('git', ['-C', dir, 'cat-file', type, oid], { maxBuffer: 1 << 26 })).to.deep.equal(
          bytes,
        )
      }
      expect(git(['fsck', '--strict', '--no-dangling'])).to.equal('')
      expect(readdirSync(ownDir)).to.deep.equal([])
      const keep = join(gitDir, 'objects/pack', `${pack.name}.keep`)
      expect(existsSync(keep)).to.equal(true)
      pack.release()
      expect(existsSync(keep)).to.equal(false)
    })
  })

  describe('moving a branch', () => {
    function commit(subject: string, ...parents: string[]): Oid {
      const args = ['-c', 'user.name=J', '-c', 'user.email=j@example.org', 'commit-tree', '-m', subject]
      const tree = git(['mktree'], Buffer.alloc(0))
      return toOid(git([...args, ...parents.flatMap(parent => ['-p', parent]), tree]))
    }
    async function move(from: Oid, to: Oid): Promise<BranchMoveOutcome> {
      const prepared = prepareBranchMove(gitDir, ownDir, {
        branch: 'refs/heads/main',
        from,
        to,
        reason: 'test',
        signature: 'J <j@example.org> 1700000000 +0000',
        patience: 50,
      })
      await writeFilesDurably([prepared.file])
      try {
        const state = prepared.take()
        if (state !== 'held') return state
        prepared.install()
        return 'moved'
      } finally {
        prepared.forget()
      }
    }

    it('moves it, also from packed refs, and git sees it and its reflog', async () => {
      const [one, two, three] = [commit('one'), commit('two'), commit('three')]
      git(['update-ref', '-m', 'start', 'refs/heads/main', one])

      expect(await move(one, two)).to.equal('moved')
      expect(git(['rev-parse', 'main'])).to.equal(two)
      git(['pack-refs', '--all', '--prune'])
      expect(readRef(gitDir, 'refs/heads/main')).to.equal(two)
      expect(await move(two, three)).to.equal('moved')

      expect(git(['rev-parse', 'main'])).to.equal(three)
      expect(git(['reflog', 'show', 'main', '--format=%gs']).split('\n')).to.deep.equal([
        'test',
        'test',
        'start',
      ])
    })

    it('does not move it if it points elsewhere, or if git holds its lock', async () => {
      const [one, two, three] = [commit('one'), commit('two'), commit('three')]
      git(['update-ref', 'refs/heads/main', one])

      expect(await move(two, three)).to.equal('not-there')
      writeFileSync(join(gitDir, 'refs/heads/main.lock'), '')
      expect(await move(one, two)).to.equal('locked')

      expect(git(['rev-parse', 'main'])).to.equal(one)
      expect(existsSync(join(gitDir, 'refs/heads/main.lock'))).to.equal(true)
      expect(readdirSync(join(ownDir, 'locks'))).to.deep.equal([])
    })
  })

  it('a failed write leaves no part of the file', () => {
    const path = join(ownDir, 'part')
    const parts = [Buffer.from('begins'), undefined as unknown as Buffer]

    expect(() => writeFileDurably(path, parts)).to.throw()
    expect(existsSync(path)).to.equal(false)
  })

  it('a small derived file is overwritten in place: it stays the same file, and keeps the end of longer text', () => {
    const path = join(ownDir, 'derived')
    overwriteFile(path, 'first, and longer\n')
    const { ino } = statSync(path)

    overwriteFile(path, 'then\n')

    expect(readFileSync(path, 'utf8')).to.equal('then\n, and longer\n')
    expect(statSync(path).ino).to.equal(ino)
  })

  describe('lock files', () => {
    it('are removed after a kill only if they belong to git-metastore', () => {
      acquireLockFile(gitDir, ownDir, 'index')
      writeFileSync(join(gitDir, 'HEAD.lock'), '')
      expect(acquireLockFile(gitDir, ownDir, 'HEAD')).to.equal(undefined)

      removeStaleLockFiles(gitDir, ownDir)

      expect(existsSync(join(gitDir, 'index.lock'))).to.equal(false)
      expect(existsSync(join(gitDir, 'HEAD.lock'))).to.equal(true)
      expect(readdirSync(join(ownDir, 'locks'))).to.deep.equal([])
    })

    it('stay if git has replaced them', () => {
      acquireLockFile(gitDir, ownDir, 'index')
      rmSync(join(gitDir, 'index.lock'))
      writeFileSync(join(gitDir, 'index.lock'), 'a person')

      removeStaleLockFiles(gitDir, ownDir)

      expect(existsSync(join(gitDir, 'index.lock'))).to.equal(true)
    })
  })

  describe('the lock between processes', () => {
    it('is held by one process, and released by the kernel after a kill of its holder', async () => {
      const file = join(ownDir, 'writer.lock')
      const module = fileURLToPath(new URL('../../../src/store/locks/process-lock.js', import.meta.url))
      const script = `
      const { openProcessLock } = await import(${JSON.stringify(module)})
      const lock = openProcessLock(${JSON.stringify(file)})
      process.stdout.write(lock.tryAcquire() + '\\n')
      setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const said = await new Promise<string>(resolve =>
        child.stdout.once('data', chunk => resolve(String(chunk))),
      )
      const lock = openProcessLock(file)

      expect(said.trim()).to.equal('true')
      expect(lock.tryAcquire()).to.equal(false)
      expect(await lock.acquire(30)).to.equal(false)
      child.kill('SIGKILL')
      await new Promise(resolve => child.on('close', resolve))
      expect(await lock.acquire(2000)).to.equal(true)
      lock.close()
    })
  })
})
