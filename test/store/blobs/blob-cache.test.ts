// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { openAdmissionFilter } from '../../../src/core/data-structures/admission-filter.js'
import { type Oid, toOid } from '../../../src/core/value-types.js'
import { openBlobCache } from '../../../src/store/blobs/blob-reader.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import type { ObjectReader } from '../../../src/store/objects/object-reader.js'
import { plainRepository, removePlainRepositories } from '../../support/repository/plain-git-repository.js'

describe('the blob cache', () => {
  afterEach(removePlainRepositories)

  it('keeps documents from the second read on, regardless of the number of documents that are read once', async () => {
    const repo = plainRepository()
    const store = (text: string) => toOid(repo.feed(text, 'hash-object', '-w', '--stdin'))
    const often = store('asked for again and again')
    const others = Array.from({ length: 60 }, (_, index) => store(`${index} ${'x'.repeat(1000)}`))
    const objects = openCatFileReader('git', repo.gitDir)
    const read: Oid[] = []
    const noted: ObjectReader = {
      ...objects,
      read(oid) {
        read.push(oid)
        return objects.read(oid)
      },
    }
    try {
      const documents = openBlobCache(noted, 16 * 1024)
      const asked = async (oid: Oid) => (await documents.read(oid)).toString()
      for (let time = 0; time < 3; time++) expect(await asked(often)).to.equal('asked for again and again')
      expect(read).to.deep.equal([often, often])

      for (const [index, oid] of others.entries())
        expect(await asked(oid)).to.equal(`${index} ${'x'.repeat(1000)}`)
      expect(await asked(often)).to.equal('asked for again and again')
      expect(read).to.deep.equal([often, often, ...others])
    } finally {
      await objects.close()
    }
  })

  it('remembers only recently read documents', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), keys => {
        const admissionFilter = openAdmissionFilter()
        const asked = new Set<string>()
        for (const key of keys) {
          const knew = admissionFilter.seenBefore(key)
          if (!asked.has(key)) expect(knew).to.equal(false)
          asked.add(key)
          expect(admissionFilter.seenBefore(key)).to.equal(true)
        }
      }),
    )
  })
})
