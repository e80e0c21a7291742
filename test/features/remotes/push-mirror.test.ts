import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { jsonSchema, metadataRecordV1 } from '../../support/http/test-service.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import {
  gitOutput,
  healthOf,
  replaceDocument,
  sendAcceptedForm,
} from '../../support/servers/server-requests.js'

describe('a server that pushes to a mirror', () => {
  let folder: string
  afterEach(stopProcesses)
  beforeEach(async () => {
    folder = await temporaryFolder()
    await runProgram('git', ['init', '-q', '--bare', '-b', 'main', at('mirror.git')])
    await runMetastore(['init', '--empty', 'data'], { cwd: folder })
  })

  const at = (name: string) => join(folder, name)
  /** The head of the branch; empty if the branch does not exist yet. */
  const head = (name: string) =>
    gitOutput(folder, name, 'for-each-ref', '--format=%(objectname)', 'refs/heads/main')
  const server = (remote = at('mirror.git')) =>
    startServer(['--data', 'data', '--push-to', remote], { cwd: folder })

  async function createNote(to: RunningServer, id: string): Promise<void> {
    const record = metadataRecordV1(`https://example.org/${id}`, 'note', { id })
    await sendAcceptedForm(to, 'POST', 'api/v1/metadata', {
      record,
      part: 'document',
      bytes: `{"title":"${id}"}`,
    })
  }
  async function registerNote(to: RunningServer): Promise<void> {
    const record = { schemaId: 'note' }
    await sendAcceptedForm(to, 'POST', 'api/v1/schemas', {
      record,
      part: 'schema',
      bytes: jsonSchema('title'),
    })
  }
  const mirrored = () =>
    waitUntil(
      'the mirror has the head',
      async () => (await head('mirror.git')) === (await head('data')),
      30_000,
    )

  it('pushes every update soon, and the last ones before it stops', async () => {
    const running = await server()
    await registerNote(running)
    await mirrored()

    await Promise.all(Array.from({ length: 20 }, (_, index) => createNote(running, `note-${index}`)))
    await mirrored()
    await waitUntil('the server reports no lag', async () => (await healthOf(running)).remote?.lag === 0)
    const { remote } = await healthOf(running)
    expect(remote).to.include({ role: 'mirror', address: at('mirror.git'), ok: true, lag: 0 })
    expect(await gitOutput(folder, 'mirror.git', 'fsck', '--strict')).to.equal('')

    await createNote(running, 'last')
    expect((await running.stop()).code).to.equal(0)
    expect(await head('mirror.git')).to.equal(await head('data'))
  })

  it('answers updates while the mirror is unreachable, reports the lag, and catches up', async () => {
    const running = await server()
    await registerNote(running)
    await mirrored()
    await rename(at('mirror.git'), at('away.git'))

    await createNote(running, 'one')
    await replaceDocument(running, 'one', '{"title":"two"}')

    const away = await waitUntil('the server reports the problem', async () => {
      const found = await healthOf(running)
      return found.remote?.ok === false && found.remote.lag === 2 && found
    })
    expect(away.status).to.equal('UP')
    expect(away.remote?.detail).to.contain('cannot be reached')
    expect(running.stderr()).to.contain('cannot be reached')
    const { stdout } = await runMetastore(['status', '--data', 'data'], { cwd: folder })
    expect(stdout).to.match(/^Remote .*mirror\.git, pushed to; .*; lacks 2 commits; since .*: .*reached/m)

    await rename(at('away.git'), at('mirror.git'))
    await mirrored()
    await waitUntil('the mirror is in order', async () => (await healthOf(running)).remote?.ok)
    expect(running.stderr()).to.contain('is in order again')
  })

  it('never forces a push, reports foreign commits, and leaves the mirror unchanged', async () => {
    const running = await server()
    await registerNote(running)
    await mirrored()
    await runProgram('git', ['clone', '-q', at('mirror.git'), at('person')])
    await writeFile(at('person/hello.txt'), 'hello\n')
    await gitOutput(folder, 'person', 'add', '.')
    await gitOutput(folder, 'person', 'commit', '-q', '-m', 'Mine')
    await gitOutput(folder, 'person', 'push', '-q', 'origin', 'main')
    const theirs = await head('mirror.git')

    await createNote(running, 'one')

    const detail = await waitUntil(
      'the server reports the problem',
      async () => (await healthOf(running)).remote?.detail,
    )
    expect(detail).to.contain('another client pushed there')
    await createNote(running, 'two')
    expect(await head('mirror.git')).to.equal(theirs)

    // A merge of the foreign commits loses nothing, and the server continues to push.
    await waitUntil('the index is free', async () => {
      const pulled = await runProgram('git', [
        '-C',
        at('data'),
        'pull',
        '-q',
        '--no-rebase',
        '--no-edit',
        at('mirror.git'),
        'main',
      ])
      return pulled.code === 0
    })
    await mirrored()
    expect(await gitOutput(folder, 'mirror.git', 'merge-base', theirs, 'main')).to.equal(theirs)
    expect((await healthOf(running)).faults).to.deep.equal([])
  })

  it('does not start without a git binary, or with a remote that runs a program', async () => {
    const marker = at('started')
    const hostile = await runMetastore(['serve', '--data', 'data', '--push-to', `ext::touch ${marker}`], {
      cwd: folder,
    })
    expect(hostile.code).to.equal(2)
    await gitOutput(folder, 'data', 'config', 'remote.odd.url', `ext::touch ${marker}`)
    const configured = await runMetastore(['serve', '--data', 'data', '--push-to', 'odd'], { cwd: folder })
    expect(configured.code).to.equal(1)
    expect(configured.stderr).to.contain('is no repository')
    const without = await runMetastore(
      ['serve', '--data', 'data', '--push-to', at('mirror.git'), '--git', 'none'],
      { cwd: folder },
    )
    expect(without.code).to.equal(1)
    expect(without.stderr).to.contain('with a git binary')
    expect((await runProgram('ls', [marker])).code).to.not.equal(0)
  })
})
