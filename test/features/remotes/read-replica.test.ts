// test-schedule: first
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { jsonSchema, metadataRecordV1, metadataType } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import {
  gitOutput,
  healthOf,
  replaceDocument,
  sendAcceptedForm,
  sendForm,
} from '../../support/servers/server-requests.js'

/** Headers that differ between two answers with the same content. */
const ownOfEach = new Set(['date', 'x-request-id'])

/** The base URL that all servers report to clients. */
const base = ['--base-url', 'https://metastore.example.org']

describe('a server that follows another repository', () => {
  let folder: string
  afterEach(stopProcesses)
  beforeEach(async () => {
    folder = await temporaryFolder()
  })

  const at = (name: string) => join(folder, name)
  const git = (name: string, ...args: readonly string[]) => gitOutput(folder, name, ...args)
  const head = (name: string) => git(name, 'rev-parse', 'refs/heads/main')

  const following = (name: string, remote: string) => [
    ...['--data', name, '--follow', remote, '--interval', '500ms'],
    ...base,
  ]
  const follower = (name: string, remote: string) => startServer(following(name, remote), { cwd: folder })
  /** Starts a server on the port of an earlier one. */
  const again = (port: number, args: readonly string[]) => startServer(args, { cwd: folder, port })

  /** Waits until a follower has read a commit. */
  async function caughtUp(server: RunningServer, commit: string): Promise<void> {
    await waitUntil(
      `${server.url} follows to ${commit}`,
      async () => (await healthOf(server)).catalog === commit,
      30_000,
    )
  }

  /** Makes the data folder of a primary with records of several kinds. No server runs on it. */
  async function primaryRepository(): Promise<void> {
    await copyPrepared('primary', at('primary'), fillPrimary)
  }
  async function primaryServer(): Promise<RunningServer> {
    await primaryRepository()
    return await startServer(['--data', 'primary', ...base], { cwd: folder })
  }
  async function fillPrimary(data: string): Promise<void> {
    await initialise(data, [])
    const server = await startServer(['--data', data, ...base])
    await sendAcceptedForm(server, 'POST', 'api/v1/schemas', {
      record: { schemaId: 'note' },
      part: 'schema',
      bytes: jsonSchema('title'),
    })
    for (const name of ['one', 'two', 'three']) {
      const record = metadataRecordV1(`https://example.org/${name}`, 'note', { id: name })
      await sendAcceptedForm(server, 'POST', 'api/v1/metadata', {
        record: record,
        part: 'document',
        bytes: `{"title":"${name}"}`,
      })
    }
    await replaceDocument(server, 'one', '{"title":"one, again"}')
    expect((await runProgram('git', ['-C', data, 'tag', 'first'])).code).to.equal(0)
    await replaceDocument(server, 'two', '{"title":"two, again"}')
    await server.stop()
  }

  /**
   * Compares answers of all kinds byte for byte, with all headers except the time and the request id.
   * @param isAgain whether they were compared before; then each path is requested with one media type only, in turn
   * @returns the number of compared answers
   */
  async function compare(
    [one, ...others]: readonly [RunningServer, ...(readonly RunningServer[])],
    isAgain = false,
  ): Promise<number> {
    const lists = ['api/v1/schemas', 'api/v1/metadata', 'api/v2/schemas', 'api/v2/metadata/']
    const commit = (await healthOf(one)).catalog
    for (const other of others) expect((await healthOf(other)).catalog).to.equal(commit)
    const paths = [
      ...lists,
      ...lists.map(list => `${list}?size=2&page=1`),
      ...lists.map(list => `${list}?sort=id&at=first`),
      'api/changes',
      'api/changes?limit=3',
      'metadata-landing-page?id=one',
      'api/v1/metadata/missing',
      ...['one', 'two', 'three'].flatMap(id => {
        const record = `api/v1/metadata/${id}`
        return [
          record,
          `${record}?version=1`,
          `${record}?at=first`,
          `${record}/versions`,
          `${record}/blame`,
          `${record}/diff?from=1&to=2`,
          `${record}?version=9`,
          `api/v2/metadata/${id}`,
        ]
      }),
      'api/v1/schemas/note',
      'api/v2/schemas/note',
      'api/v1/schemas/note/versions',
    ]
    const accepts = ['*/*', metadataType, 'application/vnd.repository.schema-record+json', 'application/json']
    let answered = 0
    for (const [number, path] of paths.entries()) {
      for (const [index, accept] of accepts.entries()) {
        if (isAgain && number % accepts.length !== index && !isLongForm) continue
        // A comparison has one media type, and takes a process of each server.
        if (index > 0 && /\/(?:blame|diff\b)/.test(path) && !isLongForm) continue
        const [mine, ...theirs] = await Promise.all(
          [one, ...others].map(server => read(server, path, accept)),
        )
        for (const answer of theirs) expect(answer, `${path} as ${accept}`).to.deep.equal(mine)
        if (mine?.status === 200) answered++
      }
    }
    return answered
  }

  async function read(server: RunningServer, path: string, accept: string) {
    const answer = await fetch(server.url + path, { headers: { Accept: accept }, redirect: 'manual' })
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ownOfEach.has(name)))
    return {
      status: answer.status,
      headers,
      body: Buffer.from(await answer.arrayBuffer()).toString('latin1'),
    }
  }

  it('gives the same answers as its source, byte for byte, also after restarts', async () => {
    let primary = await primaryServer()
    const { port } = primary
    const remote = `http://localhost:${port}/repository.git`
    let first = await follower('first', remote)
    let second = await follower('second', `${first.url}repository.git`)
    await caughtUp(first, await head('primary'))
    await caughtUp(second, await head('primary'))
    expect(await compare([primary, first, second])).to.be.above(40)

    // Each server restarts while the others run.
    await second.stop()
    await sendAcceptedForm(primary, 'POST', 'api/v1/schemas', {
      record: { schemaId: 'other' },
      part: 'schema',
      bytes: jsonSchema('name'),
    })
    await replaceDocument(primary, 'three', '{"title":"three, again"}')
    second = await follower('second', `${first.url}repository.git`)
    await first.stop()
    await replaceDocument(primary, 'one', '{"title":"one, once more"}')
    first = await again(first.port, following('first', remote))
    await primary.stop()
    await waitUntil(
      'the first follower reports its missing source',
      async () => !(await healthOf(first)).remote?.ok,
    )
    primary = await again(port, ['--data', 'primary', ...base])
    await replaceDocument(primary, 'two', '{"title":"two, once more"}')

    await caughtUp(first, await head('primary'))
    await caughtUp(second, await head('primary'))
    await compare([primary, first, second], true)
    for (const name of ['first', 'second']) {
      await waitUntil('the work tree follows', async () => (await git(name, 'status', '--porcelain')) === '')
      expect(await git(name, 'fsck', '--strict', '--no-dangling')).to.equal('')
    }
    expect((await healthOf(first)).remote).to.include({ role: 'source', address: remote, ok: true })
  }).timeout(180_000)

  it('follows a plain bare repository, without a work tree', async () => {
    const primary = await primaryServer()
    await runProgram('git', ['clone', '-q', '--bare', at('primary'), at('hub.git')])
    await runProgram('git', ['init', '-q', '--bare', at('follower.git')])
    const server = await follower('follower.git', 'hub.git')
    await caughtUp(server, await head('primary'))

    await replaceDocument(primary, 'one', '{"title":"on"}')
    await git('primary', 'push', '-q', at('hub.git'), 'main')

    await caughtUp(server, await head('primary'))
    await compare([primary, server], true)
  })

  it('refuses updates, and names the server that accepts them', async () => {
    const primary = await primaryServer()
    const server = await follower('copy', `${primary.url}repository.git`)
    await caughtUp(server, await head('primary'))
    const record = metadataRecordV1('https://example.org/four', 'note', { id: 'four' })
    const requests = [
      () =>
        sendForm(server, 'POST', 'api/v1/metadata', { record, part: 'document', bytes: '{"title":"four"}' }),
      () =>
        sendForm(server, 'POST', 'api/v1/metadata', { record, part: 'document', bytes: '{"wrong":"four"}' }),
      () =>
        sendForm(server, 'POST', 'api/v1/schemas', {
          record: { schemaId: 'x' },
          part: 'schema',
          bytes: jsonSchema('a'),
        }),
      () =>
        sendForm(server, 'PUT', 'api/v1/metadata/one', {
          part: 'document',
          bytes: '{"title":"1"}',
          etag: '*',
        }),
      () => fetch(`${server.url}api/v1/metadata/one`, { method: 'DELETE', headers: { 'If-Match': '*' } }),
    ]
    for (const request of requests) {
      const answer = await request()
      expect(answer.status).to.equal(403)
      expect(answer.headers.get('content-type')).to.equal('application/problem+json')
      expect(((await answer.json()) as { detail: string }).detail).to.contain(
        `Send changes to ${primary.url}.`,
      )
    }
    // A command in the data folder cannot change it either.
    await writeFile(at('schema.json'), jsonSchema('a'))
    const command = await runMetastore(['register', 'x', '../schema.json'], { cwd: at('copy') })
    expect(command.code, command.stderr).to.equal(3)
    expect(command.stderr).to.contain(`Send changes to ${primary.url}.`)
    expect(await head('copy')).to.equal(await head('primary'))
    expect((await healthOf(server)).status).to.equal('UP')
  })

  it('serves its state while the source is unreachable or rewritten, reports that, and recovers without help', async () => {
    const primary = await primaryServer()
    await runProgram('git', ['clone', '-q', '--bare', at('primary'), at('hub.git')])
    const server = await follower('copy', at('hub.git'))
    const served = await head('primary')
    await caughtUp(server, served)
    // The follower gets the commits by a clone, before it asks the source for later ones.
    await waitUntil('the follower has asked the source', async () => (await healthOf(server)).remote?.ok)

    await rename(at('hub.git'), at('away.git'))
    const away = await waitUntil('the follower reports the problem', async () => {
      const found = await healthOf(server)
      return !found.remote?.ok && found
    })
    expect(away.status).to.equal('UP')
    expect(away.remote?.detail).to.contain('cannot be reached').and.contain('hub.git')
    expect((await fetch(`${server.url}api/v1/metadata/one`)).status).to.equal(200)
    const { stdout } = await runMetastore(['status', '--data', 'copy'], { cwd: folder })
    expect(stdout).to.match(/^Remote .*hub\.git, followed; last in order at .*: .*cannot be reached/m)
    expect(server.stderr()).to.contain('cannot be reached')

    await rename(at('away.git'), at('hub.git'))
    await waitUntil('the source is reachable again', async () => (await healthOf(server)).remote?.ok)
    expect(server.stderr()).to.contain('is in order again')

    // The source loses commits. The follower keeps them.
    await git('hub.git', 'update-ref', 'refs/heads/main', `${served}~2`)
    const back = await waitUntil(
      'the follower reports the problem',
      async () => (await healthOf(server)).remote?.detail,
    )
    expect(back).to.contain('lacks later commits that are here')
    expect(await head('copy')).to.equal(served)

    // The source gets another history.
    await runProgram('git', ['clone', '-q', at('hub.git'), at('rewriter')])
    await git('rewriter', 'commit', '-q', '--allow-empty', '-m', 'Another way')
    await git('rewriter', 'push', '-q', 'origin', 'main')
    await waitUntil('the follower reports the problem', async () =>
      (await healthOf(server)).remote?.detail?.includes('was rewritten'),
    )
    expect((await healthOf(server)).catalog).to.equal(served)

    await replaceDocument(primary, 'one', '{"title":"on"}')
    await git('primary', 'push', '-q', '--force', at('hub.git'), 'main')
    await caughtUp(server, await head('primary'))
    expect((await healthOf(server)).remote)
      .to.include({ ok: true })
      .and.not.have.property('detail')
  })

  it('serves the last good version when a commit breaks a rule', async () => {
    await primaryRepository()
    await runProgram('git', ['clone', '-q', '--bare', at('primary'), at('hub.git')])
    const server = await follower('copy', at('hub.git'))
    await caughtUp(server, await head('primary'))
    await runProgram('git', ['clone', '-q', at('hub.git'), at('person')])
    const document = (await git('person', 'ls-files', '*/one/document.json')).split('\n')[0] ?? ''
    await writeFile(join(at('person'), document), '{"wrong":1}')
    await git('person', 'commit', '-q', '-a', '-m', 'Break it')
    await git('person', 'push', '-q', 'origin', 'main')

    await caughtUp(server, await head('person'))

    const { faults } = await healthOf(server)
    expect(faults).to.have.length(1)
    expect(server.stderr()).to.contain('breaks a rule')
    expect(await (await fetch(`${server.url}api/v1/metadata/one`)).json()).to.deep.equal({
      title: 'one, again',
    })
  })

  it('does not change edits in the work tree', async () => {
    const primary = await primaryServer()
    const server = await follower('copy', `${primary.url}repository.git`)
    await caughtUp(server, await head('primary'))
    const document = (await git('copy', 'ls-files', '*/one/document.json')).split('\n')[0] ?? ''
    await writeFile(join(at('copy'), document), '{"title":"being edited"}')

    await replaceDocument(primary, 'one', '{"title":"one, changed"}')
    await replaceDocument(primary, 'two', '{"title":"two, changed"}')

    await caughtUp(server, await head('primary'))
    await waitUntil(
      'the other files follow',
      async () => (await git('copy', 'status', '--porcelain')) === `M ${document}`,
    )
    expect(await readFile(join(at('copy'), document), 'utf8')).to.equal('{"title":"being edited"}')
    expect(await (await fetch(`${server.url}api/v1/metadata/one`)).json()).to.deep.equal({
      title: 'one, changed',
    })
  })

  it('reports an invalid remote, and leaves no files behind', async () => {
    const marker = at('started')
    for (const remote of [
      `--upload-pack=touch ${marker}`,
      `ext::sh -c "touch ${marker}"`,
      `ssh://-oProxyCommand=touch%20${marker}/x`,
      'ftp://example.org/x.git',
      '',
    ]) {
      const { code, stderr } = await runMetastore(
        ['serve', '--data', 'new', `--follow=${remote}`, '--port', '0'],
        {
          cwd: folder,
        },
      )
      expect(code, remote).to.equal(2)
      expect(stderr).to.not.equal('')
    }
    const other = await runMetastore(['serve', '--data', 'new', '--follow', 'upstream'], { cwd: folder })
    expect(other.code, other.stderr).to.equal(1)
    expect(other.stderr).to.contain('neither a remote')
    const away = await runMetastore(
      ['serve', '--data', 'new', '--follow', 'http://user:secret@localhost:9/x.git'],
      {
        cwd: folder,
      },
    )
    expect(away.code).to.equal(1)
    expect(away.stderr).to.contain('http://localhost:9/x.git cannot be reached').and.not.contain('secret')
    const without = await runMetastore(['serve', '--data', 'new', '--follow', '/tmp', '--git', 'none'], {
      cwd: folder,
    })
    expect(without.code).to.equal(1)
    expect(without.stderr).to.contain('with a git binary')
    expect((await runProgram('ls', ['-A', folder])).stdout).to.equal('')
  })

  it('follows a configured remote by its name', async () => {
    await primaryRepository()
    await runProgram('git', ['clone', '-q', at('primary'), at('copy')])
    const server = await follower('copy', 'origin')
    await git('primary', 'commit', '-q', '--allow-empty', '-m', 'One more')

    await caughtUp(server, await head('primary'))

    expect((await healthOf(server)).remote?.address).to.equal(at('primary'))
  })

  it('continues after an interrupted clone', async () => {
    await primaryRepository()
    // The state after a kill before the branch exists.
    await runProgram('git', ['init', '-q', at('copy')])
    await git('copy', 'fetch', '-q', at('primary'), 'main')
    await rm(join(at('copy'), 'README.md'), { force: true })

    const server = await follower('copy', at('primary'))

    await caughtUp(server, await head('primary'))
    expect(await git('copy', 'status', '--porcelain')).to.equal('')
  })

  it('is refused together with options that change records', async () => {
    for (const more of [['--push-to', 'x'], ['--allow-push']]) {
      const { code } = await runMetastore(['serve', '--follow', 'y', ...more], { cwd: folder })
      expect(code).to.equal(2)
    }
    expect((await runMetastore(['serve', '--interval', '5s'], { cwd: folder })).code).to.equal(2)
    expect(
      (await runMetastore(['serve', '--follow', 'y', '--interval', 'soon'], { cwd: folder })).code,
    ).to.equal(2)
  })
})
