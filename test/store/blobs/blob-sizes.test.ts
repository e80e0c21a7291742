import { expect } from 'chai'
import { type Oid, toOid } from '../../../src/core/value-types.js'
import { type BlobReader, openBlobReader } from '../../../src/store/blobs/blob-reader.js'
import { openBlobSizeReader } from '../../../src/store/blobs/blob-sizes.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import { MissingObject } from '../../../src/store/objects/object-errors.js'
import type { ObjectReader } from '../../../src/store/objects/object-reader.js'
import {
  type PlainRepository,
  plainRepository,
  removePlainRepositories,
} from '../../support/repository/plain-git-repository.js'

const unknown = toOid('0123456789012345678901234567890123456789')

describe('sizes of blobs', () => {
  let repo: PlainRepository
  let objects: ObjectReader
  let read: Oid[]
  let blobs: BlobReader

  beforeEach(() => {
    repo = plainRepository()
    objects = openCatFileReader('git', repo.gitDir)
    read = []
    const all = openBlobReader(objects)
    blobs = {
      read(oid) {
        read.push(oid)
        return all.read(oid)
      },
    }
  })
  afterEach(async () => {
    await objects.close()
    removePlainRepositories()
  })

  const store = (content: string) => toOid(repo.feed(content, 'hash-object', '-w', '--stdin'))

  it('are returned without the content, loose or packed, also for blobs that are written later', async () => {
    const sizes = openBlobSizeReader('git', repo.gitDir, blobs)
    try {
      for (const name of ['a', 'b']) repo.write(`${name}.txt`, `${name}\n${'line\n'.repeat(5000)}`)
      repo.commit('two similar files')
      const inTree = ['HEAD:a.txt', 'HEAD:b.txt'].map(rev => toOid(repo.git('rev-parse', rev)))
      const empty = store('')
      expect(await Promise.all([...inTree, empty].map(sizes.size))).to.deep.equal([25_002, 25_002, 0])
      repo.git('repack', '-a', '-d', '-q')
      const later = store('later')
      const again = openBlobSizeReader('git', repo.gitDir, blobs)
      expect(await Promise.all(inTree.map(again.size))).to.deep.equal([25_002, 25_002])
      await again.close()
      expect(await sizes.size(later)).to.equal(5)
      expect(read).to.deep.equal([])
    } finally {
      await sizes.close()
    }
  })

  it('come from the content without a git binary or if git cannot start; each is read once', async () => {
    const oid = store('hello')
    for (const git of [undefined, '/no/such/git']) {
      const sizes = openBlobSizeReader(git, repo.gitDir, blobs)
      expect(await sizes.size(oid)).to.equal(5)
      expect(await sizes.size(oid)).to.equal(5)
      await sizes.close()
    }
    expect(read).to.deep.equal([oid, oid])
  })

  it('of a missing blob and of a tree fail with the error of a read', async () => {
    const sizes = openBlobSizeReader('git', repo.gitDir, blobs)
    try {
      repo.write('a.txt', 'hello\n')
      const commit = repo.commit('first')
      for (const oid of [unknown, toOid(repo.git('rev-parse', `${commit}^{tree}`))]) {
        const error = await sizes.size(oid).catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(MissingObject)
      }
    } finally {
      await sizes.close()
    }
  })
})
