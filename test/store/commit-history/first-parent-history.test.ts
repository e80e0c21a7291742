import { expect } from 'chai'
import { type Oid, toOid } from '../../../src/core/value-types.js'
import type { CommitChanges, History } from '../../../src/store/commit-history/first-parent-history.js'
import { openGitLogHistory } from '../../../src/store/commit-history/git-log.js'
import { openObjectWalkHistory } from '../../../src/store/commit-history/object-walk.js'
import { openIsomorphicGitReader } from '../../../src/store/object-readers/isomorphic-git-reader.js'
import { MissingObject } from '../../../src/store/objects/object-errors.js'
import type { ObjectReader } from '../../../src/store/objects/object-reader.js'
import {
  type PlainRepository,
  plainRepository,
  plainRepositoryAt,
  removePlainRepositories,
  temporaryFolderSync,
} from '../../support/repository/plain-git-repository.js'

const makers: readonly (readonly [string, (gitDir: string, objects: ObjectReader) => History])[] = [
  ['git log', (gitDir, objects) => openGitLogHistory('git', gitDir, objects)],
  ['objects alone', (_, objects) => openObjectWalkHistory(objects)],
]

for (const [name, open] of makers) {
  describe(`the relation of a commit to an earlier served commit, through ${name}`, () => {
    let objects: ObjectReader
    let history: History
    const commits: Record<string, Oid> = { unknown: toOid('1'.repeat(40)) }
    before(() => {
      const repo = plainRepository()
      objects = openIsomorphicGitReader(repo.gitDir)
      history = open(repo.gitDir, objects)
      const first = repo.commit('first')
      const second = repo.commit('second')
      repo.git('checkout', '-q', '-b', 'theirs', first)
      const theirs = repo.commit('theirs')
      repo.git('merge', '-q', '-m', 'ours on the side', 'main')
      const aside = repo.head()
      const beyond = repo.commit('beyond')
      repo.git('checkout', '-q', 'main')
      repo.git('merge', '-q', '-m', 'theirs on the side', theirs)
      Object.assign(commits, { first, second, theirs, aside, beyond, merged: repo.head() })
    })
    after(async () => {
      await objects.close()
      removePlainRepositories()
    })

    for (const [relation, served, head] of [
      ['same', 'second', 'second'],
      ['ahead', 'first', 'second'],
      ['ahead', 'second', 'merged'],
      ['ahead', 'first', 'merged'],
      ['ahead', 'first', 'beyond'],
      ['merged', 'second', 'aside'],
      ['merged', 'second', 'beyond'],
      ['merged', 'theirs', 'merged'],
      ['rewritten', 'second', 'first'],
      ['rewritten', 'second', 'theirs'],
      ['rewritten', 'unknown', 'second'],
    ] as const) {
      it(`is "${relation}" for the commit "${head}" if "${served}" was served`, async () => {
        expect(await history.relation(commits[served] as Oid, commits[head] as Oid)).to.equal(relation)
      })
    }
  })

  describe(`reading the history through ${name}`, () => {
    let repo: PlainRepository
    let objects: ObjectReader
    let history: History

    beforeEach(() => {
      repo = plainRepository()
      openIt(repo.gitDir)
    })
    afterEach(async () => {
      await objects.close()
      removePlainRepositories()
    })

    function openIt(gitDir: string): void {
      objects = openIsomorphicGitReader(gitDir)
      history = open(gitDir, objects)
    }

    async function walk(from: Oid | undefined, to: Oid): Promise<readonly CommitChanges[]> {
      const found: CommitChanges[] = []
      for await (const entry of history.walk(from, to)) found.push(entry)
      return found
    }

    /**
     * Subject and changed paths of every commit: `+` for a path that exists after the commit, `-` for a removed one.
     */
    async function story(from?: Oid, to = repo.head()): Promise<readonly string[]> {
      return (await walk(from, to)).map(({ commit, changes }) => {
        const paths = changes.map(({ path, after }) => `${after ? '+' : '-'}${path}`)
        return [commit.subject, ...paths.sort()].join(' ')
      })
    }

    it('returns commits oldest first, each with its changes', async () => {
      repo.write('a', '1')
      repo.write('d/e/f', '1')
      const first = repo.commit('first')
      repo.write('a', '2')
      const second = repo.commit('second')
      repo.git('rm', '-q', '-r', 'd')
      repo.write('b', '1')
      const third = repo.commit('third')

      expect(await story()).to.deep.equal(['first +a +d/e/f', 'second +a', 'third +b -d/e/f'])
      expect(await story(first)).to.deep.equal(['second +a', 'third +b -d/e/f'])
      expect(await story(second, third)).to.deep.equal(['third +b -d/e/f'])
      expect(await story(undefined, second)).to.deep.equal(['first +a +d/e/f', 'second +a'])
      expect(await story(third)).to.deep.equal([])
    })

    it('finds whether one of several commits leads to another', async () => {
      const first = repo.commit('first')
      const second = repo.commit('second')
      repo.git('checkout', '-q', '-b', 'side', first)
      const side = repo.commit('side')
      repo.git('checkout', '-q', 'main')
      repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'side')
      const merge = repo.head()

      for (const [tips, commit, expected] of [
        [[second], second, true],
        [[second], first, true],
        [[second], side, false],
        [[side], second, false],
        [[second, side], side, true],
        [[merge], side, true],
        [[first, second], merge, false],
        [[], first, false],
      ] as const)
        expect(await history.reaches(tips, commit), `${tips} ${commit}`).to.equal(expected)
    })

    it('ends when its reader aborts', async () => {
      const first = repo.commit('first')
      const second = repo.commit('second')
      const gone = AbortSignal.abort()

      for (const ask of [
        () => history.relation(first, second, gone),
        () => history.reaches([second], first, gone),
        async () => {
          for await (const _ of history.walk(undefined, second, gone)) throw new Error('The walk continues.')
        },
      ])
        expect(
          await ask().then(
            () => 'done',
            () => 'ended',
          ),
        ).to.equal('ended')
    })

    it('has the blob and the mode after the commit', async () => {
      repo.write('a', 'one')
      repo.commit('first')
      repo.git('update-index', '--chmod=+x', 'a')
      repo.git('commit', '-q', '-m', 'executable')

      const changes = (await walk(undefined, repo.head())).map(entry => entry.changes)

      const after = toOid(repo.git('rev-parse', 'HEAD:a'))
      expect(changes).to.deep.equal([
        [{ path: 'a', after, mode: '100644' }],
        [{ path: 'a', after, mode: '100755' }],
      ])
    })

    it('returns a rename as a removal and an addition', async () => {
      repo.write('a', 'a long enough text to be found again\n'.repeat(20))
      repo.commit('first')
      repo.git('config', 'diff.renames', 'copies')
      repo.git('mv', 'a', 'b')
      repo.git('commit', '-q', '-m', 'renamed')

      expect(await story()).to.deep.equal(['first +a', 'renamed +b -a'])
    })

    it('returns files that become folders, folders that become files, links and submodules', async () => {
      const blob = toOid(repo.feed('target', 'hash-object', '-w', '--stdin'))
      const stage = (...entries: string[]) => {
        repo.git('read-tree', '--empty')
        repo.feed(`${entries.join('\n')}\n`, 'update-index', '--index-info')
        repo.git('commit', '-q', '-m', entries.map(entry => entry.split('\t')[1]).join())
      }
      const module = '1234567890123456789012345678901234567890'
      stage(`100644 ${blob} 0\tx`, `100644 ${blob} 0\ty/z`)
      stage(`100644 ${blob} 0\tx/in`, `100644 ${blob} 0\ty`)
      stage(`120000 ${blob} 0\tx`, `160000 ${module} 0\ty`)
      repo.git('config', 'diff.ignoreSubmodules', 'all')

      expect(await story()).to.deep.equal(['x,y/z +x +y/z', 'x/in,y +x/in +y -x -y/z', 'x,y +x +y -x/in'])
      const last = (await walk(undefined, repo.head())).at(-1)?.changes
      expect(last?.find(({ path }) => path === 'x')).to.deep.equal({ path: 'x', after: blob, mode: '120000' })
      expect(last?.find(({ path }) => path === 'y')).to.deep.equal({
        path: 'y',
        after: module,
        mode: '160000',
      })
    })

    it('returns unusual names unchanged', async () => {
      const names = [
        'a b',
        'tab\there',
        'new\nline',
        'quo"te',
        "ap'os",
        'back\\slash',
        'ümläut/ß',
        ':colon',
        '\n:100644 x',
        ' ',
      ]
      for (const path of names) repo.write(path, path)
      repo.commit('odd')

      const found = (await walk(undefined, repo.head()))[0]?.changes.map(({ path }) => path)

      expect(found).to.have.members(names)
    })

    it('distinguishes names that are not UTF-8', async () => {
      const blob = repo.feed('x', 'hash-object', '-w', '--stdin')
      const line = (name: Buffer) =>
        Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from('\0')])
      const tree = repo.feed(
        Buffer.concat([Buffer.of(0xe9), Buffer.of(0xea), Buffer.from('é')].map(line)),
        'mktree',
        '-z',
      )
      const commit = toOid(repo.git('commit-tree', '-m', 'latin', tree))

      const paths = (await walk(undefined, commit))[0]?.changes.map(({ path }) => path)

      expect(paths).to.have.members(['é', '\udce9', '\udcea'])
    })

    it('returns commits without changes', async () => {
      repo.commit('first, empty')
      repo.commit('second, empty')

      expect(await story()).to.deep.equal(['first, empty', 'second, empty'])
    })

    it('accepts any message, author and committer', async () => {
      repo.write('a', '1')
      const messages = [
        '',
        '\n\n',
        'subject\nsecond line at once\n\nbody',
        '\n\nlate subject\n\n\n\nbody\n\n',
        ':100644 100644 1 2 M',
        '\x01\x02\x1e odd \x7f\r\nreturn',
        'ünïcödé ✓ 𝄞\n\nbödy',
        `${'long '.repeat(4_000)}\n\n${'body\n'.repeat(4_000)}`,
      ]
      const made = messages.map(message => {
        repo.git('config', 'user.name', message)
        return repo.commit(message)
      })

      const found = await walk(undefined, repo.head())

      expect(found.map(({ commit }) => commit.oid)).to.deep.equal(made)
      expect(found.map(({ commit }) => [commit.subject, commit.body.trimEnd()])).to.deep.equal([
        ['', ''],
        ['', ''],
        ['subject', 'second line at once\n\nbody'],
        ['late subject', 'body'],
        [':100644 100644 1 2 M', ''],
        ['\x01\x02\x1e odd \x7f\r', 'return'],
        ['ünïcödé ✓ 𝄞', 'bödy'],
        ['long '.repeat(4_000), 'body\n'.repeat(4_000).trimEnd()],
      ])
      for (const { commit } of found) expect(await history.commit(commit.oid)).to.deep.equal(commit)
    })

    it('reads names, dates, signatures and encodings of commits', async () => {
      const tree = repo.git('mktree')
      const raw = (lines: readonly string[], encoding: BufferEncoding = 'utf8') =>
        toOid(
          repo.feed(Buffer.from(lines.join('\n'), encoding), 'hash-object', '-t', 'commit', '-w', '--stdin'),
        )
      const author = 'author Jürgen Müller <j@example.org> 1700000000 +0100'
      const commits = [
        raw([
          `tree ${tree}`,
          author,
          'committer X <> 1700000001 -1130',
          'gpgsig -----BEGIN',
          ' ',
          ' author Nobody <n> 1 +0000',
          ' -----END',
          '',
          'signed',
          '',
        ]),
        raw(
          [`tree ${tree}`, author, 'committer X <x> -1 +0000', 'encoding ISO-8859-1', '', 'Größe', ''],
          'latin1',
        ),
      ]

      for (const oid of commits) {
        const [entry] = await walk(undefined, oid)
        expect(entry?.commit).to.deep.equal(await history.commit(oid))
        expect(entry?.commit).to.deep.include({
          tree,
          parents: [],
          authorName: 'Jürgen Müller',
          authorEmail: 'j@example.org',
        })
      }
      expect(await history.commit(commits[0] as Oid)).to.deep.include({
        subject: 'signed',
        committedAt: 1_700_000_001_000,
      })
      expect(await history.commit(commits[1] as Oid)).to.deep.include({ subject: 'Größe' })
    })

    it('reads Recorded-At only from trailers of commits of a server', async () => {
      const trailer = 'Recorded-At: 2026-11-21T05:12:00.123Z'
      const tree = repo.git('mktree')
      const make = (committer: string, message: string) =>
        toOid(
          repo.feed(
            `tree ${tree}\nauthor J <j> 1 +0000\ncommitter ${committer} <c> 2 +0000\n\n${message}`,
            'hash-object',
            '-t',
            'commit',
            '-w',
            '--stdin',
          ),
        )
      const times = async (committer: string, message: string) => {
        const oid = make(committer, message)
        const [entry] = await walk(undefined, oid)
        expect(entry?.commit).to.deep.equal(await history.commit(oid))
        return entry?.commit.recordedAt
      }

      expect(await times('git-metastore', `x\n\nVersion: 3\n${trailer}\n`)).to.equal(
        Date.parse('2026-11-21T05:12:00.123Z'),
      )
      expect(await times('Jane', `x\n\n${trailer}\n`)).to.equal(undefined)
      expect(await times('git-metastore', `x\n\n${trailer}\n\nmore text\n`)).to.equal(undefined)
      expect(await times('git-metastore', `${trailer}\n`)).to.equal(undefined)
      expect(await times('git-metastore', 'x\n\nRecorded-At: yesterday\n')).to.equal(undefined)
    })

    it('compares a merge with its first parent, and omits the other parents', async () => {
      repo.write('a', '1')
      const first = repo.commit('first')
      repo.git('checkout', '-q', '-b', 'side')
      repo.write('b', '1')
      repo.commit('on the side')
      repo.git('checkout', '-q', 'main')
      repo.write('c', '1')
      const second = repo.commit('second')
      repo.git('merge', '-q', '-m', 'merged', 'side')
      repo.write('a', '2')
      repo.commit('last')

      expect(await story()).to.deep.equal(['first +a', 'second +c', 'merged +b', 'last +a'])
      expect(await story(second)).to.deep.equal(['merged +b', 'last +a'])
      expect(await story(first)).to.deep.equal(['second +c', 'merged +b', 'last +a'])
    })

    it('compares an octopus with its first parent', async () => {
      repo.commit('first')
      repo.git('tag', 'start')
      repo.commit('second')
      for (const side of ['x', 'y', 'z']) {
        repo.git('checkout', '-q', '-b', side, 'start')
        repo.write(side, '1')
        repo.commit(side)
      }
      repo.git('checkout', '-q', 'main')
      repo.git('merge', '-q', '-m', 'all', 'x', 'y', 'z')

      expect(await story()).to.deep.equal(['first', 'second', 'all +x +y +z'])
    })

    it('does not depend on clocks, which may run backwards', async () => {
      const tree = repo.git('mktree')
      let parent: Oid | undefined
      const chain = Array.from({ length: 40 }, (_, index) => {
        const time = index % 3 === 0 ? 2_000_000_000 - index * 1_000_000 : index
        const lines = [
          `tree ${tree}`,
          ...(parent ? [`parent ${parent}`] : []),
          `author J <j> ${time} +0000`,
          `committer J <j> ${time} +0000`,
          '',
          `${index}`,
        ]
        parent = toOid(repo.feed(lines.join('\n'), 'hash-object', '-t', 'commit', '-w', '--stdin'))
        return parent
      })

      for (const at of [0, 7, 20, 38]) {
        expect(await story(chain[at], chain[39])).to.deep.equal(
          chain.slice(at + 1).map((_, more) => `${at + 1 + more}`),
        )
        expect(await history.relation(chain[at] as Oid, chain[39] as Oid)).to.equal('ahead')
      }
    })

    it('gives no commit a time after the year 9999, regardless of its claim', async () => {
      const tree = repo.git('mktree')
      for (const claimed of ['253402300800', '9999999999999', '99999999999999999', 'never']) {
        const lines = [
          `tree ${tree}`,
          `author J <j> ${claimed} +0000`,
          `committer J <j> ${claimed} +0000`,
          '',
          'x',
        ]
        const commit = toOid(
          repo.feed(lines.join('\n'), 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin'),
        )
        for await (const { commit: found } of history.walk(undefined, commit)) {
          expect(found.committedAt, claimed).to.equal(0)
        }
        expect((await history.commit(commit)).committedAt, claimed).to.equal(0)
      }
    })

    it('refuses to walk from a commit that is not on the chain', async () => {
      const first = repo.commit('first')
      repo.git('checkout', '-q', '-b', 'side')
      const side = repo.commit('side')
      repo.git('checkout', '-q', 'main')
      const second = repo.commit('second')

      expect(await walk(side, second).catch((error: unknown) => error)).to.be.instanceOf(Error)
      expect(await walk(second, first).catch((error: unknown) => error)).to.be.instanceOf(Error)
    })

    it('ends early when the reader stops', async () => {
      for (let index = 0; index < 30; index++) repo.commit(`${index}`)

      for await (const { commit } of history.walk(undefined, repo.head())) {
        if (commit.subject === '3') break
      }

      expect(await story()).to.have.length(30)
    })

    it('fails for a shallow history, instead of returning only a part', async () => {
      for (let index = 0; index < 5; index++) repo.commit(`${index}`)
      const dir = temporaryFolderSync()
      repo.git('clone', '-q', '--depth', '2', `file://${repo.dir}`, `${dir}/clone`)
      await objects.close()
      const clone = plainRepositoryAt(`${dir}/clone`)
      openIt(clone.gitDir)

      expect(await walk(undefined, clone.head()).catch((error: unknown) => error)).to.be.instanceOf(
        MissingObject,
      )
      expect(await story(toOid(clone.git('rev-parse', 'HEAD~1')), clone.head())).to.deep.equal(['4'])
    })
  })
}

describe('the two readers of history', () => {
  afterEach(removePlainRepositories)

  it('agree on a history with every kind of change', async () => {
    const repo = plainRepository()
    for (let index = 0; index < 60; index++) {
      repo.write(`d${index % 7}/e${index % 3}/f${index % 11}`, `${index}`)
      if (index % 5 === 4)
        repo.git('rm', '-q', '-r', '-f', '--ignore-unmatch', `d${index % 7}/e${(index + 1) % 3}`)
      repo.commit(`commit ${index}\n\nbody ${index}`)
      if (index % 10 === 9) {
        repo.git('checkout', '-q', '-b', `side${index}`, 'HEAD~3')
        repo.write(`side${index}`, '1')
        repo.commit(`side ${index}`)
        repo.git('checkout', '-q', 'main')
        repo.git('merge', '-q', '-m', `merge ${index}`, `side${index}`)
      }
    }
    repo.git('repack', '-q', '-a', '-d')
    const objects = openIsomorphicGitReader(repo.gitDir)
    const told = await Promise.all(
      [openGitLogHistory('git', repo.gitDir, objects), openObjectWalkHistory(objects)].map(async history => {
        const found = []
        for await (const { commit, changes } of history.walk(undefined, repo.head())) {
          found.push({ commit, changes: changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)) })
        }
        return found
      }),
    )
    await objects.close()

    expect(told[0]).to.have.length(66)
    expect(told[0]).to.deep.equal(told[1])
  })
})
