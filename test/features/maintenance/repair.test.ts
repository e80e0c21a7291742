// test-schedule: first
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import type { RepairReport } from '../../../src/features/maintenance/repair/repair-report.js'
import { createRepository } from '../../../src/store/work-tree/create-repository.js'
import { canTrace } from '../../faults/rounds/system-call-faults.js'
import {
  type FinishedProcess,
  programScript,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { createNote, registerNote, reviseNote } from '../../support/repository/note-records.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  withRepositoryAt,
} from '../../support/repository/test-repository.js'

/** A repository with a schema and three notes, the first in three versions, and a complete mirror. */
async function repositoryAndMirror(): Promise<{
  repository: TestRepository
  gitDir: string
  mirror: string
}> {
  const repository = await temporaryRepository({ make: folder => copyPrepared('notes', folder, makeNotes) })
  const mirror = join(await temporaryFolder(), 'mirror.git')
  await repository.git('clone', '-q', '--mirror', '--no-hardlinks', '.', mirror)
  return { repository, gitDir: join(repository.dir, '.git'), mirror }
}

/** The same with one more note at commit `head`. The mirror lacks the note: it is at commit `behind`. */
async function repositoryAheadOfMirror() {
  const made = await repositoryAndMirror()
  const { repository } = made
  const behind = await repository.head()
  const services = await repository.compose()
  await createNote(services, 'Newer', { id: 'four' })
  await services.workTreeUpToDate()
  await services.close()
  return { ...made, behind, head: await repository.head() }
}

async function makeNotes(folder: string): Promise<void> {
  await createRepository(folder, { bare: false })
  await withRepositoryAt(folder, async repository => {
    const services = await repository.compose()
    await registerNote(services)
    let first = await createNote(services, 'One, with some text to be found again', { id: 'one' })
    first = await reviseNote(services, first, 'One, second version')
    await reviseNote(services, first, 'One, third version')
    await createNote(services, 'Two', { id: 'two' })
    await createNote(services, 'Three', { id: 'three' })
    await services.workTreeUpToDate()
  })
}

async function repair(
  dir: string,
  ...args: readonly string[]
): Promise<{ ended: FinishedProcess; report: RepairReport }> {
  const ended = await runMetastore(['repair', '--json', '--data', dir, ...args])
  return { ended, report: (ended.stdout === '' ? {} : JSON.parse(ended.stdout)) as RepairReport }
}

function packsOf(gitDir: string): readonly string[] {
  const folder = join(gitDir, 'objects/pack')
  return readdirSync(folder)
    .filter(name => name.endsWith('.pack'))
    .map(name => join(folder, name))
}

/** Every file below a folder, except files of SQLite and locks. */
function stateOf(folder: string): string {
  const listed = execFileSync(
    'find',
    ['.', '-type', 'f', '-not', '-name', '*.sqlite*', '-not', '-name', '*.lock'],
    {
      cwd: folder,
    },
  )
  return listed
    .toString()
    .split('\n')
    .filter(path => path !== '')
    .sort()
    .map(path => `${path} ${readFileSync(join(folder, path)).toString('base64')}`)
    .join('\n')
}

/** Checks that `verify` and git report no fault. */
async function isWhole({ dir, git }: TestRepository): Promise<void> {
  expect(await git('fsck', '--full', '--strict', '--no-dangling')).to.equal('')
  const { code, stdout } = await runMetastore(['verify', '--data', dir])
  expect(stdout).to.include('4 records checked, no complaint')
  expect(code).to.equal(0)
}

describe('repair', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  it('finds nothing in a sound repository, and changes nothing', async () => {
    const { repository, mirror } = await repositoryAndMirror()
    const before = stateOf(repository.dir)

    for (const args of [[], ['--from', mirror]]) {
      const { ended, report } = await repair(repository.dir, ...args)
      expect(ended.code).to.equal(0)
      expect(report).to.deep.include({
        damaged: [],
        lost: [],
        remaining: [],
        refs: [],
        restored: 0,
        sound: true,
      })
    }
    expect(stateOf(repository.dir)).to.equal(before)
  })

  it('accepts a commit-graph, and reports a damaged one', async () => {
    const { repository, gitDir } = await repositoryAndMirror()
    for (const [path, ...options] of [['commit-graph'], ['commit-graphs', '--split']] as const) {
      await repository.git('commit-graph', 'write', '--reachable', ...options)
      expect((await repair(repository.dir)).report, path).to.deep.include({ damaged: [], sound: true })
      rmSync(join(gitDir, 'objects/info', path), { recursive: true })
    }
    await repository.git('commit-graph', 'write', '--reachable')
    const file = join(gitDir, 'objects/info/commit-graph')
    chmodSync(file, 0o600)
    truncateSync(file, statSync(file).size - 100)

    const { ended, report } = await repair(repository.dir)

    expect(report.damaged).to.deep.equal([
      { path: 'objects/info/commit-graph', what: 'it does not fit the commits' },
    ])
    expect(ended.code).to.equal(4)
  })

  it('names the objects lost in a truncated pack, and restores them only with --from', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    await repository.git('repack', '-a', '-d', '-q')
    const [pack = ''] = packsOf(gitDir)
    const size = statSync(pack).size
    cutOff(pack)
    const before = stateOf(repository.dir)

    const looked = await repair(repository.dir)

    expect(looked.ended.code).to.equal(4)
    expect(looked.report.damaged[0]?.path).to.match(/^objects\/pack\/pack-[0-9a-f]{40}\.pack$/)
    expect(looked.report.lost).to.have.length.above(0)
    expect(stateOf(repository.dir)).to.equal(before)

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(report.fsck).to.deep.equal([])
    expect(report.remaining).to.deep.equal([])
    expect(report.restored).to.be.above(0)
    expect(ended.code, ended.stderr).to.equal(0)
    // Repair does not delete the damaged file: the copy has all its bytes.
    const aside = join(report.aside ?? '', report.damaged[0]?.path ?? '')
    expect(statSync(aside).size).to.equal(Math.floor(size * 0.6))
    await isWhole(repository)
    expect(
      readdirSync(join(gitDir, 'git-metastore')).filter(name => name.startsWith('repair-')),
    ).to.deep.equal([])
  })

  it('names records and versions, and keeps good objects of a damaged pack that no other copy has', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    // After the creation of the mirror: one pack has all objects, and only it has the newest ones.
    const services = await repository.compose()
    await createNote(services, 'Four, which the mirror lacks', { id: 'four' })
    await services.workTreeUpToDate()
    await services.close()
    await repository.git('repack', '-a', '-d', '-q', '--depth=50')
    const head = await repository.head()
    const text = 'One, with some text to be found again'
    const oid = execFileSync('git', ['hash-object', '--stdin'], { input: JSON.stringify({ title: text }) })
      .toString()
      .trim()
    const [pack = ''] = packsOf(gitDir)
    damageEntry(pack, await offsetOf(repository, pack, oid))

    const looked = await repair(repository.dir)

    expect(looked.ended.code).to.equal(4)
    expect(looked.report.lost.map(object => object.oid)).to.deep.equal([oid])
    expect(looked.report.lost[0]?.revisions[0]).to.include({ kind: 'metadata', id: 'one', version: 1 })

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
    expect(report.restored).to.equal(1)
    expect(await repository.head()).to.equal(head)
    expect(await repository.git('fsck', '--full', '--strict', '--no-dangling')).to.equal('')
    expect(
      (await runMetastore(['get', 'one', '--version', '1', '--data', repository.dir])).stdout,
    ).to.include(text)
    expect((await runMetastore(['get', 'four', '--data', repository.dir])).stdout).to.include('Four')
  })

  it('names the objects that the other copy lacks too, and exits with 4', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    const services = await repository.compose()
    await createNote(services, 'Nowhere else', { id: 'four' })
    await services.workTreeUpToDate()
    await services.close()
    const oid = execFileSync('git', ['hash-object', '--stdin'], { input: '{"title":"Nowhere else"}' })
      .toString()
      .trim()
    await repository.git('repack', '-a', '-d', '-q')
    await unpack(gitDir)
    rmSync(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)))

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code).to.equal(4)
    expect(report.sound).to.equal(false)
    expect(report.remaining).to.have.length(1)
    expect(report.remaining[0]).to.include({ oid })
    expect(report.remaining[0]?.revisions[0]).to.include({ id: 'four', version: 1 })
    const told = await runMetastore(['repair', '--data', repository.dir, '--from', mirror])
    expect(told.stdout).to.include(`not there either  blob ${oid}: metadata four version 1`)
  })

  it('restores empty, truncated, exchanged and missing loose objects over HTTP from another server', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    await unpack(gitDir)
    const loose = execFileSync('find', ['objects', '-type', 'f', '-path', 'objects/??/*'], { cwd: gitDir })
      .toString()
      .trim()
      .split('\n')
      .sort()
    const [emptied, cut, exchanged, gone] = loose.map(path => join(gitDir, path)) as [
      string,
      string,
      string,
      string,
    ]
    for (const path of [emptied, cut, exchanged]) chmodSync(path, 0o644)
    copyFileSync(cut, exchanged)
    truncateSync(cut, 10)
    writeFileSync(emptied, '')
    rmSync(gone)
    const server = await startServer(['--data', mirror])

    const { ended, report } = await repair(repository.dir, '--from', `${server.url}repository.git`)

    expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
    expect(report.damaged.map(({ path }) => join(gitDir, path))).to.have.members([emptied, cut, exchanged])
    await isWhole(repository)
  })

  it('works on a file system without hard links', async function () {
    if (!canTrace) return this.skip()
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    await repository.git('repack', '-a', '-d', '-q')
    const pack = packsOf(gitDir)[0] as string
    chmodSync(pack, 0o600)
    rmSync(pack.replace(/pack$/, 'idx'))
    const refused = ['-f', '-qq', '-o', '/dev/null', '-e', 'inject=link,linkat:error=EPERM']
    const command = [process.execPath, programScript, 'repair', '--data', repository.dir, '--from', mirror]

    const { code, stderr } = await runProgram('strace', [...refused, ...command])

    expect(code, stderr).to.equal(0)
    await isWhole(repository)
  })

  it('rebuilds a missing or damaged pack index without objects of the other copy', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    await repository.git('repack', '-a', '-d', '-q')
    const [pack = ''] = packsOf(gitDir)
    const index = pack.replace(/pack$/, 'idx')
    for (const harm of [rmSync, cutOff]) {
      harm(index)
      const { ended, report } = await repair(repository.dir, '--from', mirror)
      expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
      expect(report.damaged.map(({ path }) => join(gitDir, path))).to.deep.equal([index])
      expect(report.restored).to.equal(0)
    }
    await isWhole(repository)
  })

  it('restores a repository that has lost almost everything', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    for (const name of ['pack', ...readdirSync(join(gitDir, 'objects')).filter(name => /^..$/.test(name))])
      rmSync(join(gitDir, 'objects', name), { recursive: true })
    for (const name of ['HEAD', 'refs', 'logs', 'git-metastore', 'packed-refs'])
      rmSync(join(gitDir, name), { recursive: true, force: true })

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
    expect(report.refs.map(({ name }) => name)).to.deep.equal(['HEAD', 'refs/heads/main'])
    await isWhole(repository)
  })

  for (const [what, harm] of [
    ['overwritten', (gitDir: string) => writeFileSync(join(gitDir, 'refs/heads/main'), Buffer.alloc(41))],
    ['empty', (gitDir: string) => writeFileSync(join(gitDir, 'refs/heads/main'), '')],
    ['missing', (gitDir: string) => rmSync(join(gitDir, 'refs/heads/main'))],
    [
      'missing together with HEAD',
      (gitDir: string) => {
        rmSync(join(gitDir, 'refs/heads/main'))
        rmSync(join(gitDir, 'HEAD'))
      },
    ],
  ] as const) {
    it(`restores a branch that is ${what}, even from an older copy`, async () => {
      const { repository, gitDir, mirror, head } = await repositoryAheadOfMirror()
      harm(gitDir)

      const { ended, report } = await repair(repository.dir, '--from', mirror)

      expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
      expect(report.refs.at(-1)).to.include({ name: 'refs/heads/main', value: head })
      expect(await repository.head()).to.equal(head)
      expect((await runMetastore(['get', 'four', '--data', repository.dir])).stdout).to.include('Newer')
    })
  }

  it('names the newest existing commit if no copy has the newest one of a branch', async () => {
    const { repository, gitDir, mirror, behind, head } = await repositoryAheadOfMirror()
    for (const path of packsOf(gitDir)) rmSync(path)

    const { code, stdout } = await runMetastore(['repair', '--data', repository.dir, '--from', mirror])

    expect(code).to.equal(4)
    expect(stdout).to.include(
      `refs/heads/main has lost its newest commit: it was at ${head}, which is not there`,
    )
    expect(stdout).to.include(
      `The newest commit that exists: ${behind}. The branch would lose: metadata four version 1`,
    )
    expect(stdout).to.include(`write ${behind} into refs/heads/main`)
    expect(readFileSync(join(gitDir, 'refs/heads/main'), 'utf8')).to.equal(`${head}\n`)

    for (const name of readdirSync(join(gitDir, 'git-metastore')).filter(file =>
      file.startsWith('catalog.sqlite'),
    ))
      rmSync(join(gitDir, 'git-metastore', name))
    writeFileSync(join(gitDir, 'refs/heads/main'), `${behind}\n`)
    await repository.git('reset', '-q', '--hard')
    await repository.git('reflog', 'expire', '--stale-fix', '--all')
    await isWhole(repository)
  })

  it('moves aside a file in place of a folder, and a folder in place of a file', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    await unpack(gitDir)
    const folders = readdirSync(join(gitDir, 'objects')).filter(name => /^[0-9a-f]{2}$/.test(name))
    const [first = '', second = ''] = folders
    rmSync(join(gitDir, 'objects', first), { recursive: true })
    writeFileSync(join(gitDir, 'objects', first), '')
    const [object = ''] = readdirSync(join(gitDir, 'objects', second))
    rmSync(join(gitDir, 'objects', second, object))
    mkdirSync(join(gitDir, 'objects', second, object))

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
    expect(report.damaged).to.deep.include.members([
      { path: `objects/${first}`, what: 'it is no folder' },
      { path: `objects/${second}/${object}`, what: 'it is a folder' },
    ])
    await isWhole(repository)
  })

  it('restores a pack that was replaced by a folder', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    const [pack = ''] = packsOf(gitDir)
    rmSync(pack)
    mkdirSync(pack)

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
    expect(report.damaged).to.deep.include({ path: relative(gitDir, pack), what: 'it is no file' })
    await isWhole(repository)
  })

  it('does not move a branch back behind lost commits, and names the records that this would lose', async () => {
    const { repository, gitDir, mirror, behind, head } = await repositoryAheadOfMirror()
    for (const path of packsOf(gitDir)) rmSync(path)
    writeFileSync(join(gitDir, 'refs/heads/main'), '')

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code).to.equal(4)
    expect(report.refs[0]).to.deep.include({
      name: 'refs/heads/main',
      was: 'garbage',
      known: head,
      newest: behind,
    })
    expect(report.refs[0]?.lost?.map(({ id }) => id)).to.deep.equal(['four'])
    expect(readFileSync(join(gitDir, 'refs/heads/main'), 'utf8')).to.equal('')
  })

  it('restores branches and tags of a packed-refs file that is cut off, overwritten or missing', async () => {
    for (const harm of [
      (text: string) => text.slice(0, 150),
      (text: string) => text.slice(0, text.indexOf('main') + 2),
      () => '\u0001\u0002\u0003'.repeat(50),
      () => undefined,
    ]) {
      const { repository, gitDir, mirror } = await repositoryAndMirror()
      const { git } = repository
      await git('branch', 'side', 'HEAD~1')
      await git('tag', 'light')
      await git('tag', '-a', '-m', 'A word', 'annotated')
      await git('push', '-q', mirror, 'refs/heads/*', 'refs/tags/*')
      await git('pack-refs', '--all')
      const before = await git('for-each-ref')
      const file = join(gitDir, 'packed-refs')
      const text = harm(readFileSync(file, 'utf8'))
      if (text === undefined) rmSync(file)
      else writeFileSync(file, text)

      expect((await repair(repository.dir)).ended.code).to.equal(4)
      if (text !== undefined) expect(readFileSync(file, 'utf8')).to.equal(text)
      const { ended, report } = await repair(repository.dir, '--from', mirror)

      expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
      expect(await git('for-each-ref')).to.equal(before)
      const aside = report.aside && readFileSync(join(report.aside, 'packed-refs'), 'utf8')
      expect(aside).to.equal(text)
      await isWhole(repository)
    }
  })

  it('does not treat a new branch without a commit as a lost one', async () => {
    const { repository, mirror } = await repositoryAndMirror()
    expect((await runMetastore(['list', '--data', repository.dir])).code).to.equal(0)
    await repository.git('switch', '-q', '--orphan', 'fresh')

    const { ended, report } = await repair(repository.dir, '--from', mirror)

    expect(ended.code, ended.stdout + ended.stderr).to.equal(0)
    expect(report).to.deep.include({ refs: [], sound: true })
    expect(await repository.git('for-each-ref', 'refs/heads/fresh')).to.equal('')
    const verified = await runMetastore(['verify', '--data', repository.dir])
    expect(verified.stdout).to.include('no complaint')
  })

  it('names a remedy if only a reflog or a staged file needs a lost object', async () => {
    const { repository, gitDir, mirror } = await repositoryAndMirror()
    const { dir, git } = repository
    const lose = async (name: string) => {
      const oid = await git('rev-parse', name)
      rmSync(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)))
    }
    writeFileSync(join(dir, 'notes.txt'), 'Staged')
    await git('add', 'notes.txt')
    await git('commit', '-q', '-m', 'Undone later')
    await lose('HEAD')
    await git('update-ref', 'refs/heads/main', 'HEAD~1').catch(() => undefined)
    writeFileSync(join(gitDir, 'refs/heads/main'), `${await git('--git-dir', mirror, 'rev-parse', 'HEAD')}\n`)
    await lose(':notes.txt')

    for (const options of [[], ['--from', mirror]]) {
      const { code, stdout } = await runMetastore(['repair', '--data', dir, ...options])
      expect(stdout).to.include('invalid reflog entry').and.to.include('missing blob')
      expect(stdout).to.include('git reflog expire --stale-fix --all').and.to.include('git reset')
      expect(code).to.equal(4)
    }
    await git('reflog', 'expire', '--stale-fix', '--all')
    await git('reset', '-q')
    expect((await repair(dir)).ended.code).to.equal(0)
    await isWhole(repository)
  })

  it('names a damaged lock file and a remedy, like other commands', async () => {
    for (const name of ['writer.lock', 'serving.lock', 'merge.lock']) {
      const { repository, gitDir } = await repositoryAndMirror()
      const file = join(gitDir, 'git-metastore', name)
      writeFileSync(file, 'garbage '.repeat(200))

      for (const command of name === 'writer.lock'
        ? ['repair', 'list']
        : [name === 'merge.lock' ? 'purge' : 'repair']) {
        const args = command === 'purge' ? [command, 'one', '--yes'] : [command]
        const { code, stderr } = await runMetastore([...args, '--data', repository.dir])
        expect(stderr, `${name}, ${command}`).to.include(
          `The lock file ${file} is damaged. Stop all git-metastore`,
        )
        expect(stderr).not.to.include('    at ')
        expect(code).to.equal(1)
      }
      rmSync(file)
      expect((await runMetastore(['list', '--data', repository.dir])).code).to.equal(0)
    }
  })

  it('is refused in a linked work tree', async () => {
    const { repository } = await repositoryAndMirror()
    const linked = join(await temporaryFolder(), 'linked')
    await repository.git('worktree', 'add', '-q', linked, '-b', 'linked')

    const { code, stderr } = await runMetastore(['repair', '--data', linked])

    expect(stderr).to.include(`${linked} is a linked work tree or a submodule of another repository.`)
    expect(code).to.equal(1)
  })

  it('is refused while a server runs, without git, outside a repository, and from a source that is not a repository', async () => {
    const { repository, mirror } = await repositoryAndMirror()
    const server = await startServer(['--data', repository.dir])
    const running = await runMetastore(['repair', '--data', repository.dir, '--from', mirror])
    expect(running.code).to.equal(1)
    expect(running.stderr).to.include('A server runs on')
    await server.stop()

    expect((await runMetastore(['repair', '--data', repository.dir, '--git', 'none'])).code).to.equal(1)
    expect((await runMetastore(['repair', '--data', await temporaryFolder()])).stderr).to.include(
      'is no Git repository',
    )
    expect(
      (await runMetastore(['repair', '--data', repository.dir, '--from', 'ext::sh -c x'])).code,
    ).to.equal(2)
    rmSync(join(repository.dir, '.git/HEAD'))
    const nowhere = await runMetastore([
      'repair',
      '--data',
      repository.dir,
      '--from',
      join(mirror, 'nowhere'),
    ])
    expect(nowhere.code).to.equal(1)
    expect(nowhere.stderr).to.include('cannot be fetched')
    expect(existsSync(join(repository.dir, '.git/HEAD'))).to.equal(false)
  })
})

/** Unpacks every object into a loose file. */
async function unpack(gitDir: string): Promise<void> {
  const aside = await temporaryFolder()
  await cp(join(gitDir, 'objects/pack'), aside, { recursive: true })
  for (const name of readdirSync(join(gitDir, 'objects/pack'))) rmSync(join(gitDir, 'objects/pack', name))
  for (const name of readdirSync(aside).filter(file => file.endsWith('.pack')))
    execFileSync('git', [`--git-dir=${gitDir}`, 'unpack-objects', '-q'], {
      input: readFileSync(join(aside, name)),
    })
}

function cutOff(path: string): void {
  chmodSync(path, 0o644)
  truncateSync(path, Math.floor(statSync(path).size * 0.6))
}

async function offsetOf({ git }: TestRepository, pack: string, oid: string): Promise<number> {
  const line = (await git('verify-pack', '-v', pack)).split('\n').find(text => text.startsWith(oid))
  return Number(line?.split(/\s+/)[4])
}

/** Flips bits in the compressed bytes of one object. */
function damageEntry(pack: string, offset: number): void {
  chmodSync(pack, 0o644)
  const bytes = readFileSync(pack)
  for (let at = offset + 5; at < offset + 15; at++) bytes[at] = (bytes[at] as number) ^ 0xff
  writeFileSync(pack, bytes)
}
