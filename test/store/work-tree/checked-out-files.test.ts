import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { undefinedIfMissing } from '../../../src/store/file-system/file-errors.js'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { updateFiles } from '../../../src/store/work-tree/update-files.js'
import { isLongForm } from '../../support/program/long-form.js'
import { stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { createNote, noteId, registerNote } from '../../support/repository/note-records.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

describe('the work tree', () => {
  afterEach(removeRepositories)

  it('always shows the folder of a new record with both files', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const notes = await Promise.all(
      Array.from({ length: isLongForm ? 400 : 200 }, (_, index) => createNote(services, `note ${index}`)),
    )
    const missing = new Set(notes.map(({ id }) => join(repository.dir, recordDirectory('metadata', id))))

    while (missing.size > 0) {
      for (const folder of missing) {
        const files = undefinedIfMissing(() => readdirSync(folder))
        if (!files) continue
        expect(files.sort()).to.deep.equal(['document.json', 'record.json'])
        missing.delete(folder)
      }
      await turn()
    }
    await services.workTreeUpToDate()

    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('gives folders of new records the group of their parent folder, if it is setgid', async () => {
    const repository = await temporaryRepository()
    await mkdir(join(repository.dir, 'metadata'), { recursive: true })
    await chmod(join(repository.dir, 'metadata'), 0o2775)
    const services = await repository.compose()
    await registerNote(services)

    const { id } = await createNote(services, 'one')
    await services.workTreeUpToDate()

    const parts = recordDirectory('metadata', id).split('/')
    for (let depth = 1; depth <= parts.length; depth++) {
      const { mode } = statSync(join(repository.dir, ...parts.slice(0, depth)))
      expect(mode & 0o2000, parts.slice(0, depth).join('/')).to.equal(0o2000)
    }
  })

  it('does not use the group of the folders of git if only those are shared', async () => {
    const repository = await temporaryRepository()
    await chmod(join(repository.dir, '.git/git-metastore'), 0o2775)
    const services = await repository.compose()
    await registerNote(services)

    const { id } = await createNote(services, 'one')
    await services.workTreeUpToDate()

    expect(statSync(join(repository.dir, recordDirectory('metadata', id))).mode & 0o2000).to.equal(0)
  })

  it('adds the files of a new record to other files in its folder', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    const folder = join(repository.dir, recordDirectory('schema', noteId))
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'idea.txt'), 'an idea\n')

    await registerNote(services)
    await services.workTreeUpToDate()

    expect(readdirSync(folder).sort()).to.deep.equal(['idea.txt', 'record.json', 'schema.json'])
    expect(await readFile(join(folder, 'idea.txt'), 'utf8')).to.equal('an idea\n')
    expect(await repository.git('status', '--porcelain')).to.equal('?? schemas/note/idea.txt')
  })

  describe('if another program is faster', () => {
    afterEach(stopProcesses)

    const names = ['document.json', 'record.json']

    /** Checks out a new record. `meddle` changes its folder while the files are being written. */
    async function brought(meddle: (folder: string, outside: string) => void) {
      const [root, outside] = [await temporaryFolder(), await temporaryFolder()]
      const ownDir = join(root, '.git/git-metastore')
      const folder = join(root, 'metadata/a/b/c/d/one')
      mkdirSync(ownDir, { recursive: true })
      let isFirst = true
      const updates = names.map(name => ({
        path: `metadata/a/b/c/d/one/${name}`,
        before: [undefined],
        after: hashObject('blob', Buffer.from(name)),
        get bytes() {
          if (isFirst) meddle(folder, outside)
          isFirst = false
          return Buffer.from(name)
        },
      }))

      const { current, left } = updateFiles(root, ownDir, updates)

      expect(readdirSync(ownDir)).to.deep.equal([])
      expect(readdirSync(outside)).to.deep.equal([])
      const namesOf = (paths: Iterable<string>) =>
        [...paths].map(path => path.slice(path.lastIndexOf('/') + 1))
      return { folder, current: namesOf(current.keys()), left: namesOf(left) }
    }

    it('keeps its file, and writes the other one', async () => {
      const { folder, current, left } = await brought(theirs => {
        mkdirSync(theirs)
        writeFileSync(join(theirs, 'record.json'), 'mine')
      })

      expect([current, left]).to.deep.equal([['document.json'], ['record.json']])
      expect(readFileSync(join(folder, 'record.json'), 'utf8')).to.equal('mine')
      expect(readFileSync(join(folder, 'document.json'), 'utf8')).to.equal('document.json')
    })

    it('keeps a file in place of the folder', async () => {
      const { folder, current, left } = await brought(theirs => writeFileSync(theirs, 'mine'))

      expect([current, left]).to.deep.equal([[], names])
      expect(readFileSync(folder, 'utf8')).to.equal('mine')
    })

    it('does not write through a link in place of the folder', async () => {
      const { folder, current, left } = await brought((theirs, outside) => symlinkSync(outside, theirs))

      expect([current, left]).to.deep.equal([[], names])
      expect(lstatSync(folder).isSymbolicLink()).to.equal(true)
    })
  })
})
