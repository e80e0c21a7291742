import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { verifyRepository } from '../../../src/features/maintenance/verify/verify-repository.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { closeListeners, type GitClient, gitClient, listenOnPort } from '../../support/git/git-client.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { stopProcesses } from '../../support/program/run-program.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const pushers = ['ann', 'ben', 'cat']
const writers = [0, 1, 2, 3]
/** Resources that every client tries to describe first. */
const contested = [0, 1, 2].map(number => `https://example.org/contested-${number}`)
/** Number of acknowledged updates of the shared record for each writer. */
const updates = isLongForm ? 8 : 5

const place = (name: string) => recordDirectory('metadata', parseTestId(name))

describe('pushes and updates over HTTP at the same time', () => {
  let service: TestService
  let client: GitClient
  /** Commits of all acknowledged changes of the shared record. */
  let acknowledged: Set<string>
  /** For each resource, the clients whose create succeeded. */
  let won: Map<string, string[]>

  before(async () => {
    acknowledged = new Set()
    won = new Map(contested.map(resource => [resource, []]))
    service = await startServiceWithWorkTree({ features: { 'allow-push': true } })
    const url = `${await listenOnPort(service)}/repository.git`
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/shared', 'note', { id: 'shared' }), '{"title":"0"}')
      .expect(201)
    client = await gitClient()
    for (const pusher of pushers) await client.git('clone', '-q', url, pusher)

    await Promise.all([...pushers.map(push), ...writers.map(write)])
    await service.services.workTreeUpToDate()
  })
  after(async () => {
    await closeListeners()
    await removeRepositories()
    await stopProcesses()
  })

  async function write(writer: number): Promise<void> {
    for (let done = 0; done < updates; ) {
      const read = await service.http.get('/api/v1/metadata/shared').expect(200)
      const title = `writer ${writer}, ${done}`
      const answer = await service.putMetadata('shared', etagOf(read), undefined, JSON.stringify({ title }))
      expect([200, 412], answer.text).to.include(answer.status)
      if (answer.status === 200) {
        acknowledged.add(etagOf(answer).slice(1, -1))
        done++
      }
      const resource = contested[done % contested.length] ?? ''
      const name = `writer-${writer}-${done}`
      const post = await service.postMetadata(
        metadataRecordV1(resource, 'note', { id: name }),
        '{"title":"w"}',
      )
      expect([201, 409], post.text).to.include(post.status)
      if (post.status === 201) won.get(resource)?.push(name)
      // This gives pushes a gap between updates.
      await setTimeout(200 + 100 * done)
    }
  }

  async function push(pusher: string): Promise<void> {
    const git = (...args: readonly string[]) => client.git('-C', pusher, ...args)
    const commit = async (files: Readonly<Record<string, string>>) => {
      for (const [path, content] of Object.entries(files)) {
        const file = join(client.folder, pusher, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, content)
      }
      await git('add', '-A')
      await git('commit', '-q', '-m', `${pusher}: ${Object.keys(files).join(', ')}`)
    }
    /** @returns undefined, or the message of the server that refused the push */
    const arrives = async (): Promise<string | undefined> => {
      for (;;) {
        const { code, stderr } = await client.attempt('-C', pusher, 'push', '-q', 'origin', 'main')
        if (code === 0) return undefined
        if (/remote: There (?:is|are) \d+ faults?/.test(stderr)) return stderr
        // Another client was first. Rebases on its commit, and keeps this pusher's version in conflicts.
        await git('pull', '-q', '--rebase', '-X', 'theirs')
      }
    }

    for (const [number, resource] of contested.entries()) {
      await commit({
        [`${place('shared')}/document.json`]: JSON.stringify({ title: `${pusher}, ${number}` }),
      })
      expect(await arrives()).to.equal(undefined)
      acknowledged.add(await git('rev-parse', 'HEAD'))

      const name = `${pusher}-${number}`
      const related = [{ identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' }]
      await commit({
        [`${place(name)}/record.json`]: JSON.stringify({
          schema: { schemaId: 'note' },
          relatedIdentifiers: related,
        }),
        [`${place(name)}/document.json`]: '{"title":"p"}',
      })
      const fault = await arrives()
      if (fault === undefined) won.get(resource)?.push(name)
      else {
        expect(fault).to.contain('already has a document')
        await git('fetch', '-q')
        await git('reset', '-q', '--hard', 'origin/main')
      }
    }
  }

  it('lose no acknowledged update', async () => {
    const chain = (await service.repository.git('rev-list', '--first-parent', 'main')).split('\n')
    expect(acknowledged.size).to.equal(pushers.length * contested.length + writers.length * updates)
    expect(chain).to.include.members([...acknowledged])
    const { body } = await service.http.get('/api/v1/metadata?size=1000').expect(200)
    const ids = (body as { id: string }[]).map(record => record.id)
    expect(ids).to.have.members(['shared', ...[...won.values()].flat()])
  })

  it('make versions without a gap, each acknowledged, in the order of history', async () => {
    const { body } = await service.http.get('/api/v1/metadata/shared/versions?size=1000').expect(200)
    const versions = (body as { version: number; commit: string }[]).toReversed()
    expect(versions.map(({ version }) => version)).to.deep.equal(versions.map((_, index) => index + 1))
    expect(versions.slice(1).map(({ commit }) => commit)).to.have.members([...acknowledged])
    const chain = (await service.repository.git('rev-list', '--first-parent', '--reverse', 'main')).split(
      '\n',
    )
    const places = versions.map(({ commit }) => chain.indexOf(commit))
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b))
  })

  it('leave one document for each resource and schema, the acknowledged one', async () => {
    for (const [resource, names] of won) {
      expect(names, resource).to.have.length(1)
      const query = `resourceId=${encodeURIComponent(resource)}`
      const { body } = await service.http.get(`/api/v1/metadata?${query}`).expect(200)
      expect((body as { id: string }[]).map(record => record.id)).to.deep.equal(names)
    }
  })

  it('leave a sound repository', async () => {
    expect(await service.repository.git('status', '--porcelain')).to.equal('')
    expect(await service.repository.git('fsck', '--strict', '--no-dangling')).to.equal('')
    expect((await service.http.get('/health').expect(200)).body.faults).to.deep.equal([])
    for await (const complaint of verifyRepository(service.services.parts))
      throw new Error(JSON.stringify(complaint))
  })
})
