import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { isPlain } from '../../../src/core/plain-mode.js'
import { isLongForm } from '../../support/program/long-form.js'
import { createNote, registerNote } from '../../support/repository/note-records.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

const flushes = isLongForm || isPlain ? 300 : 150

describe('packs of a long-running server', () => {
  afterEach(removeRepositories)

  for (const git of ['auto', 'none']) {
    it(`stay below a few dozen over many flushes, without a loss (git: ${git})`, async () => {
      const repository = await temporaryRepository({ bare: true })
      const services = await repository.compose({ git })
      await registerNote(services)
      const folder = join(repository.dir, 'objects/pack')
      const created = []
      let max = 0

      // One after the other, so that every update is a flush with its own pack.
      for (let index = 0; index < flushes; index++) {
        created.push(await createNote(services, `note ${index}`))
        const packs = (await readdir(folder)).filter(name => name.endsWith('.pack')).length
        max = Math.max(max, packs)
      }
      await services.workTreeUpToDate()

      // On the plain path, git merges packs, which takes longer.
      expect(max).to.be.lessThan(isPlain ? 200 : 60)
      expect((await readdir(folder)).filter(name => name.endsWith('.pack')).length).to.be.lessThan(40)
      expect(await repository.git('fsck', '--strict', '--full')).to.equal('')
      for (const [index, { id }] of created.entries()) {
        const bytes = await services.readDocument(services.collections.metadata.read(selfPrincipal, id))
        expect(bytes.toString()).to.equal(`{"title":"note ${index}"}`)
      }
    })
  }
})
