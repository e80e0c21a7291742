import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { selfPrincipal } from '../../src/core/access-control.js'
import { type Id, parseVersion } from '../../src/core/value-types.js'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { isLongForm } from '../support/program/long-form.js'
import { createNote, registerNote, reviseNote } from '../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../support/repository/test-repository.js'

/** Starts a process that writes, and kills it. @returns the lines that it printed for acknowledged updates */
async function writeAndKill(
  repository: TestRepository,
  git: string,
  milliseconds: number,
): Promise<string[]> {
  const script = fileURLToPath(new URL('../support/program/update-until-killed.js', import.meta.url))
  const child = spawn(process.execPath, [script, repository.dir, git], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  let timer: NodeJS.Timeout | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    // The process is ready after the first acknowledged update.
    if (/^ready\n.*\n/.test(out)) timer ??= setTimeout(() => child.kill('SIGKILL'), milliseconds)
  })
  await new Promise<void>(resolve => child.on('close', () => resolve()))
  clearTimeout(timer)
  // The kill may have cut off the last line.
  return out.split('\n').slice(1, -1)
}

/** Number of kills, and the milliseconds by which each round is longer than the one before. */
const [rounds, longer] = isLongForm ? [6, 17] : [3, 40]
/** Limit of the rounds until there are enough acknowledged updates. */
const maxRounds = 12

async function ownFiles(repository: TestRepository): Promise<string[]> {
  const own = join(repository.dir, '.git/git-metastore')
  return [...(await readdir(own)), ...(await readdir(join(own, 'locks')))]
}

describe('a start after a kill', () => {
  afterEach(removeRepositories)

  for (const git of ['auto', 'none']) {
    it(`has every acknowledged update, clean folders and a clean status (git: ${git})`, async () => {
      const repository = await temporaryRepository()
      const first = await repository.compose()
      await registerNote(first)
      await first.close()
      const acknowledged: string[] = []

      // On a busy machine a round has few updates. Each later round lasts longer than the one before.
      for (let round = 0; round < rounds || (acknowledged.length <= 10 && round < maxRounds); round++) {
        acknowledged.push(...(await writeAndKill(repository, git, longer * round)))
        const services = await repository.compose({ git })
        await services.workTreeUpToDate()

        for (const line of acknowledged) {
          const [id = '', version = '', commit = ''] = line.split(' ')
          const revision = services.collections.metadata.read(selfPrincipal, id as Id, parseVersion(version))
          expect(revision.commit).to.equal(commit)
        }
        expect(await repository.git('status', '--porcelain')).to.equal('')
        expect(await repository.git('fsck', '--strict', '--no-dangling')).to.equal('')
        const left = (await ownFiles(repository)).filter(name => /~|checkout-|new-|probe-/.test(name))
        expect(left).to.deep.equal([])
        expect(existsSync(join(repository.dir, '.git/index.lock'))).to.equal(false)
        const packs = await readdir(join(repository.dir, '.git/objects/pack'))
        expect(packs.filter(name => name.endsWith('.keep'))).to.deep.equal([])
        await services.close()
      }
      expect(acknowledged.length).to.be.greaterThan(10)
    })
  }

  it('updates the work tree and the index to HEAD, and leaves uncommitted edits untouched', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const kept = await createNote(services, 'kept')
    const edited = await createNote(services, 'to be edited')
    await services.workTreeUpToDate()
    const behind = await repository.head()
    const oldIndex = await readFile(join(repository.dir, '.git/index'))
    const revised = await reviseNote(services, kept, 'newer')
    const added = await createNote(services, 'added')
    await services.close()
    // Files as a kill leaves them between the move of the branch and the update of the work tree, plus uncommitted
    // edits.
    const path = (id: Id) => join(repository.dir, recordDirectory('metadata', id), 'document.json')
    await writeFile(join(repository.dir, '.git/index'), oldIndex)
    await writeFile(join(repository.dir, '.git/git-metastore/work-tree'), `${behind}\n`)
    await writeFile(path(kept.id), '{"title":"kept"}')
    await writeFile(path(edited.id), '{"title":"edited by hand"}')
    await mkdir(join(repository.dir, 'drafts'))
    await writeFile(join(repository.dir, 'drafts/idea.txt'), 'an idea\n')

    const again = await repository.compose()
    await again.workTreeUpToDate()

    expect(await readFile(path(revised.id), 'utf8')).to.equal('{"title":"newer"}')
    expect(await readFile(path(added.id), 'utf8')).to.equal('{"title":"added"}')
    expect(await readFile(path(edited.id), 'utf8')).to.equal('{"title":"edited by hand"}')
    const status = (await repository.git('status', '--porcelain')).split('\n').sort()
    expect(status).to.deep.equal([` M ${recordDirectory('metadata', edited.id)}/document.json`, '?? drafts/'])
  })

  it('updates files outside the records, too, which a push may have changed', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await repository.commit('Say hello', { 'README.md': 'hello\n', 'old.txt': 'old\n' })
    await services.close()
    const behind = await repository.head()
    const index = await readFile(join(repository.dir, '.git/index'))
    await repository.commit('Say more', {
      'README.md': 'hello, world\n',
      'old.txt': null,
      'new.txt': 'new\n',
    })
    await writeFile(join(repository.dir, '.git/index'), index)
    await writeFile(join(repository.dir, '.git/git-metastore/work-tree'), `${behind}\n`)
    await writeFile(join(repository.dir, 'README.md'), 'hello\n')
    await writeFile(join(repository.dir, 'old.txt'), 'old\n')

    await (await repository.compose()).workTreeUpToDate()

    expect(await readFile(join(repository.dir, 'README.md'), 'utf8')).to.equal('hello, world\n')
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('continues from a file that was written before its entry in the index', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const one = await createNote(services, 'one')
    await services.workTreeUpToDate()
    const reflected = await repository.head()
    const index = await readFile(join(repository.dir, '.git/index'))
    const two = await reviseNote(services, one, 'two')
    await reviseNote(services, two, 'three')
    await services.close()
    const file = join(repository.dir, recordDirectory('metadata', one.id), 'document.json')
    await writeFile(join(repository.dir, '.git/index'), index)
    await writeFile(join(repository.dir, '.git/git-metastore/work-tree'), `${reflected}\n`)
    await writeFile(file, '{"title":"two"}')

    await (await repository.compose()).workTreeUpToDate()

    expect(await readFile(file, 'utf8')).to.equal('{"title":"three"}')
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('does not touch a lock of another program', async () => {
    const repository = await temporaryRepository()
    const lock = join(repository.dir, '.git/index.lock')
    await writeFile(lock, '')

    const services = await repository.compose({ patience: 100 })
    await services.close()

    expect(existsSync(lock)).to.equal(true)
  })
})
