import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
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

const document = (title: string) => JSON.stringify({ title, date: '2026-03-14', instrument: { name: 'SEM' } })

/** Makes the form of a record that describes `resource`, and its document. */
function parts(resource: string, title: string, id?: string): FormData {
  const form = new FormData()
  const record = {
    ...(id === undefined ? {} : { id }),
    relatedResource: { identifier: resource, identifierType: 'URL' },
    schema: { identifier: 'measurement', identifierType: 'INTERNAL' },
  }
  form.set('record', new Blob([JSON.stringify(record)], { type: 'application/json' }), 'record.json')
  form.set('document', new Blob([document(title)]), 'document.json')
  return form
}

async function create(server: RunningServer, id: string): Promise<void> {
  const body = parts(`https://example.org/${id}`, id, id)
  const answer = await fetch(`${server.url}api/v1/metadata`, { method: 'POST', body })
  expect(answer.status, await answer.text()).to.equal(201)
}

async function change(server: RunningServer, id: string, title: string): Promise<void> {
  const url = `${server.url}api/v1/metadata/${id}`
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const body = parts(`https://example.org/${id}`, title)
  const answer = await fetch(url, { method: 'PUT', body, headers: { 'If-Match': etag } })
  expect(answer.status, await answer.text()).to.equal(200)
}

async function listed(server: RunningServer): Promise<readonly string[]> {
  const answer = await fetch(`${server.url}api/v1/metadata?size=2000`)
  return idsOf((await answer.json()) as { id: string }[])
}

function idsOf(entries: readonly { readonly id: string }[]): readonly string[] {
  return entries.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1))
}

describe('a data folder', () => {
  let folder: string
  let data: string
  beforeEach(async () => {
    folder = await temporaryFolder()
    data = join(folder, 'data')
    await copyPrepared('init', data, made => initialise(made, []))
  })
  afterEach(stopProcesses)

  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram('git', ['-C', data, ...args])
    expect(code, stderr).to.equal(0)
    return stdout
  }

  it('accepts parallel updates of a server and of commands, shows them to both, and loses none', async () => {
    const server = await startServer(['--data', data])
    const before = Number(await git('rev-list', '--count', 'HEAD'))
    const file = join(folder, 'new.json')
    await writeFile(file, document('by command'))
    const through = Array.from({ length: 20 }, (_, index) => `through-${index}`)
    const byCommands = ['commands-0', 'commands-1', 'commands-2']

    const updates = async () => {
      for (const id of through) await create(server, id)
    }
    const commands = async (id: string) => {
      const added = await runMetastore(
        ['add', 'measurement', `https://example.org/${id}`, file, '--id', id, '--data', data],
        {},
      )
      expect(added.code, added.stderr).to.equal(0)
      // The server shows the record at once.
      expect((await fetch(`${server.url}api/v1/metadata/${id}`)).status).to.equal(200)
    }
    await Promise.all([updates(), ...byCommands.map(commands)])
    await change(server, 'commands-0', 'over HTTP')
    const got = await runMetastore(['get', 'commands-0', '--data', data])
    expect(got.stdout).to.equal(document('over HTTP'))
    await runMetastore(['update', 'through-0', file, '--data', data])
    const answer = await fetch(`${server.url}api/v1/metadata/through-0`)
    expect(await answer.text()).to.equal(document('by command'))

    const ids = await listed(server)
    expect(ids).to.include.members([...through, ...byCommands])
    const { stdout } = await runMetastore(['list', '--size', '2000', '--data', data, '--json'])
    const entries = (JSON.parse(stdout) as { entries: { id: string }[] }).entries
    expect(idsOf(entries)).to.deep.equal(ids)
    expect(Number(await git('rev-list', '--count', 'HEAD')) - before).to.equal(25)
    await server.stop()
    expect(await git('status', '--porcelain')).to.equal('')
    await git('fsck', '--strict')
  })

  it('is served from a clone byte for byte with the same ETags, bare or not, with or without git', async () => {
    const same = ['--base-url', 'https://example.org/']
    const first = await startServer(['--data', data, ...same])
    for (const id of ['one', 'two', 'three']) await create(first, id)
    await change(first, 'two', 'changed')
    const url = `${first.url}api/v1/metadata/`
    for (const [id, times] of Object.entries({ one: 1, three: 2 })) {
      for (let time = 0; time < times; time++) {
        const etag = (await fetch(url + id)).headers.get('etag') ?? ''
        const { status } = await fetch(url + id, { method: 'DELETE', headers: { 'If-Match': etag } })
        expect(status).to.equal(204)
      }
    }
    const answers = async ({ url: base }: RunningServer) => {
      const found: Record<string, unknown> = {}
      for (const path of [
        ...[
          'schemas',
          'schemas?schemaId=sample',
          'schemas/sample',
          'schemas/sample/files/types/material.xsd',
        ],
        ...[
          'metadata?size=2000',
          'metadata?id=two',
          'metadata?page=1&size=2',
          'metadata?schemaId=measurement',
        ],
        ...['metadata/two', 'metadata/two?version=1', 'metadata/one', 'metadata/three', 'metadata/four'],
      ]) {
        for (const Accept of ['*/*', 'application/vnd.repository.metadata-record+json']) {
          const answer = await fetch(`${base}api/v1/${path}`, { headers: { Accept } })
          const headers = [...answer.headers].filter(
            ([name]) => !/^(date|x-request-id|connection|keep-alive)$/.test(name),
          )
          found[`${path} as ${Accept}`] = { status: answer.status, headers, body: await answer.text() }
        }
      }
      const again = parts('https://example.org/x', 'x', 'three')
      found.gone = (await fetch(`${base}api/v1/metadata`, { method: 'POST', body: again })).status
      return found
    }
    const expected = await answers(first)
    expect(expected.gone).to.equal(410)
    await first.stop()

    await rm(join(data, '.git', 'git-metastore'), { recursive: true })
    await runProgram('git', ['clone', '-q', data, 'clone'], { cwd: folder })
    await runProgram('git', ['clone', '-q', '--bare', data, 'bare.git'], { cwd: folder })
    for (const args of [[data], [join(folder, 'clone'), '--git', 'none'], [join(folder, 'bare.git')]]) {
      const other = await startServer(['--data', ...args, ...same])
      expect(await answers(other), args.join(' ')).to.deep.equal(expected)
      await create(other, 'later')
      await other.stop()
    }
  })

  it('can be created, served, updated and read without a git binary', async () => {
    const env = { PATH: join(folder, 'nothing') }
    const plain = join(folder, 'plain')
    data = plain
    const first = await startServer(['--data', plain], { env })
    await create(first, 'one')
    await change(first, 'one', 'changed')
    await create(first, 'two')
    const ids = await listed(first)
    expect(ids).to.include.members(['one', 'two'])
    expect((await first.stop()).code).to.equal(0)

    const second = await startServer(['--data', plain], { env })
    expect(await listed(second)).to.deep.equal(ids)
    const read = async (path: string) => (await fetch(`${second.url}api/v1/metadata/${path}`)).text()
    expect(await read('one')).to.equal(document('changed'))
    expect(await read('one?version=1')).to.equal(document('one'))
    const verified = await runMetastore(['verify', '--data', plain], { env })
    expect(verified.code, verified.stdout).to.equal(0)
    await second.stop()
    expect(await git('status', '--porcelain')).to.equal('')
    await git('fsck', '--strict')
  })
})
