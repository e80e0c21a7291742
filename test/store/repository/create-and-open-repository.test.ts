import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ProblemError, type ProblemKind } from '../../../src/core/problem.js'
import { findGitBinary } from '../../../src/store/git-commands/git-binary.js'
import { type OpenOptions, openRepository } from '../../../src/store/repository/open-repository.js'
import { createRepository } from '../../../src/store/work-tree/create-repository.js'
import {
  type PlainRepository,
  plainRepositoryAt,
  removePlainRepositories,
  temporaryFolderSync,
} from '../../support/repository/plain-git-repository.js'

const files = new Map(
  Object.entries({
    'README.md': '# Hello\n',
    'schemas/dc/record.json': '{}\n',
    'schemas.txt': '',
    'a/b/c/d': 'deep\r\n',
  }).map(([path, text]) => [path, Buffer.from(text)]),
)

async function freshRepository(bare = false): Promise<PlainRepository> {
  const dir = join(temporaryFolderSync(), 'data')
  await createRepository(dir, { bare, files })
  return plainRepositoryAt(dir, bare ? dir : join(dir, '.git'))
}

/** Every path below a folder with its bytes. Two snapshots show whether a file changed. */
function snapshot(dir: string): unknown {
  return (readdirSync(dir, { recursive: true }) as string[])
    .map(
      path =>
        [path, statSync(join(dir, path)).isFile() ? readFileSync(join(dir, path), 'latin1') : ''] as const,
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

async function refusal(call: Promise<unknown>): Promise<ProblemError> {
  try {
    await call
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
  throw new Error('The call did not fail.')
}

describe('creating a repository', () => {
  afterEach(removePlainRepositories)

  it('makes one commit with the files, a clean work tree and the required settings', async () => {
    const repo = await freshRepository()

    expect(repo.git('status', '--porcelain')).to.equal('')
    expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    expect(repo.git('log', '--format=%cn %ce %P')).to.equal('git-metastore service@git-metastore ')
    expect(repo.git('log', '--format=%(trailers:key=Recorded-At,valueonly)').trim()).to.match(
      /^\d{4}-.*\.\d{3}Z$/,
    )
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).to.have.members([
      ...files.keys(),
      'metastore.json',
      '.gitattributes',
    ])
    for (const [path, bytes] of files) expect(readFileSync(join(repo.dir, path)).equals(bytes)).to.equal(true)
    expect(repo.git('show', 'HEAD:.gitattributes')).to.equal('* -text')
    expect(JSON.parse(repo.git('show', 'HEAD:metastore.json'))).to.deep.include({ layout: 1, name: 'data' })
    expect(['gc.auto', 'core.fsync', 'core.autocrlf'].map(name => repo.git('config', name))).to.deep.equal([
      '0',
      'all',
      'false',
    ])
    expect(repo.git('symbolic-ref', 'HEAD')).to.equal('refs/heads/main')
  })

  it('makes a repository that works with git', async () => {
    const repo = await freshRepository()
    repo.write('README.md', 'changed\n')

    repo.commit('by a person')

    expect(repo.git('log', '--format=%s')).to.equal('by a person\nMake the repository')
    expect(repo.git('reflog', '--format=%gs')).to.equal(
      'commit: by a person\ncommit (initial): Make the repository',
    )
    expect(repo.git('status', '--porcelain')).to.equal('')
  })

  it('can make a bare repository, on the given branch', async () => {
    const dir = join(temporaryFolderSync(), 'a', 'b')
    await createRepository(dir, { bare: true, branch: 'served/one', files })
    const repo = plainRepositoryAt(dir, dir)

    expect(repo.git('rev-parse', '--is-bare-repository')).to.equal('true')
    expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    expect(repo.git('symbolic-ref', 'HEAD')).to.equal('refs/heads/served/one')
    const opened = await openRepository(dir)
    expect(opened).to.deep.include({ dir, gitDir: dir, bare: true, branch: 'refs/heads/served/one' })
    await opened.close()
  })

  it('accepts an empty folder, and keeps given files instead of its own', async () => {
    const dir = temporaryFolderSync()
    await createRepository(dir, {
      bare: false,
      files: new Map([['metastore.json', Buffer.from('{"layout":1}\n')]]),
    })

    expect(plainRepositoryAt(dir).git('show', 'HEAD:metastore.json')).to.equal('{"layout":1}')
  })

  it('refuses a folder with anything in it, and a file', async () => {
    const dir = temporaryFolderSync()
    writeFileSync(join(dir, 'mine'), 'x')

    expect((await refusal(createRepository(dir, { bare: false }))).kind).to.equal('unusable-repository')
    expect((await refusal(createRepository(join(dir, 'mine'), { bare: false }))).kind).to.equal(
      'unusable-repository',
    )
    expect((await refusal(createRepository(join(dir, 'mine', 'below'), { bare: false }))).kind).to.equal(
      'unusable-repository',
    )
    expect(readdirSync(dir)).to.deep.equal(['mine'])
  })

  it('leaves no files if it fails', async () => {
    const root = temporaryFolderSync()
    const clash = new Map([
      ['a', Buffer.from('a file')],
      ['a/b', Buffer.from('and a folder')],
    ])

    const failure = await createRepository(join(root, 'data'), { bare: false, files: clash }).catch(
      (error: unknown) => error,
    )

    expect(failure).to.be.instanceOf(Error)
    expect(readdirSync(root)).to.deep.equal([])
  })
})

for (const git of ['auto', 'none']) {
  describe(`opening a repository ${git === 'none' ? 'without' : 'with'} a git binary`, () => {
    afterEach(removePlainRepositories)

    const options: OpenOptions = { git }

    /** Checks that the folder is refused and unchanged, and that the message contains the words. */
    async function refuses(dir: string, ...words: readonly (string | RegExp)[]): Promise<void> {
      await refusesAs('unusable-repository', dir, ...words)
    }

    async function refusesAs(
      kind: ProblemKind,
      dir: string,
      ...words: readonly (string | RegExp)[]
    ): Promise<void> {
      const before = existsSync(dir) && statSync(dir).isDirectory() ? snapshot(dir) : undefined
      const problem = await refusal(openRepository(dir, options))
      expect(problem.kind).to.equal(kind)
      for (const word of words)
        expect(problem.message).to.match(typeof word === 'string' ? new RegExp(word) : word)
      if (before) expect(snapshot(dir)).to.deep.equal(before)
    }

    it('opens it, and creates only the folder of git-metastore', async () => {
      const repo = await freshRepository()
      rmSync(join(repo.gitDir, 'git-metastore'), { recursive: true, force: true })
      const before = snapshot(repo.dir)

      const opened = await openRepository(repo.dir, options)

      expect(opened).to.deep.include({
        dir: repo.dir,
        gitDir: repo.gitDir,
        ownDir: join(repo.gitDir, 'git-metastore'),
        bare: false,
        branch: 'refs/heads/main',
      })
      expect(opened.git ?? 'none').to.match(git === 'none' ? /^none$/ : /\/git$/)
      expect(await opened.head()).to.equal(repo.head())
      repo.write('x', 'x')
      const next = repo.commit('next')
      expect(await opened.head()).to.equal(next)
      repo.git('pack-refs', '--all')
      expect(await opened.head()).to.equal(next)
      expect((await opened.history.commit(next)).subject).to.equal('next')
      await opened.close()
      repo.git('reset', '-q', '--hard', 'HEAD~1')
      expect(statSync(opened.ownDir).isDirectory()).to.equal(true)
      expect((before as string[][]).some(([path]) => path?.includes('git-metastore'))).to.equal(false)
    })

    it('refuses a path without a folder or repository, and never uses an enclosing one', async () => {
      const repo = await freshRepository()
      mkdirSync(join(repo.dir, 'inner'))

      await refuses(join(repo.dir, 'nowhere'), 'no folder', 'git-metastore init')
      await refuses(join(repo.dir, 'README.md'), 'not a folder')
      await refuses(join(repo.dir, 'README.md', 'x'))
      await refuses(join(repo.dir, 'inner'), 'not a Git repository')
      await refuses(repo.gitDir, 'inside of a repository')
    })

    it('refuses linked work trees and submodules', async () => {
      const repo = await freshRepository()
      const linked = join(temporaryFolderSync(), 'linked')
      repo.git('worktree', 'add', '-q', linked, '-b', 'other')

      await refuses(linked, 'linked work tree')
    })

    it('refuses a detached HEAD and a branch without a commit', async () => {
      const repo = await freshRepository()
      repo.git('checkout', '-q', '--detach')
      await refuses(repo.dir, 'detached', 'checkout')
      repo.git('checkout', '-q', '--orphan', 'unborn')
      await refuses(repo.dir, 'no commit yet')
    })

    it('refuses a branch that is damaged', async () => {
      const repo = await freshRepository()
      writeFileSync(join(repo.gitDir, 'refs/heads/main'), '')
      await refusesAs('damaged', repo.dir, 'damaged', 'git-metastore repair --from')
      writeFileSync(join(repo.gitDir, 'refs/heads/main'), `${'1'.repeat(40)}\n`)
      await refusesAs('damaged', repo.dir, 'damaged', 'git-metastore repair --from')
    })

    it('refuses a shallow clone with the command that completes it', async () => {
      const repo = await freshRepository()
      repo.commit('second')
      const clone = join(temporaryFolderSync(), 'clone')
      repo.git('clone', '-q', '--depth', '1', `file://${repo.dir}`, clone)

      await refuses(clone, 'shallow', 'fetch --unshallow')
      plainRepositoryAt(clone).git('fetch', '-q', '--unshallow')
      await (await openRepository(clone, options)).close()
    })

    it('refuses unknown formats of Git', async () => {
      const repo = await freshRepository()
      const sha256 = join(temporaryFolderSync(), 'sha256')
      repo.git('init', '-q', '--object-format=sha256', sha256)
      await refuses(sha256, 'sha256')
      repo.git('config', 'core.repositoryformatversion', '1')
      for (const [name, value, word] of [
        ['refstorage', 'reftable', 'reftable'],
        ['somethingNew', 'true', 'somethingnew'],
        ['partialClone', 'origin', 'partial clone'],
      ] as const) {
        const config = readFileSync(join(repo.gitDir, 'config'))
        writeFileSync(join(repo.gitDir, 'config'), `${config}[extensions]\n\t${name} = ${value}\n`)
        await refuses(repo.dir, word)
        writeFileSync(join(repo.gitDir, 'config'), config)
      }
      writeFileSync(join(repo.gitDir, 'config'), '[core]\n\trepositoryformatversion = 2\n')
      await refuses(repo.dir, 'format')
    })

    it('refuses other repositories and newer layouts, by the newest commit and not by the files', async () => {
      const repo = await freshRepository()
      const marker = async (text: string | undefined, ...words: readonly (string | RegExp)[]) => {
        if (text === undefined) rmSync(join(repo.dir, 'metastore.json'))
        else repo.write('metastore.json', text)
        repo.commit('marker')
        repo.write('metastore.json', '{"layout": 1}')
        await refuses(repo.dir, ...words)
      }
      await marker('{"layout": 2}', 'layout version 2', 'Upgrade')
      await marker('{"layout": "1"}', 'layout')
      await marker('{"layout": 1.5}', 'layout')
      await marker('{}', 'layout')
      await marker('null', 'layout')
      await marker('{"layout": 1', 'JSON')
      await marker(undefined, 'not one of git-metastore')
      rmSync(join(repo.dir, 'metastore.json'))
      symlinkSync('README.md', join(repo.dir, 'metastore.json'))
      repo.commit('link')
      await refuses(repo.dir, 'plain file')

      repo.git('reset', '-q', '--hard', repo.git('rev-list', '--max-parents=0', 'HEAD'))
      repo.write('metastore.json', '{"layout": 99}')
      await (await openRepository(repo.dir, options)).close()
    })

    it('refuses a folder without permission to read or write, with a clear message', async function () {
      if (process.getuid?.() === 0) this.skip()
      const repo = await freshRepository()
      rmSync(join(repo.gitDir, 'git-metastore'), { recursive: true, force: true })
      chmodSync(repo.gitDir, 0o500)
      await refuses(repo.dir, 'cannot be written', 'permission denied')
      chmodSync(repo.gitDir, 0o000)
      const problem = await refusal(openRepository(repo.dir, options))
      chmodSync(repo.gitDir, 0o700)
      expect(problem.message).to.match(/cannot be read/)
    })

    it('refuses a file in place of the folder of git-metastore', async () => {
      const repo = await freshRepository()
      rmSync(join(repo.gitDir, 'git-metastore'), { recursive: true, force: true })
      writeFileSync(join(repo.gitDir, 'git-metastore'), '')

      await refuses(repo.dir, 'not a folder')
    })
  })
}

describe('a repository with alternates', () => {
  afterEach(removePlainRepositories)

  it('is opened with git, and refused without', async () => {
    const repo = await freshRepository()
    const clone = join(temporaryFolderSync(), 'clone')
    repo.git('clone', '-q', '--shared', repo.dir, clone)

    await (await openRepository(clone)).close()
    expect((await refusal(openRepository(clone, { git: 'none' }))).message).to.match(/borrows objects/)
  })
})

describe('looking for a git binary', () => {
  afterEach(removePlainRepositories)

  function fakeGit(version: string): string {
    const path = join(temporaryFolderSync(), 'git')
    writeFileSync(path, `#!/bin/sh\necho "git version ${version}"\n`, { mode: 0o755 })
    return path
  }

  it('accepts a given one that is new enough, and refuses others', async () => {
    const good = fakeGit('2.31.0')
    const next = fakeGit('10.0.1.windows.1')

    expect(await findGitBinary(good)).to.equal(good)
    expect(await findGitBinary(next)).to.equal(next)
    expect((await refusal(findGitBinary(fakeGit('2.30.9')))).message).to.include('2.30.9')
    expect((await refusal(findGitBinary('/nowhere/git'))).kind).to.equal('unusable-repository')
    expect(await findGitBinary('none')).to.equal(undefined)
    expect(await findGitBinary('auto')).to.match(/^\/.*\/git$/)
  })
})
