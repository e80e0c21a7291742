import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { verifyRepository } from '../../../src/features/maintenance/verify/verify-repository.js'
import { blobId } from '../../../src/store/objects/hash-object.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { createNote, registerNote } from '../../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

interface Conversion {
  /** Makes git convert files, as a person configures it. */
  readonly set: (repository: TestRepository) => Promise<void>
}

const attributes = (repository: TestRepository) => join(repository.dir, '.git/info/attributes')

/** A filter as in Git LFS, which stores a pointer. */
async function setFilter({ git }: TestRepository): Promise<void> {
  await git('config', 'filter.up.clean', 'tr a-z A-Z')
  await git('config', 'filter.up.smudge', 'tr A-Z a-z')
  await git('config', 'filter.up.required', 'true')
}

const conversions: Readonly<Record<string, Conversion>> = {
  'a filter in info/attributes': {
    async set(repository) {
      await setFilter(repository)
      await appendFile(attributes(repository), '*.json filter=up\n')
    },
  },
  'a filter in committed attributes': {
    async set(repository) {
      await setFilter(repository)
      await repository.commit('Use a filter', { '.gitattributes': '* -text\n*.json filter=up\n' })
    },
  },
  'a filter in the attributes of a person': {
    async set(repository) {
      await setFilter(repository)
      const own = join(repository.dir, '../attributes')
      await writeFile(own, '*.json filter=up\n')
      await repository.git('config', 'core.attributesFile', own)
    },
  },
  'a pointer as of Git LFS': {
    async set(repository) {
      await repository.git('config', 'filter.lfs.clean', 'git hash-object --stdin')
      await repository.git('config', 'filter.lfs.required', 'true')
      await appendFile(attributes(repository), '*.json filter=lfs diff=lfs merge=lfs -text\n')
    },
  },
  'line ends': {
    async set(repository) {
      await repository.git('config', 'core.autocrlf', 'true')
      await repository.commit('Convert line ends', { '.gitattributes': '* text=auto eol=crlf\n' })
    },
  },
  'an identifier and an encoding': {
    set: repository => appendFile(attributes(repository), '*.json ident text working-tree-encoding=UTF-16\n'),
  },
}

/** Bytes that every conversion would change. */
const document = (title: string) => Buffer.from(`{\r\n "title": "${title} $Id$"\r\n}\r\n`)

describe('attributes that make git convert files', () => {
  afterEach(removeRepositories)

  for (const [name, { set }] of Object.entries(conversions)) {
    for (const when of ['before the server starts', 'while it runs'] as const) {
      it(`do not change stored files: ${name}, set ${when}`, async () => {
        const repository = await temporaryRepository()
        if (when === 'before the server starts') await set(repository)
        const services = await repository.compose()
        await registerNote(services)
        const first = await createNote(services, 'one')
        await services.workTreeUpToDate()
        if (when === 'while it runs') await set(repository)
        const stored = await services.collections.metadata.revise(
          selfPrincipal,
          first.id,
          { any: true },
          { document: document('two') },
        )
        await services.workTreeUpToDate()

        expect(await repository.git('status', '--porcelain')).to.equal('')
        await writeFile(join(repository.dir, 'notes.txt'), 'a note\n')
        await repository.patiently('add', 'notes.txt')
        await repository.patiently('commit', '-q', '-m', 'Add a note')

        const path = `${recordDirectory('metadata', stored.id)}/document.json`
        expect(await repository.git('rev-parse', `HEAD:${path}`)).to.equal(stored.document)
        expect(await repository.git('diff', '--name-only', 'HEAD~1', 'HEAD')).to.equal('notes.txt')
        expect(await repository.git('fsck', '--full', '--strict')).to.equal('')
        // Git also checks out and adds the bytes unchanged.
        const bytes = await readFile(join(repository.dir, path))
        await writeFile(join(repository.dir, path), 'something else')
        await repository.patiently('checkout', '-q', '--', path)
        expect(await readFile(join(repository.dir, path))).to.deep.equal(bytes)
        const edited = bytes.toString().replace('two', 'by hand')
        await writeFile(join(repository.dir, path), edited)
        await repository.patiently('commit', '-q', '-a', '-m', 'Edit by hand')
        expect(await repository.git('rev-parse', `HEAD:${path}`)).to.equal(blobId(Buffer.from(edited)))
        for await (const complaint of verifyRepository(services.parts)) expect.fail(JSON.stringify(complaint))
      })
    }
  }

  it('are kept for other files, with a warning', async () => {
    const repository = await temporaryRepository()
    await setFilter(repository)
    await writeFile(attributes(repository), '*.txt filter=up')
    const services = await repository.compose()
    await registerNote(services)
    await services.workTreeUpToDate()

    await repository.commit('Add a note', { 'notes.txt': 'a note\n' })

    expect(await repository.git('cat-file', '-p', 'HEAD:notes.txt')).to.equal('A NOTE')
    expect(repository.reports.join('\n')).to.contain('info/attributes: the attributes of other lines')
    const lines = (await readFile(attributes(repository), 'utf8')).split('\n')
    expect(lines[0]).to.equal('*.txt filter=up')
    await services.close()
    await (await repository.compose()).workTreeUpToDate()
    expect((await readFile(attributes(repository), 'utf8')).split('\n')).to.deep.equal(lines)
  })
})
