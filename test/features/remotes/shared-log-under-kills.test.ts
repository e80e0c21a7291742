import { join } from 'node:path'
import { expect } from 'chai'
import { jsonSchema, metadataRecordV1 } from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  programScript,
  type RunningServer,
  runMetastore,
  runProgram,
  start,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import { gitOutput, healthOf, sendAcceptedForm, sendForm } from '../../support/servers/server-requests.js'

/** Time limit in milliseconds, because the machine may be busy. */
const patience = 200_000

const names = ['one', 'two', 'three'] as const
type Name = (typeof names)[number]

describe('three servers that share a log, each of which may be killed', function () {
  this.timeout(900_000)
  let folder: string
  after(stopProcesses)

  const at = (name: string) => join(folder, name)
  const git = (name: string, ...args: readonly string[]) => gitOutput(folder, name, ...args)
  const head = (name: string) => git(name, 'rev-parse', 'refs/heads/main')
  const sharing = (name: Name) => [
    ...['--data', name, '--push-to', at('log.git'), '--ack-remote', '--interval', '300ms'],
    ...['--base-url', 'https://metastore.example.org'],
  ]
  const server = (name: Name) => startServer(sharing(name), { cwd: folder })
  const again = (name: Name, { port }: RunningServer) =>
    start(process.execPath, [programScript, 'serve', '--port', String(port), ...sharing(name)], {
      cwd: folder,
    })

  async function registerNote(to: RunningServer): Promise<void> {
    const sent = { record: { schemaId: 'note' }, part: 'schema', bytes: jsonSchema('title') } as const
    await sendAcceptedForm(to, 'POST', 'api/v1/schemas', sent)
  }
  function create(to: RunningServer, id: string, resource = id): Promise<Response> {
    const record = metadataRecordV1(`https://example.org/${resource}`, 'note', { id })
    return sendForm(to, 'POST', 'api/v1/metadata', { record, part: 'document', bytes: `{"title":"${id}"}` })
  }
  function update(to: RunningServer, id: string, etag: string, title: string): Promise<Response> {
    const bytes = JSON.stringify({ title })
    return sendForm(to, 'PUT', `api/v1/metadata/${id}`, { part: 'document', bytes, etag })
  }
  const documentOf = async (of: RunningServer, id: string, version?: number) =>
    (
      await fetch(`${of.url}api/v1/metadata/${id}${version === undefined ? '' : `?version=${version}`}`)
    ).text()

  async function allAt(commit: string, servers: readonly RunningServer[]): Promise<void> {
    await waitUntil(
      'all servers have the head of the log',
      async () => (await Promise.all(servers.map(healthOf))).every(({ catalog }) => catalog === commit),
      patience,
    )
  }

  /** Starts the servers. The second and the third clone the log, which the first has filled. */
  async function three(): Promise<Record<Name, RunningServer>> {
    const one = await server('one')
    await registerNote(one)
    const [two, other] = await Promise.all([server('two'), server('three')])
    return { one, two, three: other }
  }

  let servers: Record<Name, RunningServer>
  let fresh: RunningServer
  /** ETags of the acknowledged creates, by id. */
  const created = new Map<string, string>()
  /** Ids of acknowledged updates of one record, by the ETag that they sent. */
  const winners = new Map<string, string[]>()
  const resources = new Map<string, string[]>()
  const counts = new Map<number, number>()
  const told = (status: number) => counts.set(status, (counts.get(status) ?? 0) + 1)
  const over = new AbortController()

  async function work(name: Name, client: number): Promise<void> {
    for (let round = 0; !over.signal.aborted; round++) {
      // A killed server does not answer, so its client does not learn the outcome.
      await oneRound(name, `${name}-${client}-${round}`, round).catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error
      })
      await new Promise(resolve => setTimeout(resolve, isLongForm ? 20 : 60))
    }
  }
  async function oneRound(name: Name, id: string, round: number): Promise<void> {
    const own = await create(servers[name], id)
    told(own.status)
    if (own.status === 201) created.set(id, own.headers.get('etag') ?? '')
    // All clients try to describe the same resource.
    const resource = `shared-${round % 7}`
    const shared = await create(servers[name], `${id}-shared`, resource)
    told(shared.status)
    if (shared.status === 201) resources.set(resource, [...(resources.get(resource) ?? []), `${id}-shared`])
    // All clients try to store the next version.
    const read = await fetch(`${servers[name].url}api/v1/metadata/contested`)
    const etag = read.headers.get('etag') ?? ''
    const put = await update(servers[name], 'contested', etag, id)
    told(put.status)
    if (put.status === 200) winners.set(etag, [...(winners.get(etag) ?? []), id])
  }

  before(async () => {
    folder = await temporaryFolder()
    await runProgram('git', ['init', '-q', '--bare', '-b', 'main', at('log.git')])
    await runMetastore(['init', '--empty', 'one'], { cwd: folder })
    servers = await three()
    await create(servers.one, 'contested')
    const working = names.flatMap(name => [0, 1].map(client => work(name, client)))
    try {
      await waitUntil(
        'records are created, updates are accepted, and a request is refused',
        () => created.size > 8 && winners.size > 2 && counts.has(409),
        patience,
      )
      for (const name of ['two', 'one'] as const) {
        await servers[name].stop('SIGKILL')
        servers[name] = await again(name, servers[name])
        const before = created.size
        await waitUntil('creates continue', () => created.size > before + (isLongForm ? 6 : 3), patience)
      }
    } finally {
      over.abort()
      await Promise.all(working)
    }
    await allAt(await head('log.git'), Object.values(servers))
    await runProgram('git', ['clone', '-q', at('log.git'), at('fresh')])
    fresh = await startServer(['--data', 'fresh', ...sharing('one').slice(-2)], { cwd: folder })
  })

  const list = (of: RunningServer) =>
    fetch(`${of.url}api/v1/metadata?size=1000&sort=id`).then(found => found.text())

  it('give the same answers, and so does a server with a fresh clone', async () => {
    for (const each of Object.values(servers)) expect(await list(each)).to.equal(await list(fresh))
  })

  it('lose no acknowledged create', async () => {
    for (const [id, etag] of created) {
      const answer = await fetch(`${fresh.url}api/v1/metadata/${id}`)
      expect(answer.headers.get('etag'), id).to.equal(etag)
    }
  })

  it('have one document for each resource', async () => {
    const records = JSON.parse(await list(fresh)) as readonly { relatedResource: { identifier: string } }[]
    const described = records.map(({ relatedResource }) => relatedResource.identifier)
    expect(new Set(described).size).to.equal(described.length)
    for (const [resource, ids] of resources) expect(ids, resource).to.have.length.at.most(1)
  })

  it('accept one update for each ETag', () => {
    for (const [etag, ids] of winners) expect(ids, etag).to.have.length(1)
    expect(winners.size).to.be.above(2)
  })

  it('have every version of the accepted updates', async () => {
    const versions = await fetch(`${fresh.url}api/v1/metadata/contested/versions?size=1000`)
    const chain = (await versions.json()) as readonly { version: number }[]
    expect(chain.map(({ version }) => version)).to.deep.equal(chain.map((_, back) => chain.length - back))
    const titles = await Promise.all(chain.map(({ version }) => documentOf(fresh, 'contested', version)))
    for (const [id] of winners.values()) expect(titles).to.include(JSON.stringify({ title: id }))
  })

  it('refuse updates with 409, 412 or 503 only', () => {
    const all = JSON.stringify([...counts])
    expect(counts.get(409), all).to.be.above(0)
    expect([200, 201, 409, 412, 503], all).to.include.members([...counts.keys()])
  })

  for (const name of [...names, 'log.git', 'fresh']) {
    it(`have sound objects: ${name}`, async () => {
      expect(await git(name, 'fsck', '--strict', '--no-dangling')).to.equal('')
    })
  }

  for (const name of names) {
    it(`have the head of the log, with a work tree that follows: ${name}`, async () => {
      expect(await head(name)).to.equal(await head('log.git'))
      await waitUntil(
        'the work tree follows',
        async () => (await git(name, 'status', '--porcelain')) === '',
        patience,
      )
    })
  }

  it('leave records that verify finds valid', async () => {
    const { stdout, code } = await runMetastore(['verify', '--full', '--data', 'fresh'], { cwd: folder })
    expect(code, stdout).to.equal(0)
  })
})
