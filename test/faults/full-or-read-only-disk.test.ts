import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLongForm } from '../support/program/long-form.js'
import { canMount, fill } from '../support/program/mount-namespaces.js'
import {
  type FinishedProcess,
  programScript,
  type RunningServer,
  runProgram,
  start,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { noteJsonSchema } from '../support/repository/note-records.js'
import { waitUntil } from '../support/repository/test-repository.js'

/* A server with a small disk of its own. */

/** Size of the disk, in bytes. */
const size = 12 * 1024 * 1024

interface SmallDisk {
  readonly server: RunningServer
  /** Path of the disk outside its mount namespace. */
  readonly path: string
  /** Runs a command in the mount namespace of the server. */
  inside(...command: readonly string[]): Promise<FinishedProcess>
}

async function serveOnSmallDisk(): Promise<SmallDisk> {
  const disk = join(await temporaryFolder(), 'disk')
  await mkdir(disk)
  const node = `'${process.execPath}' '${programScript}'`
  const script = [
    `mount -t tmpfs -o size=${size} none '${disk}'`,
    `${node} init --empty '${disk}/data'`,
    `exec ${node} serve --port 0 --data '${disk}/data'`,
  ].join(' && ')
  const server = await start('unshare', ['-rm', 'sh', '-c', script])
  const pid = String(server.child.pid)
  return {
    server,
    path: `/proc/${pid}/root${disk}`,
    inside: (...command) =>
      runProgram('nsenter', ['-t', pid, '-U', '-m', '--preserve-credentials', ...command]),
  }
}

async function post({ url }: RunningServer, what: 'schemas' | 'metadata', record: object, bytes: string) {
  const body = new FormData()
  body.append('record', new Blob([JSON.stringify(record)]), 'record.json')
  body.append(what === 'schemas' ? 'schema' : 'document', new Blob([bytes]), 'document.json')
  return await fetch(`${url}api/v1/${what}`, { method: 'POST', body })
}

let made = 0
/** Creates a note with a title of the given length. */
function create(server: RunningServer, characters: number, id = `note-${++made}`): Promise<Response> {
  const record = {
    id,
    schema: { identifier: 'note', identifierType: 'INTERNAL' },
    relatedResource: { identifier: `https://example.org/${id}`, identifierType: 'URL' },
  }
  return post(server, 'metadata', record, JSON.stringify({ title: 'x'.repeat(characters) }))
}

describe('a disk', () => {
  let disk: SmallDisk
  before(async function () {
    // Without mount namespaces, as in some containers, a full disk would affect the whole machine.
    if (!canMount()) this.skip()
    disk = await serveOnSmallDisk()
    const { status } = await post(
      disk.server,
      'schemas',
      { schemaId: 'note', type: 'JSON' },
      noteJsonSchema.toString(),
    )
    expect(status).to.equal(201)
  })
  after(stopProcesses)

  /** Path of the repository inside the mount namespace. */
  const data = () => `${disk.path.slice(disk.path.indexOf('/root') + '/root'.length)}/data`

  async function untilClean(): Promise<void> {
    await waitUntil(
      'a clean status',
      async () => (await disk.inside('git', '-C', data(), 'status', '--porcelain')).stdout === '',
    )
  }
  async function listed(): Promise<readonly string[]> {
    const list = await fetch(`${disk.server.url}api/v1/metadata?size=500`)
    return ((await list.json()) as readonly { id: string }[]).map(({ id }) => id)
  }

  async function whole(ids: readonly string[]): Promise<void> {
    const { server, inside } = disk
    for (const id of ids) expect((await fetch(`${server.url}api/v1/metadata/${id}`)).status, id).to.equal(200)
    expect((await fetch(`${server.url}health`)).status).to.equal(200)
    await untilClean()
    const fsck = await inside('git', '-C', data(), 'fsck', '--full', '--strict', '--no-dangling')
    expect(fsck.stdout + fsck.stderr).to.equal('')
  }

  it('that is full: updates are refused with 507, reads continue, and updates continue when there is space', async () => {
    const { server, path } = disk
    expect((await create(server, 100, 'first')).status).to.equal(201)
    await waitUntil('the server is healthy', async () => (await fetch(`${server.url}health`)).status === 200)
    // Wait for the index: when a new index replaces the old one, it frees space on the disk.
    await untilClean()
    fill(join(path, 'filler'))

    const refused: string[] = []
    for (let round = 1; round <= 4; round++) {
      const answer = await create(server, 50_000, `refused-${round}`)
      expect(answer.status, await answer.text()).to.equal(507)
      refused.push(`refused-${round}`)
      expect((await fetch(`${server.url}api/v1/metadata/first`)).status).to.equal(200)
      expect((await fetch(`${server.url}api/v1/metadata`)).status).to.equal(200)
    }
    expect((await fetch(`${server.url}health`)).status).to.equal(503)
    for (const id of refused) expect((await fetch(`${server.url}api/v1/metadata/${id}`)).status).to.equal(404)
    expect(
      readdirSync(join(path, 'data/.git/objects/pack')).filter(name => !/\.(pack|idx)$/.test(name)),
    ).to.deep.equal([])

    rmSync(join(path, 'filler'))

    expect((await create(server, 50_000, 'after')).status).to.equal(201)
    for (const id of refused) expect((await fetch(`${server.url}api/v1/metadata/${id}`)).status).to.equal(404)
    await whole(['first', 'after'])
  })

  it('that fills up under load: acknowledged updates stay, and all others are 507', async () => {
    const { server, path } = disk
    const before = await listed()
    const filler = Buffer.alloc(size - 4 * 1024 * 1024)
    const file = openSync(join(path, 'filler'), 'w')
    writeSync(file, filler)
    closeSync(file)
    const taken: string[] = []
    const others = new Set<number>()

    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let round = 0; round < (isLongForm ? 30 : 20); round++) {
          const id = `n-${client}-${round}`
          const text = Array.from({ length: 1200 }, () => Math.random().toString(36)).join('')
          const record = {
            id,
            schema: { identifier: 'note', identifierType: 'INTERNAL' },
            relatedResource: { identifier: `https://example.org/${id}`, identifierType: 'URL' },
          }
          const answer = await post(server, 'metadata', record, JSON.stringify({ title: text }))
          if (answer.status === 201) taken.push(id)
          else others.add(answer.status)
          // If the disk is full during the write of the catalog, the answer reports that the history has the update.
          if ((await answer.text()).includes('in the history all the same')) taken.push(id)
        }
      }),
    )

    expect([...others]).to.deep.equal([507])
    expect(taken).to.not.deep.equal([])
    rmSync(join(path, 'filler'))
    expect((await create(server, 100, 'after-load')).status).to.equal(201)
    const own = join(path, 'data/.git/git-metastore')
    await waitUntil('no half-written file is left', async () =>
      readdirSync(own).every(name => !name.startsWith('info-')),
    )
    expect(await listed()).to.have.members([...before, ...taken, 'after-load'])
    await whole([...taken, 'after-load'])
  })

  it('that becomes read-only: updates are refused with 503, reads continue, and updates continue when it is writable', async () => {
    const { server, inside } = disk
    expect((await create(server, 100, 'writable')).status).to.equal(201)
    await untilClean()
    // The kernel refuses to make a disk with open files read-only. A read-only bind mount at the same path affects new
    // calls.
    const view = await inside(
      'sh',
      '-c',
      `mount --bind '${data()}' '${data()}' && mount -o remount,bind,ro '${data()}'`,
    )
    expect(view.code, view.stderr).to.equal(0)

    for (let round = 1; round <= 3; round++) {
      const answer = await create(server, 100, `read-only-${round}`)
      expect(answer.status, await answer.text()).to.equal(503)
      expect((await fetch(`${server.url}api/v1/metadata/writable`)).status).to.equal(200)
    }
    expect((await fetch(`${server.url}health`)).status).to.equal(503)

    expect((await inside('mount', '-o', 'remount,bind,rw', data())).code).to.equal(0)

    expect((await create(server, 100, 'writable-again')).status).to.equal(201)
    for (let round = 1; round <= 3; round++)
      expect((await fetch(`${server.url}api/v1/metadata/read-only-${round}`)).status).to.equal(404)
    await whole(['writable', 'writable-again'])
  })

  it('does not prevent an orderly stop after it was full or read-only', async () => {
    expect((await disk.server.stop()).code).to.equal(0)
  })
})
