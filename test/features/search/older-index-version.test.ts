import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import Database from 'libsql'
import { isSearchFile, searchTableVersion } from '../../../src/features/search/index/search-tables.js'
import { jsonSchema, metadataRecordV1, startService } from '../../support/http/test-service.js'
import { startServer, stopProcesses } from '../../support/program/run-program.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

// test-schedule: waits

describe('A search index of an older version', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  it('is rebuilt at the start, and does not answer meanwhile', async () => {
    const service = await startService({}, {}, await temporaryRepository())
    await service.postSchema({ schemaId: 'one' }, jsonSchema()).expect(201)
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`)
    for (const id of ids)
      await service
        .postMetadata(metadataRecordV1(`http://x/${id}`, 'one', { id }), '{"a":"steel"}')
        .expect(201)
    await service.http
      .get('/api/v1/search')
      .query({ since: await service.head(), wait: 60 })
      .expect(200)
    await service.services.close()
    const folder = join(service.repository.dir, '.git', 'git-metastore')
    const files = () => readdirSync(folder).filter(isSearchFile)
    const [current = ''] = files().filter(name => name.endsWith('.sqlite'))
    const older = current.replace(`search-${searchTableVersion}.`, `search-${searchTableVersion - 1}.`)
    expect(older).to.not.equal(current)
    for (const name of files()) renameSync(join(folder, name), join(folder, name.replace(current, older)))
    // The older version has other tables. Answers from this index would be wrong.
    const database = new Database(join(folder, older))
    database.exec(`DELETE FROM indexed; PRAGMA user_version = ${searchTableVersion - 1}`)
    database.close()

    // The server cannot make the file of its index while a folder is in its place.
    mkdirSync(join(folder, current))
    const { url } = await startServer(['--data', service.repository.dir])
    const search = () => fetch(`${url}api/v1/search?q=steel&size=1`)
    const before = await search()
    expect([before.status, before.headers.get('retry-after')]).to.deep.equal([503, '2'])
    rmdirSync(join(folder, current))
    const totals: number[] = []
    while (totals.length < 3) {
      const answer = await search()
      const body = (await answer.json()) as { total: number; upToDate: boolean }
      expect(answer.status).to.be.oneOf([200, 503])
      // The total of an incomplete index would be too low.
      if (answer.status === 200) totals.push(body.total)
    }

    expect(totals).to.deep.equal([ids.length, ids.length, ids.length])
    expect(files().filter(name => name.startsWith(older))).to.deep.equal([])
    expect(files()).to.include(current)
  })
})
