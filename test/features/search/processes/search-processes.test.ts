import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  openSearchProcesses,
  type SearchProcesses,
} from '../../../../src/features/search/processes/search-processes.js'
import { temporaryFolder } from '../../../support/program/run-program.js'
import { waitUntil } from '../../../support/repository/test-repository.js'
import type { HeldJob } from './held-job-entry.js'

describe('The processes of searches', () => {
  let processes: SearchProcesses<HeldJob, number>
  beforeEach(() => {
    const limits = { quickTime: 50, maxTime: 600_000 }
    processes = openSearchProcesses(new URL('./held-job-entry.js', import.meta.url), limits)
  })
  afterEach(() => processes.close())

  const quick = () => processes.run(() => ({}), undefined)

  it('keep the process of a slow search that fails by itself, with the data that it has read', async () => {
    const file = join(await temporaryFolder(), 'fails')
    const slow = processes
      .run(() => ({ failsWith: file }), undefined)
      .catch((thrown: Error) => thrown.message)
    const held = await waitUntil(
      'the search runs',
      async () => Number(await readFile(`${file}.pid`).catch(() => 0)) || undefined,
    )
    expect(await quick()).to.not.equal(held)
    await writeFile(file, '')
    expect(await slow).to.equal('The search failed by itself.')
    await waitUntil('its process answers quick searches', async () => (await quick()) === held)
  })
})
