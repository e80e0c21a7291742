import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, runProgram, startServer, stopProcesses } from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  goodDocument,
  initExampleRepository,
  postExampleRecord,
} from '../../support/repository/example-repository.js'
import { createNote, noteId, registerNote, reviseNote } from '../../support/repository/note-records.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const damages = {
  empty: (index: string) => truncate(index, 0),
  'cut off': async (index: string) => truncate(index, (await readFile(index)).length - 30),
  'overwritten with zeros': async (index: string) =>
    writeFile(index, Buffer.alloc((await readFile(index)).length)),
  removed: (index: string) => rm(index),
}

describe('the index of a work tree with a server', () => {
  afterEach(stopProcesses)

  it('never contains an unstaged edit, if git updates it', async () => {
    const hand = await initExampleRepository()
    const file = `${exampleRecordFolder}/document.json`
    const git = join(hand.folder, 'git')
    // Edits the file after the server has checked it out, and before git reads it.
    const script = `case "$*" in *update-index*--stdin*) echo '{"title": "Mine"}' > ${join(hand.data, file)} ;; esac`
    await writeFile(git, `#!/bin/sh\n${script}\nexec git "$@"\n`, { mode: 0o755 })
    const server = await startServer(['--data', hand.data, '--git', git], { env: { METASTORE_PLAIN: '1' } })

    const body = new FormData()
    body.set('document', new Blob([goodDocument('Another')], { type: 'application/json' }), 'document.json')
    const url = `${server.url}api/v1/metadata/${exampleRecordId}`
    const answer = await fetch(url, { method: 'PUT', headers: { 'If-Match': '*' }, body })
    expect(answer.status, await answer.text()).to.equal(200)

    await waitUntil('the index has the update', async () => {
      const locked = (await readdir(join(hand.data, '.git'))).includes('index.lock')
      return !locked && (await hand.tryGit('diff', '--cached', '--quiet')).code === 0
    })
    expect((await hand.tryGit('status', '--porcelain')).stdout).to.equal(` M ${file}\n`)
    expect(await readFile(join(hand.data, file), 'utf8')).to.equal('{"title": "Mine"}\n')
  })
})

describe('an empty or damaged index', () => {
  let hand: ExampleRepository
  let index: string
  beforeEach(async () => {
    hand = await initExampleRepository()
    index = join(hand.data, '.git/index')
  })
  afterEach(stopProcesses)

  for (const [how, damage] of Object.entries(damages)) {
    it(`is rebuilt when the server starts, and edits remain: ${how}`, async () => {
      // The index lacks files that the server will check out.
      expect((await hand.run('list')).code).to.equal(0)
      await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
      await hand.write('notes.txt', 'a note\n')
      await hand.git('add', 'notes.txt')
      await damage(index)

      const server = await startServer(['--data', hand.data])
      expect(await postExampleRecord(server, 'one')).to.equal(201)
      expect((await server.stop()).code).to.equal(0)

      expect(server.stderr()).to.match(/\.git\/index was (empty|damaged|missing); it was rebuilt from commit/)
      expect((await hand.git('status', '--porcelain')).split('\n').map(line => line.trim())).to.have.members([
        `M ${exampleRecordFolder}/document.json`,
        '?? notes.txt',
      ])
    })
  }

  it('is rebuilt while the server runs, and git works again', async () => {
    const server = await startServer(['--data', hand.data])
    expect(await postExampleRecord(server, 'one')).to.equal(201)
    await waitUntil('the work tree is followed', async () => !(await hand.git('status', '--porcelain')))
    for (const [at, damage] of Object.values(damages).entries()) {
      await damage(index)
      expect(await postExampleRecord(server, `after-${at}`)).to.equal(201)
      await waitUntil('the work tree is followed again', async () => {
        const { code, stdout } = await hand.tryGit('status', '--porcelain')
        return code === 0 && stdout === ''
      })
    }
    expect((await server.stop()).code).to.equal(0)
    expect(server.stderr()).to.contain('.git/index was empty; it was rebuilt')
  })

  it('is reported by the command status, and a running server answers', async () => {
    const server = await startServer(['--data', hand.data])
    await damages.empty(index)
    expect((await fetch(`${server.url}health`)).status).to.equal(200)
    expect((await server.stop()).code).to.equal(0)

    await damages.empty(index)
    expect((await runMetastore(['status', '--data', hand.data])).stdout).to.contain('.git/index is empty.')
  })

  for (const [how, damage] of Object.entries(damages)) {
    it(`is rebuilt by repair: ${how}`, async () => {
      expect((await hand.run('list')).code).to.equal(0)
      await hand.write(`${exampleRecordFolder}/document.json`, goodDocument('edited'))
      await damage(index)

      const { code, stdout } = await hand.run('repair')

      expect(stdout).to.match(/^rebuilt {2}index: .*staged again\.\n$/)
      expect(code).to.equal(0)
      expect(await hand.git('status', '--porcelain')).to.equal(`M ${exampleRecordFolder}/document.json`)
      expect((await hand.run('repair')).stdout).to.contain('Nothing is damaged')
      expect((await hand.run('get', exampleRecordId)).stdout).to.not.contain('edited')
    })
  }
})

describe('a split index with a damaged shared part', () => {
  afterEach(stopProcesses)

  for (const [how, damage] of Object.entries(damages)) {
    it(`is rebuilt by repair and when the server starts: ${how}`, async () => {
      const hand = await initExampleRepository()
      expect((await hand.run('list')).code).to.equal(0)
      for (const mend of ['repair', 'start'] as const) {
        await hand.git('update-index', '--split-index')
        const gitDir = join(hand.data, '.git')
        const shared = (await readdir(gitDir)).filter(name => name.startsWith('sharedindex.'))
        expect(shared).to.not.be.empty
        for (const name of shared) await damage(join(gitDir, name))
        expect((await hand.tryGit('status')).code).to.not.equal(0)

        if (mend === 'repair') expect((await hand.run('repair')).stdout).to.match(/^rebuilt {2}index: /)
        else {
          const server = await startServer(['--data', hand.data])
          expect(await postExampleRecord(server, 'one')).to.equal(201)
          expect((await server.stop()).code).to.equal(0)
        }

        expect(await hand.git('status', '--porcelain')).to.equal('')
      }
    })
  }
})

describe('an index that is rebuilt after a stop', () => {
  afterEach(removeRepositories)

  for (const git of ['auto', 'none']) {
    it(`has the commit of the files, which then follow the branch: git ${git}`, async () => {
      const repository = await temporaryRepository()
      const services = await repository.compose({ git })
      await registerNote(services)
      const first = await createNote(services, 'first')
      await services.workTreeUpToDate()
      await services.close()
      const reflected = await readFile(join(repository.dir, '.git/git-metastore/work-tree'), 'utf8')
      const [before, document] = [await repository.head(), await documentOf(repository.dir)]
      // The state after a kill: the branch has moved, files and index are old.
      const other = await repository.compose({ git })
      await reviseNote(other, first, 'second')
      await other.workTreeUpToDate()
      await other.close()
      await repository.git('checkout', '-q', before, '--', '.')
      await writeFile(join(repository.dir, '.git/git-metastore/work-tree'), reflected)
      expect(await documentOf(repository.dir)).to.equal(document)
      await truncate(join(repository.dir, '.git/index'), 0)

      const again = await repository.compose({ git })
      await again.workTreeUpToDate()

      expect(await documentOf(repository.dir)).to.contain('second')
      expect(await repository.git('status', '--porcelain')).to.equal('')
      expect(await repository.git('ls-files', 'schemas')).to.contain(`schemas/${noteId}/record.json`)
    })
  }
})

async function documentOf(dir: string): Promise<string> {
  const { stdout } = await runProgram('sh', ['-c', 'cat metadata/*/*/*/*/*/document.json'], { cwd: dir })
  return stdout
}
