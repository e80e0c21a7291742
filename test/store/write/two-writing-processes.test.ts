import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { createNote, registerNote, reviseNote } from '../../support/repository/note-records.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

describe('two git-metastore processes on one repository', () => {
  afterEach(removeRepositories)

  it('take turns, see each other’s updates at once, and lose no update', async () => {
    const repository = await temporaryRepository()
    // Two compositions share only files and locks, like two processes.
    const one = await repository.compose({ patience: 60_000 })
    const other = await repository.compose({ patience: 60_000 })
    await registerNote(one)

    const created = await Promise.all(
      Array.from({ length: 60 }, (_, index) => createNote(index % 2 === 0 ? one : other, `note ${index}`)),
    )
    const first = created[0]
    if (!first) throw new Error('No note was created.')
    const revised = await reviseNote(other, first, 'again')
    await Promise.all([one.workTreeUpToDate(), other.workTreeUpToDate()])

    for (const { id } of created) {
      expect(one.collections.metadata.read(selfPrincipal, id).commit).to.equal(
        other.collections.metadata.read(selfPrincipal, id).commit,
      )
    }
    expect(one.collections.metadata.read(selfPrincipal, first.id).commit).to.equal(revised.commit)
    expect(await repository.git('status', '--porcelain')).to.equal('')
    expect(await repository.git('fsck', '--strict', '--no-dangling')).to.equal('')
    expect(await repository.git('rev-list', '--count', 'HEAD')).to.equal('63')
  })

  it('open and read while the other process holds its locks', async () => {
    const repository = await temporaryRepository()
    const busy = await repository.compose()
    await registerNote(busy)
    const note = await createNote(busy, 'written')
    const load = new AbortController()
    const loading = (async () => {
      for (let round = 0; !load.signal.aborted; round++) {
        await Promise.all(Array.from({ length: 8 }, (_, index) => createNote(busy, `load ${round} ${index}`)))
      }
    })()

    const reader = await repository.compose({ patience: 2000 })
    const found = reader.collections.metadata.read(selfPrincipal, note.id)
    load.abort()
    await loading

    expect(found.commit).to.equal(note.commit)
  })
})
