import { readdirSync, statSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { orMissing } from '../src/store/durable.js'
import { directoryOf } from '../src/store/layout.js'
import { createNote, noteId, registerNote } from './support/examples.js'
import { cleanUp, temporaryRepository } from './support/repository.js'

describe('the work tree', () => {
  afterEach(cleanUp)

  it('shows the folder of a new record with both of its files, whenever one looks', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const notes = await Promise.all(
      Array.from({ length: 400 }, (_, at) => createNote(services, `note ${at}`)),
    )
    const missing = new Set(notes.map(({ id }) => join(repository.dir, directoryOf('metadata', id))))

    while (missing.size > 0) {
      for (const folder of missing) {
        const files = orMissing(() => readdirSync(folder))
        if (!files) continue
        expect(files.sort()).to.deep.equal(['document.json', 'record.json'])
        missing.delete(folder)
      }
      await turn()
    }
    await services.settled()

    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('gives folders of new records the group that folders there are to have', async () => {
    const repository = await temporaryRepository()
    await mkdir(join(repository.dir, 'metadata'), { recursive: true })
    await chmod(join(repository.dir, 'metadata'), 0o2775)
    const services = await repository.compose()
    await registerNote(services)

    const { id } = await createNote(services, 'one')
    await services.settled()

    const parts = directoryOf('metadata', id).split('/')
    for (let depth = 1; depth <= parts.length; depth++) {
      const { mode } = statSync(join(repository.dir, ...parts.slice(0, depth)))
      expect(mode & 0o2000, parts.slice(0, depth).join('/')).to.equal(0o2000)
    }
  })

  it('puts the files of a new record beside what a person has put into its folder', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    const folder = join(repository.dir, directoryOf('schema', noteId))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'idea.txt'), 'an idea\n')

    await registerNote(services)
    await services.settled()

    expect(readdirSync(folder).sort()).to.deep.equal(['idea.txt', 'record.json', 'schema.json'])
    expect(await readFile(join(folder, 'idea.txt'), 'utf8')).to.equal('an idea\n')
    expect(await repository.git('status', '--porcelain')).to.equal('?? schemas/note/idea.txt')
  })
})
