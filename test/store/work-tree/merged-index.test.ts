import { statSync } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { type UpdatedWorkTree, updateWorkTree } from '../../../src/store/work-tree/update-work-tree.js'
import { runProgram, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'

/** The files of a work tree, by path. */
type Files = ReadonlyMap<string, string>

interface WorkTree {
  readonly root: string
  /** Runs git. @returns standard output */
  git(...args: readonly string[]): Promise<string>
  /** Updates files and index. A missing content removes the file. */
  update(changes: Readonly<Record<string, string | undefined>>): Promise<UpdatedWorkTree>
}

/** Makes a repository whose index was written by git, with a commit of these files. */
async function committedWorkTree(
  files: Readonly<Record<string, string>>,
  ...config: string[]
): Promise<WorkTree> {
  const root = await temporaryFolder()
  const known = new Map(Object.entries(files))
  const stagingDir = join(root, '.git/git-metastore')
  const git = async (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=Jane', '-c', 'user.email=jane@example.org']
    const { code, stdout, stderr } = await runProgram('git', [...identity, ...args], { cwd: root })
    expect(code, stderr).to.equal(0)
    return stdout.trim()
  }
  await git('init', '-q')
  for (const setting of config) await git('config', ...setting.split('='))
  await mkdir(stagingDir)
  for (const [path, text] of known) {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await git('add', '--all')
  await git('commit', '-q', '--allow-empty', '-m', 'Begin')
  return {
    root,
    git,
    async update(changes) {
      const updates = Object.entries(changes).map(([path, text]) => {
        const before = known.get(path)
        const bytes = text === undefined ? undefined : Buffer.from(text)
        if (text === undefined) known.delete(path)
        else known.set(path, text)
        return {
          path,
          before: [before === undefined ? undefined : hashObject('blob', Buffer.from(before))],
          after: bytes && hashObject('blob', bytes),
          bytes,
        }
      })
      const removals = updates.filter(({ after }) => !after)
      const ordered = [...removals, ...updates.filter(({ after }) => after)]
      const job = { root, gitDir: join(root, '.git'), stagingDir, updates: ordered }
      return updateWorkTree({ ...job, index: undefined, hasEditBases: false })
    },
  }
}

/**
 * Expects that the index has all files, with the times that they have, and that git writes the right trees of it.
 * @param unchanged files that had their new content before the update, so that git has to compare them
 */
async function expectIndexOf(
  { root, git }: WorkTree,
  files: Files,
  unchanged: readonly string[],
): Promise<void> {
  const expected = [...files].map(
    ([path, text]) => `100644 ${hashObject('blob', Buffer.from(text))} 0\t${path}`,
  )
  const listed = (await git('ls-files', '-s', '-z')).split('\0').filter(line => line !== '')
  expect(listed).to.have.members(expected)
  // Git itself added `b/kept.json` just before, so it has to compare the content of that file, too.
  const others = ['b/kept.json', ...unchanged].map(path => `:(exclude)${path}`)
  expect(await git('diff-files', '--', '.', ...others)).to.equal('')
  // `git diff` reads the object of a file whose entry it does not trust.
  if (files.size > 0) await git('hash-object', '-w', '--no-filters', '--', ...files.keys())
  expect(await git('diff', '--name-only')).to.equal('')
  const tree = await git('write-tree')
  const other = { cwd: root, env: { GIT_INDEX_FILE: join(root, '.git/other-index') } }
  await runProgram('git', ['read-tree', '--empty'], other)
  await runProgram('git', ['add', '--all'], other)
  expect((await runProgram('git', ['write-tree'], other)).stdout.trim()).to.equal(tree)
  expect(await git('fsck', '--strict', '--no-dangling', '--no-progress')).to.equal('')
}

describe('an index that is updated without git', () => {
  afterEach(stopProcesses)

  it('equals an index of git after any updates', async () => {
    const name = fc.constantFrom('a', 'b', 'b-', 'b.', 'é', 'z'.repeat(40))
    // Files and folders have different names, because a path is never both.
    const path = fc
      .tuple(fc.array(name, { maxLength: 3 }), name)
      .map(([folders, file]) => [...folders, `${file}.json`].join('/'))
    const change = fc.tuple(path, fc.option(fc.constantFrom('', 'one', 'two', 'three'), { nil: undefined }))
    // Without a check, no git command reads or writes the index between two rounds.
    const round = fc.tuple(fc.array(change, { minLength: 1, maxLength: 12 }), fc.boolean())
    const rounds = fc.array(round, { minLength: 1, maxLength: 5 })
    const same: [[string, 'one'][], boolean] = [[['a.json', 'one']], false]
    const sameTwice: (typeof same)[] = [same, same, [[], false]]
    await fc.assert(
      fc.asyncProperty(rounds, async changes => {
        const files = new Map([['b/kept.json', 'kept']])
        const tree = await committedWorkTree(Object.fromEntries(files))
        for (const [number, [round, isChecked]] of changes.entries()) {
          const updated = await tree.update(Object.fromEntries(round))
          expect(updated.index).to.be.a('string')
          const before = new Map(files)
          for (const [path, text] of round) {
            if (text === undefined) files.delete(path)
            else files.set(path, text)
          }
          if (isChecked || number === changes.length - 1)
            await expectIndexOf(
              tree,
              files,
              [...files.keys()].filter(path => files.get(path) === before.get(path)),
            )
        }
      }),
      { numRuns: 12, examples: [[sameTwice]] },
    )
  })

  it('has paths that are longer than the length in an entry can say', async () => {
    const long = `${Array.from({ length: 20 }, () => 'x'.repeat(200)).join('/')}/`
    const tree = await committedWorkTree({ 'a.json': 'one' })
    for (const name of ['b', 'c']) {
      const updated = await tree.update({ [`${long}${name}`.slice(0, 3900)]: name })
      expect(updated.left.length + updated.current.size).to.equal(1)
    }

    expect((await tree.git('ls-files')).split('\n')).to.include('a.json')
    expect(await tree.git('diff', '--name-only')).to.equal('')
  })

  it('shows an edit of the same length in the moment after the update', async () => {
    const tree = await committedWorkTree({ 'a.json': 'one' })
    await tree.update({ 'a.json': 'two', 'b/c.json': 'two' })
    await writeFile(join(tree.root, 'a.json'), 'six')
    await writeFile(join(tree.root, 'b/c.json'), 'six')
    await tree.update({ 'd.json': 'two' })

    await tree.git('hash-object', '-w', 'd.json')
    expect((await tree.git('diff', '--name-only')).split('\n')).to.deep.equal(['a.json', 'b/c.json'])
  })

  it('keeps zeros in place of a checksum', async () => {
    const tree = await committedWorkTree({ 'a.json': 'one' })
    const file = join(tree.root, '.git/index')
    const index = await readFile(file)
    await writeFile(file, index.fill(0, index.length - 20))

    expect((await tree.update({ 'b.json': 'two' })).index).to.be.a('string')
    expect((await readFile(file)).subarray(-20)).to.deep.equal(Buffer.alloc(20))
    expect(await tree.git('ls-files')).to.equal('a.json\nb.json')
  })

  const cases: Readonly<Record<string, (tree: WorkTree) => Promise<unknown>>> = {
    'is damaged': tree => appendFile(join(tree.root, '.git/index'), 'x'),
    'has compressed paths': tree => tree.git('update-index', '--index-version', '4'),
    'is split': tree => tree.git('update-index', '--split-index'),
    'assumes that the file is unchanged': tree => tree.git('update-index', '--assume-unchanged', 'a.json'),
    'has the file as one that is not checked out': tree =>
      tree.git('update-index', '--skip-worktree', 'a.json'),
    'has a file in place of the folder': async tree => {
      const blob = hashObject('blob', Buffer.from('one'))
      return await tree.git('update-index', '--add', '--cacheinfo', `100644,${blob},b`)
    },
    'has a folder in place of the file': async tree => {
      const blob = hashObject('blob', Buffer.from('one'))
      return await tree.git('update-index', '--add', '--cacheinfo', `100644,${blob},b/c.json/d`)
    },
  }
  for (const [what, prepare] of Object.entries(cases))
    it(`stays as it was for git to update if it ${what}`, async () => {
      const tree = await committedWorkTree({ 'a.json': 'one' })
      await prepare(tree)
      const index = await readFile(join(tree.root, '.git/index'))

      expect((await tree.update({ 'a.json': 'two', 'b/c.json': 'two' })).index).to.equal(undefined)
      expect(await readFile(join(tree.root, '.git/index'))).to.deep.equal(index)
    })

  it('keeps its permissions', async () => {
    const tree = await committedWorkTree({ 'a.json': 'one' }, 'core.sharedRepository=0660')
    await tree.update({ 'b.json': 'two' })

    expect(statSync(join(tree.root, '.git/index')).mode & 0o777).to.equal(0o660)
  })
})
