// test-schedule: first

import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openersOf } from '../../../src/feature.js'
import { features } from '../../../src/features.js'
import { metadataType, startService } from '../../support/http/test-service.js'
import { askOai, harvestAll, idsOf, type OaiAnswer, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import {
  type FinishedProcess,
  programScript,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import {
  badDocument,
  type ExampleRepository,
  exampleRepositoryAt,
  goodDocument,
  initialise,
  modificationTimes,
} from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'
import { withRepositoryAt } from '../../support/repository/test-repository.js'

const secret = 'Confidential-4711'
const secondSecret = 'Confidential-4712'

let hand: ExampleRepository

const file = async (name: string, text: string) => {
  const path = join(hand.folder, name)
  await writeFile(path, text)
  return path
}
async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await hand.run(...args)
  expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0)
  return stdout
}
const add = async (id: string, title: string) =>
  good(
    'add',
    'measurement',
    `https://example.org/${encodeURIComponent(title)}`,
    await file('new.json', goodDocument(title)),
    '--id',
    id,
  )
const update = async (id: string, title: string) =>
  good('update', id, await file('new.json', goodDocument(title)))

/** Adds a record to purge, and others before, between and after its versions. */
async function fill(...options: string[]): Promise<void> {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  await copyPrepared(`purge ${options.join(' ')}`, data, async made => {
    await initialise(made, options)
    hand = exampleRepositoryAt(folder, made)
    await add('before', 'Before')
    await add('secret', secret)
    await add('other', 'Other')
    await update('secret', secondSecret)
    await update('other', 'Other, again')
  })
  hand = exampleRepositoryAt(folder, data)
}

/** Answers about a record over HTTP, without ids of commits. */
function told(id: string): Promise<readonly string[]> {
  return withRepositoryAt(hand.data, async repository => {
    const { http } = await startService({}, {}, repository)
    const get = async (path: string, accept: string) => {
      const answer = await http.get(`/api/v1/metadata/${path}`).set('Accept', accept)
      return `${answer.status} ${answer.text}`
    }
    return [
      await get(id, '*/*'),
      await get(`${id}?version=1`, '*/*'),
      await get(id, metadataType),
      await get(`${id}?version=1`, metadataType),
      (await get(`${id}/versions`, 'application/json')).replaceAll(/"commit":"[0-9a-f]{40}"/g, ''),
    ]
  })
}

/** Places that still contain the text: objects of any kind, and files. */
async function found(text: string): Promise<readonly string[]> {
  const objects = await runProgram('sh', [
    '-c',
    'git -C "$0" cat-file --batch-all-objects --batch --buffer | grep -a -c "$1"',
    hand.data,
    text,
  ])
  const files = await runProgram('grep', ['-r', '-a', '-l', text, hand.data])
  return [
    ...(objects.stdout === '0\n' ? [] : [`objects ${objects.stdout}`]),
    ...files.stdout.split('\n'),
  ].filter(line => line !== '')
}

/** Writes files as git does for a recorded conflict and for lost objects. */
async function copyObjects(text: string): Promise<void> {
  const gitDir = join(hand.data, await hand.git('rev-parse', '--git-dir'))
  for (const folder of ['rr-cache/0123', 'lost-found/other']) {
    await mkdir(join(gitDir, folder), { recursive: true })
    await writeFile(join(gitDir, folder, 'postimage'), text)
  }
}

async function expectWhole(): Promise<void> {
  expect(await hand.git('fsck', '--strict', '--no-dangling')).to.equal('')
  const verified = await hand.run('verify', '--full')
  expect(verified.code, verified.stdout).to.equal(0)
}

describe('git-metastore purge', () => {
  afterEach(stopProcesses)

  it('ends lists of harvesters whose state contains the record, and no other lists', async () => {
    await fill()
    // Less than the option permits, so that few records have several parts.
    const unchecked = features.map(each =>
      each.name === 'harvesting' ? { ...each, validate: () => undefined } : each,
    )
    const openers = await openersOf(unchecked, { ...oaiOptions, 'oai-page': 1 })
    const harvest = (query: string) =>
      withRepositoryAt(hand.data, async repository => {
        const { http } = await startService({}, {}, repository, { features: openers })
        return await harvestAll({ http }, query)
      })
    const list = 'verb=ListRecords&metadataPrefix=oai_dc'
    const rest = (parts: readonly OaiAnswer[]) =>
      harvest(`verb=ListRecords&resumptionToken=${parts[0]?.token?.text}`)
    const withSecret = await harvest(list)
    expect(idsOf(withSecret)).to.include('secret')
    expect(idsOf(await rest(withSecret))).to.deep.equal(idsOf(withSecret).slice(1))

    await good('purge', 'secret', '--yes')

    expect((await rest(withSecret)).map(({ errors }) => errors)).to.deep.equal([['badResumptionToken']])
    const without = await harvest(list)
    expect(without.length).to.be.greaterThan(1)
    await add('secret', secret)
    await good('purge', 'secret', '--yes')
    expect(await found(secret)).to.deep.equal([])
    expect(idsOf(await rest(without))).to.deep.equal(idsOf(without).slice(1))
  })

  it('changes nothing without --yes, and shows its effect', async () => {
    await fill()
    await good('list')
    const before = await modificationTimes(hand.data)

    const { code, stdout } = await hand.run('purge', 'secret')
    const json = await hand.run('purge', 'secret', '--json')

    expect(code).to.equal(3)
    expect(stdout).to.contain('Nothing is done yet')
    expect(stdout).to.contain('Commits to rewrite: 2; commits to drop, which change nothing else: 2.')
    expect(stdout).to.contain('ETags')
    expect(stdout).to.contain('/api/changes')
    expect(JSON.parse(json.stdout)).to.include({
      id: 'secret',
      done: false,
      rewritten: 2,
      dropped: 2,
      unsigned: 0,
    })
    expect(await modificationTimes(hand.data)).to.equal(before)
  })

  it('erases a deleted record, a broken one, and one that merged branches added and removed', async () => {
    await fill()
    await hand.git('checkout', '-q', '-b', 'side', 'HEAD~2')
    await hand.write('notes.txt', 'On the side')
    await hand.git('add', '.')
    await hand.git('commit', '-q', '-m', 'On the side')
    await hand.git('checkout', '-q', 'main')
    await hand.git('merge', '-q', '--no-edit', 'side')
    await hand.git('commit', '-q', '--allow-empty', '-m', 'On purpose')
    const directory = (await hand.git('ls-files', '*/secret/record.json')).replace('/record.json', '')
    await hand.write(`${directory}/document.json`, `${badDocument}${secret}`)
    await hand.git('commit', '-q', '-a', '-m', 'Break it')
    await hand.git('rm', '-q', '-r', directory)
    await hand.git('commit', '-q', '-m', 'Remove it')
    const subjects = await hand.git('log', '--format=%s')

    await good('purge', 'secret', '--yes')

    expect(await found(secret)).to.deep.equal([])
    expect(await found(secondSecret)).to.deep.equal([])
    const left = (await hand.git('log', '--format=%s')).split('\n')
    expect(subjects.split('\n').filter(line => !left.includes(line))).to.deep.equal([
      'Remove it',
      'Break it',
      'Update metadata secret to version 2 (measurement, version 1)',
      'Create metadata secret (measurement, version 1)',
    ])
    expect(left).to.include.members(["Merge branch 'side'", 'On the side', 'On purpose'])
    await expectWhole()
  })

  it('rewrites other branches and tags, and refuses when other refs lead to the record', async () => {
    await fill()
    await hand.git('tag', 'light')
    await hand.git('tag', '-a', '-m', 'A word', 'annotated')
    await hand.git('tag', 'early', 'HEAD~4')
    await hand.git('branch', 'twin')
    await hand.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    const early = await hand.git('rev-parse', 'early')

    const refused = await hand.run('purge', 'secret', '--yes')
    expect(refused.code).to.equal(3)
    expect(refused.stderr).to.contain('refs/remotes/origin/main')
    expect(await found(secret)).to.not.deep.equal([])
    await hand.git('update-ref', '-d', 'refs/remotes/origin/main')

    await good('purge', 'secret', '--yes')

    const head = await hand.git('rev-parse', 'HEAD')
    for (const name of ['light', 'annotated^{commit}', 'twin']) {
      expect(await hand.git('rev-parse', name), name).to.equal(head)
    }
    expect(await hand.git('cat-file', 'tag', 'annotated')).to.contain('A word')
    expect(await hand.git('rev-parse', 'early')).to.equal(early)
    expect(await found(secret)).to.deep.equal([])
    await expectWhole()
  })

  it('refuses a schema that an old version of a document follows, and erases an unused one', async () => {
    await fill()
    const open = await file('open.json', '{"type":"object"}')
    await good('register', 'former', open)
    await good('register', 'unused', await file('unused.json', `{"title":"${secret}-schema"}`))
    await good('register', 'refers', await file('refers.json', '{"$ref":"unused"}'))
    const args = ['--schema', 'former']
    await good('update', 'other', await file('new.json', goodDocument('Moved')), ...args)
    await good('update', 'other', await file('new.json', goodDocument('Back')), '--schema', 'measurement')
    const head = await hand.git('rev-parse', 'HEAD')

    const former = await hand.run('purge', 'former', '--yes')
    const referred = await hand.run('purge', 'unused', '--yes')

    expect(former.code, former.stdout).to.equal(3)
    expect(former.stderr).to.contain('former')
    expect(referred.code, referred.stdout).to.equal(3)
    expect(referred.stderr).to.contain('unused')
    const told = await hand.run('purge', 'refers', '--yes', '--tell-harvesters')
    expect(told.code, told.stdout).to.equal(3)
    expect(told.stderr).to.contain('not harvested')
    expect(await hand.git('rev-parse', 'HEAD')).to.equal(head)
    await good('purge', 'refers', '--yes')
    await good('purge', 'unused', '--yes')
    expect(await found(`${secret}-schema`)).to.deep.equal([])
    await expectWhole()
  })

  it('names the signatures that it drops', async function () {
    if ((await runProgram('sh', ['-c', 'command -v ssh-keygen'])).code !== 0) this.skip()
    await fill()
    const key = join(hand.folder, 'key')
    await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`]
    await hand.git(...sign, 'commit', '-q', '-S', '--allow-empty', '-m', 'Signed')
    await hand.git(...sign, 'tag', '-s', '-m', 'Signed too', 'signed')
    expect(await hand.git('cat-file', 'commit', 'HEAD')).to.contain('gpgsig')

    expect(await good('purge', 'secret', '--yes')).to.contain('1 signature')

    expect(await hand.git('log', '-1', '--format=%s%n%G?')).to.equal('Signed\nN')
    const tag = await hand.git('cat-file', 'tag', 'signed')
    expect(tag).to.contain('Signed too').and.to.not.contain('SIGNATURE')
    await expectWhole()
  })

  it('leaves a paused connector paused, and removes its other requests', async () => {
    await fill()
    await good('connector', 'pause', 'search')
    await good('connector', 'rewind', 'search', '--to', 'HEAD')

    await good('purge', 'secret', '--yes')

    expect(await readdir(join(hand.data, '.git/git-metastore/connectors'))).to.deep.equal(['search.paused'])
  })

  it('does not report success if git cannot list the remaining objects', async () => {
    await fill()
    const path = join(hand.folder, 'mute-git')
    const script = '#!/bin/sh\ncase "$*" in *"--batch-check=%(objectname)") exit 1 ;; esac\nexec git "$@"\n'
    await writeFile(path, script, { mode: 0o755 })

    const unsure = await hand.run('purge', 'secret', '--yes', '--git', path)

    expect(unsure.code, unsure.stdout).to.equal(1)
    expect(unsure.stderr).to.contain('git cat-file failed')
    await good('purge', 'secret', '--yes')
    await expectWhole()
  })

  describe('that is killed', () => {
    /** Runs the purge with a git that kills it before or after a command. */
    async function killedAt(
      command: string,
      when: 'before' | 'after',
      ...more: readonly string[]
    ): Promise<FinishedProcess> {
      const folder = join(hand.folder, 'bin')
      await mkdir(folder, { recursive: true })
      const script = `#!/bin/sh
case " $* " in
  *" ${command} "*) ${when === 'after' ? 'git "$@";' : ''} kill -9 $PPID; exit 1 ;;
esac
exec git "$@"
`
      const path = join(folder, `git-${command}-${when}`)
      await writeFile(path, script)
      await chmod(path, 0o755)
      // In its own process, so that the process for commands of tests survives.
      const args = ['purge', 'secret', '--yes', ...more, '--data', hand.data, '--git', path]
      return await runProgram(process.execPath, [programScript, ...args])
    }

    for (const [command, when] of [
      ['rev-list', 'after'],
      ['update-ref', 'before'],
      ['update-ref', 'after'],
      ['rm', 'after'],
      ['repack', 'after'],
      ['prune', 'after'],
    ] as const) {
      it(`leaves the old or the new history, and a second run finishes it: ${when} git ${command}`, async () => {
        await fill()
        await hand.git('branch', 'twin')
        const other = await told('other')
        const before = await hand.git('rev-parse', 'HEAD')

        expect((await killedAt(command, when)).code).to.equal(null)

        expect(await hand.git('fsck', '--strict', '--no-dangling')).to.equal('')
        const head = await hand.git('rev-parse', 'HEAD')
        const changes = (await hand.git('log', '--format=%s')).includes('metadata secret')
        expect(changes).to.equal(head === before)
        const begun = command !== 'rev-list'
        const listed = await hand.run('list')
        expect(listed.code).to.equal(begun ? 1 : 0)
        if (begun) expect(listed.stderr).to.contain('git-metastore purge secret --yes')

        const again = await hand.run('purge', 'secret', '--yes')

        expect(again.code, again.stderr).to.equal(0)
        expect(await found(secret)).to.deep.equal([])
        expect(await hand.git('rev-parse', 'twin')).to.equal(await hand.git('rev-parse', 'HEAD'))
        expect(await hand.git('status', '--porcelain')).to.equal('')
        await expectWhole()
        expect(await told('other')).to.deep.equal(other)
      })
    }

    for (const more of [[], ['--tell-harvesters']])
      it(`keeps its notice for harvesters when another run completes it: ${more.join(' ')}`, async () => {
        await fill()
        expect((await killedAt('update-ref', 'after', '--tell-harvesters')).code).to.equal(null)
        const head = await hand.git('rev-parse', 'HEAD')
        await good('purge', 'secret', '--yes', ...more)
        expect(await hand.git('rev-parse', 'HEAD')).to.equal(head)
        expect(await hand.git('show', 'HEAD:purged.json')).to.contain('"secret"')
        expect(await hand.git('status', '--porcelain')).to.equal('')
        expect(await found(secret)).to.deep.equal([])
        await expectWhole()
      })
  })

  it('makes old clones unable to pull', async () => {
    await fill()
    const clone = join(hand.folder, 'clone')
    await runProgram('git', ['clone', '-q', hand.data, clone])
    await good('purge', 'secret', '--yes')

    const old = exampleRepositoryAt(hand.folder, clone)
    await old.git('fetch', '-q')
    expect((await old.tryGit('merge', '--ff-only', 'origin/main')).code).to.not.equal(0)
    await runProgram('rm', ['-r', clone])
    await runProgram('git', ['clone', '-q', hand.data, clone])
    expect((await old.run('list', '--json')).stdout).to.not.contain('"secret"')
    expect((await old.run('verify', '--full')).code).to.equal(0)
  })
})

for (const options of [[], ['--bare']]) {
  const whole = async () => {
    await expectWhole()
    if (options.length === 0) expect(await hand.git('status', '--porcelain', '--ignored')).to.equal('')
  }

  describe(`git-metastore purge of a record: init ${options.join(' ')}`, () => {
    const log = async () => (await hand.git('log', '--format=%an %ae %at %cn %ct %B')).replaceAll('\n', ' ')
    let other: readonly string[]
    let from: string
    let messages: string
    let purged: FinishedProcess
    before(async () => {
      await fill(...options)
      await good('search', secret)
      await copyObjects(secret)
      expect(await found(secret)).to.have.length.above(3)
      other = await told('other')
      from = await hand.git('rev-parse', 'HEAD')
      messages = await log()
      purged = await hand.run('purge', 'secret', '--yes')
    })
    after(stopProcesses)

    it('succeeds, and says what it has rewritten', async () => {
      expect(purged.code, purged.stderr).to.equal(0)
      const to = await hand.git('rev-parse', 'HEAD')
      expect(purged.stdout).to.contain(`refs/heads/main: ${from} → ${to}\n`)
      expect(purged.stdout).to.contain(
        'Rewritten commits: 2; dropped commits, which changed nothing else: 2.',
      )
      expect(purged.stdout).to.match(/git clone/)
    })

    it('leaves neither version of the record in any object or file', async () => {
      expect(await found(secret)).to.deep.equal([])
      expect(await found(secondSecret)).to.deep.equal([])
    })

    it('removes the former commits', async () => {
      expect((await hand.tryGit('cat-file', '-e', from)).code).to.not.equal(0)
    })

    it('leaves a sound repository', whole)

    it('changes no answer about another record', async () => {
      expect(await told('other')).to.deep.equal(other)
    })

    it('keeps authors, times and messages of the other commits', async () => {
      for (const line of (await log()).split(/(?=SELF self@)/)) expect(messages).to.contain(line.trim())
    })

    it('leaves the id unknown', async () => {
      expect((await hand.run('get', 'secret')).code).to.equal(3)
    })

    it('allows the id for a new record', async () => {
      expect(await add('secret', 'Anew')).to.contain('version 1 (measurement')
      await expectWhole()
    })
  })

  describe(`git-metastore purge --tell-harvesters: init ${options.join(' ')}`, () => {
    const harvested = (query: string) =>
      withRepositoryAt(hand.data, async repository => {
        const { http } = await startService({ features: oaiOptions }, {}, repository)
        const { records } = await askOai({ http }, query)
        return records.map(({ identifier, isDeleted, sets }) => [identifier, isDeleted, sets.length])
      })
    const notices = async () =>
      JSON.parse(await hand.git('show', 'HEAD:purged.json')).records as readonly {
        id: string
        time: string
      }[]
    const list = 'verb=ListRecords&metadataPrefix=oai_dc'
    const notice = ['secret', true, 1]
    let listedBefore: Awaited<ReturnType<typeof harvested>>
    let from: string
    let time: string | undefined
    before(async () => {
      await fill(...options)
      listedBefore = await harvested(list)
      from = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString().replace('.000', '')
      await good('purge', 'secret', '--yes', '--tell-harvesters')
      time = (await notices())[0]?.time
    })
    after(stopProcesses)

    it('leaves neither version of the record in any object or file', async () => {
      expect(await found(secret)).to.deep.equal([])
      expect(await found(secondSecret)).to.deep.equal([])
    })

    it('leaves a sound repository', whole)

    it('stores only the id and the time', async () => {
      const records = await notices()
      expect(records.map(({ id }) => id)).to.deep.equal(['secret'])
      expect(Object.keys(records[0] ?? {})).to.deep.equal(['id', 'time'])
    })

    it('lists the record as deleted, beside the others', async () => {
      expect(await harvested(list)).to.have.deep.members([
        ...listedBefore.filter(([id]) => id !== 'secret'),
        notice,
      ])
    })

    it('lists the record from the time of the purge on', async () => {
      expect(await harvested(`${list}&from=${from}`)).to.deep.include(notice)
      expect(await harvested(`${list}&until=2020-01-01T00:00:00Z`)).to.deep.equal([])
    })

    it('lists the record in the set of its schema', async () => {
      expect(await harvested(`${list}&set=schema:measurement`)).to.deep.include(notice)
    })

    it('answers a request of the record with its deletion', async () => {
      const query = 'verb=GetRecord&metadataPrefix=datacite&identifier=secret'
      expect(await harvested(query)).to.deep.equal([notice])
    })

    describe('and then a new record with the id', () => {
      before(() => add('secret', 'Anew'))

      it('lists the new record in place of the notice', async () => {
        const ofSecret = (await harvested(list)).filter(([id]) => id === 'secret')
        expect(ofSecret).to.deep.equal([['secret', false, 4]])
      })

      it('has one notice, of the last purge, after a purge of the new record', async () => {
        await good('purge', 'secret', '--yes', '--tell-harvesters')
        const again = await notices()
        expect(again.map(({ id }) => id)).to.deep.equal(['secret'])
        expect((again[0]?.time ?? '') > (time ?? '')).to.equal(true)
      })
    })
  })
}

describe('git-metastore purge that refuses', () => {
  let head: string
  before(async () => {
    await fill()
    head = await hand.git('rev-parse', 'HEAD')
  })
  afterEach(async () => {
    expect(await hand.git('rev-parse', 'HEAD')).to.equal(head)
  })
  after(stopProcesses)

  async function refusal(id: string): Promise<string> {
    const { code, stderr } = await hand.run('purge', id, '--yes')
    expect(code, stderr).to.equal(3)
    return stderr
  }

  it('names the unknown id', async () => {
    expect(await refusal('nothing')).to.contain('nothing of "nothing"')
  })

  it('names the number of documents that follow a schema', async () => {
    expect(await refusal('measurement')).to.contain('4 documents')
  })

  it('names a file with edits, and then the stash that has them', async () => {
    const text = await readFile(join(hand.data, 'metastore.json'), 'utf8')
    await hand.write('metastore.json', text.replace('\n', ' \n'))
    expect(await refusal('secret')).to.contain('metastore.json')
    await hand.git('stash', '-q')
    expect(await refusal('secret')).to.contain('refs/stash')
    await hand.git('stash', 'drop', '-q')
  })

  it('names the command that removes another work tree', async () => {
    await hand.git('worktree', 'add', '-q', join(hand.folder, 'linked'), '-b', 'linked')
    expect(await refusal('secret')).to.contain('git worktree remove')
    await hand.git('worktree', 'remove', join(hand.folder, 'linked'))
  })

  it('says that a server is running', async () => {
    const server = await startServer(['--data', hand.data])
    expect(await refusal('secret')).to.contain('running')
    await server.stop()
  })

  it('exits with 2 for the address of a server, and with 1 without git', async () => {
    const { code } = await runMetastore(['purge', 'secret', '--yes', '--url', 'http://127.0.0.1:9/'])
    expect(code).to.equal(2)
    expect((await hand.run('purge', 'secret', '--yes', '--git', 'none')).code).to.equal(1)
  })

  it('keeps the record', async () => {
    expect(await found(secret)).to.not.deep.equal([])
  })
})
