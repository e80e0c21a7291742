import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { stopProcesses } from '../support/program/run-program.js'
import {
  type PlainRepository,
  plainRepositoryAt,
  removePlainRepositories,
  temporaryFolderSync,
} from '../support/repository/plain-git-repository.js'
import { parseTestId } from '../support/repository/sample-values.js'
import { waitUntil } from '../support/repository/test-repository.js'
import {
  type MonitoredServer,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/** An entry of a tree object. */
type Entry = readonly [mode: string, name: string | Buffer, oid: string]

describe('handmade pushes', () => {
  let watched: MonitoredServer
  let clone: PlainRepository
  let head: string
  before(async () => {
    watched = await startMonitoredServer('--allow-push', '--max-document', '4')
    const folder = temporaryFolderSync()
    const outside = plainRepositoryAt(folder)
    outside.git('clone', '-q', `http://127.0.0.1:${watched.server.port}/repository.git`, 'clone')
    clone = plainRepositoryAt(join(folder, 'clone'))
    head = clone.head()
  })
  after(async () => {
    stopCanaryServers()
    removePlainRepositories()
    await stopProcesses()
  })

  const blob = (content: string | Uint8Array) => clone.feed(content, 'hash-object', '-w', '--stdin')
  const tree = (entries: readonly Entry[]) =>
    clone.feed(
      Buffer.concat(
        entries.map(([mode, name, oid]) =>
          Buffer.concat([
            Buffer.from(`${mode} `),
            Buffer.from(name as string),
            Buffer.from([0]),
            Buffer.from(oid, 'hex'),
          ]),
        ),
      ),
      'hash-object',
      '-t',
      'tree',
      '-w',
      '--literally',
      '--stdin',
    )
  const entriesOf = (of: string): readonly Entry[] =>
    clone
      .git('ls-tree', of)
      .split('\n')
      .filter(Boolean)
      .map(line => /^(\d+) \w+ ([0-9a-f]{40})\t(.*)$/.exec(line) as RegExpExecArray)
      .map(([, mode = '', oid = '', name = '']) => [mode.replace(/^0/, ''), name, oid])
  /** Makes a commit on the served commit with more entries in its root tree. */
  const commit = (...more: readonly Entry[]) => {
    const names = new Set(more.map(([, name]) => name.toString()))
    const kept = entriesOf('HEAD').filter(([, name]) => !names.has(name.toString()))
    // Git sorts folders as if their names ended with a slash.
    const key = ([mode, name]: Entry) =>
      Buffer.from(`${name.toString('latin1')}${mode === '40000' ? '/' : ''}`, 'latin1')
    const sorted = [...kept, ...more].sort((a, b) => Buffer.compare(key(a), key(b)))
    return clone.git('commit-tree', '-p', 'HEAD', '-m', 'More', tree(sorted))
  }
  /** Ignores that the server closes the connection after its answer while the client still sends. */
  const cutShort = (error: NodeJS.ErrnoException) => {
    if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) throw error
  }
  /** Wraps an entry in folders. */
  const within = (path: string, entry: Entry): Entry =>
    path.split('/').reduceRight<Entry>((inner, name) => ['40000', name, tree([inner])], entry)

  async function push(oid: string, ref = 'refs/heads/main'): Promise<string | undefined> {
    const server = `http://127.0.0.1:${watched.server.port}/repository.git`
    try {
      await clone.gitLater(
        '-c',
        'http.postBuffer=100000000',
        'push',
        '--no-verify',
        '-q',
        server,
        `${oid}:${ref}`,
      )
      return undefined
    } catch (error) {
      return String((error as { readonly stderr?: string }).stderr ?? error)
    }
  }
  async function untouched(by = 'it'): Promise<void> {
    const served = plainRepositoryAt(watched.data)
    expect(served.git('rev-parse', 'main'), `${by} moved the branch`).to.equal(head)
    await waitUntil('a clean work tree', () => served.git('status', '--porcelain') === '')
    expect(
      (await readdir(join(watched.data, '.git'))).filter(name => /hooks-|evil/.test(name)),
    ).to.deep.equal([])
  }

  it('can add only plain files with plain names to the work tree', async () => {
    const { canary } = watched
    const text = blob('x')
    const link = (target: string) => blob(target)
    const record = recordDirectory('metadata', parseTestId('mine'))
    const cases: Readonly<Record<string, Entry>> = {
      'a symbolic link': ['120000', 'a', link(canary.files.txt)],
      'a symbolic link to a folder': ['120000', 'docs', link('/')],
      'a symbolic link in the place of a record': within(record, [
        '120000',
        'record.json',
        link(canary.files.json),
      ]),
      'a symbolic link in the place of a document': within(record, [
        '120000',
        'document.json',
        link(canary.files.json),
      ]),
      'a symbolic link in the place of all schemas': ['120000', 'schemas', link('..')],
      'a submodule': ['160000', 'sub', head],
      'a submodule in the place of a record': within(record.replace(/\/[^/]*$/, ''), [
        '160000',
        'mine',
        head,
      ]),
      'an executable file': ['100755', 'run', text],
      'a file others may write': ['100664', 'a', text],
      'a mode nobody knows': ['107777', 'a', text],
      'a mode with a zero before it': ['0100644', 'a', text],
      'a folder that is a file': ['40000', 'a', text],
      'a file that is a folder': ['100644', 'a', tree([['100644', 'b', text]])],
      '.git': within('.git', ['100644', 'config', text]),
      '.GIT': within('.GIT', ['100644', 'config', text]),
      '.git in a folder': within('a/.git/hooks', ['100755', 'post-checkout', text]),
      'git~1': within('git~1', ['100644', 'config', text]),
      '.git with a character nobody sees': ['100644', Buffer.from('.g\u200cit'), text],
      '.git as a stream of NTFS': ['100644', '.git::$INDEX_ALLOCATION', text],
      'a backslash': ['100644', '.git\\config', text],
      'a name of dots': within('..', ['100644', 'x', text]),
      'a name of one dot': within('.', ['100644', 'x', text]),
      'a slash in a name': ['100644', '../../x', text],
      'no name': ['100644', '', text],
      'an object that is not there': ['100644', 'a', 'a'.repeat(40)],
      '.gitmodules with an option for an address': [
        '100644',
        '.gitmodules',
        blob('[submodule "a"]\n\tpath = a\n\turl = --upload-pack=touch evil\n'),
      ],
      '.gitmodules with a name that is a way out': [
        '100644',
        '.gitmodules',
        blob('[submodule "../../evil"]\n\tpath = a\n\turl = https://example.org/a\n'),
      ],
      '.gitmodules that is a symbolic link': ['120000', '.gitmodules', link('metastore.json')],
    }
    await watched.stands(async () => {
      for (const [what, entry] of Object.entries(cases)) {
        let oid: string
        try {
          oid = commit(entry)
        } catch (error) {
          throw new Error(`Git cannot make ${what}.`, { cause: error })
        }
        expect(await push(oid), what).to.be.a('string')
        await untouched(what)
      }
    })
  }).timeout(240_000)

  it('cannot add an object that git fsck reports, even outside the records', async () => {
    const text = blob('x')
    const raw = (type: string, content: string | Buffer) =>
      clone.feed(content, 'hash-object', '-t', type, '-w', '--literally', '--stdin')
    const top = clone.git('rev-parse', 'HEAD^{tree}')
    const who = 'A <a@example.org> 1700000000 +0000'
    const body = (lines: readonly string[], message = 'm') => `${lines.join('\n')}\n\n${message}\n`
    const broken: Readonly<Record<string, () => string>> = {
      'a tree out of order': () =>
        clone.git(
          'commit-tree',
          '-p',
          'HEAD',
          '-m',
          'm',
          tree([
            ['100644', 'b', text],
            ['100644', 'a', text],
          ]),
        ),
      'a tree with a name twice': () =>
        clone.git(
          'commit-tree',
          '-p',
          'HEAD',
          '-m',
          'm',
          tree([
            ['100644', 'a', text],
            ['100644', 'a', text],
          ]),
        ),
      'a commit by nobody': () => raw('commit', body([`tree ${top}`, `parent ${head}`, `committer ${who}`])),
      'a commit without an address': () =>
        raw('commit', body([`tree ${top}`, `parent ${head}`, 'author A 1 +0000', `committer ${who}`])),
      'a commit with a zero in it': () =>
        raw('commit', body([`tree ${top}`, `parent ${head}`, `author ${who}`, `committer ${who}`], 'a\0b')),
      'a commit at no time': () =>
        raw(
          'commit',
          body([
            `tree ${top}`,
            `parent ${head}`,
            `author A <a@b> 99999999999999999999 +0000`,
            `committer ${who}`,
          ]),
        ),
    }
    await watched.stands(async () => {
      for (const [what, make] of Object.entries(broken)) {
        const oid = make()
        expect(await push(oid), `${what}, to the served branch`).to.be.a('string')
        await push(oid, 'refs/heads/aside')
        await untouched()
      }
      expect(plainRepositoryAt(watched.data).git('fsck', '--strict', '--no-dangling')).to.equal('')
    })
  })

  it('cannot create a branch with the name of another path of the repository', async () => {
    await watched.stands(async () => {
      for (const ref of [
        'refs/heads/../../evil',
        'refs/../config',
        'refs/heads/a.lock',
        'refs/heads/.a',
        'refs/heads/a..b',
        'refs/heads/a b',
        'refs/heads/@{',
        'refs/hidden/a',
        'HEAD',
        'config',
        `refs/replace/${head}`,
        'refs/notes/commits',
      ]) {
        const oid = clone.git('commit-tree', '-p', 'HEAD', '-m', 'm', 'HEAD^{tree}')
        const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
        const pack = clone.feed(`${oid}\n`, 'pack-objects', '--stdout', '-q')
        const moved = `${'0'.repeat(40)} ${oid} ${ref}\0 report-status`
        const answer = await watched.ask('POST', '/repository.git/git-receive-pack', {
          headers: { 'Content-Type': 'application/x-git-receive-pack-request' },
          body: Buffer.concat([Buffer.from(`${pkt(moved)}0000`), Buffer.from(pack, 'latin1')]),
        })
        expect(answer.text, ref).to.not.match(/^\S*ok refs/m)
        await untouched()
      }
    })
  })

  it('are refused if they are invalid or expand too much', async () => {
    const type = { 'Content-Type': 'application/x-git-receive-pack-request' }
    const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20), { level: 1 })
    const zeros = gzipSync(Buffer.alloc(50 * 2 ** 20, '0'), { level: 1 })
    await watched.stands(
      async () => {
        for (const [headers, body] of [
          [type, ''],
          [type, 'x'],
          [type, 'ffff'],
          [type, '0000'],
          [type, '0001'],
          [type, 'PACK\0\0\0\x02\x7f\xff\xff\xff'],
          [type, Buffer.alloc(2 ** 20, 1)],
          [{ ...type, 'Content-Encoding': 'gzip' }, 'no gzip'],
          [{ ...type, 'Content-Encoding': 'gzip' }, bomb],
          [{ ...type, 'Content-Encoding': 'gzip' }, zeros],
          [{ ...type, 'Content-Encoding': 'br' }, 'x'],
        ] as const) {
          for (const service of ['receive-pack', 'upload-pack']) {
            const sent = { ...headers, 'Content-Type': `application/x-git-${service}-request` }
            await watched
              .ask('POST', `/repository.git/git-${service}`, { headers: sent, body })
              .catch(cutShort)
          }
          await untouched()
        }
        for (const protocol of [
          'version=2',
          'version=99',
          'version=2:x=--upload-pack',
          '\t',
          'a'.repeat(4000),
        ]) {
          await watched.ask('GET', '/repository.git/info/refs?service=git-upload-pack', {
            headers: { 'Git-Protocol': protocol },
          })
        }
      },
      { memory: 256 },
    )
  })

  it('are refused if a file is far larger than its compressed form', async () => {
    const large = join(clone.dir, '..', 'large')
    await writeFile(large, Buffer.alloc(40 * 2 ** 20))
    const oid = clone.git('hash-object', '-w', large)
    await watched.stands(
      async () => {
        expect(await push(commit(['100644', 'large', oid]))).to.contain('at most')
        await untouched()
      },
      { memory: 128 },
    )
  })

  it('leave a working server', async () => {
    const record = metadataRecordV1('http://example.org/after', 'note')
    const answer = await watched.postMetadata(record, '{"title": "after"}')
    expect(answer.status, answer.text).to.equal(201)
    expect(plainRepositoryAt(watched.data).git('fsck', '--strict', '--no-dangling')).to.equal('')
    expect(await readFile(join(watched.data, 'metastore.json'), 'utf8')).to.contain('layout')
  })
})
