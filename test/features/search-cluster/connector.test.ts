// test-schedule: waits
import { writeFile } from 'node:fs/promises'
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
import { askCluster, describeOneCluster, documentsIn } from '../../support/search/test-cluster.js'
import { upload } from '../../support/servers/uploads.js'

interface Progress {
  readonly upToDate: boolean
  readonly lagCommits: number
  readonly lagSeconds: number
  readonly isPaused?: true
}

interface Listed {
  readonly name: string
  readonly state: string
  readonly commit?: string
  readonly lagCommits?: number
  readonly lagSeconds?: number
  readonly rewinds?: { readonly to?: string }
  readonly lastError?: string
}

async function progressOf({ url }: RunningServer): Promise<Progress> {
  return ((await (await fetch(`${url}health`)).json()) as { readonly search: Progress }).search
}

async function connector(folder: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runMetastore(['connector', ...args, '--data', folder])
  expect(code, stderr).to.equal(0)
  return stdout
}

async function listed(folder: string): Promise<Listed> {
  const [found] = JSON.parse(await connector(folder, 'list', '--json')) as readonly Listed[]
  if (!found) throw new Error('There is no connector.')
  return found
}

const headOf = async (folder: string) =>
  (await runProgram('git', ['-C', folder, 'rev-parse', 'HEAD'])).stdout.trim()

describeOneCluster('git-metastore connector, of a cluster', cluster => {
  let folder: string
  before(async () => {
    folder = await temporaryFolder()
    expect((await runMetastore(['init', '--empty', folder])).code).to.equal(0)
  })
  after(async () => {
    await stopProcesses()
  })

  const start = () =>
    startServer(['--data', folder, '--search-url', cluster.url, '--search-index', cluster.prefix])
  const store = (server: RunningServer, id: string) =>
    upload(server.url, 'metadata', metadataRecordV1(`http://x/${id}`, 'one', { id }), `{"title":"${id}"}`)
  const upToDate = (server: RunningServer) =>
    waitUntil('the cluster is up to date', async () => (await progressOf(server)).upToDate)
  const idsIn = async () => (await documentsIn(cluster)).map(({ _source }) => _source.id)

  describe('beside a running server', () => {
    let server: RunningServer
    before(async () => {
      server = await start()
      await upload(server.url, 'schema', { schemaId: 'one' }, jsonSchema('title'))
      await store(server, 'a')
      await upToDate(server)
    })
    after(() => server.stop())

    it('lists it as following, without a lag', async () => {
      expect(await listed(folder)).to.deep.include({
        name: 'search',
        state: 'following',
        lagCommits: 0,
        lagSeconds: 0,
        commit: await headOf(folder),
      })
    })

    it('lists it as text', async () => {
      expect(await connector(folder, 'list')).to.match(/^search +following +[0-9a-f]{10} +none +http/m)
    })

    describe('pauses it', () => {
      let said: string
      before(async () => {
        said = await connector(folder, 'pause', 'search')
        await waitUntil('it is paused', async () => (await progressOf(server)).isPaused)
        await store(server, 'b')
        await store(server, 'c')
        // A connector that is not paused sends them within this time.
        await new Promise(resolve => setTimeout(resolve, 2500))
      })

      it('and says so', () => {
        expect(said).to.contain('Paused search. The server sends nothing')
      })

      it('so that the cluster gets no further records', async () => {
        expect(await idsIn()).to.have.members(['one', 'a'])
      })

      it('with its lag in /health', async () => {
        const behind = await progressOf(server)
        expect([behind.upToDate, behind.lagCommits]).to.deep.equal([false, 2])
        expect(behind.lagSeconds).to.be.above(0)
      })

      it('with its lag in /metrics', async () => {
        expect(await (await fetch(`${server.url}metrics`)).text())
          .to.match(/^metastore_search_paused 1$/m)
          .and.match(/^metastore_search_lag_commits 2$/m)
          .and.match(/^metastore_search_lag_seconds [1-9]\d*$/m)
      })

      it('with its lag in the list', async () => {
        const paused = await listed(folder)
        expect(paused).to.deep.include({ state: 'paused', lagCommits: 2 })
        expect(paused.lagSeconds).to.be.above(0)
      })

      it('with its lag in status', async () => {
        const { stdout } = await runMetastore(['status', '--data', folder])
        expect(stdout).to.match(/^Sends {4}search to http\S+: paused; lag: 2 commits, \d+ s$/m)
      })

      it('and resumes it, so that the cluster gets all records', async () => {
        expect(await connector(folder, 'resume', 'search')).to.contain('The server goes on')
        await upToDate(server)
        expect(await idsIn()).to.have.members(['one', 'a', 'b', 'c'])
      })
    })
  })

  describe('over restarts of the server', () => {
    it('lets the next server start paused; its searches use the current content of the cluster', async () => {
      expect(await connector(folder, 'pause', 'search')).to.contain('Paused search. The next server sends')
      const server = await start()
      await store(server, 'd')
      const ids = await waitUntil('it answers', async () => {
        const answer = await fetch(`${server.url}api/v1/search?sort=id,asc`)
        if (answer.status !== 200) return undefined
        const { items } = (await answer.json()) as { items: readonly { record: { id: string } }[] }
        return items.map(({ record }) => record.id)
      })
      expect(ids).to.deep.equal(['a', 'b', 'c'])
      await connector(folder, 'resume', 'search')
      await upToDate(server)
      await server.stop()
      expect(await listed(folder)).to.deep.include({ state: 'stopped', lagCommits: 0 })
    })

    it('sends revisions again from a commit, or every revision to new indices, each time once', async () => {
      const server = await start()
      await upToDate(server)
      const { commit } = await listed(folder)
      await store(server, 'e')
      await upToDate(server)
      const indexOf = (generation: number) => `${cluster.prefix}one~${generation}`
      const stored = (await documentsIn(cluster)).find(({ _source }) => _source.id === 'e')
      const path = `_doc/${encodeURIComponent('/api/v2/metadata/e')}`
      const version = `version=${stored?._version}&version_type=external_gte`
      await askCluster('PUT', `${indexOf(1)}/${path}?refresh=true&${version}`, { id: 'damaged' })
      expect(await idsIn())
        .to.include('damaged')
        .and.not.include('e')

      expect(await connector(folder, 'rewind', 'search', '--to', String(commit))).to.contain(
        `The server sends the revisions after commit ${commit?.slice(0, 10)} again`,
      )
      await waitUntil('the document is there again', async () => (await idsIn()).includes('e'))

      await connector(folder, 'rewind', 'search', '--all')
      const indices = async () => Object.keys(await askCluster<object>('GET', `${cluster.prefix}one/_alias`))
      await waitUntil('new indices answer', async () => (await indices()).includes(indexOf(2)))
      await upToDate(server)
      await server.stop()
      const again = await start()
      await upToDate(again)
      await store(again, 'f')
      await upToDate(again)
      expect(await indices()).to.deep.equal([indexOf(2)])
      expect((await listed(folder)).rewinds).to.equal(undefined)
      await again.stop()
    })

    it('keeps a rewind for the next server', async () => {
      await connector(folder, 'rewind', 'search', '--all')
      expect((await listed(folder)).rewinds).to.deep.equal({})
      expect(await connector(folder, 'list')).to.contain('search: It will send everything again')
      const server = await start()
      await waitUntil('generation 3', async () =>
        Object.keys(await askCluster<object>('GET', `${cluster.prefix}one/_alias`)).includes(
          `${cluster.prefix}one~3`,
        ),
      )
      await upToDate(server)
      await server.stop()
      const place = ['--search-url', 'http://127.0.0.1:9', '--search-index', cluster.prefix]
      const alone = await startServer(['--data', folder, ...place])
      await waitUntil('it fails', async () => (await listed(folder)).state === 'failing')
      expect((await listed(folder)).rewinds, 'the rewind is done').to.equal(undefined)
      await alone.stop()
    })
  })
})

describe('git-metastore connector', () => {
  after(stopProcesses)

  it('reports a missing connector, and refuses unknown names and commits', async () => {
    const folder = await temporaryFolder()
    await (await startServer(['--data', folder])).stop()
    const git = (...args: readonly string[]) => runProgram('git', ['-C', folder, ...args])
    await git('checkout', '-q', '-b', 'side')
    await git('commit', '-q', '--allow-empty', '-m', 'Side')
    await git('checkout', '-q', 'main')
    await git('merge', '-q', '--no-ff', '-m', 'Merge', 'side')
    expect(JSON.parse(await connector(folder, 'list', '--json'))).to.deep.equal([])
    const refused = [
      [['pause'], 2, 'Name the connector'],
      [['list', 'search'], 2, 'takes no name'],
      [['pause', 'amqp'], 3, 'There is no connector "amqp". A server can have: search.'],
      [['rewind', 'search'], 2, 'needs either --to with a commit, or --all'],
      [['pause', 'search', '--all'], 2, '--to and --all belong to connector rewind'],
      [['rewind', 'search', '--to', 'nonsense'], 3, 'The repository has no commit "nonsense".'],
      [['rewind', 'search', '--to', 'side'], 3, 'The history that is served has no commit'],
    ] as const
    for (const [args, exit, message] of refused) {
      const { code, stderr } = await runMetastore(['connector', ...args, '--data', folder])
      expect([code, stderr.includes(message)], `${args.join(' ')}: ${stderr}`).to.deep.equal([exit, true])
    }
  })

  it('shows requests that precede the first server, and when they take effect', async () => {
    const folder = await temporaryFolder()
    expect((await runMetastore(['init', '--empty', folder])).code).to.equal(0)
    expect(await connector(folder, 'list', '--json')).to.equal('[]\n')
    const head = await headOf(folder)

    await connector(folder, 'pause', 'search')
    expect(await listed(folder)).to.deep.equal({ name: 'search', isPaused: true, state: 'paused' })
    expect(await connector(folder, 'list')).to.match(/^search +paused +- +unknown +-$/m)
    const { stdout } = await runMetastore(['status', '--data', folder])
    expect(stdout).to.contain('Sends    search: paused; lag: unknown')

    const server = await startServer(['--data', folder])
    for (const [options, what] of [
      [['--to', head], `the revisions after commit ${head.slice(0, 10)} again`],
      [['--all'], 'everything again, to new indices'],
    ] as const) {
      const said = await connector(folder, 'rewind', 'search', ...options)
      expect(said).to.contain(`search is paused. After \`connector resume search\` the server sends ${what}`)
      expect(said).to.not.contain('within seconds')
    }
    expect(await listed(folder)).to.deep.equal({
      name: 'search',
      isPaused: true,
      state: 'paused',
      rewinds: {},
    })
    await connector(folder, 'resume', 'search')
    expect(await listed(folder)).to.deep.include({ state: 'stopped', rewinds: {} })
    expect(await connector(folder, 'rewind', 'search', '--all')).to.contain('within seconds')
    await server.stop()
  })

  it('shows why a cluster gets no revisions', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', folder, '--search-url', 'http://127.0.0.1:9'])
    await waitUntil(
      'it fails',
      async () => (await listed(folder).catch(() => undefined))?.state === 'failing',
    )
    expect((await listed(folder)).lastError).to.contain('http://127.0.0.1:9 cannot be reached')
    await server.stop()
    await writeFile(join(folder, '.git/git-metastore/connectors/search.status'), '{"addr')
    const { code, stderr } = await runMetastore(['status', '--data', folder])
    expect(code, stderr).to.equal(0)
  })
})
