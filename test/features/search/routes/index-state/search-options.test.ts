import { expect } from 'chai'
import {
  type RunningServer,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../../support/program/run-program.js'
import { upload, uploadTitled } from '../../../../support/servers/uploads.js'

describe('the options of a server for its search', () => {
  after(stopProcesses)

  async function serverWith(...options: readonly string[]): Promise<RunningServer> {
    const server = await startServer(['--data', await temporaryFolder(), ...options])
    await upload(server.url, 'schema', { schemaId: 'free' }, '{"type":"object"}')
    await uploadTitled(
      server.url,
      { id: 'one', schema: 'free', title: 'Fatigue report' },
      JSON.stringify({ word: 'tungsten', text: 'x '.repeat(1000), last: 'osmium' }),
    )
    return server
  }
  async function totals({ url }: RunningServer, ...queries: readonly string[]): Promise<readonly number[]> {
    const { next } = (await (await fetch(`${url}api/changes?limit=100`)).json()) as { next: string }
    const found: number[] = []
    for (const q of queries) {
      const address = `${url}api/v1/search?q=${encodeURIComponent(q)}&since=${next}&wait=60`
      found.push(((await (await fetch(address)).json()) as { total: number }).total)
    }
    return found
  }
  const queries = ['fatigue', 'tungsten', 'word:tungsten', 'osmium', 'last:osmium'] as const

  it('find records and documents by default', async () => {
    expect(await totals(await serverWith(), ...queries)).to.deep.equal([1, 1, 1, 1, 1])
  })

  it('find only records with --search record', async () => {
    expect(await totals(await serverWith('--search', 'record'), ...queries)).to.deep.equal([1, 0, 0, 0, 0])
  })

  it('find the beginning of documents with --search-text', async () => {
    expect(await totals(await serverWith('--search-text', '1'), ...queries)).to.deep.equal([1, 1, 1, 0, 0])
  })
})
