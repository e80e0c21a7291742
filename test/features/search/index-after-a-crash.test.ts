// test-schedule: waits
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { asVersion, type Id } from '../../../src/core/value-types.js'
import { searchText } from '../../support/data/search-requests.js'
import { programScript } from '../../support/program/run-program.js'
import { importRecords } from '../../support/repository/import-record-states.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const records = 2000

describe('the search index after a crash', () => {
  afterEach(removeRepositories)

  it('has every record once after any number of kills of its process', async () => {
    const repository = await temporaryRepository({ bare: true })
    await importRecords(
      repository,
      Array.from({ length: records }, (_, index) => ({
        kind: 'metadata' as const,
        record: { id: `m${index}` as Id, schema: { schemaId: 's' as Id, version: asVersion(1) } },
        document: JSON.stringify({
          word: 'common',
          parity: index % 2 === 0 ? 'even' : 'odd',
          text: 'filler '.repeat(100),
        }),
        time: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
      })),
    )
    const services = await repository.compose()
    const own = `${repository.dir}/git-metastore`
    let interrupted = 0
    for (const delay of [0, 30, 80, 150]) {
      const args = [programScript, 'search', 'common', '--data', repository.dir]
      const child = spawn(process.execPath, args, { stdio: 'ignore', detached: true })
      const ended = once(child, 'exit')
      const isIndexing = () =>
        child.exitCode !== null || readdirSync(own).some(name => /^search-.*-wal$/.test(name))
      await waitUntil('the index', isIndexing)
      await setTimeout(delay)
      if (child.exitCode === null) {
        interrupted++
        process.kill(-(child.pid as number), 'SIGKILL')
      }
      await ended
    }

    expect(interrupted).to.be.at.least(1)
    const facet = {
      name: 'kind',
      field: 'schema',
      counts: { type: 'terms', size: 5, order: 'count' },
    } as const
    const found = await searchText(services, selfPrincipal, 'common', { facets: [facet] })
    expect(found).to.include({ total: records, upToDate: true })
    expect(found.facets.get('kind')?.buckets).to.deep.equal([{ value: 's', count: records }])
    expect((await searchText(services, selfPrincipal, 'parity:odd')).total).to.equal(records / 2)
    expect((await searchText(services, selfPrincipal, 'id:m77 even')).total).to.equal(0)
    expect((await searchText(services, selfPrincipal, 'id:m77 odd')).total).to.equal(1)
  })
})
