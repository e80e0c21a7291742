import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { generate } from '../../../bench/data/generate-repository.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

// test-schedule: quick

describe('The catalog after many revisions at once', () => {
  afterEach(removeRepositories)

  it('is in its file, not only in the log, soon after a rebuild', async () => {
    const size = { records: 600, versions: 1, schemas: 1, seed: 'log', bare: true }
    const repository = await temporaryRepository({
      bare: true,
      make: async dir => {
        await generate(dir, size)
      },
    })
    await repository.compose()
    const file = join(repository.dir, 'git-metastore', 'catalog.sqlite')
    const logged = statSync(`${file}-wal`).size
    expect(logged).to.be.above(500_000)
    await waitUntil('the log is copied', () => statSync(file).size > logged / 2)
  })
})
