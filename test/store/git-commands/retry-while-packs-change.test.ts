import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openGitLogHistory } from '../../../src/store/commit-history/git-log.js'
import { readWithGit, whilePacksChange } from '../../../src/store/git-commands/retry-while-packs-change.js'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import { MissingObject } from '../../../src/store/objects/object-errors.js'
import { gitRepack } from '../../../src/store/packs/pack-merger.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import {
  type PlainRepository,
  plainRepository,
  removePlainRepositories,
  temporaryFolderSync,
} from '../../support/repository/plain-git-repository.js'

describe('reads that fail while packs change', () => {
  let repo: PlainRepository
  let folder: string

  beforeEach(() => {
    repo = plainRepository()
    folder = temporaryFolderSync()
    for (let index = 0; index < 50; index++) repo.commit(`commit ${index} ${'x'.repeat(200)}`)
    repo.git('repack', '-adq')
  })
  afterEach(removePlainRepositories)

  /** Replaces all packs with another one. */
  function exchange(): void {
    repo.write('more', `${Math.random()}`)
    repo.git('add', '-A')
    repo.git(
      'update-ref',
      'refs/heads/more',
      repo.feed('', 'commit-tree', '-m', 'more', repo.git('write-tree')),
    )
    repo.git('repack', '-adq')
  }
  const exchanging = () =>
    `git -C '${repo.dir}' tag "t$(wc -l <'${folder}/runs')" && ` +
    `git -C '${repo.dir}' commit -q --allow-empty -m more && git -C '${repo.dir}' repack -adq`

  /** A git that runs `doing` and fails, as long as the condition holds. @returns its path */
  function failing(command: string, condition: string, doing: string, output = ''): string {
    const wrapper = join(folder, 'git')
    const lines = [
      '#!/bin/sh',
      'case "$*" in',
      `*" ${command} "*) echo >>'${folder}/runs'; runs=$(wc -l <'${folder}/runs')`,
      `if ${condition}; then ${output} ${doing}; echo 'fatal: unable to read a tree' >&2; exit 128; fi ;;`,
      'esac',
      'exec git "$@"',
    ]
    writeFileSync(wrapper, `${lines.join('\n')}\n`)
    chmodSync(wrapper, 0o755)
    return wrapper
  }
  const runs = () => (existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs')).length : 0)

  it('are repeated until they succeed', async () => {
    const git = failing('rev-list', '[ $runs -le 3 ]', exchanging())

    const { code, stdout } = await readWithGit(git, repo.gitDir, ['rev-list', '--count', 'HEAD'])

    expect([code, Number(stdout), runs()]).to.deep.equal([0, 53, 4])
  })

  for (const command of ['repack', 'commit-graph']) {
    it(`are repeated while packs are merged: ${command}`, async () => {
      const git = failing(command, '[ $runs -le 2 ]', exchanging())
      const merged = await gitRepack(git, repo.gitDir, new AbortController().signal, () => Promise.resolve())

      expect(merged).to.equal('done')
      expect(runs()).to.be.greaterThan(2)
      expect(repo.git('fsck', '--strict', '--full')).to.equal('')
    })
  }

  it('fail if the packs stay unchanged during one of them', async () => {
    const git = failing('rev-list', 'true', 'true')

    const { code, stderr } = await readWithGit(git, repo.gitDir, ['rev-list', '--count', 'HEAD'])

    expect([code, stderr, runs()]).to.deep.equal([128, 'fatal: unable to read a tree', 2])
  })

  it('end with "try again" if the packs keep changing', async () => {
    let looks = 0
    const read = async () => {
      looks++
      exchange()
      throw new MissingObject('0'.repeat(40))
    }
    const reread = whilePacksChange(repo.gitDir, {}, 500)

    const problem = await expectProblem(() => reread(read, () => true), 'unavailable', 'kept changing')

    expect(problem.extra.retryAfter).to.be.greaterThan(0)
    expect(looks).to.be.greaterThan(1)
  })

  it('include packs of alternates', async () => {
    const borrower = plainRepository()
    writeFileSync(join(borrower.gitDir, 'objects/info/alternates'), `# one\n${repo.gitDir}/objects\n`)
    let looks = 0

    const found = await whilePacksChange(borrower.gitDir)(
      async () => {
        looks++
        if (looks > 3) return 'found'
        exchange()
        throw new MissingObject('0'.repeat(40))
      },
      () => true,
    )

    expect([found, looks]).to.deep.equal(['found', 4])
  })

  it('of the history continue after the last commit', async () => {
    const half = `git "$@" | head -c 9000;`
    const git = failing('log', '[ $runs -le 2 ]', exchanging(), half)
    const objects = openCatFileReader('git', repo.gitDir)
    const head = repo.head()
    const subjects: string[] = []
    try {
      for await (const { commit } of openGitLogHistory(git, repo.gitDir, objects).walk(undefined, head))
        subjects.push(commit.subject.split(' ', 2).join(' '))
    } finally {
      await objects.close()
    }

    expect(subjects).to.deep.equal(Array.from({ length: 50 }, (_, index) => `commit ${index}`))
    expect(runs()).to.be.greaterThan(2)
  })

  it('of the history fail with the error of git if no pack changed', async () => {
    const git = failing('log', 'true', 'true')
    const objects = openCatFileReader('git', repo.gitDir)
    try {
      const walked = openGitLogHistory(git, repo.gitDir, objects).walk(undefined, repo.head())
      const error = await walked[Symbol.asyncIterator]()
        .next()
        .catch((thrown: unknown) => thrown)
      expect(error).to.include({ kind: 'damaged' })
      expect(String((error as Error).cause)).to.contain('unable to read a tree')
    } finally {
      await objects.close()
    }
    rmSync(join(folder, 'git'))
  })
})
